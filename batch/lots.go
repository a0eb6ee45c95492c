package batch

import (
	"context"
	"errors"
)

// IsDone reports whether a task needs no worker: its part is committed, and those of its lots, if it
// is done in lots. A damaged part counts as missing: the worker that takes the task reports it.
func IsDone(ctx context.Context, s Sink, t Task) (bool, error) {
	for _, part := range append(t.lots(), t) {
		if has, err := s.Has(ctx, part); errors.Is(err, ErrDamaged) {
			return false, nil
		} else if !has || err != nil {
			return false, err
		}
	}
	return true, nil
}

// task does a task, in lots if it is large. The part of the domain, which lists the lots, is committed
// when all of them are.
func (w *worker) task(ctx context.Context, t Task) (sum Counts, err error) {
	lots := t.lots()
	if lots == nil {
		return w.part(ctx, t)
	}
	keep := map[string]bool{}
	for _, lot := range lots {
		counts, err := w.part(ctx, lot)
		if err != nil {
			return sum, err
		}
		sum.add(counts)
		keep[lot.Domain] = true
	}
	if has, err := w.has(ctx, t); has || err != nil {
		return sum, err
	}
	if err := w.removeLots(ctx, t, keep); err != nil {
		return sum, err
	}
	list, err := w.Sink.Part(ctx, t)
	if err != nil {
		return sum, err
	}
	defer list.Discard()
	return sum, list.Commit(ctx, Counts{})
}
