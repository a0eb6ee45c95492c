package fetch

import (
	"cmp"
	"container/list"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Answers of 429 or 503 in a row after which a host is given up for a while.
const (
	busyAnswers = 10 // that do not say for how long, or for no longer than MaxPause
	longAnswers = 3  // that ask for more
)

const (
	// maxGap bounds the time between requests that is learned from a host's answers; each success
	// takes one part in paceUp off it. Of a host that allows fewer, requests wait for the pause
	// after each 429.
	maxGap = time.Second
	paceUp = 4
	// doubtful answers of 429 or 503 in a row, or requests without one, may be the document's own
	// fault, or an outage.
	doubtful = 2
	// atRisk is how often a request has failed before it is sent only as long after others as
	// the host was last paused, at most maxApart, so that it does not fail for good for what they
	// took.
	atRisk   = 2
	maxApart = 5 * time.Second
	// recovered requests at once end the recovery of a host.
	recovered = 16
)

// A place is a host or an address that requests go to.
type place struct {
	key    string
	refs   int           // waiters and requests under way; it is idle at 0
	idle   *list.Element // in places.idle
	active int           // requests under way
	last   time.Time     // when the last request was granted

	// Of a host:
	queue    []*waiter
	turn     *list.Element // in HostLimiter.waiting
	address  string        // key of its address
	lookedUp time.Time
	delay    time.Duration // of SetDelay
	window   int           // how many requests at once while it recovers, or 0
	gap      time.Duration // between requests, at the pace that it was found to allow
	passed   int           // requests that it has answered otherwise since the last strike
	busy     time.Duration // for how long there were some to be granted since, or it was paused for its pace
	wanted   time.Time     // since when there are some
	pause    time.Duration // the last one
	strikes  int           // answers of 429 and 503 since the last success
	struck   time.Time     // when the last of them came
	until    time.Time     // no request before it, for those answers or its silence
	asked    time.Time     // what a Retry-After above MaxPause asked for
	silence
}

// places are the hosts, or the addresses, that a HostLimiter knows.
type places struct {
	known map[string]*place
	idle  list.List // of *place, used last first
}

// use returns the place of key, which counts as in use until leave.
func (ps *places) use(key string) *place {
	p := ps.known[key]
	if p == nil {
		if ps.known == nil {
			ps.known = map[string]*place{}
		}
		p = &place{key: strings.Clone(key)} // not a part of a URL that is kept with it
		ps.known[p.key] = p
	}
	if p.idle != nil {
		ps.idle.Remove(p.idle)
		p.idle = nil
	}
	p.refs++
	return p
}

func (ps *places) leave(p *place) {
	if p.refs--; p.refs > 0 {
		return
	}
	p.idle = ps.idle.PushFront(p)
	if ps.idle.Len() > maxIdle {
		oldest := ps.idle.Remove(ps.idle.Back()).(*place)
		delete(ps.known, oldest.key)
	}
}

func (l *HostLimiter) enqueue(host, addr string, tries int) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &waiter{host: l.hosts.use(host), done: make(chan struct{}), tries: tries}
	if addr != "" {
		w.addr = l.addrs.use(addr)
		w.host.address = addr
	}
	at := len(w.host.queue)
	if at == 0 {
		w.host.wanted = time.Now()
	}
	if tries > 0 {
		at, _ = slices.BinarySearchFunc(w.host.queue, tries, func(q *waiter, tries int) int {
			return cmp.Compare(tries, q.tries+1)
		})
	}
	w.host.queue = slices.Insert(w.host.queue, at, w)
	if w.host.turn == nil {
		w.host.turn = l.waiting.PushBack(w.host)
	}
	l.dispatch()
	return w
}

// cancel takes w out of the queue, or gives back what it was granted. It returns
// false if w has failed.
func (l *HostLimiter) cancel(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case w.err != nil:
		return false
	case w.granted:
		l.finish(w)
	default:
		w.host.queue = slices.DeleteFunc(w.host.queue, func(q *waiter) bool { return q == w })
		l.settle(w.host)
		l.drop(w)
	}
	l.dispatch()
	return true
}

func (l *HostLimiter) release(w *waiter, status int, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.judge(w, status, retryAfter)
	l.finish(w)
	l.dispatch()
}

// finish takes back what w was granted.
func (l *HostLimiter) finish(w *waiter) {
	l.active--
	w.host.active--
	if w.addr != nil {
		w.addr.active--
	}
	l.drop(w)
}

// drop ends w's use of its places.
func (l *HostLimiter) drop(w *waiter) {
	l.hosts.leave(w.host)
	if w.addr != nil {
		l.addrs.leave(w.addr)
	}
}

// settle takes h out of the turns if nobody waits for it any more.
func (l *HostLimiter) settle(h *place) {
	if len(h.queue) == 0 && h.turn != nil {
		l.waiting.Remove(h.turn)
		h.turn, h.queue = nil, nil
	}
}

// dispatch grants what can be granted, one request of each host in turn, and
// sets the timer for what cannot be yet.
func (l *HostLimiter) dispatch() {
	now := time.Now()
	var wake time.Time
	for granted := true; granted; {
		granted, wake = false, time.Time{}
		for range l.waiting.Len() {
			if l.active >= l.total() {
				return // the next release dispatches
			}
			h := l.waiting.Front().Value.(*place)
			l.waiting.MoveToBack(h.turn)
			if err := h.givenUp(now); err != nil {
				l.failAll(h, err)
				continue
			}
			ok, at := l.open(h, now)
			if ok {
				l.grant(h, now)
				granted = true
			} else if !at.IsZero() && (wake.IsZero() || at.Before(wake)) {
				wake = at
			}
		}
	}
	switch {
	case !wake.IsZero():
		l.wakeAt(wake.Sub(now))
	case l.timer != nil:
		l.timer.Stop()
	}
}

func (l *HostLimiter) wakeAt(d time.Duration) {
	if l.timer != nil {
		l.timer.Reset(d)
		return
	}
	l.timer = time.AfterFunc(d, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.dispatch()
	})
}

// next returns which waiter of h has the next turn: the one whose request failed most often, since
// after a pause it is most likely to be answered; but where such a one was not, the first of those
// that failed least, since that may be the document's own fault.
func (h *place) next() int {
	if h.strikes < doubtful && h.timeouts < doubtful {
		return 0
	}
	least := h.queue[len(h.queue)-1].tries
	return slices.IndexFunc(h.queue, func(w *waiter) bool { return w.tries == least })
}

// open reports whether the next waiter of h may go, or else from when on it may
// as far as time is concerned, zero if only a release can help.
func (l *HostLimiter) open(h *place, now time.Time) (bool, time.Time) {
	w := h.queue[h.next()]
	a := w.addr
	if h.active >= l.window(h, w) || a != nil && a.active >= l.perAddress() {
		return false, time.Time{}
	}
	apart := max(h.delay, l.HostInterval, h.gap)
	if w.tries >= atRisk {
		apart = max(apart, min(h.pause, maxApart))
	}
	at := latest(h.until, h.last.Add(apart))
	if a != nil {
		at = latest(at, a.last.Add(l.AddressInterval))
	}
	return !at.After(now), at
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// window returns how many requests to h may be under way, with w: one that failed before goes
// alone while h recovers, lest it fails too often.
func (l *HostLimiter) window(h *place, w *waiter) int {
	switch {
	case h.delay > 0, w.tries > 0 && h.window > 0, w.tries >= atRisk && h.pause > 0:
		return 1
	case h.window > 0:
		return min(h.window, l.perHost())
	}
	return l.perHost()
}

func (l *HostLimiter) grant(h *place, now time.Time) {
	next := h.next()
	w := h.queue[next]
	h.queue = slices.Delete(h.queue, next, next+1)
	l.settle(h)
	l.active++
	h.active++
	h.busy += max(0, now.Sub(latest(h.wanted, latest(h.last, h.until))))
	h.last = now
	if w.addr != nil {
		w.addr.active++
		w.addr.last = now
	}
	w.granted, w.begun = true, now
	close(w.done)
}

func (l *HostLimiter) failAll(h *place, err *Error) {
	for _, w := range h.queue {
		e := *err
		w.err = &e
		close(w.done)
		l.drop(w)
	}
	h.queue = nil
	l.settle(h)
}

// givenUp returns why, and for how long yet, h is left alone, nil if it is not.
func (h *place) givenUp(now time.Time) *Error {
	switch {
	case h.strikes >= longAnswers && h.asked.After(now):
		return &Error{RetryAfter: h.asked.Sub(now), Err: ErrBusy}
	case !h.until.After(now):
		return nil
	case h.isLong(now):
		return &Error{RetryAfter: h.until.Sub(now), Err: ErrSilent}
	case h.strikes >= busyAnswers:
		return &Error{RetryAfter: h.until.Sub(now), Err: ErrBusy}
	}
	return nil
}

// learnPace takes what h has let pass since it was last too fast for it for the pace that it
// allows.
func (h *place) learnPace(most time.Duration) {
	if h.passed > 0 {
		h.gap = min(h.busy/time.Duration(h.passed), most)
	}
	h.passed, h.busy = 0, 0
}

// judge learns from the answer to w how fast its host may be asked.
func (l *HostLimiter) judge(w *waiter, status int, retryAfter time.Duration) {
	h, now := w.host, time.Now()
	// An answer to what was sent before the host was slowed down says nothing
	// new: of the requests under way at that moment only the first counts.
	late := h.strikes > 0 && w.begun.Before(h.struck)
	switch {
	case isBusy(status):
		pause := min(retryAfter, l.maxPause())
		if !late {
			h.strikes++
			h.struck, h.window = now, 1
			h.learnPace(min(maxGap, l.maxPause()))
			h.pause = 0
			if backoff := exponential(cmp.Or(l.backoff, minBackoff), min(maxBackoff, l.maxPause()), h.strikes-1); pause < backoff {
				pause = backoff/2 + rand.N(backoff/2+1)
			}
		}
		if status == http.StatusTooManyRequests || retryAfter > 0 { // else it may be no matter of pace
			h.busy += max(0, now.Add(pause).Sub(latest(h.until, now)))
		}
		h.pause = max(h.pause, pause)
		h.until = latest(h.until, now.Add(pause))
		if most := l.maxPause(); most > 0 && retryAfter > most {
			h.asked = now.Add(retryAfter)
		}
	case status == 0 || status >= 500 || late:
	default:
		h.strikes, h.asked = 0, time.Time{}
		h.passed++
		if h.gap -= h.gap / paceUp; h.gap < time.Millisecond {
			h.gap = 0
		}
		if h.window > 0 {
			h.window++
		}
		if h.window >= min(l.perHost(), recovered) {
			h.window = 0
		}
	}
}
