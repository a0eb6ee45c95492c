package watch

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"sync"
	"time"
)

// A run is one range over Events or Once. Turns run on goroutines of their own. They hand their
// events to the ranging goroutine.
type run struct {
	w       *Watcher
	ctx     context.Context
	yield   func(Event, error) bool
	waiting []*visit // sites that wait for their turn
	turns   int      // under way
	ended   chan *visit
	events  chan Event
	taken   chan bool // whether the loop has asked for the next event after the last one
}

// A visit is a site in a run.
type visit struct {
	name, key string
	prospect
	err error // of the last turn
}

// run yields events for ever or, if once is set, until no site is due.
func (w *Watcher) run(
	ctx context.Context, sites iter.Seq[string], yield func(Event, error) bool, once bool,
) {
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	var turns sync.WaitGroup
	r := &run{
		w: w, ctx: ctx, yield: yield,
		ended: make(chan *visit), events: make(chan Event), taken: make(chan bool),
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
	if alive && err != nil {
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
		s := r.w.load(name, key)
		if err := cmp.Or(r.ctx.Err(), s.err); err != nil {
			return err
		}
		r.waiting = append(r.waiting, &visit{name: name, key: key, prospect: s.prospect})
	}
	return nil
}

// loop gives sites their turns and yields their events. It reports whether the caller's loop goes
// on.
func (r *run) loop(turns *sync.WaitGroup, once bool) (alive bool, err error) {
	for {
		wait := time.Hour // at most: the clock may be set meanwhile
		for r.turns < r.w.parallel() {
			v, until := r.next(time.Now())
			if v == nil {
				wait = min(wait, until)
				break
			}
			r.turns++
			turns.Go(func() { r.turn(v) })
		}
		if r.turns == 0 && once {
			return true, nil
		}
		select {
		case e := <-r.events:
			if !r.pass(e) {
				return false, nil
			}
		case v := <-r.ended:
			if r.turns--; v.err != nil {
				return true, v.err
			}
			if !once {
				r.waiting = append(r.waiting, v)
			}
		case <-r.ctx.Done():
			return true, r.ctx.Err()
		case <-time.After(wait):
		}
	}
}

// pass yields an event. The event is not taken if the loop breaks off or panics.
func (r *run) pass(e Event) (alive bool) {
	defer func() { r.taken <- alive }()
	return r.yield(e, nil)
}

// next takes the site whose turn is next: the due site with the most changes to expect. So after a
// pause, overdue sites have their turns in that order. If no site is due, next returns how long to
// wait.
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
	s := r.w.load(v.name, v.key)
	s.take = r.take
	v.err = s.turn(r.ctx)
	v.prospect = s.prospect
	v.Next = latest(v.Next, time.Now().Add(time.Second))
	select {
	case r.ended <- v:
	case <-r.ctx.Done():
	}
}

// take hands an event of a turn to the loop. It reports whether the event was taken.
func (r *run) take(e Event) bool {
	select {
	case r.events <- e:
		return <-r.taken
	case <-r.ctx.Done():
		return false
	}
}
