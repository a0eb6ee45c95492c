package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A visit writes what the walk of one target finds.
type visit struct {
	target string // without credentials
	out    io.Writer
	counts Counts
	failed error // of out

	url   URL
	from  *discover.Sitemap // the document of url
	line  []byte
	doc   Document // that was fetched last, as far as it is known before it is read
	docOf *discover.Sitemap
}

func newVisit(target string, out io.Writer) *visit {
	v := &visit{target: sitemap.Redact(target), out: out, counts: Counts{Targets: 1}}
	v.url.Target = v.target
	return v
}

// errSiteTime is the failure of a target that takes longer than Worker.SiteTime.
var errSiteTime = fmt.Errorf("longer than the time for one target: %w", fetch.ErrTimeout)

// A walkFunc is a walk that ends with ctx. Its elements are written by item.
type walkFunc[T any] func(ctx context.Context) iter.Seq2[T, error]

// each ranges over a walk and writes its elements. What could not be read is written, too; the error
// is another one.
func each[T any](ctx context.Context, v *visit, limit time.Duration, walk walkFunc[T], item func(T)) error {
	walking, stop := ctx, func() {}
	if limit > 0 {
		walking, stop = context.WithTimeout(ctx, limit)
	}
	defer stop()
	for e, err := range walk(walking) {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && walking.Err() != nil:
			v.fail(errSiteTime)
		case err != nil:
			v.walkFailed(err)
		default:
			item(e)
		}
		if v.failed != nil {
			return v.failed
		}
	}
	return v.failed
}

// options returns the options of the walk.
func (v *visit) options(ctx context.Context, o discover.Options) *discover.Options {
	fetched, done := o.Fetched, o.Done
	minTrust := cmp.Or(o.MinTrust, trust.Variant)
	o.Fetched = func(s *discover.Sitemap, doc *fetch.Document) {
		v.docOf, v.doc = s, FetchedDocument(doc)
		if fetched != nil {
			fetched(s, doc)
		}
	}
	o.Done = func(s *discover.Sitemap, sum discover.Summary) {
		if sum.Err == nil || ctx.Err() == nil {
			v.document(s, &sum, minTrust)
		}
		if done != nil {
			done(s, sum)
		}
	}
	return &o
}

// page writes the line of a page.
func (v *visit) page(u *discover.URL, withChange bool) {
	if u.Sitemap != v.from {
		v.from, v.url.Sitemap = u.Sitemap, sitemap.Redact(u.Sitemap.Loc)
	}
	v.url.Entry, v.url.Trust, v.url.OnSite = u.Entry, u.Trust.String(), u.OnSite
	if withChange {
		v.url.Change = u.Change
	}
	v.line = v.url.AppendTo(v.line[:0])
	v.write(v.line)
	v.counts.URLs++
}

// document writes the line of a document that has ended.
func (v *visit) document(s *discover.Sitemap, sum *discover.Summary, minTrust trust.Level) {
	var d Document
	if v.docOf == s {
		d, v.docOf = v.doc, nil
	}
	d.End(v.target, s, sum, minTrust)
	v.counts.Untrusted += d.Untrusted
	if sum.Skipped == "" {
		v.counts.Documents++
	}
	if d.Error != nil {
		v.count(d.Error)
	}
	v.line = d.AppendTo(v.line[:0])
	v.write(v.line)
}

// walkFailed takes the last error of a walk. Those of documents have their lines already.
func (v *visit) walkFailed(err error) {
	var walk *discover.WalkError
	if !errors.As(err, &walk) {
		v.fail(err)
		return
	}
	for _, err := range walk.Errs {
		if e := (*discover.DocumentError)(nil); !errors.As(err, &e) {
			v.fail(err)
		}
	}
}

// fail writes the line of a target that could not be read.
func (v *visit) fail(err error) { v.failTarget(errorText(v.target, err)) }

func (v *visit) failTarget(e *Error) {
	v.count(e)
	v.write(typed(typeTarget, Target{v.target, e}))
}

// count counts a failure.
func (v *visit) count(e *Error) {
	if v.counts.Failed++; v.counts.Cause == "" {
		v.counts.Cause = e.Code
	}
}

func (v *visit) write(line []byte) {
	_, err := v.out.Write(line)
	v.failed = cmp.Or(v.failed, err)
}
