package discover

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/internal/location"
)

const (
	// maxDelayOrigins bounds the origins whose robots.txt a walk asks for a
	// Crawl-delay.
	maxDelayOrigins = 1_000
	// delayTime is how long it waits for one of them, tries and all.
	delayTime = 5 * time.Second
	// delayShare is that one in so many of the requests at once may be for them: they
	// take from what documents have.
	delayShare = 4
)

// A delayer is a Fetcher that can keep a Crawl-delay.
type delayer interface {
	SetDelay(u *url.URL, d time.Duration)
}

// setDelay hands a Crawl-delay to the Fetcher, if it can keep one.
func (c *Client) setDelay(robots *Robots, at *url.URL) {
	d := min(robots.CrawlDelay(c.agent()), MaxCrawlDelay)
	if f, ok := c.fetcher.(delayer); ok && d > 0 {
		f.SetDelay(at, d)
	}
}

// delays are the robots.txt files that a walk asks for a Crawl-delay: of origins of which it
// asked for more than one document.
type delays struct {
	mu      sync.Mutex
	origins map[location.Origin]*delayed
	asking  int // how many are asked now
}

type delayed struct {
	documents int // that were asked for
	asked     bool
}

// heed counts a document of o, and reports whether a goroutine is to be started that asks
// what next returns, of which there may be so many.
func (ds *delays) heed(o location.Origin, most int) bool {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.origins[o]
	if d == nil {
		if len(ds.origins) == maxDelayOrigins {
			return false
		}
		d = &delayed{}
		ds.origins[o] = d
	}
	d.documents++
	if d.asked || d.documents < 2 || ds.asking == most {
		return false
	}
	ds.asking++
	return true
}

// next returns the origin to be asked next: that of the most documents. It is not ok if there
// is none, which ends the goroutine.
func (ds *delays) next() (o location.Origin, ok bool) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	most := 1
	for origin, d := range ds.origins {
		if !d.asked && d.documents > most {
			o, most = origin, d.documents
		}
	}
	if most == 1 {
		ds.asking--
		return o, false
	}
	ds.origins[o].asked = true
	return o, true
}

// heedDelay is told of each document that is asked for. Where it is the second of
// an origin, the robots.txt there is asked for a Crawl-delay, beside the walk: one
// that cannot be had, or is slow, stops nothing, and holds up others for a while only.
func (w *walk) heedDelay(loc string) {
	if _, ok := w.c.fetcher.(delayer); !ok {
		return
	}
	o, _, err := location.ParseOrigin(loc)
	if err == nil && w.delays.heed(o, max(1, w.c.concurrency()/delayShare)) {
		w.ahead.running.Go(w.askDelays)
	}
}

// askDelays asks for Crawl-delays until none is left to be asked for.
func (w *walk) askDelays() {
	for w.ctx.Err() == nil {
		o, ok := w.delays.next()
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(w.ctx, delayTime)
		w.c.robotsAt(ctx, originSite(o), w.origins...)
		cancel()
	}
}
