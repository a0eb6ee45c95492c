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
)

// A HostLimiter is a [Limiter] that bounds the requests under way in all, to one host and to one
// address, and how fast they follow each other. The zero HostLimiter is ready. It is safe for
// concurrent use, must not be copied, and its fields must not change once it is used. Several
// Clients may share one.
//
// After 429 or 503, a host pauses for its Retry-After, else for a backoff that doubles from 1 s to
// 30 s. If it asks for more than 60 s, its requests fail with [ErrBusy] until that is over. After a
// pause the host gets one request at a time until ten in a row have succeeded.
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

	mu    sync.Mutex
	total *semaphore.Weighted
	hosts map[string]*host
	addrs map[string]*semaphore.Weighted

	forgetAt int // number of hosts at which those that are idle are forgotten
}

// maxIdleHosts is the number of hosts and of addresses that are remembered in any case.
const maxIdleHosts = 10_000

// Acquire waits until a request to u may be sent. The error is ctx's, or a [*Error] with [ErrBusy]
// or [ErrHostDown].
func (l *HostLimiter) Acquire(
	ctx context.Context, u *url.URL,
) (release func(status int, retryAfter time.Duration), err error) {
	h := l.host(u)
	weight, err := l.enter(ctx, h)
	if err != nil {
		return nil, err
	}
	address := l.addressSlots(ctx, h, u)
	if err = address.Acquire(ctx, 1); err == nil {
		if err = l.total.Acquire(ctx, 1); err != nil {
			address.Release(1)
		}
	}
	if err != nil {
		h.slots.Release(weight)
		return nil, err
	}
	begun := time.Now()
	return func(status int, retryAfter time.Duration) {
		l.total.Release(1)
		address.Release(1)
		h.learn(status, retryAfter, begun, l.longest())
		h.slots.Release(weight)
	}, nil
}

// SetDelay makes requests to the host of u serial and at least d apart, at most 30 s. Zero ends
// that.
func (l *HostLimiter) SetDelay(u *url.URL, d time.Duration) {
	h := l.host(u)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.delay = min(max(d, 0), maxDelay)
}

// enter takes slots of the host, all of them if its requests are serial, and waits for its pause
// and its delay.
func (l *HostLimiter) enter(ctx context.Context, h *host) (weight int64, err error) {
	for {
		weight = h.weight()
		if err := h.slots.Acquire(ctx, weight); err != nil {
			return 0, err
		}
		wait, err := h.admit(weight, l.longest())
		if wait > 0 {
			err = sleep(ctx, wait)
		}
		if wait == 0 && err == nil {
			return weight, nil
		}
		h.slots.Release(weight) // also if the host has become serial
		if err != nil {
			return 0, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// host returns what is known of the host of u.
func (l *HostLimiter) host(u *url.URL) *host {
	key := hostKey(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts, l.addrs = map[string]*host{}, map[string]*semaphore.Weighted{}
		l.total = semaphore.NewWeighted(bound(l.Total, 16))
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
		most := bound(l.PerHost, 4)
		h = &host{most: most, slots: semaphore.NewWeighted(most)}
		l.hosts[strings.Clone(key)] = h
	}
	return h
}

// addressSlots returns the slots of the host's address, or its own if the address is not known.
func (l *HostLimiter) addressSlots(ctx context.Context, h *host, u *url.URL) *semaphore.Weighted {
	key := h.addressKey(ctx, u)
	l.mu.Lock()
	defer l.mu.Unlock()
	slots := l.addrs[key]
	if slots == nil {
		most := bound(l.PerAddress, 8)
		if l.PerAddress == 0 {
			most = max(most, h.most)
		}
		if len(l.addrs) >= maxIdleHosts {
			clear(l.addrs) // slots in use stay with their requests
		}
		slots = semaphore.NewWeighted(most)
		l.addrs[key] = slots
	}
	return slots
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

func (l *HostLimiter) longest() time.Duration { return cmp.Or(l.maxPause, time.Minute) }
