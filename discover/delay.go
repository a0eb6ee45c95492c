package discover

import (
	"context"
	"net/url"
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
	delayShare = 8
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

// heedDelay is told of each document that is asked for. Where it is the second of
// an origin, the robots.txt there is asked for a Crawl-delay, beside the walk: one
// that cannot be had, or is slow, stops nothing.
func (w *walk) heedDelay(loc string) {
	if _, ok := w.c.fetcher.(delayer); !ok {
		return
	}
	o, _, err := location.ParseOrigin(loc)
	if err != nil {
		return
	}
	asked, known := w.delays[o]
	switch {
	case asked || !known && len(w.delays) == maxDelayOrigins:
	case !known:
		w.delays[o] = false
	default:
		w.delays[o] = true
		w.ahead.running.Go(func() { w.askDelay(originSite(o)) })
	}
}

// askDelay asks the robots.txt of an origin for a Crawl-delay when it is its turn.
func (w *walk) askDelay(st site) {
	select {
	case w.askingDelay <- struct{}{}:
		defer func() { <-w.askingDelay }()
	case <-w.ctx.Done():
		return
	}
	ctx, cancel := context.WithTimeout(w.ctx, delayTime)
	defer cancel()
	w.c.robotsAt(ctx, st, w.origins...)
}
