package fetch

import (
	"context"
	"math"
	"sync"
	"time"
)

const forever = time.Duration(math.MaxInt64)

// phases are the limits of what is waited for, and the waits of the Client's own.
type phases struct {
	connect   time.Duration // to connect, with the lookup of the name
	handshake time.Duration // for the TLS handshake
	firstByte time.Duration // from the connection to the header of the response
	answer    time.Duration // for all of these, with any transport
	idle      time.Duration // from one read of the body to the next
	drain     time.Duration // for the body of a response that is no document
	linger    time.Duration // how long a Limiter's slot is kept while nobody reads
	backoff   time.Duration // before the first retry, at most
	keep      time.Duration // how long a connection is kept that is idle
}

func (p phases) withDefaults() phases {
	set := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	set(&p.connect, 10*time.Second)
	set(&p.handshake, 10*time.Second)
	set(&p.firstByte, 30*time.Second)
	set(&p.answer, p.connect+p.handshake+p.firstByte)
	set(&p.idle, 30*time.Second)
	set(&p.drain, time.Second)
	set(&p.linger, time.Second)
	set(&p.backoff, minBackoff)
	set(&p.keep, time.Minute)
	return p
}

// A clock measures the time that one document waits for the network. While it
// runs, it is bounded twice: by the limit of the phase, which ends the attempt,
// and by what is left for the document, which ends all.
type clock struct {
	total time.Duration           // limit of the document
	whole context.CancelCauseFunc // ends the document

	mu      sync.Mutex
	left    time.Duration           // of total
	spent   time.Duration           // in all runs before
	attempt context.CancelCauseFunc // ends the attempt
	timer   *time.Timer
	running bool
	since   time.Time     // of the current run
	limit   time.Duration // of the phase
	what    string        // the phase, for the error
}

// newClock returns the clock of a document that was waited for before.
func newClock(total, waited time.Duration, whole context.CancelCauseFunc) *clock {
	left := total
	if total != forever {
		left = max(total-waited, 0)
	}
	return &clock{total: total, left: left, whole: whole}
}

// waited returns how long the clock has run.
func (c *clock) waited() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		return c.spent + time.Since(c.since)
	}
	return c.spent
}

// begin sets what ends the attempt; nil between attempts.
func (c *clock) begin(attempt context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempt = attempt
}

// start ends the current phase, if any, and starts one that may take limit.
func (c *clock) start(limit time.Duration, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.halt()
	c.running, c.since, c.limit, c.what = true, time.Now(), limit, what
	d := min(c.limit, c.left)
	switch {
	case d == forever:
	case c.timer == nil:
		c.timer = time.AfterFunc(d, c.expire)
	default:
		c.timer.Reset(d)
	}
}

// stop ends the current phase.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.halt()
}

func (c *clock) halt() {
	if !c.running {
		return
	}
	c.running = false
	if c.timer != nil {
		c.timer.Stop()
	}
	d := time.Since(c.since)
	c.spent += d
	if c.left != forever {
		c.left = max(c.left-d, 0)
	}
}

// remaining returns what is left for the document.
func (c *clock) remaining() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running && c.left != forever {
		return max(c.left-time.Since(c.since), 0)
	}
	return c.left
}

func (c *clock) expire() {
	c.mu.Lock()
	// A timer that was stopped too late belongs to a phase before this one.
	if !c.running || time.Since(c.since) < min(c.limit, c.left) {
		c.mu.Unlock()
		return
	}
	end, err := c.attempt, timeoutError(c.what, c.limit)
	if c.left <= c.limit || end == nil {
		end, err = c.whole, timeoutError("the document", c.total)
	}
	c.halt()
	c.mu.Unlock()
	end(err)
}
