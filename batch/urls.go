package batch

import (
	"context"
	"io"
	"iter"
	"net/url"

	"github.com/seed-322c453a/sitemap/discover"
)

// URLs is the [Job] that walks the targets of a task and writes their pages, each document, and what
// could not be read.
func URLs(ctx context.Context, w *Worker, t Task, p Part) (Counts, error) {
	return eachTarget(ctx, w.extra, t, p, func(
		ctx context.Context, target string, out io.Writer,
	) (Counts, error) {
		v := newVisit(target, out)
		walk := func(ctx context.Context) iter.Seq2[discover.URL, error] {
			return walkOf(ctx, w.Client, target, v.options(ctx, w.Options))
		}
		page := func(u discover.URL) {
			if w.Select == nil || w.Select(&u) {
				v.page(&u, w.Options.OnlyChanged)
			}
		}
		err := each(ctx, v, w.SiteTime, walk, page)
		return v.counts, err
	})
}

// walkOf walks a target: a site if it is a host or a URL without a path, else a sitemap.
func walkOf(
	ctx context.Context, c *discover.Client, target string, o *discover.Options,
) iter.Seq2[discover.URL, error] {
	if isSite(target) {
		return c.URLs(ctx, target, o)
	}
	return c.Walk(ctx, []*discover.Sitemap{{Loc: target}}, o)
}

func isSite(target string) bool {
	u, err := url.Parse(target)
	return err != nil || u.Host == "" || u.Path == "" || u.Path == "/" || u.Path == "/robots.txt"
}
