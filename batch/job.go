package batch

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/seed-322c453a/sitemap/discover"
)

// A Job does a task: it writes lines to p and counts them. It gets its own copy of the Worker,
// whose Options.Store is the state of the domain. A target that cannot be read becomes a line; an
// error of the Job ends the Worker. A Job must neither commit nor discard p. If only some targets
// of a part are done again, the Worker keeps the lines of the others that [Lines] can read.
type Job func(ctx context.Context, w *Worker, t Task, p Part) (Counts, error)

// A Worker does the tasks of a queue. Client, Queue and Sink must be set. Its fields must not
// change while it runs.
type Worker struct {
	// Client is shared by all walks.
	Client *discover.Client
	// Job is done for each task. nil means [URLs].
	Job Job
	// Queue hands out the tasks.
	Queue Queue
	// Sink keeps the parts.
	Sink Sink
	// States, if set, keep the state of each domain or lot, in place of the Store of Options.
	States States
	// Options are the options of each walk. With OnlyChanged, parts hold only the pages that are
	// new or modified since the run before, and each URL says which. Without States, the Store
	// keeps the state of all domains. Use it in one process only: nothing prevents another Worker
	// from overwriting it. It remembers pages at once. So with OnlyChanged, the pages of a part
	// that is discarded, by a kill or a retry, are not yielded again.
	Options discover.Options
	// Select, if set, chooses the pages that [URLs] writes: those for which it returns true. It may
	// be called by several goroutines at once.
	Select func(*discover.URL) bool
	// Parallel is how many tasks are done at once. As many further targets and lots of tasks with
	// several hosts may be done beside them. 0 means 16, a negative number 1.
	Parallel int
	// SiteTime bounds the time for one target. A document whose pages are being written then is
	// read to its end. 0 or a negative value means no bound.
	SiteTime time.Duration
	// Grace is how long tasks may go on after the context has ended. Tasks that need longer are
	// handed back. 0 or a negative value hands all tasks back at once.
	Grace time.Duration
	// Retry does the failed targets of a task again, in the same run. The part is replaced if the
	// new one has no failures, or if it has fewer failures or more URLs and has read each document
	// as far as the old one. Put all tasks into the queue for which [Worker.IsDone] returns false.
	Retry bool
	// Done, if set, is called after each task. If the part existed before, counts are zero; after a
	// retry that is no better, they are those of the old part. Done may be called by several
	// goroutines at once.
	Done func(task Task, counts Counts)
	// Report, if set, is called with errors of single tasks: a part or a state is damaged, or the
	// task cannot be done. It may be called by several goroutines at once.
	Report func(task Task, err error)

	extra *semaphore.Weighted // targets beyond the first of each task
}
