package discover

import (
	"context"
	"errors"
	"sync"

	"github.com/seed-322c453a/sitemap/fetch"
)

// errGoexit fails a document whose Transport ended the goroutine, as that of a test that calls
// testing.T.Fatal does.
var errGoexit = errors.New("the transport called runtime.Goexit")

// A prefetcher requests documents before their turn, each at most once.
type prefetcher struct {
	c      *Client
	ctx    context.Context
	cancel context.CancelFunc
	asked  map[key]chan answer // for the documents whose turn has not come
	wg     sync.WaitGroup
}

func newPrefetcher(ctx context.Context, c *Client) *prefetcher {
	ctx, cancel := context.WithCancel(ctx)
	return &prefetcher{c: c, ctx: ctx, cancel: cancel, asked: map[key]chan answer{}}
}

// ask requests the document of k, unless that has been done.
func (p *prefetcher) ask(k key, req fetch.Request) {
	if p.asked[k] != nil {
		return
	}
	ready := make(chan answer, 1)
	p.asked[k] = ready
	p.wg.Go(func() {
		a := answer{err: errGoexit}
		defer func() { ready <- a }()
		a = p.c.get(p.ctx, req)
	})
}

// take waits for the document of k, which was asked for, and returns it. If there was no room to
// hold it before its turn, or if it is unchanged by validators other than those of req, take
// requests it again.
func (p *prefetcher) take(k key, req fetch.Request) answer {
	ready := p.asked[k]
	delete(p.asked, k)
	a := <-ready
	isOther := a.doc != nil && a.doc.NotModified && a.sent != req.Validators
	if isOther || errors.Is(a.err, fetch.ErrNoRoom) {
		a.close()
		a = p.c.get(p.ctx, req)
	}
	return a
}

// drop gives up the document of k, if it was requested.
func (p *prefetcher) drop(k key) {
	if ready := p.asked[k]; ready != nil {
		delete(p.asked, k)
		p.wg.Go(func() { (<-ready).close() })
	}
}

// close ends all requests and closes their documents.
func (p *prefetcher) close() {
	p.cancel()
	for k, ready := range p.asked {
		delete(p.asked, k)
		(<-ready).close()
	}
	p.wg.Wait()
}
