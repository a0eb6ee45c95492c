package watch

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/internal/longvalue"
)

// syncEvery is the least time between two syncs.
const syncEvery = 200 * time.Millisecond

// maxPart is how many marks are stored together.
const maxPart = 100

// A run is one range over Events or Once. Turns run on goroutines of their own. They hand their
// results to the ranging goroutine, which yields and then stores them.
type run struct {
	w          *Watcher
	ctx        context.Context
	yield      func(Event, error) bool
	waiting    []*visit // sites that wait for their turn
	turns      int      // under way
	deliveries chan *delivery
	ended      chan *visit
	unsynced   bool
	synced     time.Time
}

// A visit is a site in a run.
type visit struct {
	name, key string
	prospect
	err error // of the last turn
}

// run yields events until no site is left or, unless once is set, for ever.
func (w *Watcher) run(
	ctx context.Context, sites iter.Seq[string], yield func(Event, error) bool, once bool,
) {
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	var turns sync.WaitGroup
	r := &run{
		w: w, ctx: ctx, yield: yield,
		deliveries: make(chan *delivery), ended: make(chan *visit), synced: time.Now(),
	}
	end := func() {
		cancel()
		turns.Wait()
	}
	defer end() // the caller's loop may panic
	alive, err := true, r.addSites(sites)
	if err == nil {
		alive, err = r.loop(&turns, once)
	}
	end()
	if err = cmp.Or(err, w.Store.Sync()); alive && err != nil {
		yield(Event{}, cmp.Or(parent.Err(), err))
	}
}

// addSites reads when each site is due.
func (r *run) addSites(sites iter.Seq[string]) error {
	seen := map[string]bool{}
	for name := range sites {
		key, _ := siteKey(name) // a name that is not a site fails in its turn
		if seen[key] {
			continue
		}
		seen[key] = true
		var rec siteRecord
		if _, err := longvalue.GetJSON(r.w.Store, key, &rec); cmp.Or(r.ctx.Err(), err) != nil {
			return cmp.Or(r.ctx.Err(), err)
		}
		r.waiting = append(r.waiting, &visit{name: name, key: key, prospect: rec.prospect})
	}
	return nil
}

// loop gives sites their turns and yields their events. It reports whether the caller's loop goes
// on.
func (r *run) loop(turns *sync.WaitGroup, once bool) (alive bool, err error) {
	for {
		now := time.Now()
		wait := time.Hour
		for r.turns < r.w.parallel() {
			v, until := r.next(now)
			if v == nil {
				wait = until
				break
			}
			r.turns++
			turns.Go(func() { r.turn(v) })
		}
		if r.turns == 0 && (once || len(r.waiting) == 0) {
			return true, nil
		}
		if r.unsynced {
			wait = min(wait, syncEvery-now.Sub(r.synced))
		}
		timer := time.NewTimer(wait)
		select {
		case d := <-r.deliveries:
			alive, err = r.deliver(d)
		case v := <-r.ended:
			r.turns--
			r.unsynced = true
			if alive, err = true, v.err; !once {
				r.waiting = append(r.waiting, v)
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

// next takes the site that has its turn next: of those that are due, the one with the most changes
// to expect. So after a pause, overdue sites have their turns in that order. If no site is due,
// next returns how long to wait.
func (r *run) next(now time.Time) (*visit, time.Duration) {
	best, most, wait := 0, -1.0, time.Duration(math.MaxInt64)
	for i, v := range r.waiting {
		if v.Next.After(now) {
			wait = min(wait, v.Next.Sub(now))
		} else if expected := v.Rate * now.Sub(v.Asked).Hours(); expected > most {
			best, most = i, expected
		}
	}
	if most < 0 {
		return nil, wait
	}
	v := r.waiting[best]
	r.waiting = slices.Delete(r.waiting, best, best+1)
	return v, 0
}

// turn gives a site its turn.
func (r *run) turn(v *visit) {
	s, err := r.w.load(v.name, v.key)
	if err == nil {
		err = s.turn(r.ctx, func(d *delivery) bool {
			d.taken = make(chan bool, 1)
			select {
			case r.deliveries <- d:
				return <-d.taken
			case <-r.ctx.Done():
				return false
			}
		})
	}
	var spent longvalue.Batch // also counts requests whose results were not delivered
	spent.PutJSON(s.budgetKey(), s.budget)
	v.prospect, v.err = s.prospect, cmp.Or(err, spent.Store(r.w.Store))
	if soon := time.Now().Add(time.Second); v.Next.Before(soon) {
		v.Next = soon
	}
	select {
	case r.ended <- v:
	case <-r.ctx.Done():
	}
}

// deliver yields the events of a delivery and then stores its values. It also stores the marks of
// events that were taken, now and then and when the caller breaks off, so that the next range knows
// them.
func (r *run) deliver(d *delivery) (alive bool, err error) {
	defer func() { d.taken <- alive && err == nil }()
	s := d.site
	from, part := 0, s.parts
	keep := func(to int) error {
		var b longvalue.Batch
		b.PutJSON(s.partKey(part), d.marks[from:to])
		s.parts = part + 1
		return r.store(&b)
	}
	for i, e := range d.events {
		if slices.Contains(s.Said, e.ID) {
			continue
		}
		if !r.yield(e, nil) {
			return false, keep(i)
		}
		if time.Since(r.synced) < syncEvery {
			continue
		}
		if err = keep(i + 1); err == nil {
			err = r.sync()
		}
		if err != nil {
			return true, err
		}
		if i+1-from >= maxPart {
			from, part = i+1, part+1
		}
	}
	for ; s.parts > 0; s.parts-- {
		d.Put(s.partKey(s.parts-1), nil)
	}
	if err = r.store(&d.Batch); err == nil && time.Since(r.synced) >= syncEvery {
		err = r.sync()
	}
	return true, err
}

// store puts values. Sync makes them durable.
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
