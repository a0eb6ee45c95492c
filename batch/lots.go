package batch

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"
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
	if sum, err = w.lots(ctx, lots); err != nil {
		return sum, err
	}
	keep := map[string]bool{}
	for _, lot := range lots {
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

// lots does lots side by side, as far as there is room. A host is in one of them.
func (w *worker) lots(ctx context.Context, lots []Task) (sum Counts, err error) {
	group, ctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	do := func(lot Task) error {
		counts, err := w.part(ctx, lot)
		mu.Lock()
		defer mu.Unlock()
		sum.add(counts)
		return err
	}
	for _, lot := range lots {
		if w.extra.TryAcquire(1) {
			group.Go(func() error {
				defer w.extra.Release(1)
				return do(lot)
			})
		} else if err = do(lot); err != nil {
			break
		}
	}
	return sum, cmp.Or(group.Wait(), err)
}
