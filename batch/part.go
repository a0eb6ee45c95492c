package batch

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/seed-322c453a/sitemap/internal/records"
)

// maxAttempts is how often a task is handed out before it is abandoned, since its site may kill
// workers.
const maxAttempts = 5

// part does a task, or one lot of it, and commits its part in place of the existing one. Counts are
// zero if that is already the part of these targets. After a retry that is no better, they are
// those of the old part.
func (r *run) part(ctx context.Context, t Task, there Stored) (Counts, error) {
	old, done, err := r.replace(ctx, t, there)
	if done || err != nil {
		return Counts{}, err
	}
	var store records.Temp
	defer store.Close()
	w, next, state := *r.Worker, newStored(t), State{} // the worker, part and state of this task
	if w.States != nil {
		w.Options.Store, w.Options.Run = &store, ""
		state, old.isLost, err = r.load(ctx, t, old.part, &store)
		if err != nil {
			return Counts{}, err
		}
		state.Part = next.ID
	}
	part, err := w.Sink.Part(ctx, next)
	if err != nil {
		return Counts{}, err
	}
	defer part.Discard()
	counts, err := r.write(ctx, &w, t, part, old)
	if err != nil {
		return Counts{}, err
	}
	if !old.isWorseThan(counts) {
		old.part.Counts.Targets = int64(len(t.Targets))
		return old.part.Counts, nil
	}
	now, err := r.Sink.Stat(ctx, next) // a damaged part was reported before
	if err == nil && now.ID != there.ID {
		err = ErrStale // another worker has made a part, since the lease was lost
	}
	if err != nil && !isMissing(err) {
		return Counts{}, err
	}
	if w.States != nil {
		err := w.States.Save(ctx, t.Domain, state, func(out io.Writer) error {
			_, err := store.WriteTo(out)
			return err
		})
		if err != nil {
			return Counts{}, err
		}
	}
	if err := part.Commit(ctx, counts); err != nil || !r.Retry || !old.isLeft {
		return counts, err
	}
	next.Counts = counts
	return r.part(ctx, t, next)
}

// write writes the lines that the new part keeps of the old one. Then it does the job for the
// targets that are not in the old part, or are retried.
func (r *run) write(
	ctx context.Context, w *Worker, t Task, p Part, old *replaced,
) (sum Counts, err error) {
	if sum, err = r.carry(ctx, t, old, p); err != nil {
		return sum, err
	}
	t.Targets = slices.DeleteFunc(slices.Clone(t.Targets), func(target string) bool {
		return !old.walked[shown(target)]
	})
	old.watch(&w.Options)
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

// abandon is the Job that reports each target as abandoned.
func abandon(ctx context.Context, w *Worker, t Task, p Part) (Counts, error) {
	text := fmt.Sprintf("no worker has ended this domain in %d attempts", t.Attempts)
	return w.eachTarget(ctx, t, p, func(_ context.Context, v *visit, _ string) error {
		v.fail(&Error{Code: Abandoned, Message: text})
		return nil
	})
}
