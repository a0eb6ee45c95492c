// Package hostlimit decides when a request may be sent: it bounds the requests under way in all, to
// one host and to one address, keeps a delay between those to a host, and pauses hosts that ask for
// it. The doc of fetch.HostLimiter says how.
//
// Each file builds on those below it:
//
//	limiter.go  Limiter: slots in all, and the hosts
//	address.go  the slots of an address
//	host.go     the queue of one host
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

	"golang.org/x/sync/semaphore"
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
	perHost int64
	total   *semaphore.Weighted
	addrs   addresses

	mu       sync.Mutex // guards what follows, and the hosts
	hosts    map[string]*host
	forgetAt int // number of hosts at which those that are idle are forgotten
}

// New returns a Limiter.
func New(b Bounds) *Limiter {
	perAddress := bound(b.PerAddress, 8)
	if b.PerAddress == 0 {
		perAddress = max(perAddress, bound(b.PerHost, 4))
	}
	return &Limiter{
		perHost: bound(b.PerHost, 4),
		total:   semaphore.NewWeighted(bound(b.Total, 16)),
		addrs:   addresses{most: perAddress, inUse: map[string]*addressSlots{}},
		hosts:   map[string]*host{},
	}
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
	Pause time.Duration // the longest time that requests to the host wait after 429 or 503, from now on
	// Lookup resolves the name of the host. If it is nil, the name stands for its address.
	Lookup Lookup
}

// Acquire waits until a request may be sent. The error is ctx's, or a [*Error]. The caller calls
// release once, with the status of the response or 0, and with its Retry-After or 0.
func (l *Limiter) Acquire(
	ctx context.Context, r Request,
) (release func(status int, retryAfter time.Duration), err error) {
	w := &waiter{grant: grant{url: r.URL}, since: r.Began, ready: make(chan error, 1)}
	l.mu.Lock()
	h := l.host(r.Host)
	h.pace.least, h.pace.maxPause = max(h.pace.least, r.Delay), r.Pause
	h.enqueue(w)
	l.mu.Unlock()
	if err := h.wait(ctx, w); err != nil {
		return nil, err
	}
	address := h.addressKey(ctx, r.URL.Hostname(), r.Lookup)
	if err = l.addrs.acquire(ctx, address); err == nil {
		if err = l.total.Acquire(ctx, 1); err != nil {
			l.addrs.leave(address, 1)
		}
	}
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		h.giveBack(w)
		return nil, err
	}
	begun := time.Now()
	return func(status int, retryAfter time.Duration) {
		l.total.Release(1)
		l.addrs.leave(address, 1)
		h.release(w, status, retryAfter, begun)
	}, nil
}

// SetDelay makes requests to a host serial and at least d apart, at most 30 s. Zero ends that,
// except for a [Request.Delay].
func (l *Limiter) SetDelay(host string, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.host(host)
	h.pace.delay = min(max(d, 0), maxDelay)
	h.dispatch()
}

// maxIdleHosts is the number of hosts that are remembered in any case.
const maxIdleHosts = 10_000

// host returns the host with this key.
func (l *Limiter) host(key string) *host {
	h := l.hosts[key]
	if h == nil {
		if len(l.hosts) >= max(l.forgetAt, maxIdleHosts) {
			l.forget()
		}
		h = &host{key: strings.Clone(key), most: l.perHost, mu: &l.mu}
		h.timer = time.AfterFunc(0, h.wake)
		l.hosts[h.key] = h
	}
	return h
}

// forget forgets the hosts that are idle, sooner if there are many.
func (l *Limiter) forget() {
	idle := time.Minute
	if len(l.hosts) >= 5*maxIdleHosts {
		idle = 5 * time.Second
	}
	maps.DeleteFunc(l.hosts, func(_ string, h *host) bool { return h.isQuiet(idle) })
	l.forgetAt = 2 * len(l.hosts)
}
