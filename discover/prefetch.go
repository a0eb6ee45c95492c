package discover

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

const (
	// readAhead is how much of a document's body is read before its turn, on the
	// wire.
	readAhead = 8 << 20
	// aheadRoom bounds what all walks of a Client expect to have read ahead. With spareRoom
	// it is what a fetch.Client spends on bodies that nobody reads yet.
	aheadRoom = 15 << 20
	// spareRoom is what the children of the index whose turn it is have beyond that: others
	// are many, and hold theirs until their turn comes.
	spareRoom = 1 << 20
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

// fetched is a document that was asked for.
type fetched struct {
	doc   *fetch.Document
	body  io.Reader // of doc, from its start
	err   error
	begun time.Time
	before
}

// before are the fetches of a document before the one that counts.
type before struct {
	attempts int
	received int64 // bytes
	waited   time.Duration
}

// add adds the fetch of a document that does not count.
func (b *before) add(doc *fetch.Document) {
	b.attempts += doc.Attempts
	b.received += doc.Received()
	b.waited += doc.Waited()
}

func (f *fetched) close() {
	if f.doc != nil {
		f.doc.Body.Close()
	}
}

// A prefetch is a document that is being fetched.
type prefetch struct {
	fetched
	loc      string
	sent     fetch.Validators
	given    bool // it was fetched before the walk began
	cancel   context.CancelFunc
	ready    chan struct{} // closed when fetched is set
	expected int64         // bytes of the budget, of those that have come at least
	foreign  bool
	index    *record // that lists it, nil for seeds
	on       string  // authority
	host     *load   // there
}

// A load is what is asked of one host.
type load struct {
	documents int          // that are started
	asking    atomic.Int32 // of them, those that wait for their response
}

// A prefetcher fetches the documents of one walk ahead of their turn. All its
// methods are called on the ranging goroutine; the goroutines that it starts only
// get a response, and end when the walk does.
type prefetcher struct {
	c        *Client
	ctx      context.Context
	started  map[key]*prefetch
	children map[*record]int // of those that are started, by index
	work     chan func()     // taken by goroutines that have nothing to do
	asking   atomic.Int32    // how many wait for their response
	hosts    map[string]*load
	progress chan struct{} // told when one of them has it
	expected map[int]int64 // bytes of the next document at a depth, by those before
	foreign  int           // of those that are started
	running  sync.WaitGroup
	arrived  func(*fetch.Document) // is told of each, on another goroutine
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

// hasSpareRoom reports whether another child of the index whose turn it is may be fetched ahead
// whatever other documents hold.
func (p *prefetcher) hasSpareRoom(index *record) bool {
	held := p.expect(index)
	for _, f := range p.started {
		if f.index == index {
			held += f.expected
		}
	}
	return held <= spareRoom
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

// got returns how much of the body has come, of what is read ahead.
func (f *prefetch) got() int64 {
	select {
	case <-f.ready:
		if f.doc != nil {
			return min(f.doc.Received(), readAhead)
		}
	default:
	}
	return 0
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

// start begins to fetch a document, for which take was called, when told is closed, if it is
// not nil, and the time has come after so many tries.
func (p *prefetcher) start(c *child, index *record, req fetch.Request, told <-chan struct{}, tries int) {
	ctx, cancel := context.WithCancel(p.ctx)
	f := &prefetch{loc: c.loc, sent: req.Validators, cancel: cancel, ready: make(chan struct{}), expected: p.expect(index), foreign: c.foreign, index: index}
	f.on = authority(c.loc)
	f.host = p.loadOf(f.on)
	f.host.documents++
	p.started[c.key] = f
	p.children[index]++
	if c.foreign {
		p.foreign++
	}
	if tries == 0 {
		p.ask(f.host, 1)
	}
	p.do(func() {
		if tries > 0 {
			pause(ctx, tries)
			p.ask(f.host, 1)
		}
		awaitDelay(ctx, told)
		f.begun = time.Now()
		f.doc, f.err = p.c.get(ctx, req)
		if f.err == nil {
			p.arrived(f.doc)
			f.doc, f.body = slim(f.doc), f.doc.Body
		}
		p.ask(f.host, -1)
		close(f.ready)
		select {
		case p.progress <- struct{}{}:
		default:
		}
	})
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
// not depend on how far ahead was looked.
func (p *prefetcher) keepIfAskedFor(c *child, v fetch.Validators) bool {
	f := p.started[c.key]
	if f != nil && !f.given && (f.sent != v || !isAskedForAs(f.loc, c.loc)) {
		p.drop(c.key)
		f = nil
	}
	return f != nil
}

// isAskedForAs reports whether the requests for two spellings of a document are the same, and its
// relative URLs.
func isAskedForAs(a, b string) bool {
	return a == b || authority(a) == authority(b) && spellingOf(a) == spellingOf(b)
}

// put takes over a document that was fetched already.
func (p *prefetcher) put(loc string, doc *fetched) {
	f := &prefetch{fetched: *doc, loc: loc, given: true, cancel: func() {}, ready: make(chan struct{})}
	close(f.ready)
	p.started[keyOf(loc)] = f
	p.children[nil]++
}

// wait returns the document k when it has come, or when the walk's context ends.
// Meanwhile fill is called whenever another one has come.
func (p *prefetcher) wait(k key, fill func()) *prefetch {
	f := p.started[k]
	for {
		select {
		case <-f.ready:
			return f
		default:
		}
		fill()
		select {
		case <-f.ready:
			return f
		case <-p.progress:
		}
	}
}

// drop ends a document that was started: it was read, or is not wanted.
func (p *prefetcher) drop(k key) {
	f := p.started[k]
	if f == nil {
		return
	}
	delete(p.started, k)
	if p.children[f.index]--; p.children[f.index] == 0 {
		delete(p.children, f.index)
	}
	if f.host != nil {
		if f.host.documents--; f.host.documents == 0 {
			delete(p.hosts, f.on)
		}
	}
	if f.foreign {
		p.foreign--
	}
	f.cancel()
	<-f.ready
	if f.doc != nil {
		p.learn(f.index.below(), f.got())
	}
	f.close()
	p.c.ahead.give(f.expected)
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
