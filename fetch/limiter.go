package fetch

import (
	"container/list"
	"context"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/internal/turn"
)

// A Limiter decides when a request may be sent. It must be safe for concurrent
// use.
//
// Acquire waits until one request to u may be sent, or returns an error: ctx's,
// or one of its own, which ends the document without a retry. A Client calls it
// before each attempt and each redirect. It calls release once: when the
// response has been read to its end, has been given up, or has waited for its
// reader, for a second or because no more of it is read ahead, so that a caller who
// does not read blocks nobody. Status
// is the status of the response, or 0 if there was none; retryAfter is what the
// response asked for, or 0. A nil release is not called.
//
// One that has also the method SetDelay of a HostLimiter is told of each Crawl-delay. Without it
// Crawl-delays are not kept. It is told of no silence: it must give silent hosts up by itself.
type Limiter interface {
	Acquire(ctx context.Context, u *url.URL) (release func(status int, retryAfter time.Duration), err error)
}

// Defaults of a HostLimiter.
const (
	DefaultTotal      = 16               // HostLimiter.Total
	DefaultPerHost    = 4                // HostLimiter.PerHost
	DefaultPerAddress = 8                // HostLimiter.PerAddress
	DefaultMaxPause   = 60 * time.Second // HostLimiter.MaxPause
	MaxDelay          = 30 * time.Second // the longest delay that SetDelay heeds
)

const (
	// maxIdle bounds how many hosts, and how many addresses, are remembered
	// while there is no request to them.
	maxIdle = 10_000
	// addressTTL is how long the address of a host is remembered, and
	// addressTimeout how long it is looked up.
	addressTTL     = 5 * time.Minute
	addressTimeout = 5 * time.Second
)

// A HostLimiter bounds how many requests are under way, and how fast they follow
// each other, in all, to one host, and to one address: thousands of hosts may
// share the address of one platform. Its zero value is ready. It is safe for
// concurrent use, must not be copied, and its fields must not be changed once it
// is used. Several Clients may share one.
//
// Requests to a host are served in the order in which they came, those that failed most often
// before others; after two answers of 429 or 503 in a row, or two timeouts, those that failed
// least go first. Hosts take turns.
//
// A host that answers 429 or 503 is slowed down as a whole: no request is sent
// for the time that Retry-After asks for or else for a backoff that doubles from 1 s to
// 30 s, both up to MaxPause; then one request at a time, and with each success
// one more at once. One that failed before goes alone until the host has recovered. At first
// requests follow each other no faster than the host answered them since it was last slowed
// down, but never more than a second apart. After ten such answers in a row, or three that ask
// for more than MaxPause, requests to the host fail with ErrBusy: until the pause is over, or
// all the time that they asked for, a year at most.
//
// Of a host of which nothing has come for two minutes, no answer or only the header of one, while
// the requests for four documents or more timed out, documents whose requests time out are not
// tried again; after five minutes, and twenty documents, it is given up for 30 s: all requests to it
// fail with ErrSilent, those that wait too.
//
// The 10,000 hosts and addresses used last are remembered, in about 8 MB.
type HostLimiter struct {
	// Total is how many requests may be under way at once: 0 means DefaultTotal, a
	// negative number any.
	Total int
	// PerHost is how many of them may be to one host (and port): 0 means
	// DefaultPerHost, a negative number any.
	PerHost int
	// PerAddress is how many may be to one IP address, or one network of 64 bits
	// in IPv6: 0 means DefaultPerAddress or PerHost, whichever is more, a negative
	// number any. Of a host with several addresses the lowest counts, IPv4 before IPv6.
	PerAddress int
	// HostInterval is the least time from one request to a host to the next.
	HostInterval time.Duration
	// AddressInterval is the least time from one request to an address to the
	// next.
	AddressInterval time.Duration
	// MaxPause is how long a host is paused at most for one answer of 429 or 503:
	// 0 means DefaultMaxPause, a negative duration not at all.
	MaxPause time.Duration
	// Lookup returns the addresses of a host. If nil, the Client that asks does
	// the lookup, or, if its Transport is the caller's, no bound is kept for
	// addresses other than those that URLs name.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	mu      sync.Mutex
	active  int
	hosts   places
	addrs   places
	waiting list.List // of *place: the hosts that are waited for, next turn first
	timer   *time.Timer
	backoff time.Duration // the first pause; 0 means minBackoff, only tests set it
}

// A waiter is one call of Acquire.
type waiter struct {
	host, addr *place
	done       chan struct{} // closed when granted or failed
	granted    bool
	tries      int // how often requests for the document have failed before
	err        error
	begun      time.Time // when it was granted
}

// Acquire waits until a request to u may be sent. The error is ctx's, or a *Error
// with ErrBusy or ErrSilent.
func (l *HostLimiter) Acquire(ctx context.Context, u *url.URL) (release func(status int, retryAfter time.Duration), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	host, addr := hostKey(u), l.address(ctx, u)
	tries, _ := ctx.Value(triesKey{}).(int)
	w := l.enqueue(host, addr, tries)
	turn.Queued(ctx)
	select {
	case <-w.done:
	case <-ctx.Done():
		if l.cancel(w) {
			return nil, ctx.Err()
		}
	}
	if w.err != nil {
		return nil, w.err
	}
	var once sync.Once
	return func(status int, retryAfter time.Duration) {
		once.Do(func() { l.release(w, status, retryAfter) })
	}, nil
}

// SetDelay makes requests to the host of u serial and at least d apart, at most
// MaxDelay, as a Crawl-delay in robots.txt asks. Zero or less ends that. It is
// forgotten with the host.
func (l *HostLimiter) SetDelay(u *url.URL, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.use(hostKey(u))
	h.delay = min(max(d, 0), MaxDelay)
	l.hosts.leave(h)
	l.dispatch()
}

func hostKey(u *url.URL) string { return originOf(u).key() }

// key returns what a HostLimiter knows a host by.
func (o origin) key() string {
	if o.port == defaultPort(o.scheme) {
		return o.host
	}
	return o.host + ":" + o.port
}

// address returns the key of the address of u's host, or "" if there is none.
func (l *HostLimiter) address(ctx context.Context, u *url.URL) string {
	host := originOf(u).host
	if a, err := netip.ParseAddr(host); err == nil {
		return addressKey([]netip.Addr{a})
	}
	lookup := l.Lookup
	if lookup == nil {
		lookup, _ = ctx.Value(lookupKey{}).(lookupFunc)
	}
	if lookup == nil || l.PerAddress < 0 && l.AddressInterval <= 0 {
		return ""
	}
	key := hostKey(u)
	if addr, ok := l.remembered(key); ok {
		return addr
	}
	inTime, cancel := context.WithTimeout(ctx, addressTimeout)
	defer cancel()
	// A failure is the dialer's to tell.
	addrs, _ := lookup(inTime, host)
	addr := addressKey(addrs)
	if ctx.Err() == nil { // else the failure may be the caller's
		l.remember(key, addr)
	}
	return addr
}

func (l *HostLimiter) remembered(key string) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.known[key]
	if h == nil || h.lookedUp.IsZero() || time.Since(h.lookedUp) > addressTTL {
		return "", false
	}
	return h.address, true
}

func (l *HostLimiter) remember(key, addr string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.use(key)
	h.address, h.lookedUp = addr, time.Now()
	l.hosts.leave(h)
}

func addressKey(addrs []netip.Addr) string {
	if len(addrs) == 0 {
		return ""
	}
	// IPv4 sorts before IPv6.
	least := slices.MinFunc(addrs, func(a, b netip.Addr) int { return a.Unmap().Compare(b.Unmap()) }).Unmap()
	if least.Is4() {
		return least.String()
	}
	network, _ := least.Prefix(64) // without a zone; 64 bits are no error
	return network.String()
}

// triesKey is what the number of tries before stands under in the context of a request: of all
// for the document.
type triesKey struct{}

// sends is told that a request that was granted goes out: it may have waited for its Client.
func (l *HostLimiter) sends(u *url.URL) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.known[hostKey(u)]
	if h == nil {
		return
	}
	h.last = time.Now()
	if a := l.addrs.known[h.address]; a != nil {
		a.last = h.last
	}
}

// pausedFor returns for how long yet no request goes to the host of u since it answered 429 or
// 503.
func (l *HostLimiter) pausedFor(u *url.URL) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.hosts.known[hostKey(u)]; h != nil {
		return max(0, time.Until(h.until))
	}
	return 0
}

type lookupKey struct{}

// withLookup lets a HostLimiter look up addresses as the Client does.
func withLookup(ctx context.Context, lookup lookupFunc) context.Context {
	if lookup == nil {
		return ctx
	}
	return context.WithValue(ctx, lookupKey{}, lookup)
}

func (l *HostLimiter) total() int   { return bound(l.Total, DefaultTotal) }
func (l *HostLimiter) perHost() int { return bound(l.PerHost, DefaultPerHost) }
func (l *HostLimiter) perAddress() int {
	return bound(l.PerAddress, max(DefaultPerAddress, l.perHost()))
}

func (l *HostLimiter) maxPause() time.Duration {
	if l.MaxPause == 0 {
		return DefaultMaxPause
	}
	return max(l.MaxPause, 0)
}

// bound resolves a limit: zero means def, a negative one none.
func bound(n, def int) int {
	switch {
	case n < 0:
		return math.MaxInt
	case n == 0:
		return def
	}
	return n
}
