package fetch

import (
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// Defaults of a Client.
const (
	DefaultRobotsAgent = "sitemap"        // Client.RobotsAgent
	DefaultTimeout     = 5 * time.Minute  // Client.Timeout
	DefaultRetries     = 2                // Client.Retries
	DefaultRetryWait   = 60 * time.Second // Client.RetryWait
	DefaultRedirects   = 10               // Request.MaxRedirects
)

// A Client gets documents. Its zero value is ready. It is safe for concurrent
// use, must not be copied, and its fields must not be changed once it is used.
// Share one: it holds the connections and the Limiter.
type Client struct {
	// Transport sends the requests. If nil, a transport as NewTransport's is made
	// for this Client. If it is set, which addresses are connected to is the
	// caller's affair, and so is the proxy; schemes and ports are checked all the
	// same. It must heed the contexts of its requests, which is how the Client ends
	// what takes too long. The bodies of its responses may be closed while they are read, which
	// should make that Read return. If it bounds its connections, those of documents that
	// nobody reads count. Of one that does not tell package httptrace of its connections, as
	// those of net/http do, each failure before a response counts as ErrConnect.
	Transport http.RoundTripper
	// Proxy, if Transport is nil, returns the proxy for a request, or nil for
	// none. If it is nil, http.ProxyFromEnvironment is used. The guard looks up
	// and checks the host of a request before a proxy is asked for it, since the
	// proxy connects in our place; the address of the proxy itself is not
	// checked.
	Proxy func(*http.Request) (*url.URL, error)
	// UserAgent is the value of the User-Agent field. It should name the product
	// and a way to reach who runs it. If empty, it names this module. RobotsAgent is
	// to be set with it.
	UserAgent string
	// Header holds fields that are added to each request, as if they were of its Header; those
	// that are there replace them.
	Header http.Header
	// RobotsAgent is the product token that is looked up in robots.txt by those
	// who use the Client, "" for DefaultRobotsAgent. See RobotsToken.
	RobotsAgent string
	// Timeout is how long one document may take with all its attempts and the waits between
	// them; see the package's documentation for what does not count. 0 means DefaultTimeout, a
	// negative value no limit.
	Timeout time.Duration
	// Retries is how often failed requests for one document, all its redirects
	// included, are tried again. 0 means DefaultRetries, a negative number never.
	// If it is not negative, one request more may be sent for a document: see the package's
	// documentation.
	// Beyond that net/http by itself repeats, once, a request whose reused connection was closed
	// without an answer, on a new one, and one that a server of HTTP/2 refused.
	Retries int
	// RetryWait is the longest Retry-After that is waited for, and the longest wait before
	// a retry, where that is more than a second. 0 means DefaultRetryWait, a negative
	// value that no Retry-After is waited for. The pause of a host by a HostLimiter may be
	// longer: see HostLimiter.MaxPause.
	RetryWait time.Duration
	// MaxBytes bounds a body, both as it comes on the wire and decompressed. What
	// is above ends it with sitemap.ErrTooLarge. 0 means 524,288,000, ten times
	// the protocol's limit; a negative number no bound.
	MaxBytes int64
	// AllowPrivateNetworks lets requests go to loopback, private and all other
	// addresses, and to every port.
	AllowPrivateNetworks bool
	// Limiter is asked before each attempt. If nil, the Client has a HostLimiter
	// of its own, with its defaults. With a HostLimiter, and no Transport of the
	// caller's, no more connections are open to a host than the larger of its
	// PerHost and 2, and to a proxy than its Total, but for those that wait for a
	// reader: see Limiter; and those of what goes on one of its own: see the package's
	// documentation. A server of HTTP/2 that serves fewer requests at once on a
	// connection than that may get more connections, but a host never more than 256
	// plus four for each request and body under way.
	Limiter Limiter
	// Logger is told of requests and redirects at level Debug and of retries at
	// level Info. If nil, nothing is logged.
	Logger *slog.Logger

	once     sync.Once
	rt       http.RoundTripper
	extra    http.RoundTripper // for origins with parked bodies; nil if rt has no bound
	shared   http.RoundTripper // for all origins behind a proxy; nil if rt has no bound
	lone     http.RoundTripper // with a connection for each request; nil with a Transport of the caller's
	broken   breaks[origin]    // connections of HTTP/2 that broke while several attempts were on them
	cutOff   breaks[string]    // attempts that broke with their connection, by URL
	inVain   breaks[origin]    // attempts that went alone, and failed as those before
	parked   parked
	limiter  Limiter
	guard    *guard        // nil with a Transport of the caller's
	times    phases        // zero fields mean the defaults; only tests set them
	resolver *net.Resolver // nil means the default one; only tests set it
	ahead    budget
}

// init makes what the Client owns. The fields that the caller set stay as they
// are.
func (c *Client) init() {
	c.once.Do(func() {
		c.times = c.times.withDefaults()
		c.rt, c.limiter = c.Transport, c.Limiter
		if c.limiter == nil {
			c.limiter = &HostLimiter{}
		}
		if c.rt == nil {
			c.guard = newGuard(c.AllowPrivateNetworks, c.times)
			c.guard.resolver, c.guard.users = c.resolver, c.parked.live.Load
			t := c.guard.transport(c.Proxy)
			c.rt = t
			lone := c.guard.transport(c.Proxy)
			lone.DisableKeepAlives = true
			c.lone = lone
			var total int
			if t.MaxConnsPerHost, total = maxConns(c.limiter); t.MaxConnsPerHost > 0 {
				c.extra = c.guard.transport(c.Proxy)
				shared := c.guard.transport(c.Proxy)
				shared.MaxConnsPerHost = total
				c.shared = shared
			}
		}
	})
}

// transport returns what a request for t is sent with. Parked bodies hold
// connections that the bound of rt counts, so that a request might wait for one of
// them until it is read, and whoever is to read it for the request. And of requests that a
// proxy sends on, as it does those of http, net/http counts all as to one host, the proxy.
func (c *Client) transport(t target, req *http.Request) http.RoundTripper {
	switch proxied := c.extra != nil && t.origin.scheme == "http" && c.isShared(req); {
	case c.isApart(t):
		return c.lone
	case c.extra == nil:
		return c.rt
	case c.parked.at(t.origin), proxied && c.parked.any():
		return c.extra
	case proxied:
		return c.shared
	}
	return c.rt
}

// proxy returns the proxy for req, nil if there is none.
func (c *Client) proxy(req *http.Request) *url.URL {
	u, err := routeOf(req.Context()).ask(orEnvironment(c.Proxy), req)
	if err != nil {
		return nil
	}
	return u
}

// isShared reports whether net/http counts req as one to its proxy: not if that is of SOCKS.
func (c *Client) isShared(req *http.Request) bool {
	u := c.proxy(req)
	return u != nil && !strings.HasPrefix(u.Scheme, "socks")
}

// maxConns returns how many connections a host needs at most, and all hosts, 0 if that is
// not known. Without a bound net/http would open more: a request that finds no idle
// connection starts one, takes another that becomes idle meanwhile, and leaves
// the one it started behind.
func maxConns(l Limiter) (host, total int) {
	h, ok := l.(*HostLimiter)
	if !ok || h.PerHost < 0 {
		return 0, 0
	}
	if h.Total >= 0 {
		total = max(2, h.total())
	}
	return max(2, h.perHost()), total // two: one for a request made while a body is read
}

// CloseIdleConnections closes connections that are kept for reuse and not in
// use.
func (c *Client) CloseIdleConnections() {
	c.init()
	for _, rt := range []http.RoundTripper{c.rt, c.extra, c.shared, c.lone} {
		if t, ok := rt.(interface{ CloseIdleConnections() }); ok {
			t.CloseIdleConnections()
		}
	}
}

// RobotsToken returns RobotsAgent, or the default if it is empty.
func (c *Client) RobotsToken() string {
	if c.RobotsAgent == "" {
		return DefaultRobotsAgent
	}
	return c.RobotsAgent
}

// mostRetries leaves room to count beyond it.
const mostRetries = 1 << 30

// MaxRetries returns how often a failed request is tried again, as Retries says, at most
// 2^30: for those who use the Client and would get a document again whose body broke off.
func (c *Client) MaxRetries() int {
	if c.Retries == 0 {
		return DefaultRetries
	}
	return min(max(c.Retries, 0), mostRetries)
}

// SetDelay makes requests to the host of u serial and at least d apart, as a
// Crawl-delay asks, if the Client's Limiter has a method of this name and kind;
// a HostLimiter has. It does nothing otherwise.
func (c *Client) SetDelay(u *url.URL, d time.Duration) {
	c.init()
	if l, ok := c.limiter.(interface {
		SetDelay(u *url.URL, d time.Duration)
	}); ok {
		l.SetDelay(u, d)
	}
}

func (c *Client) userAgent() string {
	if c.UserAgent != "" {
		return c.UserAgent
	}
	return defaultUserAgent()
}

const modulePath = "github.com/seed-322c453a/sitemap"

var defaultUserAgent = sync.OnceValue(func() string {
	product := DefaultRobotsAgent
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
			if m.Path == modulePath && m.Version != "" && m.Version != "(devel)" {
				product += "/" + strings.TrimPrefix(m.Version, "v")
			}
		}
	}
	return product + " (+https://" + modulePath + ")"
})

func (c *Client) timeout() time.Duration {
	switch {
	case c.Timeout < 0:
		return forever
	case c.Timeout == 0:
		return DefaultTimeout
	}
	return c.Timeout
}

func (c *Client) retryWait() time.Duration {
	if c.RetryWait == 0 {
		return DefaultRetryWait
	}
	return max(c.RetryWait, 0)
}

func (c *Client) maxBytes(req *Request) int64 {
	n := c.MaxBytes
	if req.MaxBytes != 0 {
		n = req.MaxBytes
	}
	return sitemap.Limits{Bytes: n}.MaxBytes()
}
