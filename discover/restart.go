package discover

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// maxRestarted is how many documents of a host are fetched again at once before their turn.
const maxRestarted = maxBroken

// broken are documents whose bodies broke off before their turn.
type broken struct {
	mu   sync.Mutex
	docs []*prefetch
}

// again counts f among the documents of its host that are fetched again, or not any more.
func (f *prefetch) again(counts bool) {
	switch was := f.isAgain.Swap(counts); {
	case counts && !was:
		f.host.again.Add(1)
	case was && !counts:
		f.host.again.Add(-1)
	}
}

// watch has p told when the body of f breaks off before anybody reads it, if its Fetcher tells.
func (p *prefetcher) watch(f *prefetch) {
	body, ok := f.body.(interface{ OnEnd(f func(broken bool)) })
	if !ok {
		return
	}
	body.OnEnd(func(broken bool) {
		if !broken {
			f.again(false)
			p.isWhole(f)
			return
		}
		f.brokeAt = time.Now()
		f.broken.Store(true)
		p.broken.mu.Lock()
		p.broken.docs = append(p.broken.docs, f)
		p.broken.mu.Unlock()
		p.tell()
	})
}

// takeBroken returns those that were told of, and not put back since.
func (p *prefetcher) takeBroken() []*prefetch {
	p.broken.mu.Lock()
	defer p.broken.mu.Unlock()
	docs := p.broken.docs
	p.broken.docs = nil
	return docs
}

// putBroken puts back documents that cannot be fetched again yet.
func (p *prefetcher) putBroken(docs []*prefetch) {
	if len(docs) > 0 {
		p.broken.mu.Lock()
		defer p.broken.mu.Unlock()
		p.broken.docs = append(docs, p.broken.docs...)
	}
}

// restartBroken fetches documents again that broke off before their turn: first those that it
// has begun with, so that of a host where all break off only a few are.
func (w *walk) restartBroken() {
	docs := w.ahead.takeBroken()
	slices.SortStableFunc(docs, func(a, b *prefetch) int { return cmp.Compare(b.n, a.n) })
	w.ahead.putBroken(slices.DeleteFunc(docs, func(f *prefetch) bool { return !w.mustWait(f) }))
}

// mustWait fetches a document again that broke off, if there is to be another try. It reports
// whether that is to come later.
func (w *walk) mustWait(f *prefetch) bool {
	switch {
	case w.ahead.started[f.plans.key] != f || f.turn:
		return false
	case f.n >= w.triesOf(f.loc):
		if f.n > 1 {
			w.noteBroken(f.loc, true)
			f.again(false)
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
	if f := w.ahead.started[k]; f != nil && !f.turn && f.broken.Load() && f.isReady() && f.n < w.triesOf(f.loc) {
		w.ahead.take(f.index, true)
		w.ahead.restart(f)
	}
}

// restart begins to fetch a document again that broke off, and keeps what came of it if that is
// the most so far. Take was called.
func (p *prefetcher) restart(f *prefetch) {
	p.uncount(f)
	g := &prefetch{loc: f.loc, plans: f.plans, req: f.req, n: f.n + 1, foreign: f.foreign, index: f.index}
	g.pause = max(0, backoff(f.n)-time.Since(f.brokeAt))
	g.begun, g.before = f.begun, f.before
	g.add(&f.fetched)
	g.plans.waited = g.waited
	g.req.Waited = g.waited
	less := f.kept
	if g.kept = f; less != nil && less.doc.Received() > f.doc.Received() {
		g.kept, less = less, f
	}
	f.kept = nil
	f.again(false)
	p.end(less)
	p.begin(g, nil)
}

func (f *prefetch) isReady() bool {
	select {
	case <-f.ready:
		return true
	default:
		return false
	}
}
