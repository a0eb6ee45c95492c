// Package batchtest tests implementations of batch.Queue and batch.States.
package batchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
)

// patience is how long something that must come is waited for.
const patience = 30 * time.Second

// Queue tests a queue. Open returns an empty queue for the run "1", and a function that says that no
// task will be put.
func Queue(t *testing.T, open func(t *testing.T) (q batch.Queue, end func())) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, q tester)
	}{
		{"a task comes back as it was put", func(t *testing.T, q tester) {
			task := batch.Task{Run: "1", Domain: "a.example",
				Targets: []string{"a.example", "https://www.a.example/ü?a=1&b=\"2\""}}
			q.put(task, true)
			l := q.take()
			if got := l.Task(); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", task) {
				t.Errorf("took %q, want %q", got, task)
			}
			q.ok(l.Renew(t.Context()))
			q.ok(l.Done(t.Context()))
			q.end()
			q.over()
		}},
		{"one task a domain", func(t *testing.T, q tester) {
			q.put(taskOf("a.example"), true)
			q.put(taskOf("a.example"), false)
			l := q.take()
			q.put(taskOf("a.example"), false)
			q.nothing()
			q.ok(l.Done(t.Context()))
			q.put(taskOf("a.example"), true)
			q.ok(q.take().Done(t.Context()))
			q.end()
			q.over()
		}},
		{"later", func(t *testing.T, q tester) {
			q.put(taskOf("a.example"), true)
			const delay = 300 * time.Millisecond
			begun := time.Now()
			q.ok(q.take().Later(t.Context(), delay))
			q.end()
			l := q.take()
			if waited := time.Since(begun); waited < delay {
				t.Errorf("taken again after %v, want %v", waited, delay)
			}
			q.ok(l.Later(t.Context(), 0))
			q.ok(q.take().Done(t.Context()))
			q.over()
		}},
		{"the end waits for leases", func(t *testing.T, q tester) {
			q.put(taskOf("a.example"), true)
			l := q.take()
			q.end()
			q.nothing()
			q.ok(l.Later(t.Context(), 0))
			q.ok(q.take().Done(t.Context()))
			q.over()
		}},
		{"an end without tasks", func(t *testing.T, q tester) {
			q.end()
			q.over()
		}},
		{"each task once", func(t *testing.T, q tester) {
			const tasks, workers = 200, 8
			var wg sync.WaitGroup
			var mu sync.Mutex
			taken := map[string]int{}
			for range workers {
				wg.Go(func() {
					for {
						ctx, stop := context.WithTimeout(t.Context(), patience)
						l, err := q.queue.Take(ctx)
						stop()
						if errors.Is(err, io.EOF) {
							return
						}
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						taken[l.Task().Domain]++
						mu.Unlock()
						if err := l.Done(t.Context()); err != nil {
							t.Error(err)
						}
					}
				})
			}
			for i := range tasks {
				q.put(taskOf(fmt.Sprintf("%d.example", i)), true)
			}
			q.end()
			wg.Wait()
			for i := range tasks {
				if n := taken[fmt.Sprintf("%d.example", i)]; n != 1 {
					t.Errorf("task %d was taken %d times", i, n)
				}
			}
		}},
		{"a context that has ended", func(t *testing.T, q tester) {
			ctx, stop := context.WithCancel(t.Context())
			stop()
			if _, err := q.queue.Take(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Take: %v", err)
			}
			if _, err := q.queue.Put(ctx, taskOf("a.example")); !errors.Is(err, context.Canceled) {
				t.Errorf("Put: %v", err)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			queue, end := open(t)
			test.run(t, tester{t, queue, end})
		})
	}
}

func taskOf(domain string) batch.Task {
	return batch.Task{Run: "1", Domain: domain, Targets: []string{domain}}
}

// A tester is a queue whose errors fail the test.
type tester struct {
	t     *testing.T
	queue batch.Queue
	end   func()
}

func (q tester) ok(err error) {
	q.t.Helper()
	if err != nil {
		q.t.Fatal(err)
	}
}

func (q tester) put(task batch.Task, want bool) {
	q.t.Helper()
	added, err := q.queue.Put(q.t.Context(), task)
	if err != nil || added != want {
		q.t.Fatalf("Put of %s: %v, %v; want %v", task.Domain, added, err, want)
	}
}

func (q tester) take() batch.Lease {
	q.t.Helper()
	ctx, stop := context.WithTimeout(q.t.Context(), patience)
	defer stop()
	l, err := q.queue.Take(ctx)
	q.ok(err)
	return l
}

// nothing checks that there is no task to take, and that the run is not over.
func (q tester) nothing() {
	q.t.Helper()
	ctx, stop := context.WithTimeout(q.t.Context(), 300*time.Millisecond)
	defer stop()
	if l, err := q.queue.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		q.t.Fatalf("took %v, %v; want nothing", l, err)
	}
}

// over checks that the run is over.
func (q tester) over() {
	q.t.Helper()
	ctx, stop := context.WithTimeout(q.t.Context(), patience)
	defer stop()
	if l, err := q.queue.Take(ctx); !errors.Is(err, io.EOF) {
		q.t.Fatalf("took %v, %v; want io.EOF", l, err)
	}
}

// States tests states, which are empty.
func States(t *testing.T, s batch.States) {
	ctx := t.Context()
	load := func(domain string) ([]byte, uint64) {
		t.Helper()
		b, revision, err := s.Load(ctx, domain)
		if err != nil {
			t.Fatal(err)
		}
		return b, revision
	}
	save := func(domain string, state []byte, revision uint64) uint64 {
		t.Helper()
		next, err := s.Save(ctx, domain, state, revision)
		if err != nil || next == revision {
			t.Fatalf("Save: revision %d, %v after %d", next, err, revision)
		}
		return next
	}
	stale := func(domain string, revision uint64) {
		t.Helper()
		if next, err := s.Save(ctx, domain, []byte("stale"), revision); !errors.Is(err, batch.ErrStale) {
			t.Fatalf("Save with the old revision %d: %d, %v; want ErrStale", revision, next, err)
		}
	}
	if b, revision := load("a.example"); b != nil || revision != 0 {
		t.Errorf("a new domain has the state %q, revision %d", b, revision)
	}
	first := save("a.example", []byte("one"), 0)
	stale("a.example", 0)
	second := save("a.example", []byte("two"), first)
	stale("a.example", first)
	if b, revision := load("a.example"); string(b) != "two" || revision != second {
		t.Errorf("loaded %q, revision %d; want %q, %d", b, revision, "two", second)
	}
	save("b.example", []byte{}, 0)
	big := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // 3 MiB
	save("c.example", big, 0)
	if b, revision := load("c.example"); !bytes.Equal(b, big) || revision == 0 {
		t.Errorf("loaded %d bytes, revision %d; want %d bytes", len(b), revision, len(big))
	}
	if b, _ := load("a.example"); string(b) != "two" {
		t.Errorf("the state of a.example has become %q", b)
	}
}
