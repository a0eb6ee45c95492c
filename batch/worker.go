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

	"github.com/seed-322c453a/sitemap/discover"
)

// A Job does a task: it writes lines to p and counts them. It gets a Worker of its own, whose
// Options.Store is the state of the domain. An error ends the Worker; what cannot be read of a target
// is none, but has a line. It must not commit p.
type Job func(ctx context.Context, w *Worker, t Task, p Part) (Counts, error)

// A Worker does the tasks of a queue. Its fields must not change while it runs.
type Worker struct {
	// Client is shared by all walks. It must be set, as must Queue and Sink.
	Client *discover.Client
	// Job is done for each task. nil means [URLs].
	Job   Job
	Queue Queue
	Sink  Sink
	// States, if set, keep what walks remember, for each domain or lot.
	States States
	// Store, if set, keeps it instead, for all domains. It is for one process, and no fence.
	Store discover.Store
	// Options are those of each walk. Their Store is that of States or Store. With OnlyChanged, parts
	// hold what is new or modified since the run before, and each URL says which.
	Options discover.Options
	// Parallel is how many tasks are done at once, and how many further targets of tasks with several
	// hosts. 0 means 16.
	Parallel int
	// SiteTime is the longest time for one target. 0 means any.
	SiteTime time.Duration
	// Grace is how long tasks go on when the context ends. Those that need longer are handed back.
	Grace time.Duration
	// Retry does tasks again of whose parts something has failed, in the same run: the targets that
	// failed, or with OnlyChanged all of them. A part is replaced if the new one has fewer failures.
	Retry bool
	// Done, if set, is called after each task that has ended, also if its part was there before;
	// counts are then zero. It may be called by several goroutines at once.
	Done func(task Task, counts Counts)
	// Report, if set, is called with what went wrong with a single task: its part or its state was
	// damaged, or it cannot be done. It may be called by several goroutines at once.
	Report func(task Task, err error)

	extra *semaphore.Weighted // targets beyond the first of each task
}

// renewEvery is how often a lease is renewed, and handBack how long that and its end may take after
// the context has ended.
const (
	renewEvery = 10 * time.Second
	handBack   = 15 * time.Second
)

// A worker is a Worker that runs.
type worker struct {
	*Worker
	runs sync.Map // run to whether the sink has parts of it

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
	r := &worker{Worker: &own}
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
func (w *worker) work(ctx context.Context, lease Lease) error {
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
func (w *worker) renew(ctx context.Context, lease Lease) func() {
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

// report reports what went wrong with a task.
func (w *worker) report(t Task, err error) {
	if w.Report != nil {
		w.Report(t, err)
	}
}

// fail reports a task that cannot be done, and keeps its error.
func (w *worker) fail(t Task, err error) {
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
func (w *worker) err() error {
	if w.more > 0 {
		w.failed = append(w.failed, fmt.Errorf("and %d further tasks", w.more))
	}
	return errors.Join(w.failed...)
}
