package batch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
)

// A measuredQueue counts how leases end.
type measuredQueue struct {
	batch.Queue
	metrics *counters
}

func (q measuredQueue) Take(ctx context.Context) (batch.Lease, error) {
	l, err := q.Queue.Take(ctx)
	if err != nil {
		return nil, err
	}
	q.metrics.walking.Inc()
	if l.Task().Attempts > 0 {
		q.metrics.retried.Inc()
	}
	return &measuredLease{Lease: l, metrics: q.metrics, taken: time.Now()}, nil
}

type measuredLease struct {
	batch.Lease
	metrics *counters
	taken   time.Time
	lost    atomic.Bool
}

func (l *measuredLease) Renew(ctx context.Context) error { return l.note(l.Lease.Renew(ctx)) }

func (l *measuredLease) Done(ctx context.Context) error {
	l.metrics.walking.Dec()
	l.metrics.seconds.Observe(time.Since(l.taken).Seconds())
	return l.note(l.Lease.Done(ctx))
}

func (l *measuredLease) Later(ctx context.Context, delay time.Duration) error {
	l.metrics.walking.Dec()
	l.metrics.back.Inc()
	return l.note(l.Lease.Later(ctx, delay))
}

// note counts a lease that has expired, once.
func (l *measuredLease) note(err error) error {
	if errors.Is(err, batch.ErrStale) && !l.lost.Swap(true) {
		l.metrics.lost.Inc()
	}
	return err
}
