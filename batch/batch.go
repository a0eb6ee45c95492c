// Package batch walks the sites of a long list, in one process or in many.
//
// A [Task] is all targets of one registrable domain, so that whatever a host may ask of a crawler
// (one connection, a Crawl-delay) is kept by one walk. [Plan] makes the tasks of a list, a [Queue]
// hands them out, and a [Worker] walks them and writes a part for each:
//
//	folder, err := batch.OpenFolder("parts")
//	...
//	queue := batch.NewMemoryQueue(1_000)
//	go func() {
//		defer queue.Close()
//		for task, err := range batch.Plan(list, "1") {
//			if err != nil {
//				log.Print(err) // a line that is no target
//			} else if has, _ := folder.Has(task.Run, task.Domain); !has {
//				queue.Put(ctx, task)
//			}
//		}
//	}()
//	w := &batch.Worker{Client: client, Queue: queue, States: folder, Sink: folder}
//	err = w.Run(ctx)
//
// # What is true
//
// The queue is never the truth. What has been done is what the Sink has parts for; what is left is
// the list without these. So a queue may lose tasks or hand one out twice: a run that is begun again
// puts all tasks without a part, and a worker that takes a task with a part is done with it at once.
// A part appears whole or not at all, and the walk of the same pages writes the same bytes, so the
// output holds each page once however often a worker was killed.
//
// # A queue of your own
//
// Implement [Queue] and [Lease] over your broker, and [States] if workers on several machines should
// remember what they have read. Package batchtest has the tests that they must pass. The rules are
// in the documentation of the interfaces; in short: one lease a domain at a time, a lease that
// nobody renews is handed out again, and Take returns io.EOF when the run is over.
//
// # Files
//
// Each file builds on those below it:
//
//	worker.go  takes tasks, walks them and commits their parts
//	folder.go  parts and states in a folder
//	gzip.go    a part as a file
//	memory.go  a queue in memory
//	plan.go    tasks and shards from a list
//	batch.go   Task and the interfaces
package batch

import (
	"context"
	"errors"
	"io"
	"time"
)

// A Task is the targets of one registrable domain.
type Task struct {
	// Run names the run that the task belongs to. Each run has parts of its own.
	Run string `json:"run"`
	// Domain is the registrable domain of the targets, such as "example.co.uk", in lower case and
	// ASCII. For an IP address, and for a host without one, it is the host.
	Domain string `json:"domain"`
	// Targets are sites and URLs of sitemaps, as they were listed and in that order.
	Targets []string `json:"targets"`
}

// A Queue hands out tasks. It is safe for concurrent use.
type Queue interface {
	// Put adds a task, and waits if the queue is full. It returns false and adds nothing if the
	// queue has a task of that domain, waiting or leased.
	Put(ctx context.Context, task Task) (bool, error)
	// Take waits for a task and leases it. Nobody else gets a task of that domain while the lease
	// lasts. How long it lasts is the queue's business: at least a minute after Take and each Renew.
	// A lease that runs out is handed out again. The error is io.EOF when the run is over: no task
	// is waiting or leased, and none will be put. How a queue knows that is its own business too.
	Take(ctx context.Context) (Lease, error)
}

// A Lease is a task that a worker has taken. One goroutine may renew it while another works; one of
// Done and Later ends it.
type Lease interface {
	Task() Task
	// Renew makes the lease last. An error does not end the work: if the lease was lost, the task
	// may be walked twice, but its part is committed once.
	Renew(ctx context.Context) error
	// Done removes the task from the queue.
	Done(ctx context.Context) error
	// Later hands the task back. It is handed out again, not before the delay is over.
	Later(ctx context.Context, delay time.Duration) error
}

// States keep what walks remember of a domain. They are safe for concurrent use.
type States interface {
	// Load returns the state of a domain and its revision. The state of a domain that was never
	// saved is nil, and its revision 0.
	Load(ctx context.Context, domain string) (state []byte, revision uint64, err error)
	// Save replaces the state that has this revision, and returns the new one. The error matches
	// ErrStale, and nothing is saved, if the state has another revision by now.
	Save(ctx context.Context, domain string, state []byte, revision uint64) (uint64, error)
}

// ErrStale means that somebody else has saved the state of a domain in between.
var ErrStale = errors.New("batch: the state was saved by another worker")

// A Sink keeps parts: what walks of tasks have found. It is safe for concurrent use.
type Sink interface {
	// Part begins the part of a domain.
	Part(run, domain string) (Part, error)
	// Has reports whether the part of a domain was committed.
	Has(run, domain string) (bool, error)
}

// A Part is the lines of one task, which Commit makes visible as a whole. The lines are those that
// "sitemap urls --format jsonl" prints, without fetched; a document or target that could not be read
// is a line with a type, "document" or "target", and an error, as "sitemap tree" prints it.
type Part interface {
	io.Writer
	// Commit ends the part and makes it visible, in place of one with the same run and domain.
	Commit(Counts) error
	// Discard ends the part and leaves nothing of it. After Commit it does nothing.
	Discard()
}

// Counts say what a part holds.
type Counts struct {
	Targets   int64 `json:"targets"`
	Documents int64 `json:"documents"`
	URLs      int64 `json:"urls"`
	// Failed is how many documents and targets could not be read, or not to their end, and Cause
	// the code of the first error, such as "timeout".
	Failed int64  `json:"failed"`
	Cause  string `json:"cause,omitempty"`
}
