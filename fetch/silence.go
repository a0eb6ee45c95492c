package fetch

import (
	"errors"
	"time"
)

// Of a host that has been silent to so many documents in a row, for so long, what times out is not
// tried again, so that others are tried; and then it is given up for silentPause.
const (
	doubtedDocuments = 4
	doubtedTime      = 2 * time.Minute
	silentDocuments  = 20
	silentTime       = 5 * time.Minute
	silentPause      = 30 * time.Second
)

// A silence is what is known of how long a host has answered nothing.
type silence struct {
	heard     time.Time // when something came of it last
	timeouts  int       // requests since then that timed out
	documents int       // how many of them were the first of theirs
	since     time.Time // since when the first of them waited, from heard on
	timedOut  time.Time // when the last of them did
}

func (s *silence) isDoubted(now time.Time) bool {
	return s.documents >= doubtedDocuments && now.Sub(s.since) >= doubtedTime
}

func (s *silence) isLong(now time.Time) bool {
	return s.documents >= silentDocuments && now.Sub(s.since) >= silentTime
}

// hears is told that something came of a host.
func (l *HostLimiter) hears(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.hosts.known[host]; h != nil {
		h.silence = silence{heard: time.Now()}
	}
}

// timesOut is told that what a host was waited for since then did not come in time: an answer, or
// anything behind the header of one. It may be the first request of its document.
func (l *HostLimiter) timesOut(host string, then time.Time, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.known[host]
	if h == nil {
		return
	}
	if h.timeouts == 0 || then.Sub(h.timedOut) > doubtedTime {
		h.silence = silence{heard: h.heard, since: latest(h.heard, then)}
	}
	now := time.Now()
	h.timeouts++
	h.timedOut = now
	if first {
		h.documents++
	}
	if h.isLong(now) {
		h.until = latest(h.until, now.Add(silentPause))
		l.dispatch()
	}
}

// doubts reports whether what times out at a host is not to be tried again.
func (l *HostLimiter) doubts(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.known[host]
	return h != nil && h.isDoubted(time.Now())
}

// heard tells a HostLimiter that something came of the host.
func (g *getter) heard() {
	if l, ok := g.c.limiter.(*HostLimiter); ok {
		l.hears(g.target.origin.key())
	}
}

// heardNothing tells it that the attempt, which waited since then, failed with err before anything
// came of the host. Who refuses or resets is there, and that the time for the document has run out
// is no matter of the host.
func (x *exchange) heardNothing(err error, then time.Time) {
	l, ok := x.c.limiter.(*HostLimiter)
	switch {
	case !ok, x.ctx.Err() != nil:
	case errors.Is(err, ErrTimeout):
		l.timesOut(x.target.origin.key(), then, x.retries+x.tries == 1 && x.req.Waited == 0)
	default:
		x.heard()
	}
}

// isDoubted reports whether what timed out at the host is not to be tried again.
func (g *getter) isDoubted() bool {
	l, ok := g.c.limiter.(*HostLimiter)
	return ok && l.doubts(g.target.origin.key())
}
