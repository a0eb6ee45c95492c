package batch

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// A retry holds a committed part with failures.
type retry struct {
	counts Counts
	failed map[string]bool // targets as they are in lines
}

// isWorseThan reports whether the new part, with these counts, has fewer failures. While some are
// left it must not have fewer documents: a site that does not answer at all fails only once.
func (r *retry) isWorseThan(c Counts) bool {
	return c.Failed == 0 || c.Failed < r.counts.Failed && c.Documents >= r.counts.Documents
}

// previous reports whether a task is done. If its part is to be retried, old holds the failures.
func (r *run) previous(ctx context.Context, t Task) (old *retry, done bool, err error) {
	has, err := r.has(ctx, t)
	if err != nil || !has || !r.Retry {
		return nil, has, err
	}
	old = &retry{failed: map[string]bool{}}
	for l, err := range ReadPart(ctx, r.Sink, Stored{Task: t}) {
		if errors.Is(err, ErrDamaged) {
			r.report(t, err)
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		target, counts := l.about()
		old.counts.Add(counts)
		if counts.Failed > 0 {
			old.failed[target] = true
		}
	}
	return old, old.counts.Failed == 0, nil
}

// carry copies lines from the old part of a task, if any, to a new part: those of targets that are
// not in the task, and changes that its own targets had before. It returns their counts.
func (r *run) carry(ctx context.Context, t Task, p io.Writer) (sum Counts, err error) {
	retried, counted := map[string]bool{}, map[string]bool{}
	for _, target := range t.Targets {
		retried[shown(target)] = true
	}
	for l, err := range ReadPart(ctx, r.Sink, Stored{Task: t}) {
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return sum, err
		}
		target, counts := l.about()
		if retried[target] && (l.URL == nil || !r.Options.OnlyChanged) {
			continue
		}
		if !retried[target] && !counted[target] {
			counted[target], counts.Targets = true, 1
		}
		sum.Add(counts)
		if _, err := p.Write(l.Text); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
