package watch

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// A run is one range over Events or Once. Turns run on goroutines of their own. They hand their
// events to the ranging goroutine.
type run struct {
	w       *Watcher
	ctx     context.Context
	once    bool    // each site has one turn
	waiting []visit // sites that wait for their turn
	ended   chan visit
	events  chan Event
	taken   chan bool // whether the loop has asked for the next event after the last one
}

// A visit is a site in a run.
type visit struct {
	name, key string
	prospect
}

// run yields events for ever or, if once is set, until no site is due.
func (w *Watcher) run(
	ctx context.Context, sites iter.Seq[string], yield func(Event, error) bool, once bool,
) {
	turns, inner := errgroup.WithContext(ctx)
	defer turns.Wait()
	inner, cancel := context.WithCancel(inner)
	defer cancel()
	r := &run{
		w: w, ctx: inner, once: once,
		ended: make(chan visit), events: make(chan Event), taken: make(chan bool),
	}
	if err := r.addSites(sites); err != nil {
		yield(Event{}, err)
		return
	}
	for underWay := 0; ; {
		v, wait := r.next(time.Now(), underWay)
		if wait <= 0 {
			underWay++
			turns.Go(func() error { return r.turn(v) })
			continue
		}
		if underWay == 0 && once {
			return
		}
		select {
		case e := <-r.events:
			if !r.pass(e, yield) {
				return
			}
		case v := <-r.ended:
			if underWay--; !once {
				r.waiting = append(r.waiting, v)
			}
		case <-inner.Done():
			err := turns.Wait()
			yield(Event{}, cmp.Or(ctx.Err(), err))
			return
		case <-time.After(wait):
		}
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
		v := visit{name: name, key: key}
		err := r.w.read(name, key, &v.prospect, &v.prospect)
		if err = cmp.Or(r.ctx.Err(), err); err != nil {
			return err
		}
		r.waiting = append(r.waiting, v)
	}
	return nil
}

// pass yields an event. The event is not taken if the loop breaks off or panics.
func (r *run) pass(e Event, yield func(Event, error) bool) (alive bool) {
	defer func() { r.taken <- alive }()
	return yield(e, nil)
}

// next takes the site whose turn is next: the due site with the most expected changes. So after a
// pause, overdue sites have their turns in that order. If no site may have its turn, next returns
// how long to wait.
func (r *run) next(now time.Time, underWay int) (next visit, wait time.Duration) {
	best, most := 0, -1.0
	wait = time.Hour // at most: the clock may be set meanwhile
	if underWay >= r.w.parallel() {
		return next, wait
	}
	for i, v := range r.waiting {
		if v.Next.After(now) {
			wait = min(wait, v.Next.Sub(now))
		} else if expected := v.Rate * now.Sub(v.Asked).Hours(); expected > most {
			best, most = i, expected
		}
	}
	if most >= 0 {
		next, wait = r.waiting[best], 0
		r.waiting = slices.Delete(r.waiting, best, best+1)
	}
	return next, wait
}

// turn gives a site its turn.
func (r *run) turn(v visit) error {
	s := r.w.load(v.name, v.key)
	s.take, s.once = r.take, r.once
	if err := s.turn(r.ctx); err != nil {
		return err
	}
	v.prospect = s.prospect
	v.Next = latest(v.Next, time.Now().Add(time.Second))
	select {
	case r.ended <- v:
	case <-r.ctx.Done():
	}
	return nil
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
