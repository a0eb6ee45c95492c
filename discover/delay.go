package discover

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
)

const (
	// maxDelayOrigins bounds the origins whose robots.txt a walk asks for a
	// Crawl-delay, and maxHanded those of which a Client remembers what it was.
	maxDelayOrigins = 1_000
	maxHanded       = 1_000
	// delayTime is how long it waits for one of them, tries and all, once it was asked for.
	delayTime = 5 * time.Second
	// delayShare is that one in so many of the requests at once may be for them: they
	// take from what documents have.
	delayShare = 4
	// maxSilent is how many of them may not answer before no document waits for them any more.
	maxSilent = 4
)

// A delayer is a Fetcher that can keep a Crawl-delay.
type delayer interface {
	SetDelay(u *url.URL, d time.Duration)
}

// setDelay hands the Crawl-delay of an origin to the Fetcher, if it can keep one, or takes back
// what it handed it before.
func (c *Client) setDelay(robots *Robots, at *url.URL) {
	f, ok := c.fetcher.(delayer)
	o, err := location.OriginOf(at)
	if !ok || err != nil {
		return
	}
	if d, tell := c.handed.note(o, min(robots.CrawlDelay(c.agent()), MaxCrawlDelay)); tell {
		f.SetDelay(at, d)
	}
}

// handedDelays are the Crawl-delays that a Client handed to its Fetcher, as far as there is room.
type handedDelays struct {
	mu sync.Mutex
	of map[location.Origin]time.Duration
}

// note notes the delay of an origin, 0 for none, and returns what the Fetcher is to be told of
// the host: the longer one of both schemes; nothing if there was none and is none.
func (h *handedDelays) note(o location.Origin, d time.Duration) (longest time.Duration, tell bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, isNoted := h.of[o]
	switch {
	case d <= 0 && !isNoted:
		return 0, false
	case d <= 0:
		delete(h.of, o)
	default:
		if h.of == nil {
			h.of = map[location.Origin]time.Duration{}
		}
		if !isNoted && len(h.of) == maxHanded {
			h.forgetOne(o.OtherScheme())
		}
		o.Host = strings.Clone(o.Host) // not the whole location
		h.of[o] = d
	}
	return max(d, h.of[o.OtherScheme()]), true
}

// forgetOne makes room, but not by forgetting that one.
func (h *handedDelays) forgetOne(but location.Origin) {
	for o := range h.of {
		if o != but {
			delete(h.of, o)
			return
		}
	}
}

// delays are the robots.txt files that a walk asks for a Crawl-delay: of origins of which it
// asked for more than one document.
type delays struct {
	mu      sync.Mutex
	origins map[location.Origin]*delayed
	asking  int // how many are asked now
	silent  int // how many did not answer
}

type delayed struct {
	documents int // that were asked for
	asked     bool
	told      chan struct{} // closed when the robots.txt has come, or is not waited for any more
	isTold    bool
}

// heed counts documents of o, which wait until told is closed if that is not nil, and reports
// whether a goroutine is to be started that asks what next returns, of which there may be so
// many.
func (ds *delays) heed(o location.Origin, documents, most int) (told <-chan struct{}, start bool) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.origins[o]
	if d == nil {
		if len(ds.origins) == maxDelayOrigins {
			return nil, false
		}
		d = &delayed{told: make(chan struct{})}
		o.Host = strings.Clone(o.Host) // not the whole location
		ds.origins[o] = d
	}
	d.documents += documents
	if d.documents < 2 {
		return nil, false
	}
	if ds.silent < maxSilent {
		told = d.told
	}
	if start = !d.asked && ds.asking < most; start {
		ds.asking++
	}
	return told, start
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

// answered is told what became of asking o.
func (ds *delays) answered(o location.Origin, silent bool) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.origins[o].tell()
	if !silent {
		return
	}
	if ds.silent++; ds.silent == maxSilent {
		for _, d := range ds.origins {
			d.tell()
		}
	}
}

// tell lets the documents go that wait.
func (d *delayed) tell() {
	if !d.isTold {
		d.isTold = true
		close(d.told)
	}
}

// heedDelay is told of each document that is asked for. Where it is the second of an origin,
// the robots.txt there is asked for a Crawl-delay. It returns what that and the later ones wait
// for, if anything: that it has come. One that cannot be had, or is slow, stops nothing.
func (w *walk) heedDelay(c *child) (told <-chan struct{}) {
	o, _, err := location.ParseOrigin(c.loc)
	if err != nil {
		return nil
	}
	documents := 1
	if c.heeded { // and is asked for again
		documents = 0
	}
	c.heeded = true
	return w.heed(o, documents)
}

// heedRedirect is told of each document that has come: one that came from another origin is one
// of that too.
func (w *walk) heedRedirect(doc *fetch.Document) {
	if len(doc.Hops) == 0 {
		return
	}
	asked, _, _ := location.ParseOrigin(doc.Hops[0].URL)
	if o, err := location.OriginOf(doc.URL); err == nil && o != asked {
		w.heed(o, 1)
	}
}

// notAgain has an origin not asked whose robots.txt has come just now.
func (ds *delays) notAgain(o location.Origin) {
	d := &delayed{asked: true, told: make(chan struct{})}
	d.tell()
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.origins[o] = d
}

func (w *walk) heed(o location.Origin, documents int) (told <-chan struct{}) {
	if _, ok := w.c.fetcher.(delayer); !ok {
		return nil
	}
	told, start := w.delays.heed(o, documents, max(1, w.c.concurrency()/delayShare))
	if start {
		w.ahead.running.Go(w.askDelays)
	}
	return told
}

// askDelays asks for Crawl-delays until none is left to be asked for.
func (w *walk) askDelays() {
	for w.ctx.Err() == nil {
		o, ok := w.delays.next()
		if !ok {
			return
		}
		_, silent := w.robotsWithin(delayTime, o)
		w.delays.answered(o, silent)
	}
}

var errSilent = errors.New("no answer")

// robotsWithin returns the robots.txt of an origin, nil if it cannot be had, or not within a time
// from when it was first asked for: then it is silent.
func (w *walk) robotsWithin(d time.Duration, o location.Origin) (robots *Robots, silent bool) {
	ctx, cancel := context.WithCancelCause(w.ctx)
	defer cancel(nil)
	var timer *time.Timer
	ctx = context.WithValue(ctx, sentKey{}, func() {
		if timer == nil {
			timer = time.AfterFunc(d, func() { cancel(errSilent) })
		}
	})
	robots, _ = w.c.robotsAt(ctx, originSite(o), w.origins...)
	if timer != nil {
		timer.Stop()
	}
	return robots, context.Cause(ctx) == errSilent
}

// awaitDelay waits until what heedDelay returned is closed, or for as long as the robots.txt
// and one that is asked for before it may take.
func awaitDelay(ctx context.Context, told <-chan struct{}) {
	if told == nil {
		return
	}
	select {
	case <-told:
		return
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, 2*delayTime)
	defer cancel()
	awaitClose(ctx, told)
}
