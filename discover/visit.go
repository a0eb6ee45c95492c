package discover

import (
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// A walk is one run of URLs or Walk.
type walk struct {
	c       *Client
	o       *Options
	reader  *reader
	origins []string // URLs that the caller named
	seeds   map[key]*seed
	seen    map[key]*visited
	queue   queue
	ahead   *prefetcher
	trials  int // documents under way that prove lastmods: see plan.trial
	read    int // documents that were requested or taken from the Store
	sound   int // documents of which something could be read
	foreign int // documents that were requested from hosts without a grant
	failed  WalkError
	left    map[LimitError]int // documents that a limit left out
	release func()
}

// A seed is all that the seeds of one document say.
type seed struct {
	scope     trust.Scope
	referrers []*Sitemap
}

// visited is a document whose turn has come.
type visited struct {
	loc   string // where it was served; "" if no late grant is to be reported
	scope trust.Scope
	err   error // why it could not be read
}

// maxVisited is the length up to which the location of a visited document is kept: a walk must hold
// 50,000 of them.
const maxVisited = 512

// newVisited returns what is kept of n.
func newVisited(n *node) *visited {
	v := &visited{scope: n.scope}
	if len(n.sm.Loc) <= maxVisited {
		v.loc = n.sm.Loc
	}
	return v
}

// run visits the documents of the queue. It reports false if the walk must end at once.
func (w *walk) run() bool {
	for n := w.queue.pop(); n != nil; n = w.queue.pop() {
		if _, alive := w.visit(n, false); !alive {
			return false
		}
	}
	return true
}

// visit takes the turn of a node. It reports false if the walk must end at once. If probe is set,
// a document that holds no sitemap is not a failure: visit returns why. So it does for a document
// that was visited under another URL.
func (w *walk) visit(n *node, probe bool) (missed error, alive bool) {
	if err := w.reader.ctx.Err(); err != nil {
		w.reader.yield(URL{}, err)
		return nil, false
	}
	if s := w.seeds[n.key]; s != nil {
		n.scope = n.scope.With(s.scope...)
	}
	switch {
	case w.isSeen(n, n.key):
		w.drop(n)
		return nil, true
	case n.skip != "":
		d := w.reader.newDocument(n, "", 0)
		d.sum.Skipped = n.skip
		w.finish(d, time.Time{})
		return nil, true
	case w.isOver(n):
		w.drop(n)
		return nil, true
	}
	p := w.planOf(n)
	w.read++
	w.seen[n.key] = newVisited(n)
	if p.skip != "" {
		w.skip(n, p)
		return nil, true
	}
	w.ask(n)
	w.prefetch()
	f := w.ahead.take(n)
	defer f.close()
	if p.trial {
		w.trials--
	}
	return w.readDocument(n, p, f, probe)
}

// readDocument reads the answer for n. See visit for what it returns.
func (w *walk) readDocument(n *node, p *plan, f fetched, probe bool) (missed error, alive bool) {
	if err := w.reader.ctx.Err(); err != nil {
		w.reader.yield(URL{}, err)
		return nil, false
	}
	final := ""
	if f.doc != nil {
		final = f.doc.URL.String()
		if w.isServed(n, final) {
			if err := w.seen[n.final].err; err != nil && !probe {
				d := w.reader.newDocument(n, final, 0)
				d.answered(f)
				d.sum.Err = err // as often where missing documents lead to the home page
				w.finish(d, f.at)
			}
			return errVisited, true
		}
	}
	d := w.reader.newDocument(n, final, maxQueued-w.queue.size)
	d.answered(f)
	if probe {
		d.hold()
	}
	switch {
	case f.err != nil:
	case f.doc.NotModified:
		d.relist(p.record)
	case !d.read(f.doc):
		return nil, false
	}
	if probe && d.isEmpty() {
		return d.sum.Err, true
	}
	d.release()
	w.finish(d, f.at)
	w.remember(d, p, f)
	w.queue.push(d.children)
	return nil, true
}

// isServed notes that n was served at final. It reports whether that is another URL of a document
// that was visited.
func (w *walk) isServed(n *node, final string) bool {
	n.final = keyOf(final)
	if n.final != n.key && w.isSeen(n, n.final) {
		return true
	}
	if s := w.seeds[n.final]; s != nil {
		n.scope = n.scope.With(s.scope...)
	}
	v := w.seen[n.key]
	if v.scope = n.scope; n.final != n.key && len(final) <= maxVisited {
		v.loc = final
	}
	w.seen[n.final] = v
	return false
}

// isSeen reports whether the document of k was visited before, and reports a grant that comes too
// late for it.
func (w *walk) isSeen(n *node, k key) bool {
	v := w.seen[k]
	if v == nil {
		return false
	}
	if v.loc == "" || n.index.isWithin(k) {
		return true
	}
	scope := v.scope
	if g, ok := trust.OfLocation(v.loc); ok {
		scope = scope.With(g)
	}
	if len(scope.With(n.scope...)) > len(scope) {
		v.loc = "" // once a document
		if w.o.Report != nil {
			w.o.Report(n.sm, sitemap.Problem{Code: sitemap.LateGrant, Text: chars.Excerpt(n.sm.Loc)})
		}
	}
	return true
}

// isOver reports whether a limit leaves out n.
func (w *walk) isOver(n *node) bool {
	switch {
	case n.depth > w.o.maxDepth():
		w.left[LimitError{What: "depth", Max: w.o.maxDepth()}]++
	case w.read >= w.o.maxSitemaps():
		w.left[LimitError{What: "sitemaps", Max: w.o.maxSitemaps()}]++
	case n.foreign && w.foreign >= MaxForeign:
		w.left[LimitError{What: "foreign", Max: MaxForeign}]++
	default:
		if n.foreign {
			w.foreign++
		}
		return false
	}
	return true
}

// planOf returns what the Store says of n.
func (w *walk) planOf(n *node) *plan {
	if n.plan == nil {
		w.reader.memory.enter(n.seed())
		n.plan = w.reader.memory.plan(n.sm)
	}
	return n.plan
}

// request returns the request for n.
func (w *walk) request(n *node) fetch.Request {
	req := fetch.Request{URL: n.sm.Loc, Origins: w.origins, MaxBytes: w.o.Limits.Bytes}
	if p := w.planOf(n); p.conditional {
		r := p.record
		req.Validators = fetch.Validators{URL: r.Final, ETag: r.ETag, LastModified: r.LastModified}
	}
	return req
}

// ask requests the document of n, unless that has been done.
func (w *walk) ask(n *node) {
	if w.planOf(n).trial && w.ahead.asked[n.key] == nil {
		w.trials++
	}
	w.ahead.ask(n)
}

// drop gives up the document of n, if it was requested.
func (w *walk) drop(n *node) {
	if n.plan != nil && n.plan.trial && w.ahead.asked[n.key] != nil {
		w.trials--
	}
	w.ahead.drop(n)
}

// maxLookahead is how far in the queue prefetch looks for documents that are not skipped.
const maxLookahead = 1_024

// prefetch requests the documents that come next, as far as they are known and Concurrency allows.
func (w *walk) prefetch() {
	room, looked := w.c.concurrency()-1, 0
	room = min(room, w.o.maxSitemaps()-w.read)
	for n := range w.queue.next {
		if looked++; room <= 0 || looked > maxLookahead {
			return
		}
		isLeft := n.skip != "" || n.foreign || n.depth > w.o.maxDepth()
		if isLeft || n.plan != nil && n.plan.skip != "" || w.seen[n.key] != nil {
			continue
		}
		switch p := w.planOf(n); {
		case p.skip != "":
			continue
		case p.trial && w.ahead.asked[n.key] == nil && w.trials >= provedRight:
			n.plan = nil // the trials under way decide
			return
		}
		w.ask(n)
		room--
	}
}

// skip ends a document that the Store says not to read.
func (w *walk) skip(n *node, p *plan) {
	if p.record.Final != "" && w.isServed(n, p.record.Final) {
		return
	}
	d := w.reader.newDocument(n, p.record.Final, maxQueued-w.queue.size)
	d.sum.Skipped, d.partial = p.skip, p.record.Partial
	if p.record.Err != "" {
		d.sum.Err = &storedError{p.record.Err}
	}
	d.relist(p.record)
	w.finish(d, time.Time{})
	if p.skip != SkippedResume {
		r := *p.record
		w.reader.memory.end(nil, &r)
	}
	w.queue.push(d.children)
}

// A storedError is the error of a document in an earlier run.
type storedError struct{ text string }

func (e *storedError) Error() string { return e.text }

// remember stores a document that was read.
func (w *walk) remember(d *document, p *plan, f fetched) {
	m := w.reader.memory
	if m == nil {
		return
	}
	var r *record
	if d.sum.NotModified && p.record != nil {
		same := *p.record
		same.LastMod, same.Read = d.n.sm.LastMod.String(), m.now().Unix()
		r = &same
	} else {
		r = d.record(f.doc, m.now())
	}
	m.end(p.record, r)
}

// finish reports the end of a document.
func (w *walk) finish(d *document, begun time.Time) {
	d.end(begun)
	if d.lost > 0 {
		w.left[LimitError{What: "memory", Max: maxQueued}] += d.lost
	}
	if d.sum.Err != nil {
		w.failed.add(&DocumentError{d.n.sm, d.sum.Err}, 1)
		if v := w.seen[d.n.key]; v != nil {
			v.err = d.sum.Err
		}
	}
	if d.sum.Skipped != SkippedSince && d.sum.Skipped != SkippedFollow && !d.isEmpty() {
		w.sound++
	}
	if w.o.Done == nil {
		return
	}
	d.sum.Queued = w.queue.count + len(d.children)
	d.sum.Referrers = []*Sitemap{d.n.sm}
	if s := w.seeds[d.n.key]; s != nil {
		for _, sm := range s.referrers {
			if sm != d.n.sm {
				d.sum.Referrers = append(d.sum.Referrers, sm)
			}
		}
	}
	w.o.Done(d.n.sm, d.sum)
}
