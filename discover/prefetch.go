package discover

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/turn"
)

const (
	// readAhead is how much of a document's body is read before its turn, on the
	// wire.
	readAhead = 8 << 20
	// aheadRoom bounds what all walks of a Client expect to have read ahead. With what
	// is spare for one walk it is what a fetch.Client spends on bodies that nobody reads yet.
	aheadRoom = 13 << 20
	// spareRoom is what the children of the index whose turn it is have beyond that, and
	// hintedRoom what those of hints have: others are many, and hold theirs until their turn
	// comes.
	spareRoom  = 1 << 20
	hintedRoom = 2 << 20
	// minExpected is what a document is expected to have at least.
	minExpected = 64 << 10
	// stretch is how many times Concurrency documents are fetched ahead while the
	// caller waits for one that is slow.
	stretch = 16
)

// A budget is memory that the walks of a Client share.
type budget struct {
	mu   sync.Mutex
	used int64
}

// take takes n bytes if there is room for them, or must is set.
func (b *budget) take(n int64, must bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > aheadRoom && !must {
		return false
	}
	b.used += n
	return true
}

func (b *budget) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}

// A prefetcher fetches the documents of one walk ahead of their turn. Its methods are called on
// the ranging goroutine, but for ask, tell, watch and hasArrived; the goroutines that it starts
// wait, get a document, or call what fillDuring is given, and end when the walk does.
type prefetcher struct {
	c        *Client
	ctx      context.Context
	started  map[key]*prefetch
	children map[*record]int // of those that are started, by index
	work     chan func()     // taken by goroutines that have nothing to do
	asking   atomic.Int32    // how many wait for their response
	hosts    map[string]*load
	progress chan struct{} // told when one of them has it, or when a body has come or broken off
	expected map[int]int64 // bytes of the next document at a depth, by those before
	foreign  int           // of those that are started
	hinted   int           // of them, those that no index has listed yet
	running  sync.WaitGroup
	arrived  func(*fetch.Document) // is told of each, on another goroutine
	order    int                   // of the documents that were started

	brokenOff inbox       // documents whose bodies broke off before their turn
	arrivals  inbox       // documents whose bodies have come before it
	looksInto atomic.Bool // there may be indexes among these
}

func newPrefetcher(ctx context.Context, c *Client) *prefetcher {
	return &prefetcher{
		c: c, ctx: ctx,
		started:  map[key]*prefetch{},
		children: map[*record]int{},
		expected: map[int]int64{},
		work:     make(chan func()),
		hosts:    map[string]*load{},
		progress: make(chan struct{}, 1),
	}
}

// room returns how many more documents may be fetched ahead: twice as many as are
// asked for at once, so that requests go out while the caller reads what came. While the
// caller waits for a document, more may be, so that one that is slow does not hold up the
// others, and for children of the index whose turn it is there is a place beyond these.
func (p *prefetcher) room(waiting, spare bool) int {
	most := 2 * p.c.concurrency()
	switch {
	case spare:
		most = (stretch + 1) * p.c.concurrency()
	case waiting:
		most = stretch * p.c.concurrency()
	}
	return most - len(p.started)
}

// isFull reports whether as many documents wait for a response of a host as are asked for at
// once: more would stand in the way of other walks there, and fewer of others be asked for. Where
// documents are fetched one after the other, all hosts are full as soon as one is.
func (p *prefetcher) isFull(authority string) bool {
	most := p.c.concurrency()
	if most == 1 {
		return p.asking.Load() > 0
	}
	h := p.hosts[authority]
	return h != nil && int(h.asking.Load()) >= most
}

// hasSpareRoom reports whether another child of the index whose turn it is, or of a hint, may be
// fetched ahead whatever other documents hold.
func (p *prefetcher) hasSpareRoom(index *record) bool {
	held, room := p.expect(index), int64(spareRoom)
	if index.isHint() {
		room = hintedRoom
	}
	for _, f := range p.started {
		if f.index == index || f.index.isHint() && index.isHint() {
			held += f.expected
		}
	}
	return held <= room
}

// busy reports whether it is too early to fetch more documents ahead for a caller that
// does not wait: they are started some at once, since to wake the goroutines of each on
// its own takes as much CPU time as the goroutines do.
func (p *prefetcher) busy() bool {
	most := p.c.concurrency()
	return most-int(p.asking.Load()) < most/4
}

// take takes the memory that the next child of index is expected to need. It reports false if
// there is none, unless it must be fetched now.
func (p *prefetcher) take(index *record, must bool) bool {
	return p.c.ahead.take(p.expect(index), must)
}

// settle counts what has come of documents beyond what was expected.
func (p *prefetcher) settle() {
	for _, f := range p.started {
		if more := f.got() - f.expected; more > 0 {
			p.c.ahead.take(more, true)
			f.expected += more
		}
	}
}

// expect returns how large the next child of index is expected to be: as those at the same depth
// were, or else at the least one above it.
func (p *prefetcher) expect(index *record) int64 {
	for depth := index.below(); depth >= 0; depth-- {
		if n, ok := p.expected[depth]; ok {
			return max(minExpected, n)
		}
	}
	return minExpected
}

// learn takes the size of a document at a depth into what is expected of others.
func (p *prefetcher) learn(depth int, size int64) {
	if before, ok := p.expected[depth]; ok {
		size = before + (size-before)/8
	}
	p.expected[depth] = size
}

// ask counts a document that waits for its response, n being 1, or does not any more, -1.
func (p *prefetcher) ask(h *load, n int32) {
	p.asking.Add(n)
	h.asking.Add(n)
}

// loadOf returns the load of a host.
func (p *prefetcher) loadOf(authority string) *load {
	h := p.hosts[authority]
	if h == nil {
		h = &load{}
		p.hosts[authority] = h
	}
	return h
}

// start begins to fetch a document that was fetched so many times, for which take was called: when
// the time for that has come, and told is closed, if it is not nil.
func (p *prefetcher) start(c *child, index *record, req fetch.Request, times int, told <-chan struct{}) {
	p.begin(&prefetch{loc: c.loc, plans: c.plans, req: req, n: 1 + times, pause: backoff(times), foreign: c.foreign, index: index}, told)
}

func (p *prefetcher) begin(f *prefetch, told <-chan struct{}) {
	p.order++
	f.order = p.order
	ctx, cancel := context.WithCancel(p.ctx)
	f.cancel, f.ready, f.expected = cancel, make(chan struct{}), p.expect(f.index)
	f.on = authority(f.loc)
	p.count(f)
	if f.n == 1 {
		p.ask(f.host, 1)
	}
	f.countAgain(f.n > 1)
	queue, queued := p.queue(f)
	p.do(func() {
		if f.n > 1 {
			sleep(ctx, f.pause)
			p.ask(f.host, 1)
		}
		awaitDelay(ctx, told)
		awaitClose(ctx, queue)
		if f.begun.IsZero() {
			f.begun = time.Now()
		}
		if p.c.isDirect() {
			ctx = turn.WithReadAhead(ctx, queued)
		}
		f.doc, f.err = p.c.get(ctx, f.req)
		f.came = time.Now()
		queued()
		if f.err == nil {
			p.arrived(f.doc)
			f.doc, f.body = slim(f.doc), f.doc.Body
			f.ahead, _ = f.body.(turn.Body)
			p.watch(f)
		} else {
			f.countAgain(false)
		}
		p.ask(f.host, -1)
		close(f.ready)
		p.tell()
		if f.ahead != nil && p.c.isDirect() {
			f.ahead.ReadAhead()
		}
	})
}

// queue returns what is closed when a document may be asked for, and what is called then: as soon
// as the one that was begun before it at its host waits for its turn there. So they are asked for in
// order, also those that waited for a Crawl-delay together. One that is fetched again is not held up,
// and comes first.
func (p *prefetcher) queue(f *prefetch) (before <-chan struct{}, queued func()) {
	if f.n > 1 || !p.c.isDirect() {
		return nil, func() {}
	}
	before, now := f.host.queued, make(chan struct{})
	f.host.queued = now
	return before, sync.OnceFunc(func() { close(now) })
}

// awaitClose waits until c is closed, if it is not nil.
func awaitClose(ctx context.Context, c <-chan struct{}) {
	if c == nil {
		return
	}
	select {
	case <-c:
	case <-ctx.Done():
	}
}

// tell tells who waits for a document that there is news.
func (p *prefetcher) tell() {
	select {
	case p.progress <- struct{}{}:
	default:
	}
}

// count counts a document as started.
func (p *prefetcher) count(f *prefetch) {
	f.host = p.loadOf(f.on)
	f.host.documents++
	p.started[f.plans.key] = f
	if f.foreign {
		p.foreign++
	}
	p.countChild(f, 1)
}

// uncount takes that back.
func (p *prefetcher) uncount(f *prefetch) {
	p.countChild(f, -1)
	if f.foreign {
		p.foreign--
	}
	delete(p.started, f.plans.key)
	if f.host.documents--; f.host.documents == 0 {
		delete(p.hosts, f.on)
	}
}

// countChild counts a document, n being 1, for the index that lists it, or not any more, -1.
func (p *prefetcher) countChild(f *prefetch, n int) {
	if p.children[f.index] += n; p.children[f.index] == 0 {
		delete(p.children, f.index)
	}
	if f.index.isHint() {
		p.hinted += n
	}
}

// do calls f on a goroutine that has nothing else to do, or on a new one: to grow the stack of
// each takes a quarter of the CPU time of a request.
func (p *prefetcher) do(f func()) {
	select {
	case p.work <- f:
		return
	default:
	}
	p.running.Go(func() {
		for f != nil {
			f()
			f = <-p.work
		}
	})
}

// slim returns a document with what is wanted of its header, of which a server may send much.
func slim(doc *fetch.Document) *fetch.Document {
	d := *doc
	d.Header = http.Header{"Content-Type": slices.Clone(doc.Header["Content-Type"])}
	return &d
}

// keepIfAskedFor reports whether a document is being fetched as it would be now, and drops it if
// it was asked for as another index spells it, or with other validators: what comes of it must
// not depend on how far ahead was looked. Of one that was given it is enough that it is there.
func (p *prefetcher) keepIfAskedFor(c *child, v fetch.Validators) bool {
	f := p.started[c.key]
	switch {
	case f == nil:
		return false
	case f.given && !(c.fresh && f.doc.NotModified), !f.given && f.req.Validators == v && isAskedForAs(f.loc, c.loc):
		return true
	}
	p.drop(c.key)
	return false
}

// isAskedForAs reports whether the requests for two spellings of a document are the same, and its
// relative URLs.
func isAskedForAs(a, b string) bool {
	return a == b || authority(a) == authority(b) && spellingOf(a) == spellingOf(b)
}

// put takes over a document that was fetched already.
func (p *prefetcher) put(loc string, doc *fetched) {
	f := &prefetch{fetched: *doc, loc: loc, plans: &plans{key: keyOf(loc)}, given: true, n: 1, cancel: func() {}, ready: make(chan struct{})}
	close(f.ready)
	p.count(f)
}

// drop ends a document that was started: it was read, or is not wanted.
func (p *prefetcher) drop(k key) {
	if f := p.started[k]; f != nil {
		p.uncount(f)
		p.end(f)
	}
}

// end ends a document that does not count as started any more, if there is one.
func (p *prefetcher) end(f *prefetch) {
	if f == nil {
		return
	}
	f.cancel()
	<-f.ready
	if f.doc != nil {
		p.learn(f.index.below(), f.got())
	}
	f.close()
	f.countAgain(false)
	p.c.ahead.give(f.expected)
	p.end(f.kept)
}

// close ends all documents and waits for the goroutines.
func (p *prefetcher) close() {
	for _, f := range p.started {
		f.cancel()
	}
	for k := range p.started {
		p.drop(k)
	}
	close(p.work)
	p.running.Wait()
}
