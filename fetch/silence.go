package fetch

import (
	"errors"
	"net/url"
	"time"
)

// A host is given up for silentPause after so many requests in a row that timed out, if that took
// so long.
const (
	silentRequests = 10
	silentTime     = 2 * time.Minute
	silentPause    = 30 * time.Second
)

// A silence is what is known of how long a host has answered nothing.
type silence struct {
	heard    time.Time // when something came of it last
	timeouts int       // requests since then that timed out
	since    time.Time // when the first of them went out, or heard if that is later
	timedOut time.Time // when the last of them did
}

func (s *silence) isOver(now time.Time) bool {
	return s.timeouts < silentRequests || now.Sub(s.since) < silentTime
}

// hears is told that something came of the host of u.
func (l *HostLimiter) hears(u *url.URL) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.hosts.known[hostKey(u)]; h != nil {
		h.heard, h.timeouts = time.Now(), 0
	}
}

// timesOut is told that a request to u that went out at asked timed out, without an answer or with
// nothing but the header of one.
func (l *HostLimiter) timesOut(u *url.URL, asked time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.known[hostKey(u)]
	if h == nil {
		return
	}
	if h.timeouts == 0 || asked.Sub(h.timedOut) > silentTime {
		h.timeouts, h.since = 0, latest(h.heard, asked)
	}
	now := time.Now()
	h.timeouts++
	if h.timedOut = now; !h.silence.isOver(now) {
		h.until = latest(h.until, now.Add(silentPause))
		l.dispatch()
	}
}

// heard tells a HostLimiter that something came of the host.
func (g *getter) heard() {
	if l, ok := g.c.limiter.(*HostLimiter); ok {
		l.hears(g.target.url)
	}
}

// heardNothing tells it that nothing did, if err says that the attempt timed out, which went out
// at asked.
func (g *getter) heardNothing(err error, asked time.Time) {
	if l, ok := g.c.limiter.(*HostLimiter); ok && errors.Is(err, ErrTimeout) {
		l.timesOut(g.target.url, asked)
	}
}
