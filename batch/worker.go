package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// renewEvery is how often a lease is renewed. handBack bounds the last Renew, Done or Later after
// the context has ended.
const (
	renewEvery = 10 * time.Second
	handBack   = 15 * time.Second
)

// Run does tasks until the queue's run is over. A site that cannot be read is not an error: its
// part says so. A task that can never be done ([ErrTask]) is removed from the queue, and Run
// returns the first such error after all other tasks. Any other error of the queue, the sink, the
// states or the job ends the worker at once. Then, and if ctx ends, tasks under way have Grace to
// end. If ctx ends, Run returns its error.
func (w *Worker) Run(ctx context.Context) error {
	own := *w
	parallel := max(cmp.Or(w.Parallel, 16), 1)
	own.extra = semaphore.NewWeighted(int64(parallel))
	r := &run{Worker: &own}
	group, taking := errgroup.WithContext(ctx)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(taking, func() { time.AfterFunc(w.Grace, stop) })()
	for range parallel {
		group.Go(func() error {
			for {
				lease, err := w.Queue.Take(taking)
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err == nil {
					err = r.work(working, lease)
				}
				if err = cmp.Or(ctx.Err(), err, taking.Err()); err != nil {
					return err
				}
			}
		})
	}
	return cmp.Or(group.Wait(), r.failed)
}

// work does a task and ends its lease.
func (r *run) work(ctx context.Context, lease Lease) error {
	task := lease.Task()
	defer r.renew(ctx, lease)()
	counts, err := Counts{}, task.check()
	if err == nil {
		counts, err = r.task(ctx, task)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), handBack)
	defer cancel()
	switch {
	case errors.Is(err, ErrStale): // the other worker of the domain ends the task
		lease.Later(last, renewEvery)
		return nil
	case errors.Is(err, ErrTask):
		err = fmt.Errorf("%.80q: %w", task.Domain, err)
		r.report(task, err)
		r.first.Do(func() { r.failed = err })
	case err != nil:
		return errors.Join(err, lease.Later(last, 0))
	case r.Done != nil:
		r.Done(task, counts)
	}
	lease.Done(last) // if that fails, the next worker finds the part
	return nil
}

// task does a task, in lots if it is large. All targets of a host are in one lot. The part of the
// domain, which has no lines, is committed before those of the lots. So the domain stays in lots in
// this run if the list becomes shorter, unless that part is damaged. A domain that was done
// undivided stays so if the list grows.
func (r *run) task(ctx context.Context, t Task) (Counts, error) {
	part, err := r.stat(ctx, t)
	if err != nil {
		return Counts{}, err
	}
	isLarge := len(t.Targets) > maxTargets && !t.More
	if !part.InLots && (part.ID != "" || !isLarge) {
		return r.part(ctx, t, part)
	}
	if t.More {
		const text = "%w: run %s has it in lots, to which no single targets can be added"
		return Counts{}, fmt.Errorf(text, ErrTask, t.Run)
	}
	if part.Digest != t.Digest() {
		part = newStored(t)
		part.InLots = true
		p, err := r.Sink.Part(ctx, part)
		if err != nil {
			return Counts{}, err
		}
		defer p.Discard()
		if err := p.Commit(ctx, Counts{}); err != nil {
			return Counts{}, err
		}
	}
	lots := t.lots()
	var stale atomic.Bool // another worker does the domain, too
	counts, err := r.sideBySide(ctx, len(lots), func(
		ctx context.Context, i int,
	) (counts Counts, err error) {
		part, err := r.stat(ctx, lots[i])
		if err == nil {
			counts, err = r.part(ctx, lots[i], part)
		}
		if errors.Is(err, ErrStale) { // the other lots are not done in vain
			stale.Store(true)
			err = nil
		}
		return counts, err
	})
	if err == nil && stale.Load() {
		err = ErrStale
	}
	return counts, err
}

// renew renews a lease until the function that it returns is called.
func (r *run) renew(ctx context.Context, lease Lease) func() {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-time.After(renewEvery):
				lease.Renew(ctx) // an error means at most that the task is done twice
			case <-ctx.Done():
				return
			}
		}
	}()
	return stop
}
