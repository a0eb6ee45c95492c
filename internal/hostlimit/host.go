package hostlimit

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A host grants the requests to one host, in the order of their documents.
type host struct {
	key string

	mu      *sync.Mutex // of the Limiter; guards what follows
	most    int64       // requests under way
	running int64
	queue   []*waiter // the longest-waiting document first
	timer   *time.Timer
	pace    pace
	address string // key of its address, "" if it was not looked up yet
}

// A waiter is a request that waits for its host.
type waiter struct {
	*host
	grant
	since time.Time  // when its document was begun
	ready chan error // receives nil when the request is granted
}

// enqueue puts w into the queue.
func (h *host) enqueue(w *waiter) {
	i := len(h.queue)
	for i > 0 && h.queue[i-1].since.After(w.since) {
		i--
	}
	h.queue = slices.Insert(h.queue, i, w)
	h.dispatch()
}

// wait waits until w, which is in the queue, is granted.
func (w *waiter) wait(ctx context.Context) error {
	select {
	case err := <-w.ready:
		return err
	case <-ctx.Done():
	}
	w.mu.Lock()
	i := slices.Index(w.queue, w)
	if i >= 0 {
		w.queue = slices.Delete(w.queue, i, i+1)
	}
	w.mu.Unlock()
	if i < 0 && <-w.ready == nil {
		w.giveBack()
	}
	return ctx.Err()
}

// dispatch answers the waiters that may be sent now, or that fail. It is called whenever there may
// be such waiters.
func (h *host) dispatch() {
	for len(h.queue) > 0 {
		now := time.Now()
		wait, err := h.pace.next(now)
		if err == nil {
			if h.running >= h.most || h.pace.isSerial() && h.running > 0 {
				return
			}
			if wait > 0 {
				h.timer.Reset(wait)
				return
			}
			h.running++
		}
		i := h.next()
		w := h.queue[i]
		if h.queue = slices.Delete(h.queue, i, i+1); err == nil {
			h.pace.start(&w.grant, now)
		}
		w.ready <- err
	}
}

// next returns the index of the waiter to grant: the longest-waiting document. After two refusals
// in a row, while too few requests that were sent alone were refused to call the host busy, it is
// the latest one that was not refused itself: broken documents stand side by side, and those far
// from them show whether the host itself is busy. After one, the host may allow every second
// request, which then is the retry.
func (h *host) next() int {
	if h.pace.doubt && h.pace.refused < busyAfter {
		for i, w := range slices.Backward(h.queue) {
			if !h.pace.wasRefused(&w.grant) {
				return i
			}
		}
	}
	return 0
}

// wake dispatches when the timer fires.
func (h *host) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dispatch()
}

// giveBack undoes the grant of a request that was not sent, or of one to an address.
func (w *waiter) giveBack() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	w.pace.undo(&w.grant)
	w.dispatch()
}

// release updates the host by the answer to a request that was sent at begun.
func (w *waiter) release(status int, retryAfter time.Duration, begun time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	w.pace.learn(&w.grant, status, retryAfter, begun)
	w.dispatch()
}

// isQuiet reports whether the host may be forgotten: it has been idle for long enough. Its delay
// goes too, until its robots.txt is used again.
func (h *host) isQuiet(idle time.Duration) bool {
	return h.running == 0 && len(h.queue) == 0 &&
		time.Since(h.pace.last) > max(idle, h.pace.least) && time.Now().After(h.pace.until)
}
