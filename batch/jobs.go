package batch

import (
	"cmp"
	"context"
	"io"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
)

// URLs is the [Job] that walks the targets of a task. It writes a line for each page, each
// document, and each target that could not be read.
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
	u, err := sitemap.ParseLoc(target)
	return err != nil || u.Path == "" || u.Path == "/" || u.Path == "/robots.txt"
}

// Findings returns the [Job] that audits the targets of a task. It writes a line for each finding,
// each document, and each target that could not be read. Walk and Store of the options are the
// Worker's, but the walk remembers no pages.
func Findings(o audit.Options) Job {
	return func(ctx context.Context, w *Worker, t Task, p Part) (Counts, error) {
		return w.eachTarget(ctx, t, p, func(ctx context.Context, v *visit, target string) error {
			o := o
			o.Walk, o.Store = *v.options(ctx, w.Options), w.Options.Store
			o.Walk.Store = nil // pages that no part has are new or modified in a later run
			o.Page = func(*discover.URL) { v.pages++ }
			found := audit.Site(ctx, w.Client, target, &o)
			if !isSite(target) {
				found = audit.Sitemaps(ctx, w.Client, []*discover.Sitemap{{Loc: target}}, &o)
			}
			for f, err := range found {
				if err != nil || v.failed != nil {
					return err
				}
				l := NewFinding(&f, v.target)
				v.write(Line{Finding: l, Text: typed(typeFinding, l)})
			}
			return nil
		})
	}
}

// NewFinding returns the line of a finding in the audit of a target.
func NewFinding(f *audit.Finding, target string) *Finding {
	return &Finding{
		Code: f.Code, Severity: f.Severity, Sitemap: f.Sitemap, Line: f.Pos.Line, Column: f.Column,
		Loc: f.Loc, Text: f.Text, Message: f.Message, Fix: f.Fix, Dropped: f.Dropped,
		Target: target,
	}
}

// eachTarget walks the targets of a task and writes their lines in the order of the targets. Hosts
// are walked side by side, and the targets of one host one after the other.
func (w *Worker) eachTarget(
	ctx context.Context, t Task, p io.Writer, walk walkFunc,
) (Counts, error) {
	if len(t.Targets) == 1 {
		return w.visit(ctx, t.Targets[0], p, walk)
	}
	targets := map[string][]int{} // of each host
	for i, target := range t.Targets {
		host, _ := hostOf(target)
		targets[host] = append(targets[host], i)
	}
	hosts := slices.SortedFunc(maps.Values(targets), slices.Compare)
	lines := NewInOrder(p, nil)
	lines.maxMemory, lines.maxFile = 1<<20, math.MaxInt64
	walkHost := func(ctx context.Context, n int) (sum Counts, err error) {
		for _, i := range hosts[n] {
			part, _ := lines.Part(ctx, Stored{Task: Task{Turn: uint64(i + 1)}})
			counts, err := w.visit(ctx, t.Targets[i], part, walk)
			if err = cmp.Or(err, part.Commit(ctx, counts)); err != nil {
				return sum, err
			}
			sum.Add(counts)
		}
		return sum, nil
	}
	sum, err := w.sideBySide(ctx, len(hosts), walkHost)
	return sum, cmp.Or(err, lines.Close())
}

// sideBySide calls do with each number below n and adds up the counts. One call is always under
// way; more run beside it if the worker has room.
func (w *Worker) sideBySide(
	ctx context.Context, n int, do func(ctx context.Context, i int) (Counts, error),
) (sum Counts, err error) {
	counts := make([]Counts, n)
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	var work func() error
	work = func() error {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if i+1 < n && w.extra.TryAcquire(1) {
				group.Go(func() error {
					defer w.extra.Release(1)
					return work()
				})
			}
			c, err := do(ctx, i)
			if counts[i] = c; err != nil {
				return err
			}
		}
		return nil
	}
	group.Go(work)
	err = group.Wait()
	for _, c := range counts {
		sum.Add(c)
	}
	return sum, err
}
