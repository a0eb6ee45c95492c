package batchtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
)

// Queue tests a [batch.Queue]. Open returns an empty one for each test. It must hold 500 tasks
// without waiting. Its leases must last for 10 seconds at least.
func Queue(t *testing.T, open func(t *testing.T) batch.Queue) { run(t, queuePromises, open) }

var queuePromises = []promise[batch.Queue]{
	{"A task arrives as it was put", arrives},
	{"A task of 100,000 targets arrives whole", arrivesWhole},
	{"A domain is put once until it is done", onceUntilDone},
	{"Take waits for a task", takeWaits},
	{"Take ends with its context", takeEnds},
	{"Later delivers again", later},
	{"Later waits for the delay", laterWaits},
	{"A lease that has ended ends no other", endsNoOther},
	{"The run is over when all is done", over},
	{"An empty run is over at once", overAtOnce},
	{"Each domain is with one worker at a time", oneAtATime},
}

// Expiry tests that a queue delivers the task of a worker that died again. Open returns an empty
// queue whose leases end after the given time, unless they are renewed.
func Expiry(t *testing.T, lease time.Duration, open func(t *testing.T) batch.Queue) {
	t.Run("A lease that is not renewed ends", func(t *testing.T) {
		q := open(t)
		put(t, q, "a.test", true)
		first := take(t, q)
		again := take(t, q)
		if got := again.Task().Domain; got != "a.test" {
			t.Errorf("took %q", got)
		}
		mayHaveEnded(t, first)
		if err := again.Renew(t.Context()); err == nil { // else this machine was too busy
			put(t, q, "a.test", false)
		}
		mayHaveEnded(t, again)
	})
	t.Run("A lease that is renewed lasts", func(t *testing.T) {
		for !renewedLasts(t, open(t), lease) {
			t.Log("this machine was too busy to renew the lease in time: once more")
		}
	})
}

// renewedLasts tests that a lease lasts while it is renewed. It returns false if it was not renewed
// in time.
func renewedLasts(t *testing.T, q batch.Queue, lease time.Duration) bool {
	t.Helper()
	put(t, q, "a.test", true)
	renewed := time.Now()
	first := take(t, q)
	for range 8 {
		again, taken := tryTake(t, q, lease/4)
		now := time.Now()
		err := first.Renew(t.Context())
		if time.Since(renewed) > lease {
			return false
		}
		if !errors.Is(taken, context.DeadlineExceeded) {
			t.Fatalf("Take = %v, %v, want the end of the context", again, taken)
		}
		must(t, "Renew", err)
		renewed = now
	}
	if err := first.Done(t.Context()); err != nil && time.Since(renewed) <= lease {
		t.Errorf("Done: %v", err)
	}
	return true
}

func put(t testing.TB, q batch.Queue, domain string, want bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	added, err := q.Put(ctx, batch.Task{Domain: domain, Targets: []string{domain}})
	if added != want || err != nil {
		t.Fatalf("Put(%s) = %t, %v, want %t", domain, added, err, want)
	}
}

func take(t testing.TB, q batch.Queue) batch.Lease {
	t.Helper()
	lease, err := tryTake(t, q, hang)
	must(t, "Take", err)
	return lease
}

func tryTake(t testing.TB, q batch.Queue, wait time.Duration) (batch.Lease, error) {
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	return q.Take(ctx)
}

// none checks that Take waits.
func none(t testing.TB, q batch.Queue) {
	t.Helper()
	if lease, err := tryTake(t, q, short); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Take = %v, %v, want the end of the context", lease, err)
	}
}

func done(t testing.TB, lease batch.Lease) {
	t.Helper()
	must(t, "Done", lease.Done(t.Context()))
}

// mayHaveEnded renews and ends a lease that may have ended before. If it has, the errors match
// ErrStale.
func mayHaveEnded(t testing.TB, lease batch.Lease) {
	t.Helper()
	for what, err := range map[string]error{
		"Renew": lease.Renew(t.Context()),
		"Done":  lease.Done(t.Context()),
		"Later": lease.Later(t.Context(), 0),
	} {
		if err != nil && !errors.Is(err, batch.ErrStale) {
			t.Errorf("%s of a lease that has ended: %v", what, err)
		}
	}
}

func arrives(t testing.TB, q batch.Queue) {
	putAndTake(t, q, batch.Task{
		Run: "2026-01-02", Domain: "xn--bcher-kva.example",
		Targets: []string{"bücher.example", "https://xn--bcher-kva.example/s.xml?a=1&b=\"2\""},
	})
}

// putAndTake checks that a task arrives as it was put.
func putAndTake(t testing.TB, q batch.Queue, want batch.Task) {
	t.Helper()
	if added, err := q.Put(t.Context(), want); !added || err != nil {
		t.Fatalf("Put = %t, %v", added, err)
	}
	lease := take(t, q)
	got := lease.Task()
	if got.Run != want.Run || got.Domain != want.Domain ||
		!slices.Equal(got.Targets, want.Targets) {
		t.Errorf("took %.500s with %d targets, want %.500s with %d",
			fmt.Sprint(got), len(got.Targets), fmt.Sprint(want), len(want.Targets))
	}
	must(t, "Renew", lease.Renew(t.Context()))
	done(t, lease)
	none(t, q)
}

// arrivesWhole has a task that no message of a usual broker has room for.
func arrivesWhole(t testing.TB, q batch.Queue) {
	want := batch.Task{Run: "1", Domain: "a.test"}
	for i := range 100_000 {
		want.Targets = append(want.Targets, fmt.Sprintf("https://shop-%d.a.test/sitemap.xml", i))
	}
	putAndTake(t, q, want)
}

// endsNoOther ends a lease twice, while another worker has the task.
func endsNoOther(t testing.TB, q batch.Queue) {
	put(t, q, "a.test", true)
	first := take(t, q)
	must(t, "Later", first.Later(t.Context(), 0))
	second := take(t, q)
	mayHaveEnded(t, first)
	put(t, q, "a.test", false)
	none(t, q)
	done(t, second)
	none(t, q)
	put(t, q, "a.test", true)
	third := take(t, q)
	mayHaveEnded(t, second)
	put(t, q, "a.test", false)
	none(t, q)
	done(t, third)
}

func onceUntilDone(t testing.TB, q batch.Queue) {
	put(t, q, "a.test", true)
	put(t, q, "a.test", false)
	put(t, q, "b.test", true)
	first, second := take(t, q), take(t, q)
	if first.Task().Domain == second.Task().Domain {
		t.Errorf("took %s twice", first.Task().Domain)
	}
	put(t, q, "a.test", false)
	put(t, q, "b.test", false)
	none(t, q)
	done(t, first)
	put(t, q, first.Task().Domain, true)
	done(t, take(t, q))
	done(t, second)
	none(t, q)
}

func takeWaits(t testing.TB, q batch.Queue) {
	errs := make(chan error, 1)
	time.AfterFunc(short, func() {
		_, err := q.Put(t.Context(), batch.Task{Domain: "a.test", Targets: []string{"a.test"}})
		errs <- err
	})
	done(t, take(t, q))
	must(t, "Put", <-errs)
}

func takeEnds(t testing.TB, q batch.Queue) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(short, cancel)
	if lease, err := q.Take(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Take = %v, %v", lease, err)
	}
	put(t, q, "a.test", true)
	done(t, take(t, q))
}

func later(t testing.TB, q batch.Queue) {
	put(t, q, "a.test", true)
	for range 3 {
		must(t, "Later", take(t, q).Later(t.Context(), 0))
		put(t, q, "a.test", false)
	}
	done(t, take(t, q))
	none(t, q)
}

func laterWaits(t testing.TB, q batch.Queue) {
	const delay = 2 * time.Second // a queue that rounds to whole seconds waits less if it ignores it
	put(t, q, "a.test", true)
	lease, began := take(t, q), time.Now()
	must(t, "Later", lease.Later(t.Context(), delay))
	put(t, q, "a.test", false)
	must(t, "End", q.End(t.Context()))
	again := take(t, q)
	if waited := time.Since(began); waited < delay*9/10 {
		t.Errorf("the task came after %v, want %v", waited, delay)
	}
	done(t, again)
}

func over(t testing.TB, q batch.Queue) {
	put(t, q, "a.test", true)
	put(t, q, "b.test", true)
	must(t, "End", q.End(t.Context()))
	first, second := take(t, q), take(t, q)
	none(t, q) // a task may come back
	must(t, "Later", first.Later(t.Context(), 0))
	again := take(t, q)
	var waiting sync.WaitGroup
	for range 3 {
		waiting.Go(func() { isOver(t, q) })
	}
	done(t, again)
	done(t, second)
	waiting.Wait()
}

func overAtOnce(t testing.TB, q batch.Queue) {
	must(t, "End", q.End(t.Context()))
	isOver(t, q)
}

// isOver checks that Take ends.
func isOver(t testing.TB, q batch.Queue) {
	t.Helper()
	if lease, err := tryTake(t, q, hang); err != io.EOF {
		t.Errorf("Take = %v, %v, want io.EOF", lease, err)
	}
}

// oneAtATime has workers take and return the tasks of many domains, which are put again and again.
func oneAtATime(t testing.TB, q batch.Queue) {
	const domains, workers = 400, 8
	for i := range domains {
		put(t, q, fmt.Sprintf("%d.test", i), true)
	}
	must(t, "End", q.End(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 5*hang)
	defer cancel()
	var leased, ended sync.Map // domains
	work := func(n int) error {
		for ; ; n++ {
			lease, err := q.Take(ctx)
			if err != nil {
				return err
			}
			domain, end := lease.Task().Domain, lease.Done
			if _, again := leased.LoadOrStore(domain, true); again {
				t.Errorf("%s is with two workers", domain)
			}
			time.Sleep(time.Millisecond) // in which another lease of the domain would be seen
			leased.Delete(domain)
			if n%5 == 0 {
				end = func(ctx context.Context) error { return lease.Later(ctx, 0) }
			} else if _, again := ended.LoadOrStore(domain, true); again {
				t.Errorf("%s was done twice", domain)
			}
			if err := end(ctx); err != nil {
				return err
			}
		}
	}
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			if err := work(i); err != io.EOF {
				t.Errorf("worker %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	for i := range domains {
		domain := fmt.Sprintf("%d.test", i)
		if _, done := ended.Load(domain); !done {
			t.Errorf("%s was never done", domain)
		}
	}
}
