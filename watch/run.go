package watch

import (
	"cmp"
	"context"
	"hash/fnv"
	"iter"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/longvalue"
)

// syncEvery is the least time between two syncs.
const syncEvery = 200 * time.Millisecond

// A run is one range over Events or Once. Turns run on goroutines of their own. They hand their
// results to the ranging goroutine, which yields and then stores them.
type run struct {
	w          *Watcher
	ctx        context.Context
	yield      func(Event, error) bool
	schedule   *schedule
	deliveries chan *delivery
	ended      chan turnEnd
	turns      int // under way
	unsynced   bool
	synced     time.Time
}

// A turnEnd is the result of the turn of a site.
type turnEnd struct {
	visit *visit
	err   error
}

// run yields events until it has no site left or, unless once is set, for ever.
func (w *Watcher) run(
	ctx context.Context, sites iter.Seq[string], yield func(Event, error) bool, once bool,
) {
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	var turns sync.WaitGroup
	r := &run{
		w: w, ctx: ctx, yield: yield, schedule: newSchedule(),
		deliveries: make(chan *delivery), ended: make(chan turnEnd), synced: time.Now(),
	}
	defer turns.Wait()
	defer cancel()
	alive, err := r.addSites(sites)
	if alive && err == nil {
		alive, err = r.loop(&turns, once)
	}
	if syncErr := w.Store.Sync(); err == nil {
		err = syncErr
	}
	if parent.Err() != nil {
		err = parent.Err()
	}
	if alive && err != nil {
		yield(Event{}, err)
	}
}

// addSites puts each site into the schedule, once. A name that is not a site is failing.
func (r *run) addSites(sites iter.Seq[string]) (alive bool, err error) {
	seen := map[string]bool{}
	for name := range sites {
		if err := r.ctx.Err(); err != nil {
			return true, err
		}
		key, err := siteKey(name)
		if err != nil {
			name = sitemap.Redact(name)
			e := Event{ID: identify("site", name), Kind: Failing, Time: time.Now(), Site: name, Err: err}
			if !r.yield(e, nil) {
				return false, nil
			}
			continue
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		var rec siteRecord
		if _, err := longvalue.GetJSON(r.w.Store, key, &rec); err != nil {
			return true, err
		}
		r.schedule.add(&visit{name: name, key: key, next: rec.Next, asked: rec.Asked, rate: rec.Rate})
	}
	return true, nil
}

// loop gives sites their turns and yields their events. It reports whether the caller's loop goes
// on.
func (r *run) loop(turns *sync.WaitGroup, once bool) (alive bool, err error) {
	for {
		now := time.Now()
		for r.turns < r.w.parallel() {
			v := r.schedule.take(now)
			if v == nil {
				break
			}
			r.turns++
			turns.Go(func() { r.turn(v) })
		}
		wait, isWaiting := r.schedule.wait(now)
		if r.turns == 0 && (once || !isWaiting) {
			return true, nil
		}
		if !isWaiting || once || r.turns == r.w.parallel() {
			wait = time.Hour
		}
		if r.unsynced {
			wait = min(wait, syncEvery-now.Sub(r.synced))
		}
		timer := time.NewTimer(max(wait, 0))
		select {
		case d := <-r.deliveries:
			alive, err = r.deliver(d)
		case end := <-r.ended:
			r.turns--
			alive, err = true, end.err
			if !once && err == nil {
				r.schedule.add(end.visit)
			}
		case <-r.ctx.Done():
			alive, err = true, r.ctx.Err()
		case <-timer.C:
			alive, err = true, r.sync()
		}
		timer.Stop()
		if !alive || err != nil {
			return alive, err
		}
	}
}

// turn gives a site its turn.
func (r *run) turn(v *visit) {
	s, err := r.w.load(v.name, v.key)
	if err == nil {
		err = s.turn(r.ctx, func(d *delivery) bool {
			d.done = make(chan bool, 1)
			select {
			case r.deliveries <- d:
				return <-d.done
			case <-r.ctx.Done():
				return false
			}
		})
	}
	v.next, v.asked, v.rate = s.Next, s.Asked, s.Rate
	if soon := time.Now().Add(time.Second); v.next.Before(soon) {
		v.next = soon
	}
	select {
	case r.ended <- turnEnd{v, err}:
	case <-r.ctx.Done():
	}
}

// deliver yields the events of a delivery and then stores its values. It also stores its progress,
// now and then and when the caller breaks off, so that the next range skips the events that were
// delivered.
func (r *run) deliver(d *delivery) (alive bool, err error) {
	defer func() { d.done <- alive && err == nil }()
	skip, err := delivered(r.w.Store, d)
	sum := fnv.New64a()
	for i, e := range d.events {
		if i >= skip && err == nil {
			if !r.yield(e, nil) {
				return false, r.store(d.upTo(i, sum.Sum64()))
			}
		}
		sum.Write([]byte(e.ID))
		if time.Since(r.synced) >= syncEvery && err == nil {
			err = cmp.Or(r.store(d.upTo(i+1, sum.Sum64())), r.sync())
		}
	}
	if len(d.events) > 0 {
		d.Put(d.progress, nil)
	}
	if err == nil {
		err = r.store(&d.Batch)
	}
	if time.Since(r.synced) >= syncEvery && err == nil {
		err = r.sync()
	}
	return true, err
}

// store puts values, which sync makes durable.
func (r *run) store(b *longvalue.Batch) error {
	r.unsynced = true
	return b.Store(r.w.Store)
}

// sync makes all deliveries durable.
func (r *run) sync() error {
	r.synced = time.Now()
	if !r.unsynced {
		return nil
	}
	r.unsynced = false
	return r.w.Store.Sync()
}

// A progress counts the delivered events of a delivery, with a hash of their IDs.
type progress struct {
	Events int    `json:"events"`
	Hash   uint64 `json:"hash"`
}

// upTo returns the progress of a delivery after n events.
func (d *delivery) upTo(n int, hash uint64) *longvalue.Batch {
	b := &longvalue.Batch{}
	b.PutJSON(d.progress, progress{n, hash})
	return b
}

// delivered returns how many events of a delivery were delivered by an earlier range: the number in
// the Store, if its hash matches.
func delivered(s discover.Store, d *delivery) (int, error) {
	var p progress
	if len(d.events) == 0 {
		return 0, nil
	}
	if ok, err := longvalue.GetJSON(s, d.progress, &p); !ok || p.Events > len(d.events) {
		return 0, err
	}
	sum := fnv.New64a()
	for _, e := range d.events[:p.Events] {
		sum.Write([]byte(e.ID))
	}
	if sum.Sum64() != p.Hash {
		return 0, nil
	}
	return p.Events, nil
}
