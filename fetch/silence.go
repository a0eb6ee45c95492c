package fetch

import (
	"errors"
	"net/url"
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
	documents int       // of which they were
	since     time.Time // when the first of them went out, or heard if that is later
	timedOut  time.Time // when the last of them did
}

func (s *silence) isDoubted(now time.Time) bool {
	return s.documents >= doubtedDocuments && now.Sub(s.since) >= doubtedTime
}

func (s *silence) isLong(now time.Time) bool {
	return s.documents >= silentDocuments && now.Sub(s.since) >= silentTime
}

// hears is told that something came of the host of u.
func (l *HostLimiter) hears(u *url.URL) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.hosts.known[hostKey(u)]; h != nil {
		h.silence = silence{heard: time.Now()}
	}
}

// timesOut is told that a request to u that went out at asked, the first of its document or not,
// timed out, without an answer or with nothing but the header of one.
func (l *HostLimiter) timesOut(u *url.URL, asked time.Time, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.known[hostKey(u)]
	if h == nil {
		return
	}
	if h.timeouts == 0 || asked.Sub(h.timedOut) > doubtedTime {
		h.silence = silence{heard: h.heard, since: latest(h.heard, asked)}
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

// doubts reports whether what times out at the host of u is not to be tried again.
func (l *HostLimiter) doubts(u *url.URL) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.known[hostKey(u)]
	return h != nil && h.isDoubted(time.Now())
}

// heard tells a HostLimiter that something came of the host.
func (g *getter) heard() {
	if l, ok := g.c.limiter.(*HostLimiter); ok {
		l.hears(g.target.url)
	}
}

// heardNothing tells it that nothing did, if err says that the attempt timed out, which went out
// at asked. That the time for the document has run out is no matter of the host.
func (x *exchange) heardNothing(err error, asked time.Time) {
	if l, ok := x.c.limiter.(*HostLimiter); ok && errors.Is(err, ErrTimeout) && x.ctx.Err() == nil {
		l.timesOut(x.target.url, asked, x.retries+x.tries == 1 && x.req.Waited == 0)
	}
}

// isDoubted reports whether what timed out at the host is not to be tried again.
func (g *getter) isDoubted() bool {
	l, ok := g.c.limiter.(*HostLimiter)
	return ok && l.doubts(g.target.url)
}
