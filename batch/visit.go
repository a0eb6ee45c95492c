package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A visit writes the lines for the walk of one target.
type visit struct {
	target string // without credentials
	out    io.Writer
	counts Counts
	failed error // of out
	line   []byte
	pages  int64 // that have no lines, of the document that is read

	url  URL
	from *discover.Sitemap // the document of url

	timer *time.Timer // calls late after Worker.SiteTime, unless pages of a document are written
	ends  time.Time   // when that time is over
	late  func()      // ends the walk
}

// A walkFunc walks a target and writes lines. It returns the error of the walk.
type walkFunc func(ctx context.Context, v *visit, target string) error

// errSiteTime is the failure of a target that takes longer than Worker.SiteTime.
var errSiteTime = fmt.Errorf("longer than the time for one target: %w", fetch.ErrTimeout)

// isStopped reports whether a context has ended, and not because of errSiteTime.
func isStopped(ctx context.Context) bool {
	return ctx.Err() != nil && context.Cause(ctx) != errSiteTime
}

// visit walks a target. Read failures become lines; the error is that of the context or of the
// part.
func (w *Worker) visit(
	ctx context.Context, target string, out io.Writer, walk walkFunc,
) (Counts, error) {
	limit := w.SiteTime
	if limit <= 0 {
		limit = math.MaxInt64
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	v := &visit{
		target: shown(target), out: out, counts: Counts{Targets: 1},
		ends: time.Now().Add(limit), late: func() { stop(errSiteTime) },
	}
	v.timer = time.AfterFunc(limit, v.late)
	defer v.timer.Stop()
	v.url.Target = v.target
	err := walk(ctx, v, target)
	var several *discover.WalkError
	switch {
	case err == nil:
	case isStopped(ctx):
		return v.counts, ctx.Err()
	case ctx.Err() != nil:
		v.fail(errorOf(v.target, errSiteTime))
	case errors.As(err, &several):
		for _, err := range several.Errs {
			if !errors.As(err, new(*discover.DocumentError)) { // these have lines
				v.fail(errorOf(v.target, err))
			}
		}
	default:
		v.fail(errorOf(v.target, err))
	}
	return v.counts, v.failed
}

// shown returns a target in the form that lines have: without credentials, and with bytes that are
// not UTF-8 as JSON writes them.
func shown(target string) string { return string([]rune(sitemap.Redact(target))) }

// options returns the options of the walk.
func (v *visit) options(ctx context.Context, o discover.Options) *discover.Options {
	done, least := o.Done, cmp.Or(o.MinTrust, trust.Variant)
	o.Done = func(s *discover.Sitemap, sum discover.Summary) {
		if errors.As(sum.Err, new(*fs.PathError)) { // no room for the body: not the site's failure
			v.failed = cmp.Or(v.failed, sum.Err)
		}
		if sum.Err == nil || !isStopped(ctx) {
			d := NewDocument(v.target, s, &sum, least)
			d.URLs, v.pages = v.pages, 0
			v.write(Line{Document: d, Text: d.AppendTo(nil)})
		}
		if left := time.Until(v.ends); left > 0 {
			v.timer.Reset(left)
		} else {
			v.late()
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
		if !v.timer.Stop() { // a state has no page of a document that did not end
			v.late()
			return
		}
		v.from, v.url.Sitemap = u.Sitemap, sitemap.Redact(u.Sitemap.Loc)
	}
	v.url.Entry, v.url.Trust, v.url.OnSite = u.Entry, u.Trust, u.OnSite
	if withChange {
		v.url.Change = u.Change
	}
	v.line = v.url.AppendTo(v.line[:0])
	v.write(Line{URL: &v.url, Text: v.line})
}

// fail writes the line of a target that could not be read.
func (v *visit) fail(err *Error) {
	t := Target{v.target, err}
	v.write(Line{Target: &t, Text: typed(typeTarget, t)})
}

// write writes and counts a line.
func (v *visit) write(l Line) {
	_, counts := l.about()
	v.counts.Add(counts)
	_, err := v.out.Write(l.Text)
	v.failed = cmp.Or(v.failed, err)
}
