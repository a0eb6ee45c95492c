package fetch

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed-322c453a/sitemap/internal/input"
)

// A Client gets documents. The zero Client is ready. It is safe for concurrent use and must not be
// copied; its fields must not change once it is used. Share one: it holds the connections and the
// Limiter.
type Client struct {
	// Transport sends the requests. If nil, the Client uses one like [NewTransport]'s. If set, the
	// addresses that it connects to and its proxy are the caller's affair; schemes and ports are
	// checked all the same. It must honour the context of a request, while the body is read too.
	Transport http.RoundTripper
	// Proxy returns the proxy for a request, or nil for none, if Transport is nil. If it is nil,
	// [http.ProxyFromEnvironment] is used. The proxy resolves the host of a request. Before, the
	// Client refuses a host that it knows not to be public: an address, localhost, or a name that
	// resolves here too. The proxy's own address is not checked.
	Proxy func(*http.Request) (*url.URL, error)
	// UserAgent is the value of the User-Agent field. It should name your crawler and a way to
	// reach you. If empty, it names this module.
	UserAgent string
	// RobotsAgent is the product token to look up in robots.txt (RFC 9309, section 2.2.1). If
	// empty, it is "sitemap".
	RobotsAgent string
	// Header holds fields to add to each request. See [Request.Header] for the hosts that they go
	// to.
	Header http.Header
	// Timeout bounds the time for one document, with its redirects, attempts and the waits between
	// them, but without waits for the Limiter or for room in temporary files. 0 means 5 minutes, a
	// negative value no limit.
	Timeout time.Duration
	// RetryWait is the longest wait before a retry, and the longest Retry-After that is waited
	// for. 0 means 60 s. If negative, no Retry-After is waited for. It also bounds the pauses of a
	// Limiter of the Client's own.
	RetryWait time.Duration
	// Retries is how often a document is requested again after a failure. 0 means 2, a negative
	// number never.
	Retries int
	// MaxBytes bounds a body, both on the wire and without its Content-Encoding. A larger one ends
	// with [sitemap.ErrTooLarge]. 0 means 524,288,000, ten times the protocol's limit; a negative
	// number no bound.
	MaxBytes int64
	// AllowPrivateNetworks allows requests to loopback, private and all other addresses, and to
	// every port.
	AllowPrivateNetworks bool
	// Limiter is asked before each attempt. If nil, the Client has a [HostLimiter] of its own.
	Limiter Limiter
	// Logger receives requests and redirects at level Debug, and retries at level Info. If nil,
	// nothing is logged.
	Logger *slog.Logger

	once  sync.Once
	stack // made from the fields above
}

// A stack is what the Client sends requests with.
type stack struct {
	http    *retryablehttp.Client // over limit, spool and transport
	spool   *spool
	rt      http.RoundTripper
	limiter Limiter
	log     *slog.Logger
	agent   []string // the default User-Agent
	guard   *guard   // nil with a Transport of the caller's
	times   phases   // zero means defaultPhases
}

// init makes the stack. The fields that the caller set stay as they are.
func (c *Client) init() {
	c.once.Do(func() {
		if c.times == (phases{}) {
			c.times = defaultPhases
		}
		c.rt, c.limiter = c.Transport, c.Limiter
		if c.rt == nil {
			c.guard = newGuard(c.AllowPrivateNetworks)
			n := network{guard: c.guard, proxy: c.Proxy, times: c.times}
			c.rt = n.transport()
		}
		if c.limiter == nil {
			c.limiter = &HostLimiter{maxPause: max(c.retryWait(), 1)}
		}
		if c.log = c.Logger; c.log == nil {
			c.log = slog.New(slog.DiscardHandler)
		}
		c.agent = []string{
			cmp.Or(c.UserAgent, "sitemap (+https://github.com/seed-322c453a/sitemap)"),
		}
		c.spool = &spool{next: c.rt, times: c.times}
		c.spool.room, c.spool.ahead = newRoom(roomSize, roomStep), newRoom(roomSize, roomStep)
		r := &retrier{c.maxRetries(), c.retryWait(), c.log}
		c.http = r.client(&limit{c.spool, c.limiter, c.log})
	})
}

// CloseIdleConnections closes the connections that are kept for reuse.
func (c *Client) CloseIdleConnections() {
	c.init()
	(&http.Client{Transport: c.rt}).CloseIdleConnections()
}

// SetDelay makes requests to the host of u serial and at least d apart: it hands the Crawl-delay of
// a robots.txt to the Limiter.
func (c *Client) SetDelay(u *url.URL, d time.Duration) {
	c.init()
	c.limiter.SetDelay(u, d)
}

// RobotsToken returns RobotsAgent, or its default.
func (c *Client) RobotsToken() string {
	return cmp.Or(c.RobotsAgent, "sitemap")
}

func (c *Client) timeout() time.Duration {
	if c.Timeout < 0 {
		return forever
	}
	return cmp.Or(c.Timeout, 5*time.Minute)
}

func (c *Client) retryWait() time.Duration { return max(cmp.Or(c.RetryWait, time.Minute), 0) }

func (c *Client) maxRetries() int { return max(cmp.Or(c.Retries, 2), 0) }

func (c *Client) maxBytes(req *Request) int64 {
	n := c.MaxBytes
	if req.MaxBytes != 0 {
		n = req.MaxBytes
	}
	return input.MaxBytes(n)
}
