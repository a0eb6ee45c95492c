package batch

import (
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// NewDocument returns the Document for the arguments of [discover.Options.Done], in the walk of a
// target. Pages with a trust below least were left out.
func NewDocument(
	target string, s *discover.Sitemap, sum *discover.Summary, least trust.Level,
) *Document {
	d := &Document{
		Target: target, Sitemap: sitemap.Redact(s.Loc), Status: sum.Status,
		ContentType: sum.ContentType, Format: sum.Format, Bytes: sum.Bytes, Entries: sum.Entries, LastMod: s.LastMod,
		Robots: s.RobotsURL, Skipped: sum.Skipped,
	}
	if !sum.Fetched.IsZero() {
		d.Fetched = sum.Fetched.UTC().Truncate(time.Second)
		d.LastModified, d.ETag = sum.Validators.LastModified, sum.Validators.ETag
	}
	if sum.FinalURL != d.Sitemap {
		d.URL = sum.FinalURL
	}
	if s.Referrer != nil {
		d.Referrer = sitemap.Redact(s.Referrer.Loc)
	}
	for _, grant := range sum.Scope {
		d.Trust = max(d.Trust, grant.By)
	}
	for level, n := range sum.ByTrust {
		if level < least {
			d.Untrusted += n
		}
	}
	d.Error = errorOf(d.Sitemap, sum.Err)
	return d
}

// AppendTo appends the line of a document.
func (d *Document) AppendTo(b []byte) []byte { return append(b, typed(typeDocument, d)...) }
