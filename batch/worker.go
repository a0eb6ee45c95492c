package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// renewEvery is how often a lease is renewed, and handBack how long that and its end may take after
// the context has ended.
const (
	renewEvery = 10 * time.Second
	handBack   = 15 * time.Second
)

// A run is a Worker that runs.
type run struct {
	worker
	mu     sync.Mutex
	failed []error // of tasks, at most maxFailed
	more   int
}

const maxFailed = 16

// Run does tasks until the queue's run is over. What cannot be read of a site is no error: its part
// says so. A task that can never be done ([ErrTask]) is taken out of the queue; the others are done,
// and the error says which. Another error of the queue, the sink, the states or the job ends the
// worker; tasks under way have Grace to end, as they have if ctx ends. The error is then ctx's.
func (w *Worker) Run(ctx context.Context) error {
	own := *w
	own.extra = semaphore.NewWeighted(int64(cmp.Or(w.Parallel, 16)))
	r := &run{worker: worker{Worker: &own}}
	group, taking := errgroup.WithContext(ctx)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(taking, func() { time.AfterFunc(w.Grace, stop) })()
	for range cmp.Or(w.Parallel, 16) {
		group.Go(func() error {
			for {
				lease, err := w.Queue.Take(taking)
				if err == nil {
					err = r.work(working, lease)
				}
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err = cmp.Or(err, taking.Err()); err != nil {
					return err
				}
			}
		})
	}
	return cmp.Or(group.Wait(), r.err())
}

// work does a task and ends its lease.
func (w *run) work(ctx context.Context, lease Lease) error {
	task := lease.Task()
	defer w.renew(ctx, lease)()
	counts, err := Counts{}, task.check()
	if err == nil {
		counts, err = w.task(ctx, task)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), handBack)
	defer cancel()
	switch {
	case errors.Is(err, ErrStale): // whoever has taken over ends the task
		lease.Later(last, 0)
		return nil
	case errors.Is(err, ErrTask):
		w.fail(task, err)
	case err != nil:
		return errors.Join(err, lease.Later(last, 0))
	case w.Done != nil:
		w.Done(task, counts)
	}
	lease.Done(last) // if that fails, whoever gets the task again finds its part
	return nil
}

// renew renews a lease until the function that it returns is called.
func (w *run) renew(ctx context.Context, lease Lease) func() {
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

// fail reports a task that cannot be done, and keeps its error.
func (w *run) fail(t Task, err error) {
	err = fmt.Errorf("%.80q: %w", t.Domain, err)
	w.report(t, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.failed) < maxFailed {
		w.failed = append(w.failed, err)
	} else {
		w.more++
	}
}

// err returns the error of the tasks that could not be done.
func (w *run) err() error {
	if w.more > 0 {
		w.failed = append(w.failed, fmt.Errorf("and %d further tasks", w.more))
	}
	return errors.Join(w.failed...)
}
