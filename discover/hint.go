package discover

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

// peekSize is how much of an index is looked at before its turn, as it came.
const peekSize = 64 << 10

// A hint is what an index whose turn has not come lists first: that is fetched ahead too, or the
// walk would stand still before each index. It is read again when its turn has come, and all that
// is told and judged is of then.
type hint struct {
	key      key     // of the index
	order    int     // in which it was started
	index    *record // stands for it
	children []child
	next     int            // the first that was not looked at for fetching ahead
	fetched  map[string]key // ahead, by location
}

// hasArrived notes that the body of f has come, on any goroutine.
func (p *prefetcher) hasArrived(f *prefetch) {
	f.whole.Store(true)
	looked := p.looksInto.Load()
	if looked {
		p.arrivals.add(f)
	}
	if looked || f.n > 1 { // another may be fetched again now
		p.tell()
	}
}

// noteNested notes that an index, nil for the seeds, refers to indexes: so others that it lists
// are looked into ahead.
func (w *walk) noteNested(index *record) {
	fr := w.frontier.frameOf(index)
	if fr == nil || fr.nested || w.o.Follow != nil {
		return
	}
	fr.nested = true
	w.ahead.looksInto.Store(true)
	for _, f := range w.ahead.started {
		if f.index == index && f.whole.Load() {
			w.peek(f)
		}
	}
}

// peekArrivals looks into documents that have come since.
func (w *walk) peekArrivals() {
	var early []*prefetch // the body has come, but the rest is not noted yet
	for _, f := range w.ahead.arrivals.take() {
		if !f.isReady() {
			early = append(early, f)
			continue
		}
		w.peek(f)
	}
	w.ahead.arrivals.add(early...)
}

// peek looks into a document that has come, and whose turn has not, if it may be an index.
func (w *walk) peek(f *prefetch) {
	fr := w.frontier.frameOf(f.index)
	if fr == nil || !fr.nested || f.peeked || f.ahead == nil || !w.ahead.isAhead(f) {
		return
	}
	f.peeked = true
	if w.graph.byKey[keyOf(f.doc.URL.String())] != nil {
		return // it is known by another URL
	}
	h := &hint{key: f.plans.key, order: f.order, fetched: map[string]key{}, children: w.firstChildren(f, f.ahead.Peek(peekSize), f.ahead.Encodings())}
	if len(h.children) == 0 {
		return
	}
	sm := &Sitemap{Loc: f.loc, Scope: f.plans.scope}
	if fr.index != nil {
		sm.Referrer = fr.index.sm
	}
	if g, ok := LocationGrant(f.doc.URL.String()); ok {
		sm.Scope = sm.Scope.With(g)
	}
	h.index = &record{sm: sm, scope: sm.Scope, parent: f.index, depth: f.index.below(), hint: true}
	at, _ := slices.BinarySearchFunc(fr.hints, h, func(a, b *hint) int { return cmp.Compare(a.order, b.order) })
	fr.hints = slices.Insert(fr.hints, at, h)
}

// firstChildren returns the first children that an index lists on its own host, as far as it has
// come.
func (w *walk) firstChildren(f *prefetch, data []byte, encodings int) (children []child) {
	rd, err := parse.NewReader(&undecoded{bytes.NewReader(data), encodings}, &sitemap.Options{
		Base:           f.doc.URL,
		ContentType:    f.doc.Header.Get("Content-Type"),
		Limits:         w.o.Limits,
		SkipExtensions: true,
	})
	if err != nil || rd.Format() != sitemap.SitemapIndex {
		return nil
	}
	on := authority(f.doc.URL.String())
	for e, err := range rd.Entries() {
		if err != nil || len(children) == stretch*w.c.concurrency() {
			break
		}
		if e.Kind == sitemap.Sitemap && authority(e.Loc) == on {
			children = append(children, child{loc: e.Loc, lastMod: e.LastMod})
		}
	}
	return children
}

// takeHint takes what is known of a child of an index whose turn has come, nil if that is nothing.
func (f *frontier) takeHint(index *record, k key) *hint {
	fr := f.frameOf(index) // of which the child was taken just now
	at := slices.IndexFunc(fr.hints, func(h *hint) bool { return h.key == k })
	if at < 0 {
		return nil
	}
	h := fr.hints[at]
	fr.hints = slices.Delete(fr.hints, at, at+1)
	return h
}

// adoptHint has what was fetched ahead for a hint count for the index that lists it.
func (w *walk) adoptHint(kids *frame) {
	h := w.hint
	if h == nil {
		return
	}
	for i := 0; len(h.fetched) > 0 && i < len(kids.children); i++ {
		c := &kids.children[i]
		f := w.ahead.started[h.fetched[c.loc]]
		delete(h.fetched, c.loc)
		if f == nil || f.index != h.index {
			continue
		}
		w.ahead.countChild(f, -1)
		f.index = kids.index
		w.ahead.countChild(f, 1)
		if w.decide(c, kids.index); c.skip == ByState {
			c.skip = NotSkipped // it was when it was fetched
		}
	}
}

// dropHint drops what was fetched ahead for a hint that did not hold.
func (w *walk) dropHint() {
	if w.hint == nil {
		return
	}
	for _, k := range w.hint.fetched {
		if f := w.ahead.started[k]; f != nil && f.index == w.hint.index {
			w.ahead.drop(k)
		}
	}
	w.hint = nil
}
