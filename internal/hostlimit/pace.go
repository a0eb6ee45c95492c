package hostlimit

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Errors of requests that are not sent.
var (
	ErrBusy     = errors.New("host too busy")
	ErrHostDown = errors.New("host does not answer")
)

// An Error says why a request is not sent, and when it may be sent.
type Error struct {
	RetryAfter time.Duration
	Err        error // ErrBusy or ErrHostDown
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

const (
	minBackoff   = time.Second
	maxBackoff   = 30 * time.Second
	maxDelay     = 30 * time.Second // the longest Crawl-delay
	maxBusy      = time.Hour        // the longest Retry-After of a busy host
	busyAfter    = 3                // URLs in a row that make a host busy
	maxTried     = 64               // URLs that are remembered
	recoverAfter = 10               // successes in a row that end a recovery
	minTimeout   = 10 * time.Second // the shortest limit of a request, to connect
	maxTimeouts  = 15               // timeouts in a row that open the circuit
	probeEvery   = time.Minute
	maxProbes    = 2 // failed probes after which requests fail at once
)

// A pace decides when the next request to a host may be sent.
type pace struct {
	maxPause time.Duration
	delay    time.Duration // Crawl-delay
	least    time.Duration // Client.Delay
	last     time.Time     // when the last request was granted, or sent if that is known
	until    time.Time     // no request before
	pauses   int           // pauses so far
	backoff  time.Duration // of the last pause, 0 after a success
	trouble  time.Time     // when the first pause since a success began
	spacing  time.Duration // between the requests of a recovery
	longest  time.Duration // pause that went into spacing
	recovery int           // successes that are missing; above zero, requests are serial
	tried    []string      // URLs that were refused, with 429 or 503, when they were last requested
	refused  int           // of them, those that were new and sent alone, since a success
	doubt    bool          // one sent alone was refused, as was the one before
	timeouts int           // in a row
	probes   int           // of them, failed probes
	probe    time.Time     // when the next probe is due
}

// A grant is the state of a pace when it granted a request.
type grant struct {
	url         *url.URL
	pauses      int       // of the pace, when the request was granted
	last, probe time.Time // of the pace, before the request was granted
}

func (p *pace) isSerial() bool { return p.interval() > 0 || p.recovery > 0 }

// interval returns how far apart requests are, outside of pauses.
func (p *pace) interval() time.Duration { return max(p.delay, p.least) }

// next returns how long the next request has to wait, or an error if it fails at once.
func (p *pace) next(now time.Time) (wait time.Duration, err error) {
	wait = p.until.Sub(now)
	if p.failsAtOnce() && wait > 0 {
		return 0, &Error{RetryAfter: wait, Err: ErrBusy}
	}
	if p.timeouts >= maxTimeouts {
		due := p.probe.Sub(now)
		if p.probes >= maxProbes && due > 0 {
			return 0, &Error{RetryAfter: due, Err: ErrHostDown}
		}
		wait = max(wait, due)
	}
	return max(wait, p.last.Add(p.interval()).Sub(now)), nil
}

// failsAtOnce reports whether requests during a pause fail at once: enough of them were refused,
// and the pause ends after the time for which a host is waited for.
func (p *pace) failsAtOnce() bool { return p.refused >= busyAfter && p.until.After(p.lastTry()) }

// lastTry returns when a host that has refused everything since its last success is asked for the
// last time. If it allows a number of requests a minute, it allows them again after a minute.
func (p *pace) lastTry() time.Time { return p.trouble.Add(p.maxPause) }

// start grants a request. In an open circuit it is the probe.
func (p *pace) start(g *grant, now time.Time) {
	g.pauses, g.last, g.probe = p.pauses, p.last, p.probe
	p.last = now
	if p.timeouts >= maxTimeouts {
		p.probe = now.Add(probeEvery)
	}
}

// undo takes back a grant whose request was not sent.
func (p *pace) undo(g *grant) { p.last, p.probe = g.last, g.probe }

// learn updates the pace by the answer to a request that was sent at begun.
func (p *pace) learn(g *grant, status int, retryAfter time.Duration, begun time.Time) {
	now := time.Now()
	if begun.After(p.last) {
		p.last = begun // slots of the address or in all were granted late
	}
	p.learnTimeout(status, begun, now)
	isCurrent := g.pauses == p.pauses // otherwise it was sent before the pause
	if len(p.tried) > 0 && status > 0 && !isBusy(status) {
		u := g.url.String()
		p.tried = slices.DeleteFunc(p.tried, func(tried string) bool { return tried == u })
	}
	switch {
	case isCurrent && isBusy(status):
		p.pause(g, retryAfter, now)
	case isBusy(status):
		p.remember(g)
		if until := now.Add(min(retryAfter, p.maxPause)); until.After(p.until) {
			p.until = until
		}
	case isCurrent && p.recovery > 0:
		if status > 0 && status < 500 {
			p.backoff, p.refused, p.doubt = 0, 0, false
			p.recovery--
		}
		if p.recovery > 0 {
			p.until = now.Add(p.spacing)
		}
	}
}

// pause begins a pause after an answer of 429 or 503. In a recovery, the request was sent alone.
func (p *pace) pause(g *grant, retryAfter time.Duration, now time.Time) {
	isNew, isAlone := p.remember(g), p.recovery > 0
	if isAlone && isNew {
		p.refused++
	}
	most := p.maxPause
	if p.refused >= busyAfter {
		most = maxBusy
	}
	if p.doubt = isAlone && p.backoff > 0; p.backoff == 0 {
		p.trouble = now
	}
	p.backoff = min(max(2*p.backoff, minBackoff), maxBackoff, p.maxPause)
	wait := cmp.Or(min(retryAfter, most), p.backoff)
	if !isAlone || retryAfter == 0 { // else it says how much too early the request was
		p.spacing, p.longest = 0, 0
	}
	p.longest = max(p.longest, wait)
	p.spacing = min(p.spacing+wait, 2*p.longest, maxBackoff)
	if left := p.lastTry().Sub(now); retryAfter == 0 && left >= minBackoff {
		wait = min(wait, left)
	}
	p.until = now.Add(wait)
	p.recovery = recoverAfter
	p.pauses++
}

// remember adds the URL of a refused request to tried, and reports whether it is new there. A URL
// that was refused before may be broken, and says nothing about its host.
func (p *pace) remember(g *grant) bool {
	if p.wasRefused(g) {
		return false
	}
	if len(p.tried) == maxTried {
		p.tried = slices.Delete(p.tried, 0, 1)
	}
	p.tried = append(p.tried, g.url.String())
	return true
}

func (p *pace) wasRefused(g *grant) bool { return slices.Contains(p.tried, g.url.String()) }

// learnTimeout counts the requests in a row that were not answered.
func (p *pace) learnTimeout(status int, begun, now time.Time) {
	switch {
	case status != 0:
		p.timeouts, p.probes = 0, 0
	case now.Sub(begun) < minTimeout:
	default:
		p.timeouts++
		if p.timeouts == maxTimeouts {
			p.probe = now.Add(probeEvery)
		} else if p.timeouts > maxTimeouts && !begun.Before(p.probe.Add(-probeEvery)) {
			p.probes++
		}
	}
}

// isBusy reports whether a response with this status asks for fewer requests.
func isBusy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}
