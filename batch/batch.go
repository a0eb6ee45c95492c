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
//		defer queue.End(ctx)
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
// remember what they have read. Package batchtest has the tests that they must pass.
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

// A Queue hands the tasks of one run to workers. It is safe for concurrent use. It must hold:
//
//   - A domain is with one worker at a time: from Take until the lease ends, Take returns no other
//     task of that domain.
//   - A task that was put is handed out at least once, and again whenever its lease ends without
//     Done. It may be lost with the queue itself.
//
// The order of the tasks is free.
type Queue interface {
	// Put adds a task. It returns false and adds nothing if a task of that domain waits or is with a
	// worker. A domain that is done may be put again. If the queue is bounded and full, Put waits.
	Put(ctx context.Context, task Task) (bool, error)
	// End says that all tasks of the run have been put. Call it once, after the last Put.
	End(ctx context.Context) error
	// Take waits for a task and leases it. The error is io.EOF when the run is over: End was called,
	// and each task is done. While a task is with a worker, others wait: it may come back.
	Take(ctx context.Context) (Lease, error)
}

// A Lease is a task in the hands of one worker. It ends with Done or Later. It also ends by itself
// if it is not renewed for a time that the queue sets, at least 30 seconds outside of tests, so that
// the tasks of a worker that died are handed out again. One goroutine uses it at a time, but for
// Renew, which may be called beside a method that ends it.
type Lease interface {
	Task() Task
	// Renew makes the lease last. A [Worker] calls it every ten seconds while it walks. An error does
	// not end the walk: if the lease was lost, the domain may be walked twice, but its part is
	// committed once.
	Renew(ctx context.Context) error
	// Done removes the task from the queue. Of a lease that has ended, it may return nil or
	// [ErrStale].
	Done(ctx context.Context) error
	// Later hands the task back. It is handed out again, not before the delay is over.
	Later(ctx context.Context, delay time.Duration) error
}

// States keep what walks remember of a domain. They are safe for concurrent use.
type States interface {
	// Load returns the state of a domain and its revision. The state of a domain that was never
	// saved is nil, and its revision 0.
	Load(ctx context.Context, domain string) (state []byte, revision uint64, err error)
	// Save replaces the state of a domain, all of it or nothing, and returns the new revision, which
	// is never 0. If the state has another revision than the given one, Save changes nothing and the
	// error matches [ErrStale]: of two workers with one domain, the second cannot undo what the first
	// has saved. A state can have many megabytes.
	Save(ctx context.Context, domain string, state []byte, revision uint64) (uint64, error)
}

// ErrStale means that another worker has taken over a domain: its state has another revision, or the
// lease has ended.
var ErrStale = errors.New("batch: another worker has taken over the domain")

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
	// Untrusted is how many URLs were left out because of Options.MinTrust.
	Untrusted int64 `json:"untrusted,omitempty"`
	// Failed is how many documents and targets could not be read, or not to their end, and Cause
	// the code of the first error, such as "timeout".
	Failed int64  `json:"failed"`
	Cause  string `json:"cause,omitempty"`
}
