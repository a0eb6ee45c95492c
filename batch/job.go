package batch

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/seed-322c453a/sitemap/discover"
)

// A Job does a task: it writes lines to p and counts them. It gets a Worker of its own, whose
// Options.Store is the state of the domain. What cannot be read of a target becomes a line; an error
// ends the Worker. A Job must not commit p.
type Job func(ctx context.Context, w *Worker, t Task, p Part) (Counts, error)

// A Worker does the tasks of a queue. Client, Queue and Sink must be set. Its fields must not change
// while it runs.
type Worker struct {
	// Client is shared by all walks.
	Client *discover.Client
	// Job is done for each task. nil means [URLs].
	Job Job
	// Queue hands out the tasks.
	Queue Queue
	// Sink keeps the parts.
	Sink Sink
	// States, if set, keep what walks remember, for each domain or lot.
	States States
	// Store, if set, keeps that for all domains in place of States. Use it in one process only:
	// nothing keeps another Worker from overwriting what it holds.
	Store discover.Store
	// Options are those of each walk. Their Store is that of States or Store. With OnlyChanged, parts
	// hold what is new or modified since the run before, and each URL says which.
	Options discover.Options
	// Select, if set, chooses the pages that [URLs] writes: those for which it returns true. It may be
	// called by several goroutines at once.
	Select func(*discover.URL) bool
	// Parallel is how many tasks are done at once, and how many further targets and lots of tasks with
	// several hosts. 0 means 16, a negative number 1.
	Parallel int
	// SiteTime bounds the time for one target. 0 or a negative value means no bound.
	SiteTime time.Duration
	// Grace is how long tasks may go on after the context has ended. Those that need longer are handed
	// back. 0 or a negative value hands all of them back at once.
	Grace time.Duration
	// Retry does tasks again if something in their parts has failed, in the same run: the targets that
	// failed, or with OnlyChanged all of them. A part is replaced if the new one has fewer failures. Put
	// the tasks that are done into the queue, too.
	Retry bool
	// Done, if set, is called after each task that has ended. If its part was there before, counts are
	// zero, or after a retry those of the part that stays. It may be called by several goroutines at
	// once.
	Done func(task Task, counts Counts)
	// Report, if set, is called if something is wrong with a single task: its part or its state was
	// damaged, or it cannot be done. It may be called by several goroutines at once.
	Report func(task Task, err error)

	extra *semaphore.Weighted // targets beyond the first of each task
}
