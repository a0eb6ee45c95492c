package batch

import (
	"context"
	"time"

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
	// Select, if set, chooses the pages that [URLs] writes: those for which it returns true. It may be
	// called by several goroutines at once.
	Select func(*discover.URL) bool
	// Parallel is how many tasks are done at once, and how many further targets and lots of tasks with
	// several hosts. 0 means 16.
	Parallel int
	// SiteTime is the longest time for one target. 0 means any.
	SiteTime time.Duration
	// Grace is how long tasks go on when the context ends. Those that need longer are handed back.
	Grace time.Duration
	// Retry does tasks again of whose parts something has failed, in the same run: the targets that
	// failed, or with OnlyChanged all of them. A part is replaced if the new one has fewer failures. Put
	// the tasks that are done into the queue, too.
	Retry bool
	// Done, if set, is called after each task that has ended, also if its part was there before;
	// counts are then zero, or after a retry those of the part that stays. It may be called by several
	// goroutines at once.
	Done func(task Task, counts Counts)
	// Report, if set, is called with what went wrong with a single task: its part or its state was
	// damaged, or it cannot be done. It may be called by several goroutines at once.
	Report func(task Task, err error)

	extra *semaphore.Weighted // targets beyond the first of each task
}
