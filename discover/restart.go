package discover

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"time"
)

// maxRestarted is how many documents of a host are fetched again at once before their turn.
const maxRestarted = maxBroken

// An inbox is documents that something was told of, on any goroutine.
type inbox struct {
	mu   sync.Mutex
	docs []*prefetch
}

func (b *inbox) add(docs ...*prefetch) {
	if len(docs) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.docs = append(b.docs, docs...)
}

// take empties the inbox.
func (b *inbox) take() []*prefetch {
	b.mu.Lock()
	defer b.mu.Unlock()
	docs := b.docs
	b.docs = nil
	return docs
}

// countAgain counts f among the documents of its host that are fetched again, or not any more.
func (f *prefetch) countAgain(counts bool) {
	switch was := f.isAgain.Swap(counts); {
	case counts && !was:
		f.host.again.Add(1)
	case was && !counts:
		f.host.again.Add(-1)
	}
}

// watch has p told when the body of f has come or broken off before anybody reads it, if its
// Fetcher tells.
func (p *prefetcher) watch(f *prefetch) {
	if f.ahead == nil {
		return
	}
	f.ahead.OnEnd(func(broken bool) {
		if !broken || endsRoot(f.ahead.Last(maxEnd)) {
			f.countAgain(false)
			p.hasArrived(f)
			return
		}
		f.brokeAt = time.Now()
		f.broken.Store(true)
		p.brokenOff.add(f)
		p.tell()
	})
}

// maxEnd is where the end of a root is looked for, with what may stand behind it.
const maxEnd = 64

// endsRoot reports whether text ends as a sitemap or a feed does that is whole: then it is read as it
// is, however its connection ended, unless that turns out not to be so.
func endsRoot(text []byte) bool {
	text = bytes.TrimSpace(text)
	return slices.ContainsFunc([]string{"</urlset>", "</sitemapindex>", "</rss>", "</feed>"}, func(end string) bool {
		return bytes.HasSuffix(text, []byte(end))
	})
}

// restartBroken fetches documents again that broke off before their turn: first those that it
// has begun with, so that of a host where all break off only a few are, and then those whose turn
// comes first.
func (w *walk) restartBroken() {
	docs := w.ahead.brokenOff.take()
	slices.SortFunc(docs, func(a, b *prefetch) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.order, b.order))
	})
	w.ahead.brokenOff.add(slices.DeleteFunc(docs, func(f *prefetch) bool { return !w.restartLater(f) })...)
}

// restartLater fetches a document again that broke off, if there is to be another try. It reports
// whether that has to be done later.
func (w *walk) restartLater(f *prefetch) bool {
	switch {
	case !w.ahead.isAhead(f):
		return false
	case f.n >= w.triesOf(f.loc):
		if f.n > 1 {
			w.noteBroken(f.loc, true)
			f.noted = true
			f.countAgain(false)
		}
		return false
	case !f.isReady() || !f.isAgain.Load() && f.host.again.Load() >= maxRestarted || !w.ahead.take(f.index, false):
		return true
	}
	w.ahead.restart(f)
	return false
}

// restartNow fetches a document again whose turn it is by now, if it broke off before.
func (w *walk) restartNow(k key) {
	if f := w.ahead.started[k]; w.ahead.isAhead(f) && f.broken.Load() && f.isReady() && f.n < w.triesOf(f.loc) {
		w.ahead.take(f.index, true)
		w.ahead.restart(f)
	}
}

// isAhead reports whether f is being fetched, and its turn has not come.
func (p *prefetcher) isAhead(f *prefetch) bool {
	return f != nil && !f.turn && p.started[f.plans.key] == f
}

// restart begins to fetch a document again that broke off, and keeps what came of it if that is
// the most so far. Take was called.
func (p *prefetcher) restart(f *prefetch) {
	p.uncount(f)
	g := &prefetch{loc: f.loc, plans: f.plans, req: f.req, n: f.n + 1, foreign: f.foreign, index: f.index}
	g.pause = max(0, backoff(f.n)-time.Since(f.brokeAt))
	g.begun, g.before = f.begun, f.before
	g.add(&f.fetched)
	g.req.Waited = g.waited
	less := f.kept
	if g.kept = f; less != nil && less.doc.Received() > f.doc.Received() {
		g.kept, less = less, f
	}
	f.kept = nil
	f.countAgain(false)
	p.begin(g, nil) // first: to end one changes what is expected, which was taken
	p.end(less)
}
