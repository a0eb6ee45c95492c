package batch

import (
	"context"
	"io"
	"iter"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
)

// Findings returns the [Job] that audits the targets of a task and writes what it finds, each
// document, and what could not be read. Walk and Store of the options are the Worker's.
func Findings(o audit.Options) Job {
	return func(ctx context.Context, w *Worker, t Task, p Part) (Counts, error) {
		return eachTarget(ctx, w.extra, t, p, func(
			ctx context.Context, target string, out io.Writer,
		) (Counts, error) {
			v := newVisit(target, out)
			walk := func(ctx context.Context) iter.Seq2[audit.Finding, error] {
				o := o
				o.Walk, o.Store = *v.options(ctx, w.Options), w.Options.Store
				o.Page = func(*discover.URL) { v.counts.URLs++ }
				return auditOf(ctx, w.Client, target, &o)
			}
			err := each(ctx, v, w.SiteTime, walk, v.finding)
			return v.counts, err
		})
	}
}

func auditOf(
	ctx context.Context, c *discover.Client, target string, o *audit.Options,
) iter.Seq2[audit.Finding, error] {
	if isSite(target) {
		return audit.Site(ctx, c, target, o)
	}
	return audit.Sitemaps(ctx, c, []*discover.Sitemap{{Loc: target}}, o)
}

// finding writes the line of a finding.
func (v *visit) finding(f audit.Finding) {
	v.counts.finding(f.Severity)
	v.write(typed(typeFinding, Finding{
		Code: f.Code, Severity: f.Severity, Sitemap: f.Sitemap, Line: f.Pos.Line, Column: f.Column,
		Loc: f.Loc, Text: f.Text, Message: f.Message, Fix: f.Fix, Dropped: f.Dropped, Target: v.target,
	}))
}
