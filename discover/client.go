package discover

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/turn"
)

// DefaultConcurrency is how many documents are fetched at once by default.
const DefaultConcurrency = 16

// maxConcurrency leaves room to count multiples of it.
const maxConcurrency = 1 << 20

// A Client discovers and walks. Its zero value is ready. It is safe for
// concurrent use, must not be copied, and its fields must not be changed once it
// is used. Share one: it holds the connections and a cache of robots.txt files (a
// day, 16 MiB), and all its walks share one budget of requests and of memory for
// what is fetched ahead.
type Client struct {
	// Fetcher gets the documents; if nil, a *fetch.Client with its defaults that
	// the Client makes for itself.
	Fetcher Fetcher
	// Concurrency is how many documents are fetched at once, at most 2^20, by all walks
	// together. 0 or less means 16, of which 4 from one host; if it is set, it is the limit
	// of one host too, where Fetcher is nil: 1 fetches one document after the other then. A
	// Fetcher has limits of its own: those of a fetch.Client are 16 and 4 unless its Limiter
	// is, say, &fetch.HostLimiter{Total: n, PerHost: n, PerAddress: n}. Of its requests
	// Concurrency bounds those that wait for their response, and its Limiter those whose body is
	// still to come; of another Fetcher it bounds the calls of Get.
	Concurrency int

	once    sync.Once
	fetcher Fetcher
	slots   chan struct{} // one for each request that waits for its response
	ahead   budget
	robots  robotsCache
	handed  handedDelays
}

func (c *Client) init() {
	c.once.Do(func() {
		c.slots = make(chan struct{}, c.concurrency())
		c.fetcher = c.Fetcher
		if c.fetcher == nil {
			limiter := &fetch.HostLimiter{}
			if c.Concurrency > 0 {
				limiter.Total, limiter.PerHost, limiter.PerAddress = c.Concurrency, c.Concurrency, c.Concurrency
			}
			c.fetcher = &fetch.Client{Limiter: limiter}
		}
	})
}

func (c *Client) concurrency() int {
	if c.Concurrency <= 0 {
		return DefaultConcurrency
	}
	return min(c.Concurrency, maxConcurrency)
}

// get gets a document. Each request for it takes a slot while it is under way; a Fetcher that
// does not tell when that is, has one for all of the time.
func (c *Client) get(ctx context.Context, req fetch.Request) (*fetch.Document, error) {
	if c.isDirect() {
		return c.fetcher.Get(turn.With(ctx, c.takeSlot), req)
	}
	done, err := c.takeSlot(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	fail := func(status int, err error) (*fetch.Document, error) {
		return nil, &fetch.Error{URL: sitemap.Redact(req.URL), Status: status, Attempts: min(status, 1), Err: err}
	}
	if _, _, err := location.ParseOrigin(req.URL); err != nil {
		return fail(0, fmt.Errorf("%w: %w", fetch.ErrRequest, err))
	}
	doc, err := c.fetcher.Get(ctx, req)
	switch {
	case err != nil:
		return nil, err
	case doc.Status/100 != 2 && !doc.NotModified:
		doc.Body.Close()
		return fail(doc.Status, fetch.ErrStatus)
	}
	return ours(doc), nil
}

// ours returns the document of a Fetcher as a fetch.Client gives it.
func ours(doc *fetch.Document) *fetch.Document {
	d, u := *doc, *doc.URL
	u.User, d.URL = nil, &u
	d.Hops = slices.Clone(d.Hops)
	for i := range d.Hops {
		d.Hops[i].URL = sitemap.Redact(d.Hops[i].URL)
	}
	if _, ok := d.Body.(turn.Body); !ok {
		d.Body = foreignBody{d.Body}
	}
	return &d
}

// A foreignBody is a body of a Fetcher that knows nothing of package fetch.
type foreignBody struct{ io.ReadCloser }

// Read has what no package of this module has said of a body mean that it broke off.
func (b foreignBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || err == io.EOF || causeOf(err) != nil {
		return n, err
	}
	return n, fmt.Errorf("%w: %w", fetch.ErrBody, err)
}

// isDirect reports whether the Fetcher is a fetch.Client: what wraps one may do with its documents
// what it likes.
func (c *Client) isDirect() bool {
	_, ok := c.fetcher.(*fetch.Client)
	return ok
}

// takeSlot waits until a slot is free, and tells who wants to know that it is.
func (c *Client) takeSlot(ctx context.Context) (done func(), err error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	tellSent(ctx)
	return c.giveSlot, nil
}

// tellSent tells who wants to know that a request goes out.
func tellSent(ctx context.Context) {
	if sent, ok := ctx.Value(sentKey{}).(func()); ok {
		sent()
	}
}

func (c *Client) giveSlot() { <-c.slots }

// sentKey is what the func() of a context stands under that is called when a request goes out.
type sentKey struct{}

// agent returns the token that is looked up in robots.txt.
func (c *Client) agent() string {
	if f, ok := c.fetcher.(interface{ RobotsToken() string }); ok {
		return f.RobotsToken()
	}
	return fetch.DefaultRobotsAgent
}

// tries returns how often a document is fetched whose body breaks off before anything of
// it was yielded: once, and as often again as the Fetcher tries a request.
func (c *Client) tries() int {
	if f, ok := c.fetcher.(interface{ MaxRetries() int }); ok {
		return 1 + f.MaxRetries()
	}
	return 1 + fetch.DefaultRetries
}

// hasSecrets reports whether the Fetcher adds secrets to its requests.
func (c *Client) hasSecrets() bool {
	f, ok := c.fetcher.(interface{ HasSecrets() bool })
	return ok && f.HasSecrets()
}

// CloseIdleConnections closes connections that the Fetcher keeps for reuse, if it
// can.
func (c *Client) CloseIdleConnections() {
	c.init()
	if f, ok := c.fetcher.(interface{ CloseIdleConnections() }); ok {
		f.CloseIdleConnections()
	}
}
