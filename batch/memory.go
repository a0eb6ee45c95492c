package batch

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"
)

// A MemoryQueue is a [Queue] within one process. Its leases do not expire. Tasks with a Turn are
// handed out in that order; of two with one domain, the second waits until the first is done.
type MemoryQueue struct {
	max int

	mu      sync.Mutex
	changed sync.Cond // wakes all that wait for a change of the fields below
	waiting []Task
	known   map[string]int  // how many tasks of a domain wait or are leased
	leased  map[string]bool // domains
	ended   bool
}

// NewMemoryQueue returns an empty queue. Put waits while max tasks, at least one, wait to be taken.
func NewMemoryQueue(max int) *MemoryQueue {
	q := &MemoryQueue{max: max, known: map[string]int{}, leased: map[string]bool{}}
	q.changed.L = &q.mu
	return q
}

// change changes the queue and wakes all that wait.
func (q *MemoryQueue) change(how func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	how()
	q.changed.Broadcast()
}

// until waits, with the queue locked, until a condition holds.
func (q *MemoryQueue) until(ctx context.Context, holds func() bool) error {
	defer context.AfterFunc(ctx, func() { q.change(func() {}) })()
	for ctx.Err() == nil && !holds() {
		q.changed.Wait()
	}
	return ctx.Err()
}

// End says that all tasks have been put: see [Queue].
func (q *MemoryQueue) End(context.Context) error {
	q.change(func() { q.ended = true })
	return nil
}

// Put adds a task: see [Queue].
func (q *MemoryQueue) Put(ctx context.Context, task Task) (added bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	isKnown := func() bool { return q.known[task.Domain] > 0 && task.Turn == 0 }
	err = q.until(ctx, func() bool { return isKnown() || len(q.waiting) < max(q.max, 1) })
	if err != nil || isKnown() {
		return false, err
	}
	q.known[task.Domain]++
	q.waiting = append(q.waiting, task)
	q.changed.Broadcast()
	return true, nil
}

// Take leases a task: see [Queue].
func (q *MemoryQueue) Take(ctx context.Context) (Lease, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := -1
	err := q.until(ctx, func() bool {
		i = slices.IndexFunc(q.waiting, func(t Task) bool { return !q.leased[t.Domain] })
		return i >= 0 || q.ended && len(q.known) == 0
	})
	if err != nil {
		return nil, err
	}
	if i < 0 {
		return nil, io.EOF
	}
	task := q.waiting[i]
	q.leased[task.Domain] = true
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.changed.Broadcast()
	return &memoryLease{queue: q, task: task}, nil
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
	q := l.queue
	return l.end(func() {
		time.AfterFunc(delay, func() {
			q.change(func() { q.waiting = append(q.waiting, l.task) })
		})
	})
}

// end ends the lease, once.
func (l *memoryLease) end(how func()) (err error) {
	l.queue.change(func() {
		if l.ended {
			err = ErrStale
			return
		}
		l.ended = true
		delete(l.queue.leased, l.task.Domain)
		how()
	})
	return err
}
