package batch

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

// FetchedDocument returns the Document for a response that [discover.Options.Fetched] reports; doc
// is nil for a file. [Document.End] fills in the rest.
func FetchedDocument(doc *fetch.Document) Document {
	d := Document{Fetched: time.Now().UTC().Truncate(time.Second)}
	if doc != nil {
		d.ContentType = doc.Header.Get("Content-Type")
		d.LastModified, d.ETag = doc.LastModified, doc.ETag
	}
	return d
}

// End fills in the fields that are known when [discover.Options.Done] is called, in the walk of a
// target. Least is the trust below which pages were left out.
func (d *Document) End(
	target string, s *discover.Sitemap, sum *discover.Summary, least trust.Level,
) {
	d.Target, d.Sitemap, d.Status = target, sitemap.Redact(s.Loc), sum.Status
	d.Format, d.Bytes, d.Entries = sum.Format, sum.Bytes, sum.Entries
	d.LastMod, d.Robots, d.Skipped = s.LastMod, s.RobotsURL, sum.Skipped
	if sum.FinalURL != d.Sitemap {
		d.URL = sum.FinalURL
	}
	if s.Referrer != nil {
		d.Referrer = sitemap.Redact(s.Referrer.Loc)
	}
	if len(sum.Scope) > 0 {
		strongest := slices.MaxFunc(sum.Scope,
			func(a, b trust.Grant) int { return cmp.Compare(a.By, b.By) })
		d.Trust = strongest.By
	}
	for level, n := range sum.ByTrust {
		if level < least {
			d.Untrusted += n
		}
	}
	d.Error = errorOf(d.Sitemap, sum.Err)
}

// AppendTo appends the line of a document.
func (d *Document) AppendTo(b []byte) []byte { return append(b, typed(typeDocument, d)...) }
