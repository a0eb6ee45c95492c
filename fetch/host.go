package fetch

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/seed-322c453a/sitemap/internal/location"
)

const (
	minBackoff   = time.Second
	maxBackoff   = 30 * time.Second
	maxDelay     = 30 * time.Second // the longest Crawl-delay
	recoverAfter = 10               // successes in a row that end a recovery
	maxTimeouts  = 15               // timeouts in a row that open the circuit
	probeEvery   = time.Minute
	maxProbes    = 2 // failed probes after which requests fail at once
)

// A host is what a HostLimiter knows of one host.
type host struct {
	most  int64 // slots
	slots *semaphore.Weighted

	mu       sync.Mutex // guards what follows
	delay    time.Duration
	last     time.Time // when the last request was admitted, or sent if that is known
	until    time.Time // no request before
	backoff  time.Duration
	recovery int       // successes that are missing; above zero, requests are serial
	timeouts int       // in a row
	probes   int       // of them, failed probes
	probe    time.Time // when the next probe is due
	address  string    // key of its address, "" if it was not looked up yet
}

func (h *host) isSerial() bool { return h.delay > 0 || h.recovery > 0 }

// weight returns how many slots a request takes: all of them if requests are serial.
func (h *host) weight() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isSerial() {
		return h.most
	}
	return 1
}

// admit lets a request go now if it returns 0. Otherwise the request has to wait for so long and
// ask again, or, if that is negative, to take all slots first.
func (h *host) admit(weight int64, maxPause time.Duration) (wait time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.isSerial() && weight < h.most {
		return -1, nil
	}
	pause := h.until.Sub(now)
	if pause > maxPause {
		return 0, &Error{RetryAfter: pause, Err: ErrBusy}
	}
	if h.timeouts >= maxTimeouts {
		due := h.probe.Sub(now)
		switch {
		case due <= 0:
			h.probe = now.Add(probeEvery) // this request is the probe
		case h.probes >= maxProbes:
			return 0, &Error{RetryAfter: due, Err: ErrHostDown}
		default:
			pause = max(pause, due)
		}
	}
	if pause = max(pause, h.last.Add(h.delay).Sub(now)); pause > 0 {
		return pause, nil
	}
	h.last = now
	return 0, nil
}

// learn takes the answer to a request that was sent at begun.
func (h *host) learn(status int, retryAfter time.Duration, begun time.Time, most time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if begun.After(h.last) {
		h.last = begun // slots of the address or in all came late
	}
	switch {
	case isBusy(status):
		h.timeouts, h.probes = 0, 0
		if begun.Before(h.until) && retryAfter == 0 {
			return // it was sent before the pause
		}
		h.backoff = min(max(2*h.backoff, minBackoff), maxBackoff, most)
		pause := h.backoff/2 + rand.N(h.backoff/2+1)
		if retryAfter > 0 {
			pause = retryAfter
		}
		if until := now.Add(pause); until.After(h.until) {
			h.until = until
		}
		h.recovery = recoverAfter
	case status == 0 && now.Sub(begun) >= defaultPhases.connect:
		h.timeouts++
		if h.timeouts == maxTimeouts {
			h.probe = now.Add(probeEvery)
		} else if h.timeouts > maxTimeouts && !begun.Before(h.probe.Add(-probeEvery)) {
			h.probes++
		}
	case status == 0:
	default:
		h.timeouts, h.probes = 0, 0
		if status < 500 && h.recovery > 0 {
			if h.recovery--; h.recovery == 0 {
				h.backoff = 0
			}
		}
	}
}

// isQuiet reports whether the host may be forgotten: it has been idle for so long. Its delay goes
// too, until its robots.txt is used again.
func (h *host) isQuiet(idle time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.last) > idle && time.Now().After(h.until)
}

func hostKey(u *url.URL) string {
	o, _ := location.OriginOf(u)
	return cmp.Or(o.Host, strings.ToLower(u.Host))
}

// addressKey returns what stands for the host's address: the lowest of several, as a network of 64
// bits for IPv6. If the address cannot be known, it returns the key of the host.
func (h *host) addressKey(ctx context.Context, u *url.URL) string {
	h.mu.Lock()
	key := h.address
	h.mu.Unlock()
	if key != "" {
		return key
	}
	key = hostKey(u)
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		key = networkOf(a)
	} else if x := exchangeOf(ctx); x != nil && x.lookup != nil {
		addrs, err := x.lookup(ctx, u.Hostname())
		if ctx.Err() != nil {
			return key // nothing was learnt
		}
		if err == nil && len(addrs) > 0 {
			key = networkOf(slices.MinFunc(addrs, netip.Addr.Compare))
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.address = key
	return key
}

func networkOf(a netip.Addr) string {
	a = a.Unmap()
	if p, err := a.Prefix(64); a.Is6() && err == nil {
		return p.String()
	}
	return a.String()
}
