package batch

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"
)

// A MemoryQueue is a Queue within a process. Its leases last until they are ended. Tasks with a Turn
// are handed out in that order; of two with one domain, the second waits until the first is done.
type MemoryQueue struct {
	max int

	mu      sync.Mutex
	waiting []Task
	known   map[string]int  // how many tasks of a domain wait or are leased
	leased  map[string]bool // domains
	ended   bool
	changed chan struct{} // closed when one of these changes
}

// NewMemoryQueue returns an empty queue in which at most max tasks wait. Put waits while there are
// more.
func NewMemoryQueue(max int) *MemoryQueue {
	return &MemoryQueue{
		max: max, known: map[string]int{}, leased: map[string]bool{}, changed: make(chan struct{}),
	}
}

// End says that all tasks have been put: see [Queue].
func (q *MemoryQueue) End(context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.change()
	return nil
}

// change wakes all that wait. The queue is locked.
func (q *MemoryQueue) change() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// until calls try, with the queue locked, until it returns true, each time that something changed.
func (q *MemoryQueue) until(ctx context.Context, try func() bool) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		q.mu.Lock()
		ok, changed := try(), q.changed
		if ok {
			q.change()
		}
		q.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// Put adds a task: see [Queue].
func (q *MemoryQueue) Put(ctx context.Context, task Task) (added bool, err error) {
	err = q.until(ctx, func() bool {
		if q.known[task.Domain] > 0 && task.Turn == 0 {
			return true
		}
		if len(q.waiting) >= q.max {
			return false
		}
		q.known[task.Domain]++
		added = true
		q.waiting = append(q.waiting, task)
		return true
	})
	return added, err
}

// Take leases a task: see [Queue].
func (q *MemoryQueue) Take(ctx context.Context) (Lease, error) {
	var taken *memoryLease
	err := q.until(ctx, func() bool {
		i := slices.IndexFunc(q.waiting, func(t Task) bool { return !q.leased[t.Domain] })
		if i < 0 {
			return q.ended && len(q.known) == 0
		}
		taken = &memoryLease{queue: q, task: q.waiting[i]}
		q.leased[taken.task.Domain] = true
		if i == 0 {
			q.waiting = q.waiting[1:]
		} else {
			q.waiting = slices.Delete(q.waiting, i, i+1)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if taken == nil {
		return nil, io.EOF
	}
	return taken, nil
}

// A memoryLease is a task of a MemoryQueue.
type memoryLease struct {
	queue *MemoryQueue
	task  Task
	ended bool // with the queue locked
}

func (l *memoryLease) Task() Task                  { return l.task }
func (l *memoryLease) Renew(context.Context) error { return nil }

func (l *memoryLease) Done(context.Context) error {
	return l.end(func() {
		known := l.queue.known
		if known[l.task.Domain]--; known[l.task.Domain] == 0 {
			delete(known, l.task.Domain)
		}
	})
}

func (l *memoryLease) Later(_ context.Context, delay time.Duration) error {
	return l.end(func() {
		time.AfterFunc(delay, func() {
			l.queue.mu.Lock()
			defer l.queue.mu.Unlock()
			l.queue.waiting = append(l.queue.waiting, l.task)
			l.queue.change()
		})
	})
}

// end ends the lease, once.
func (l *memoryLease) end(how func()) error {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	if l.ended {
		return ErrStale
	}
	l.ended = true
	delete(l.queue.leased, l.task.Domain)
	how()
	l.queue.change()
	return nil
}
