package batch_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/batch/batchtest"
)

func TestMemoryQueue(t *testing.T) {
	batchtest.Queue(t, func(*testing.T) batch.Queue { return batch.NewMemoryQueue(1_000) })
}

// Put waits while the queue is full. Any queue has room for one task.
func TestMemoryQueue_Full(t *testing.T) {
	for _, max := range []int{1, 0, -1} {
		synctest.Test(t, func(t *testing.T) { testFull(t, max) })
	}
}

func testFull(t *testing.T, max int) {
	q := batch.NewMemoryQueue(max)
	if _, err := q.Put(t.Context(), batch.Task{Domain: "a.example"}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if _, err := q.Put(ctx, batch.Task{Domain: "b.example"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Put to a full queue: %v", err)
	}
	time.AfterFunc(time.Second, func() {
		if _, err := q.Take(t.Context()); err != nil {
			t.Error(err)
		}
	})
	ctx, stop = context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if ok, err := q.Put(ctx, batch.Task{Domain: "b.example"}); !ok || err != nil {
		t.Errorf("Put before a Take: %v, %v", ok, err)
	}
}

// A lease that has ended does nothing more.
func TestMemoryQueue_EndedLease(t *testing.T) {
	q := batch.NewMemoryQueue(1)
	q.Put(t.Context(), batch.Task{Domain: "a.example"})
	lease, err := q.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := lease.Done(t.Context()); err != batch.ErrStale {
		t.Errorf("second Done: %v, want ErrStale", err)
	}
	if err := lease.Later(t.Context(), 0); err != batch.ErrStale {
		t.Errorf("Later after Done: %v, want ErrStale", err)
	}
}
