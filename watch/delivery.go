package watch

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/longvalue"
)

// syncEvery is the least time between two syncs, and between two times when a turn puts what it
// remembers while its events are taken. Both together are 200 ms.
const syncEvery = 100 * time.Millisecond

// A delivery hands the events of turns to the caller's loop, and stores what turns remember. Turns
// run on goroutines of their own.
type delivery struct {
	ctx    context.Context
	offers chan offer

	mu       sync.Mutex // nothing is synced before all of a batch is put
	store    discover.Store
	unsynced bool
	synced   time.Time
}

// An offer is an event for the loop. Taken receives whether the loop has asked for the next one.
type offer struct {
	event Event
	taken chan bool
}

// take hands an event to the loop. It reports whether the event was taken.
func (d *delivery) take(e Event) bool {
	o := offer{e, make(chan bool, 1)}
	select {
	case d.offers <- o:
		return <-o.taken
	case <-d.ctx.Done():
		return false
	}
}

// put stores values. They are durable when [delivery.sync] returns after the time to wait.
func (d *delivery) put(b *longvalue.Batch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unsynced = true
	return b.Store(d.store)
}

// sync makes what was put durable, if it is time. It returns how long to wait until the next time.
func (d *delivery) sync() (wait time.Duration, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.unsynced {
		return math.MaxInt64, nil
	}
	if wait = syncEvery - time.Since(d.synced); wait > 0 {
		return wait, nil
	}
	d.unsynced, d.synced = false, time.Now()
	return math.MaxInt64, d.store.Sync()
}
