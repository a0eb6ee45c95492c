// Package batch does a job for each site of a long list, in one process or on many machines.
//
// A [Task] is all targets of one registrable domain, so that one worker keeps the Crawl-delay of
// its hosts. [Plan] makes the tasks of a list, and a [Queue] hands them out. A [Worker] does its
// [Job] for each task: it walks the sites and writes the lines of the task, its part.
//
//	folder, err := batch.OpenFolder("out")
//	...
//	queue := batch.NewMemoryQueue(1_000)
//	w := &batch.Worker{Client: client, Queue: queue, States: folder, Sink: folder}
//	go func() {
//		defer queue.End(ctx)
//		for task, err := range batch.Plan(list, "2026-11-23") {
//			if err != nil {
//				log.Print(err) // a line that is not a target
//			} else if done, _ := w.IsDone(ctx, task); !done {
//				queue.Put(ctx, task)
//			}
//		}
//	}()
//	err = w.Run(ctx)
//
// # When a task is done
//
// A task is done if the [Sink] has its part, whatever the queue holds. So a queue may lose a task
// or hand it out twice. A run that is resumed puts all tasks without a part, and a worker that gets
// a task with a part ends its lease at once. A part appears whole or not at all. The same pages
// make the same lines, except for times. So the output holds each page of a target once, however
// often workers were killed.
//
// # Runs
//
// A run is one pass over a list, under a name that the caller chooses. The same name resumes a run,
// and another name starts the next one. Each run has its own parts. The state of a domain is what
// walks remember of it. It outlives the run, so that a run with OnlyChanged yields only new and
// modified pages. A state is saved before its part appears, and names the part. It keeps its
// predecessor. If the part never appeared, the next walk begins with the predecessor, so that no
// change is lost. But if nothing of the run is left, the user has removed it, and the state counts.
// So that a run whose first parts were lost with a process does not count as removed, keep a file
// in its folder from the start, as the command does.
//
// # Large domains
//
// A domain may have any number of targets. If it has more than 1,000, a hash of the host divides
// them into up to 256 lots, which are done side by side under one lease. Each lot has its own part
// and state, named DOMAIN~00 to DOMAIN~ff, and the part of the domain says that there are lots. If
// a target is added to the list, only its lot is done again. During a run, a domain stays in lots,
// or undivided, even if the list changes.
//
// # A queue of your own
//
// Implement [Queue] and [Lease] over your broker, and [States] and [Sink] if workers on several
// machines share no folder. If these machines share another store of files, implement [Files] for a
// [FileSink] and [StateFiles] for [NewStates]. Package batchtest has the tests that all of them
// must pass.
//
// # Files
//
// Each file builds on those below it:
//
//	worker.go    Run: takes tasks and ends their leases
//	part.go      one part: its state, the job, and when it appears
//	replaced.go  a part that gives way to a new one
//	run.go       a Worker that runs, and the parts and states that it finds
//	jobs.go      the jobs of a walk and of an audit; hosts and lots, side by side
//	visit.go     the lines that the jobs write
//	document.go  what is known of a document
//	job.go       Job and Worker
//	folder.go    parts and states in a folder
//	states.go    states as files
//	files.go     parts as files
//	encoding.go  the lines of a part as a file
//	inorder.go   lines written to one writer in the order of a list
//	lines.go     what a part holds
//	url.go       the lines of URLs
//	memory.go    a queue in memory
//	plan.go      tasks from a list
//	batch.go     the interfaces
//	task.go      Task and its lots, and causes of errors
//	names.go     runs, domains and hosts, and the names of their files
package batch

import (
	"cmp"
	"context"
	"io"
	"iter"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// A Queue hands the tasks of one run to workers. It is safe for concurrent use. It promises:
//
//   - A domain is with one worker at a time: from Take until the lease ends, Take returns no other
//     task of that domain.
//   - A task that was put is handed out at least once, and again whenever its lease ends without
//     Done. It may be lost with the queue itself.
//   - Done and Later of a lease that has ended do nothing to the lease that another worker has by
//     then.
//
// The order of the tasks is free.
type Queue interface {
	// Put adds a task of any size. It returns false and adds nothing if a task of that domain waits
	// or is with a worker. A domain that is done may be put again. If the queue is bounded and
	// full, Put waits.
	Put(ctx context.Context, task Task) (bool, error)
	// End says that all tasks of the run have been put. Call it once, after the last Put.
	End(ctx context.Context) error
	// Take waits for a task and leases it. It returns io.EOF when the run is over: End was called,
	// and each task is done. While any task is leased, Take waits, since that task may be handed
	// back.
	Take(ctx context.Context) (Lease, error)
}

// A Lease gives a task to one worker until Done or Later ends it. It also expires if it is not
// renewed for a time that the queue sets, so that the tasks of a worker that died are handed out
// again. That time is at least 30 seconds outside of tests. A Lease is used by one goroutine at a
// time, except that Renew may be called while another one ends it.
type Lease interface {
	Task() Task
	// Renew extends the lease. A [Worker] calls it every ten seconds. An error does not end the
	// work: if the lease was lost, the task may be done twice, but its part is committed once.
	Renew(ctx context.Context) error
	// Done removes the task from the queue. If the lease has ended before, it may return nil or
	// [ErrStale].
	Done(ctx context.Context) error
	// Later hands the task back. The queue hands it out again once the delay is over.
	Later(ctx context.Context, delay time.Duration) error
}

// States keep what walks remember of a domain. They are safe for concurrent use.
type States interface {
	// Load returns the state of a domain, or the zero State if none was saved.
	Load(ctx context.Context, domain string) (State, error)
	// Save replaces the state of a domain by next, or leaves it as it was. It calls write to write
	// the bytes of next. Next has the Version of the state that Load returned. If that was replaced
	// since, Save changes nothing and the error matches [ErrStale]. So if two workers have one
	// domain, the second cannot undo what the first has saved. The Predecessor of next is that
	// state, its predecessor, or nil. A state may have many megabytes.
	Save(ctx context.Context, domain string, next State, write func(io.Writer) error) error
}

// A State is what walks remember of a domain.
type State struct {
	Version string // differs after each Save; "" if there is no state
	Run     string // the run of the part that it was saved for
	Part    string // the ID of that part, which no other state has
	// Open reads the bytes that were saved. It is nil if there are none. If the state was replaced
	// since Load, the error may match [ErrStale].
	Open func(ctx context.Context) (io.ReadCloser, error)
	// Predecessor is the state that the walk began with, or nil. It counts if the part of this one
	// never appeared. It has no predecessor itself.
	Predecessor *State
}

// A Sink keeps parts. It is safe for concurrent use.
type Sink interface {
	// Part begins a part. Once that is committed, Stat and Parts return this description, with
	// Path, Time and Counts.
	Part(ctx context.Context, part Stored) (Part, error)
	// Stat returns the part with this Run and Domain. If there is no such part, the error matches
	// fs.ErrNotExist. If it is not whole, the error matches [ErrDamaged] and names the part.
	Stat(ctx context.Context, part Stored) (Stored, error)
	// Parts yields the parts of a run, always in the same order. For a part that is not whole it
	// yields an error that matches [ErrDamaged] and names the part, and goes on. If nothing of the
	// run is left, the error matches fs.ErrNotExist.
	Parts(ctx context.Context, run string) iter.Seq2[Stored, error]
	// Open reads the lines of the part with this Run and Domain; see [Lines]. If there is no such
	// part, the error matches fs.ErrNotExist.
	Open(ctx context.Context, part Stored) (io.ReadCloser, error)
}

// A Part receives the lines of one task; see [Lines] for their form. Commit makes them visible all
// at once.
type Part interface {
	io.Writer
	// Commit ends the part and makes it visible. It replaces one with the same run and domain.
	Commit(ctx context.Context, counts Counts) error
	// Discard ends the part and leaves nothing of it. After Commit it does nothing.
	Discard()
}

// A Stored describes a part.
type Stored struct {
	Task             // without Targets
	ID     string    `json:"id,omitempty"`     // unique to the part
	Digest string    `json:"digest,omitempty"` // of the targets
	InLots bool      `json:"lots,omitempty"`   // the lines are in lots with parts of their own
	Path   string    `json:"-"`                // its location, for people to read
	Time   time.Time `json:"time,omitzero"`    // when it was committed
	Counts Counts    `json:"counts"`

	file *atomic.Pointer[File] // open while Parts yields the part, for Open
}

// A File of [Files] is open for reading.
type File struct {
	io.ReaderAt
	io.Closer
	Size    int64
	Path    string // its location, for people to read
	Version string // differs between all states that have had this name
}

// Counts are the totals of a part.
type Counts struct {
	Targets   int64 `json:"targets"`
	Documents int64 `json:"documents"`
	URLs      int64 `json:"urls"`
	// Untrusted is how many URLs were left out because of Options.MinTrust.
	Untrusted int64 `json:"untrusted,omitempty"`
	// Failed is how many documents and targets could not be read, or not to their end, and Cause
	// the code of the first error: see [Error].
	Failed int64        `json:"failed"`
	Cause  sitemap.Code `json:"cause,omitempty"`
	// Errors, Warnings and Infos are findings by severity.
	Errors   int64 `json:"errors,omitempty"`
	Warnings int64 `json:"warnings,omitempty"`
	Infos    int64 `json:"infos,omitempty"`
}

// Add adds the counts of other targets or lots.
func (c *Counts) Add(d Counts) {
	c.Targets += d.Targets
	c.Documents += d.Documents
	c.URLs += d.URLs
	c.Untrusted += d.Untrusted
	c.Failed += d.Failed
	c.Cause = cmp.Or(c.Cause, d.Cause)
	c.Errors += d.Errors
	c.Warnings += d.Warnings
	c.Infos += d.Infos
}
