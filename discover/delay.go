package discover

import (
	"net/url"
	"time"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// maxDelayOrigins bounds the origins whose robots.txt a walk asks for a
// Crawl-delay.
const maxDelayOrigins = 1_000

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
		w.ahead.running.Go(func() { w.c.robotsAt(w.ctx, originSite(o), w.origins...) })
	}
}
