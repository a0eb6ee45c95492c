// Package hostlimit decides when a request may be sent: it bounds the requests under way in all, to
// one host and to one address. It keeps a delay between those to a host, and pauses hosts that ask
// for it. The doc of fetch.HostLimiter says how.
//
// Each file builds on those below it:
//
//	limiter.go  Limiter: slots in all, and the hosts
//	address.go  the address of a host
//	host.go     the queue of one host, or of one address
//	pace.go     the pauses of one host
package hostlimit

import (
	"context"
	"maps"
	"math"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Bounds hold for a Limiter. In the numbers of requests, 0 means a default and a negative number no
// bound.
type Bounds struct {
	Total      int // by default 16
	PerHost    int // by default 4
	PerAddress int // by default 8 or PerHost, whichever is more
}

// A Limiter grants requests. It is safe for concurrent use.
type Limiter struct {
	total, perHost, perAddress int64

	mu       sync.Mutex // guards what follows, and the hosts
	hosts    map[string]*host
	shared   map[string]*host // the addresses of hosts, and "" for all requests
	forgetAt int              // number of hosts at which those that are idle are forgotten
}

// New returns a Limiter.
func New(b Bounds) *Limiter {
	l := &Limiter{
		total: bound(b.Total, 16), perHost: bound(b.PerHost, 4), perAddress: bound(b.PerAddress, 8),
		hosts: map[string]*host{}, shared: map[string]*host{},
	}
	if b.PerAddress == 0 {
		l.perAddress = max(l.perAddress, l.perHost)
	}
	return l
}

func bound(n, def int) int64 {
	switch {
	case n < 0:
		return math.MaxInt64
	case n == 0:
		return int64(def)
	}
	return int64(n)
}

// A Request is a request to grant.
type Request struct {
	URL   *url.URL
	Host  string        // of URL, normalised
	Began time.Time     // when its document was begun: the oldest goes first
	Delay time.Duration // the least time between requests to the host, from now on
	Pause time.Duration // the longest wait for the host after 429 or 503, from now on
	// Lookup resolves the name of the host. If it is nil, the name stands for its address.
	Lookup Lookup
}

// Acquire waits until a request may be sent. The error is ctx's, or a [*Error]. The caller calls
// release once, with the status of the response or 0, and with its Retry-After or 0.
func (l *Limiter) Acquire(
	ctx context.Context, r Request,
) (release func(status int, retryAfter time.Duration), err error) {
	host, err := l.take(ctx, l.hosts, r.Host, l.perHost, r)
	if err != nil {
		return nil, err
	}
	r.Delay = 0 // neither addresses nor all requests have one
	key := host.addressKey(ctx, r.URL.Hostname(), r.Lookup)
	address, err := l.take(ctx, l.shared, key, l.perAddress, r)
	if err != nil {
		host.giveBack()
		return nil, err
	}
	all, err := l.take(ctx, l.shared, "", l.total, r)
	if err != nil {
		address.giveBack()
		host.giveBack()
		return nil, err
	}
	begun := time.Now()
	return func(status int, retryAfter time.Duration) {
		all.giveBack()
		address.giveBack()
		host.release(status, retryAfter, begun)
	}, nil
}

// take waits for one of the slots of a host.
func (l *Limiter) take(
	ctx context.Context, in map[string]*host, key string, most int64, r Request,
) (*waiter, error) {
	l.mu.Lock()
	h := l.host(in, key)
	h.most, h.pace.maxPause, h.pace.least = most, r.Pause, max(h.pace.least, r.Delay)
	w := &waiter{host: h, grant: grant{url: r.URL}, since: r.Began, ready: make(chan error, 1)}
	h.enqueue(w)
	l.mu.Unlock()
	return w, w.wait(ctx)
}

// SetDelay makes requests to a host serial and at least d apart, at most 30 s. Zero ends that,
// except for a [Request.Delay].
func (l *Limiter) SetDelay(host string, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.host(l.hosts, host)
	h.pace.delay = min(max(d, 0), maxDelay)
	h.dispatch()
}

// maxIdleHosts is the number of hosts that are remembered in any case.
const maxIdleHosts = 10_000

// host returns the host with this key in one of the maps.
func (l *Limiter) host(in map[string]*host, key string) *host {
	h := in[key]
	if h == nil {
		if len(in) >= max(l.forgetAt, maxIdleHosts) {
			l.forget()
		}
		h = &host{mu: &l.mu, key: strings.Clone(key)}
		h.timer = time.AfterFunc(0, h.wake)
		in[h.key] = h
	}
	return h
}

// forget forgets the hosts that are idle, sooner if there are many.
func (l *Limiter) forget() {
	idle := time.Minute
	if len(l.hosts) >= 5*maxIdleHosts {
		idle = 5 * time.Second
	}
	isQuiet := func(_ string, h *host) bool { return h.isQuiet(idle) }
	maps.DeleteFunc(l.hosts, isQuiet)
	maps.DeleteFunc(l.shared, isQuiet)
	l.forgetAt = 2 * max(len(l.hosts), len(l.shared))
}
