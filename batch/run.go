package batch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/seed-322c453a/sitemap/internal/records"
)

// A run is a Worker that runs.
type run struct {
	*Worker
	first  sync.Once
	failed error // of the first task that could not be done
}

// report reports an error of a task.
func (r *run) report(t Task, err error) {
	if r.Report != nil {
		r.Report(t, err)
	}
}

// stat returns the part of a domain in a run, or one without an ID if there is none. A damaged part
// is reported and counts as missing.
func (r *run) stat(ctx context.Context, t Task) (Stored, error) {
	part, err := r.Sink.Stat(ctx, Stored{Task: t})
	if errors.Is(err, ErrDamaged) {
		r.report(t, err)
	}
	if isMissing(err) {
		return Stored{}, nil
	}
	return part, err
}

// isMissing reports whether an error of Stat means that the part counts as missing.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged)
}

// newStored describes a new part of a task.
func newStored(t Task) Stored {
	part := Stored{Task: t, ID: rand.Text(), Digest: t.Digest()}
	part.Targets = nil
	return part
}

// isOf reports whether the part that exists, if any, is that of a task. A lot without targets needs
// no part.
func (s *Stored) isOf(t Task) bool {
	return s.Digest == t.Digest() || s.ID == "" && len(t.Targets) == 0
}

// IsDone reports whether the worker has nothing to do for a task: its part is committed, and those
// of its lots, if it is done in lots. With Retry, these parts have no failures either. A damaged
// part counts as missing: the worker that takes the task reports it. Only Sink needs to be set.
func (w *Worker) IsDone(ctx context.Context, t Task) (bool, error) {
	r := &run{Worker: &Worker{Sink: w.Sink}}
	part, err := r.stat(ctx, t)
	if err != nil || !part.isOf(t) || w.Retry && part.Counts.Failed > 0 {
		return false, err
	}
	if part.InLots {
		for _, lot := range t.lots() {
			if done, err := w.IsDone(ctx, lot); !done || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// load reads the state with which the walk of a task begins, and returns the State to save after
// it. If the part of a state never appeared, or was removed, the state has changes that no part
// has. So the walk begins with the newest state whose part exists. Before is the part that the task
// replaces, if any. If states were lost, load reports that the walk may yield its pages again.
func (r *run) load(
	ctx context.Context, t Task, before Stored, store *records.Temp,
) (next State, isLost bool, err error) {
	forget := func(err error) { r.report(t, fmt.Errorf("its state is forgotten: %w", err)) }
	newest, err := r.States.Load(ctx, t.Domain)
	if errors.Is(err, records.ErrDamaged) {
		forget(err)
	} else if err != nil {
		return next, false, err
	}
	next = State{Version: newest.Version, Run: t.Run}
	run, part, isRemoved := t.Run, before, false
	for s := &newest; s != nil && s.Open != nil; s = s.Predecessor {
		if s.Run != run {
			run = s.Run
			part, isRemoved, err = r.partOrRemoved(ctx, Task{Run: run, Domain: t.Domain})
			if err != nil {
				return next, false, err
			}
		}
		if s.Part != part.ID && !isRemoved {
			continue
		}
		err := read(ctx, s, store)
		if err == nil {
			next.Predecessor = s
			return next, isLost, nil
		}
		if !errors.Is(err, records.ErrDamaged) {
			return next, false, err
		}
		forget(err)
		isLost = true
	}
	return next, true, nil
}

// partOrRemoved returns the part of a task. If there is none, it reports whether nothing of the run
// is left: then the user has removed it, and its states count.
func (r *run) partOrRemoved(
	ctx context.Context, t Task,
) (part Stored, isRemoved bool, err error) {
	part, err = r.stat(ctx, t)
	if err != nil || part.ID != "" {
		return part, false, err
	}
	for _, err := range r.Sink.Parts(ctx, t.Run) {
		if isMissing(err) {
			return part, errors.Is(err, fs.ErrNotExist), nil
		}
		return part, false, err
	}
	return part, false, nil
}

func read(ctx context.Context, s *State, store *records.Temp) error {
	in, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = store.ReadFrom(in)
	return err
}
