package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/seed-322c453a/sitemap"
)

// A retry holds a committed part with failures.
type retry struct {
	counts Counts
	failed map[string]bool // targets as they are in lines
}

// previous reports whether a task is done. If its part is to be retried, old holds the failures.
func (r *run) previous(ctx context.Context, t Task) (old *retry, done bool, err error) {
	has, err := r.has(ctx, t)
	if err != nil || !has || !r.Retry {
		return nil, has, err
	}
	old = &retry{failed: map[string]bool{}}
	for l, err := range r.lines(ctx, t) {
		if errors.Is(err, ErrDamaged) {
			r.report(t, err)
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		target, counts := l.about()
		old.counts.add(counts)
		if counts.Failed > 0 {
			old.failed[target] = true
		}
	}
	return old, old.counts.Failed == 0, nil
}

// carry copies lines from the old part of a task, if any, to a new part: those of targets that are
// not in the task. It returns their counts.
func (r *run) carry(ctx context.Context, t Task, p io.Writer) (sum Counts, err error) {
	retried, counted := map[string]bool{}, map[string]bool{}
	for _, target := range t.Targets {
		retried[sitemap.Redact(target)] = true
	}
	for l, err := range r.lines(ctx, t) {
		if err != nil {
			return sum, err
		}
		target, counts := l.about()
		if retried[target] {
			continue
		}
		if !counted[target] {
			counted[target], counts.Targets = true, 1
		}
		sum.add(counts)
		if _, err := p.Write(l.Text); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// lines yields the lines of the part of a task, if it exists. If the part cannot be read to its
// end, the error matches ErrDamaged.
func (r *run) lines(ctx context.Context, t Task) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in, err := r.Sink.Open(ctx, Stored{Task: t})
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer in.Close()
		for l, err := range Lines(in) {
			if err != nil {
				err = cmp.Or(ctx.Err(), fmt.Errorf("%s in run %s: %w: %w", t.Domain, t.Run, ErrDamaged, err))
			}
			if !yield(l, err) {
				return
			}
		}
	}
}
