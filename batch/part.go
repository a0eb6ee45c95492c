package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/seed-322c453a/sitemap/internal/records"
)

// A worker is a Worker that runs.
type worker struct {
	*Worker
	runs sync.Map // run to whether the sink has parts of it
}

// report reports what went wrong with a task.
func (w *worker) report(t Task, err error) {
	if w.Report != nil {
		w.Report(t, err)
	}
}

// maxAttempts is how often a task is handed out. Then it is abandoned: its site may kill workers.
const maxAttempts = 5

// part does a task, or one lot of it, and commits its part. Counts are zero if it was there before.
func (w *worker) part(ctx context.Context, t Task) (Counts, error) {
	old, done, err := w.previous(ctx, t)
	if done || err != nil {
		return Counts{}, err
	}
	task := *w.Worker // of this task
	task.Options.Store = w.Store
	revision := uint64(0)
	var store records.Temp
	defer store.Close()
	if w.States != nil {
		if revision, err = w.load(ctx, t, &store, old != nil); err != nil {
			return Counts{}, err
		}
		task.Options.Store, task.Options.Run = &store, ""
	}
	part, err := w.Sink.Part(ctx, t)
	if err != nil {
		return Counts{}, err
	}
	defer part.Discard()
	counts, err := w.write(ctx, &task, t, part, old)
	if err != nil || old != nil && counts.Failed >= old.counts.Failed {
		return Counts{}, err
	}
	if !w.Retry { // another worker may have done the task, if the lease was lost
		if has, err := w.has(ctx, t); has || err != nil {
			return Counts{}, err
		}
	}
	if w.States != nil {
		write := func(out io.Writer) error {
			_, err := store.WriteTo(out)
			return err
		}
		if _, err := w.States.Save(ctx, t.Domain, t.Run, revision, write); err != nil {
			return Counts{}, err
		}
	}
	if err := w.removeLots(ctx, t, nil); err != nil {
		return Counts{}, err
	}
	return counts, part.Commit(ctx, counts)
}

// previous reports whether nothing is left of a task. If its part is to be retried, old holds what
// failed.
func (w *worker) previous(ctx context.Context, t Task) (old *retry, done bool, err error) {
	has, err := w.has(ctx, t)
	if err != nil || !has || !w.Retry {
		return nil, has, err
	}
	old, err = w.retryOf(ctx, t)
	if errors.Is(err, ErrDamaged) {
		w.report(t, err)
		return nil, false, nil
	}
	return old, old == nil, err
}

// has reports whether the part of a task is there. One that is damaged is reported and is not.
func (w *worker) has(ctx context.Context, t Task) (bool, error) {
	has, err := w.Sink.Has(ctx, t)
	if errors.Is(err, ErrDamaged) {
		w.report(t, err)
		return false, nil
	}
	return has, err
}

// write does the job of a task, or what is left of it.
func (w *worker) write(
	ctx context.Context, task *Worker, t Task, p Part, old *retry,
) (sum Counts, err error) {
	if t.Attempts >= maxAttempts {
		return abandon(t, p)
	}
	if t.More && old == nil {
		sum, err = w.keepOthers(ctx, t, p)
		if errors.Is(err, ErrDamaged) {
			w.report(t, err)
		} else if err != nil {
			return sum, err
		}
	} else if old != nil && !task.Options.OnlyChanged { // with OnlyChanged, the state before has to go on
		if sum, t, err = old.keep(ctx, w.Worker, t, p); err != nil {
			return sum, err
		}
	}
	job := task.Job
	if job == nil {
		job = URLs
	}
	counts, err := job(ctx, task, t, p)
	sum.add(counts)
	return sum, err
}

// abandon writes that the targets of a task were not done.
func abandon(t Task, p Part) (sum Counts, err error) {
	for _, target := range t.Targets {
		v := newVisit(target, p)
		v.failTarget(&Error{
			Code: "abandoned", Message: fmt.Sprintf("no worker has ended this domain in %d attempts", t.Attempts),
		})
		sum.add(v.counts)
		err = cmp.Or(err, v.failed)
	}
	return sum, err
}

// load reads the state of a domain, and returns the revision that is to be replaced. If the part
// that belongs to the state never appeared, or is to be done once more, it is the state before. But a
// retry of a full run, and further targets, go on with what has been learned since.
func (w *worker) load(ctx context.Context, t Task, store *records.Temp, retry bool) (uint64, error) {
	s, err := w.States.Load(ctx, t.Domain)
	if err != nil || s.Open == nil {
		return s.Revision, err
	}
	from, again := &s, s.Run == t.Run
	if again {
		again = !t.More && (!retry || w.Options.OnlyChanged)
	} else if again, err = w.lacks(ctx, s.Run, t.Domain); err != nil {
		return 0, err
	}
	if again {
		from = s.Predecessor
	}
	err = read(ctx, from, store)
	if err != nil && from == &s {
		w.report(t, fmt.Errorf("its state is forgotten: %w", err))
		err = read(ctx, s.Predecessor, store)
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		w.report(t, fmt.Errorf("its state is forgotten: %w", err))
	}
	return s.Revision, nil
}

// read reads a state, which may be nil.
func read(ctx context.Context, s *State, store *records.Temp) error {
	if s == nil {
		return nil
	}
	in, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = store.ReadFrom(in)
	return err
}

// lacks reports whether a run is there, but not its part of a domain. The user may have removed runs.
func (w *worker) lacks(ctx context.Context, run, domain string) (bool, error) {
	if has, err := w.has(ctx, Task{Run: run, Domain: domain}); has || err != nil {
		return false, err
	}
	if is, known := w.runs.Load(run); known {
		return is.(bool), nil
	}
	is := false
	for _, err := range w.Sink.Parts(ctx, run) {
		if err != nil && !errors.Is(err, ErrDamaged) {
			return false, err
		}
		is = true
		break
	}
	w.runs.Store(run, is)
	return is, nil
}

// removeLots removes the lots that the part of a task lists, unless they are in keep.
func (w *worker) removeLots(ctx context.Context, t Task, keep map[string]bool) error {
	sink, ok := w.Sink.(Remover)
	if !ok {
		return nil
	}
	names, err := w.lotsOf(ctx, t)
	for _, name := range names {
		if !keep[name] && err == nil {
			err = sink.Remove(ctx, Stored{Task: Task{Run: t.Run, Domain: name}})
		}
	}
	return err
}

// lotsOf returns the lots that the part of a task lists, if there is one.
func (w *worker) lotsOf(ctx context.Context, t Task) ([]string, error) {
	in, err := w.Sink.Open(ctx, Stored{Task: Task{Run: t.Run, Domain: t.Domain}})
	if err != nil {
		return nil, nil // there is none, or it is damaged and was reported
	}
	defer in.Close()
	for line, err := range textLines(in) {
		var first firstLine
		if err == nil && json.Unmarshal(line, &first) == nil {
			return first.lotNames(), nil
		}
		break
	}
	return nil, nil
}
