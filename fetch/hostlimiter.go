package fetch

import (
	"cmp"
	"context"
	"maps"
	"math"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// A HostLimiter is a [Limiter] that bounds the requests under way in all, to one host and to one
// address, and how fast they follow each other. The zero HostLimiter is ready. It is safe for
// concurrent use, must not be copied, and its fields must not change once it is used. Several
// Clients may share one.
//
// Requests to a host are granted in the order in which their documents were begun: a retry goes
// before newer documents. After 429 or 503, a host pauses for its Retry-After, at most 60 s, else
// for a backoff that doubles from 1 s to 30 s. Then it gets one request at a time, each no sooner
// than that pause, or 30 s, after the one before, until ten in a row have succeeded. If three
// different URLs in a row, each requested alone and not refused before, are answered so, its
// requests fail with [ErrBusy] until the pause is over, which may then take up to an hour.
// Documents that were refused wait meanwhile for others, which show whether the host is busy.
//
// After fifteen requests in a row that timed out, such as those of five documents, requests wait
// for one that is sent as a probe once a minute. After two failed probes they fail with
// [ErrHostDown] until a probe succeeds.
type HostLimiter struct {
	// Total bounds the requests under way. 0 means 16, a negative number no bound.
	Total int
	// PerHost bounds those to one host and port. 0 means 4, a negative number no bound.
	PerHost int
	// PerAddress bounds those to one IP address, which thousands of hosts may share, or to one
	// IPv6 network of 64 bits. 0 means 8 or PerHost, whichever is more; a negative number means no
	// bound. Host names are resolved only for a Client that has no Transport of the caller's.
	PerAddress int

	maxPause time.Duration // 0 means 60 s

	mu       sync.Mutex // guards what follows, and the hosts
	total    *semaphore.Weighted
	hosts    map[string]*host
	addrs    addresses
	forgetAt int // number of hosts at which those that are idle are forgotten
}

// maxIdleHosts is the number of hosts that are remembered in any case.
const maxIdleHosts = 10_000

// Acquire waits until a request to u may be sent. The error is ctx's, or a [*Error] with [ErrBusy]
// or [ErrHostDown].
func (l *HostLimiter) Acquire(
	ctx context.Context, u *url.URL,
) (release func(status int, retryAfter time.Duration), err error) {
	w := &waiter{grant: grant{url: u}, since: time.Now(), ready: make(chan error, 1)}
	least := time.Duration(0)
	if x := exchangeOf(ctx); x != nil {
		w.since, least = x.began, x.delay
	}
	key := hostKey(ctx, u)
	l.mu.Lock()
	h := l.host(key)
	h.pace.least = max(h.pace.least, least)
	h.enqueue(w)
	l.mu.Unlock()
	if err := h.wait(ctx, w); err != nil {
		return nil, err
	}
	address := h.addressKey(ctx, u)
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
		l.mu.Lock()
		defer l.mu.Unlock()
		h.release(w, status, retryAfter, begun)
	}, nil
}

// SetDelay makes requests to the host of u serial and at least d apart, at most 30 s. Zero ends
// that. A longer [Client.Delay] holds all the same.
func (l *HostLimiter) SetDelay(u *url.URL, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.host(hostKey(context.Background(), u))
	h.pace.delay = min(max(d, 0), maxDelay)
	h.dispatch()
}

// hostKey returns the host of u, normalised. The exchange in ctx has that of its own URL.
func hostKey(ctx context.Context, u *url.URL) string {
	if x := exchangeOf(ctx); x != nil && x.url.Scheme == u.Scheme && x.url.Host == u.Host {
		return x.host
	}
	o, _ := location.OriginOf(u)
	return cmp.Or(o.Host, strings.ToLower(u.Host))
}

// host returns what is known of the host with this key.
func (l *HostLimiter) host(key string) *host {
	if l.hosts == nil {
		l.hosts = map[string]*host{}
		l.total = semaphore.NewWeighted(bound(l.Total, 16))
		l.addrs.inUse = map[string]*addressSlots{}
		l.addrs.most = bound(l.PerAddress, 8)
		if l.PerAddress == 0 {
			l.addrs.most = max(l.addrs.most, bound(l.PerHost, 4))
		}
	}
	h := l.hosts[key]
	if h == nil {
		if len(l.hosts) >= max(l.forgetAt, maxIdleHosts) {
			idle := time.Minute
			if len(l.hosts) >= 5*maxIdleHosts {
				idle = 5 * time.Second
			}
			maps.DeleteFunc(l.hosts, func(_ string, h *host) bool { return h.isQuiet(idle) })
			l.forgetAt = 2 * len(l.hosts)
		}
		h = &host{key: strings.Clone(key), most: bound(l.PerHost, 4), mu: &l.mu}
		h.timer = time.AfterFunc(0, h.wake)
		h.pace.maxPause = cmp.Or(l.maxPause, time.Minute)
		l.hosts[h.key] = h
	}
	return h
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
