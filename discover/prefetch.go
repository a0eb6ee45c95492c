package discover

import (
	"context"
	"errors"
	"sync"

	"github.com/seed-322c453a/sitemap/fetch"
)

// A prefetcher requests documents before their turn, each at most once.
type prefetcher struct {
	c       *Client
	ctx     context.Context
	cancel  context.CancelFunc
	request func(*node) fetch.Request
	asked   map[key]chan fetched // of the documents whose turn has not come
	wg      sync.WaitGroup
}

func newPrefetcher(ctx context.Context, c *Client, request func(*node) fetch.Request) *prefetcher {
	ctx, cancel := context.WithCancel(ctx)
	return &prefetcher{c: c, ctx: ctx, cancel: cancel, request: request, asked: map[key]chan fetched{}}
}

// ask requests the document of n, unless that has been done.
func (p *prefetcher) ask(n *node) {
	if p.asked[n.key] != nil {
		return
	}
	ready := make(chan fetched, 1)
	p.asked[n.key] = ready
	req := p.request(n)
	req.Ahead = true
	p.wg.Go(func() { ready <- p.c.get(p.ctx, req) })
}

// take returns the document of n, and waits for it. It requests a document again that found no room
// in temporary files while it was prefetched.
func (p *prefetcher) take(n *node) fetched {
	p.ask(n)
	ready := p.asked[n.key]
	delete(p.asked, n.key)
	f := <-ready
	if errors.Is(f.err, fetch.ErrNoRoom) {
		f = p.c.get(p.ctx, p.request(n))
	}
	return f
}

// drop gives up the document of n, if it was requested.
func (p *prefetcher) drop(n *node) {
	if ready := p.asked[n.key]; ready != nil {
		delete(p.asked, n.key)
		p.wg.Go(func() { (<-ready).close() })
	}
}

// close ends all requests and closes what they brought.
func (p *prefetcher) close() {
	p.cancel()
	for k, ready := range p.asked {
		delete(p.asked, k)
		(<-ready).close()
	}
	p.wg.Wait()
}
