package fetch

import (
	"cmp"
	"crypto/x509"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/spool"
)

// A Client gets documents. The zero Client is ready. It is safe for concurrent use and must not be
// copied; its fields must not change once it is used. Share one: it holds the connections and the
// Limiter.
type Client struct {
	// Transport sends the requests. If nil, the Client uses one like [NewTransport]'s. If set, the
	// addresses that it connects to, its proxy and its certificates are the caller's
	// responsibility; the Client still checks schemes and ports. It must honour the context of a
	// request, also while the body is read.
	Transport http.RoundTripper
	// Proxy returns the proxy for a request, or nil for none, if Transport is nil. If it is nil,
	// [http.ProxyFromEnvironment] is used. The proxy resolves the host of a request. The Client
	// refuses a host that it knows to be private: an address, localhost, or a name that resolves
	// here to a private address. The proxy's own address is not checked.
	Proxy func(*http.Request) (*url.URL, error)
	// RootCAs are the certificate authorities to trust, if Transport is nil. If RootCAs is nil, the
	// Client trusts those of the system.
	RootCAs *x509.CertPool
	// Insecure accepts every certificate, if Transport is nil. Use it in tests only: anyone between
	// the Client and a server can then answer in place of the server.
	Insecure bool
	// ConnectTo maps the "host:port" of URLs to the "host:port" to connect to instead, if Transport
	// is nil. The Host field and the name in the certificate stay those of the URL, as with
	// curl --connect-to. In a key, an empty host or port matches any. The first match counts, of
	// "host:port", "host:", ":port" and ":". In a value, an empty host or port keeps that of the
	// URL. A host in a value may be private. Unlike curl, the Client connects without the proxy.
	ConnectTo map[string]string
	// Map maps prefixes of URLs to those to request instead, such as "https://www.example.com" to
	// "http://localhost:3000", so that a preview can stand for a public site. Errors, logs, Hops,
	// [Document.URL] and the Limiter name the public URL, and the secrets for it are sent. The Host
	// field names the other server, whose redirects to its own URLs lead to the public ones. A
	// prefix matches whole path segments, and the longest match counts. The servers of the values
	// may be private. Proxy receives their URLs.
	Map map[string]string
	// Wrap returns a RoundTripper around the one that connects, which is Transport or the Client's
	// own with its checks: for metrics, tracing or cookies. It is called once. The RoundTripper
	// receives each attempt, and each redirect as a request, with the URL that Map leads to. It
	// must be safe for concurrent use and pass on the context of the request. If Wrap is nil,
	// nothing is wrapped.
	Wrap func(http.RoundTripper) http.RoundTripper
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
	// [HostLimiter].
	RetryWait time.Duration
	// Retries is how often a document is requested again after a failure. 0 means 2, a negative
	// number none.
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
	// Delay is the least time between the starts of two requests to a host, which are sent one at a
	// time. 0 or a negative value means none. A longer Crawl-delay holds. A Limiter other than a
	// [HostLimiter] receives Delay only when [Client.SetDelay] is called.
	Delay time.Duration
	// Logger receives requests and redirects at level Debug, and retries at level Info. If nil,
	// nothing is logged.
	Logger *slog.Logger

	once  sync.Once
	stack // made from the fields above
}

// A stack sends the requests of a Client.
type stack struct {
	http    *retryablehttp.Client // over limit, spool and transport
	room    *spool.Room           // for temporary files
	ahead   *spool.Room           // for files of documents that are fetched ahead
	rt      http.RoundTripper
	limiter Limiter
	log     *slog.Logger
	guard   *guard // nil with a Transport of the caller's
	times   phases // zero means defaultPhases
	invalid error  // the error of every request, if not nil
}

// init makes the stack. The fields that the caller set stay as they are.
func (c *Client) init() {
	c.once.Do(func() {
		if c.times == (phases{}) {
			c.times = defaultPhases
		}
		c.rt, c.limiter = c.Transport, c.Limiter
		if c.rt == nil {
			c.guard = newGuard()
			n := network{
				guard: c.guard, isOpen: c.AllowPrivateNetworks, proxy: c.Proxy,
				rootCAs: c.RootCAs, insecure: c.Insecure, times: c.times,
			}
			n.connectTo, c.invalid = parseConnectTo(c.ConnectTo)
			c.rt = n.newTransportPair()
		}
		if c.limiter == nil {
			c.limiter = &HostLimiter{}
		}
		if c.log = c.Logger; c.log == nil {
			c.log = slog.New(slog.DiscardHandler)
		}
		c.room, c.ahead = spool.NewRoom(roomSize), spool.NewRoom(roomSize)
		r := &retrier{c.maxRetries(), c.retryWait(), c.log}
		s := &spooler{next: c.over(c.rt), times: c.times}
		c.http = r.client(&limit{s, c.limiter, c.log})
	})
}

// over returns rt with Wrap and Map around it.
func (c *Client) over(rt http.RoundTripper) http.RoundTripper {
	if c.Wrap != nil {
		rt = c.Wrap(rt)
	}
	if len(c.Map) == 0 {
		return rt
	}
	m, err := newMapper(rt, c.Map)
	c.invalid = cmp.Or(c.invalid, err)
	return m
}

// CloseIdleConnections closes the connections that are kept for reuse.
func (c *Client) CloseIdleConnections() {
	c.init()
	(&http.Client{Transport: c.rt}).CloseIdleConnections()
}

// SetDelay makes requests to the host of u serial and at least d or Delay apart: it hands the
// Crawl-delay of a robots.txt to the Limiter. Zero leaves Delay.
func (c *Client) SetDelay(u *url.URL, d time.Duration) {
	c.init()
	c.limiter.SetDelay(u, max(d, c.Delay))
}

// RobotsToken returns RobotsAgent, or its default, also for a nil Client.
func (c *Client) RobotsToken() string {
	if c == nil {
		return new(Client).RobotsToken()
	}
	return cmp.Or(c.RobotsAgent, "sitemap")
}

func (c *Client) userAgent() string {
	return cmp.Or(c.UserAgent, "sitemap (+https://github.com/seed-322c453a/sitemap)")
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
	return input.MaxBytes(cmp.Or(req.MaxBytes, c.MaxBytes))
}
