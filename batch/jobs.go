package batch

import (
	"context"
	"net/url"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
)

// URLs is the [Job] that walks the targets of a task and writes their pages, each document, and what
// could not be read.
func URLs(ctx context.Context, w *Worker, t Task, p Part) (Counts, error) {
	return w.eachTarget(ctx, t, p, func(ctx context.Context, v *visit, target string) error {
		o := v.options(ctx, w.Options)
		walk := w.Client.URLs(ctx, target, o)
		if !isSite(target) {
			walk = w.Client.Walk(ctx, []*discover.Sitemap{{Loc: target}}, o)
		}
		for u, err := range walk {
			if err != nil || v.failed != nil {
				return err
			}
			if w.Select == nil || w.Select(&u) {
				v.page(&u, w.Options.OnlyChanged)
			}
		}
		return nil
	})
}

// isSite reports whether a target is a site, and not a sitemap: a host or a URL without a path.
func isSite(target string) bool {
	u, err := url.Parse(target)
	return err != nil || u.Host == "" || u.Path == "" || u.Path == "/" || u.Path == "/robots.txt"
}

// Findings returns the [Job] that audits the targets of a task and writes what it finds, each
// document, and what could not be read. Walk and Store of the options are the Worker's.
func Findings(o audit.Options) Job {
	return func(ctx context.Context, w *Worker, t Task, p Part) (Counts, error) {
		return w.eachTarget(ctx, t, p, func(ctx context.Context, v *visit, target string) error {
			o := o
			o.Walk, o.Store = *v.options(ctx, w.Options), w.Options.Store
			o.Page = func(*discover.URL) { v.counts.URLs++ }
			found := audit.Site(ctx, w.Client, target, &o)
			if !isSite(target) {
				found = audit.Sitemaps(ctx, w.Client, []*discover.Sitemap{{Loc: target}}, &o)
			}
			for f, err := range found {
				if err != nil || v.failed != nil {
					return err
				}
				l := Finding{
					Code: f.Code, Severity: f.Severity, Sitemap: f.Sitemap, Line: f.Pos.Line, Column: f.Column,
					Loc: f.Loc, Text: f.Text, Message: f.Message, Fix: f.Fix, Dropped: f.Dropped, Target: v.target,
				}
				v.write(Line{Finding: &l, Text: typed(typeFinding, l)})
			}
			return nil
		})
	}
}
