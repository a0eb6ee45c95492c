package discover

import (
	"context"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/robotscache"
)

// A Client finds and walks the sitemaps of sites. The zero Client is ready. It is safe for
// concurrent use and must not be copied; its fields must not change once it is used. Share one
// between all walks of a program: it holds the connections, the limiter and the robots.txt cache.
//
// No test needs the network: set [fetch.Client.Transport].
type Client struct {
	// Fetch requests the documents. If it is nil, the Client uses a zero [fetch.Client] of its own,
	// in which Concurrency, if set, bounds the requests under way, of which 4 may be to one host.
	Fetch *fetch.Client
	// Concurrency is how many documents one walk fetches ahead. 0 or a negative number means 16.
	Concurrency int

	once   sync.Once
	own    *fetch.Client
	robots robotscache.Cache[*robotsFile]
}

// fetcher returns Fetch, or the Client's own if it is nil.
func (c *Client) fetcher() *fetch.Client {
	if c.Fetch != nil {
		return c.Fetch
	}
	c.once.Do(func() {
		c.own = &fetch.Client{}
		if n := c.Concurrency; n > 0 {
			c.own.Limiter = &fetch.HostLimiter{Total: n, PerHost: min(n, 4)}
		}
	})
	return c.own
}

func (c *Client) concurrency() int {
	if c.Concurrency <= 0 {
		return 16
	}
	return c.Concurrency
}

// CloseIdleConnections closes the connections that are kept for reuse.
func (c *Client) CloseIdleConnections() { c.fetcher().CloseIdleConnections() }

// get requests a document.
func (c *Client) get(ctx context.Context, req fetch.Request) answer {
	a := answer{at: time.Now(), sent: req.Validators}
	a.doc, a.err = c.fetcher().Get(ctx, req)
	return a
}
