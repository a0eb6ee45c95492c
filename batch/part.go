package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-322c453a/sitemap/internal/records"
)

// maxAttempts is how often a task is handed out before it is abandoned: its site may kill workers.
const maxAttempts = 5

// part does a task, or one lot of it, and commits its part. Counts are zero if the part existed
// before. After a retry that is no better, they are those of the old part.
func (r *run) part(ctx context.Context, t Task) (Counts, error) {
	old, before, done, err := r.previous(ctx, t)
	if done || err != nil {
		return Counts{}, err
	}
	var store records.Temp
	defer store.Close()
	w, revision := *r.Worker, uint64(0) // the worker and the state of this task
	w.Options.Store = w.Store
	if w.States != nil {
		w.Options.Store, w.Options.Run = &store, ""
		if revision, err = r.load(ctx, t, &store, before); err != nil {
			return Counts{}, err
		}
	}
	part, err := w.Sink.Part(ctx, t)
	if err != nil {
		return Counts{}, err
	}
	defer part.Discard()
	saver := t.Run
	if before != "" {
		_, n := runOf(before)
		saver = fmt.Sprintf("%s/%d", t.Run, n+1)
		if _, err := part.Write(typed(typeState, stateLine{saver})); err != nil {
			return Counts{}, err
		}
	}
	counts, err := r.write(ctx, &w, t, part, old)
	if err != nil {
		return Counts{}, err
	}
	if old != nil && !old.isWorseThan(counts) {
		old.counts.Targets = int64(len(t.Targets))
		return old.counts, nil
	}
	if !r.Retry { // another worker may have done the task, if the lease was lost
		has, err := r.Sink.Has(ctx, t) // a damaged part was reported before
		if has || err != nil && !errors.Is(err, ErrDamaged) {
			return Counts{}, err
		}
	}
	if w.States != nil {
		_, err = r.save(ctx, t.Domain, saver, revision, &store)
	}
	if err == nil {
		err = r.removeLots(ctx, t, nil)
	}
	if err != nil {
		return Counts{}, err
	}
	return counts, part.Commit(ctx, counts)
}

// write does the job for the targets of a task that are not in the old part, or are retried. Before
// that come the lines that the new part keeps of the old one.
func (r *run) write(
	ctx context.Context, w *Worker, t Task, p Part, old *replaced,
) (sum Counts, err error) {
	if old != nil {
		if sum, err = r.carry(ctx, t, old, p); err != nil {
			return sum, err
		}
		t.Targets = slices.DeleteFunc(slices.Clone(t.Targets), func(target string) bool {
			return !old.walked[shown(target)]
		})
		old.watch(t, &w.Options)
	}
	job := w.Job
	if job == nil {
		job = URLs
	}
	if t.Attempts >= maxAttempts {
		job = abandon
	}
	counts, err := job(ctx, w, t, p)
	sum.Add(counts)
	return sum, err
}

// abandon is the Job that writes for each target that it was not done.
func abandon(ctx context.Context, w *Worker, t Task, p Part) (Counts, error) {
	text := fmt.Sprintf("no worker has ended this domain in %d attempts", t.Attempts)
	return w.eachTarget(ctx, t, p, func(_ context.Context, v *visit, _ string) error {
		v.fail(&Error{Code: Abandoned, Message: text})
		return nil
	})
}
