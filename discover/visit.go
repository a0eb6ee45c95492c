package discover

import (
	"errors"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// maxVisited is the length up to which the scope of a document is kept by its location: a walk must
// hold 50,000 of them.
const maxVisited = 256

// visit takes the turn of a node. It reports false if the walk must end at once. If probe is set, a
// document that is not a sitemap, or was visited under another URL, is not a failure: visit returns
// the cause as missed.
func (w *walk) visit(n *node, probe bool) (missed error, alive bool) {
	if !w.alive() {
		return nil, false
	}
	switch {
	case w.isSeen(n, n.key), n.skip == "" && w.isOver(n):
		w.ahead.drop(n.key)
		return nil, true
	case n.skip != "":
		d := w.newDocument(n, answer{}, "")
		d.sum.Skipped = n.skip
		w.finish(d)
		return nil, true
	}
	p := w.planOf(n)
	w.memory.complete(n, p)
	w.read++
	w.seen[n.key] = &visited{}
	if p.skip != "" {
		w.skip(n, p)
		return nil, w.alive()
	}
	req := w.request(n, false)
	w.ahead.ask(n.key, req)
	w.prefetch()
	got := w.ahead.take(n.key, req)
	defer got.close()
	if !w.alive() {
		return nil, false
	}
	return w.take(n, p, got, probe)
}

// take reads the answer to the request for n. See visit for the results.
func (w *walk) take(n *node, p *plan, got answer, probe bool) (missed error, alive bool) {
	final := ""
	if got.doc != nil {
		final = got.doc.URL.String()
	}
	other := w.servedBefore(n, final)
	d := w.newDocument(n, got, final)
	switch {
	case other != nil && probe:
		return errVisited, true
	case other != nil && other.err != nil:
		d.sum.Err = other.err // often, missing documents redirect to the home page
		w.finish(d)
		return nil, true
	case other != nil:
		w.o.report(n.sm, sitemap.Problem{Code: sitemap.DuplicateLoc, Text: chars.Excerpt(final)})
		return nil, true
	case probe:
		d.hold()
	}
	w.keepScope(d)
	switch {
	case got.err != nil:
	case got.doc.NotModified && p.record == nil: // by Options.Validators
	case got.doc.NotModified:
		d.relist(p.record)
	case !d.read():
		return nil, false
	}
	if probe && d.isEmpty() {
		w.seen[n.key].err = d.sum.Err // for documents that redirect to the same page
		return d.sum.Err, true
	}
	d.release()
	children := w.memory.keep(n, p.record, d.children)
	w.finish(d)
	d.remember(p.record, children)
	d.queueChildren()
	return nil, w.alive()
}

// servedBefore notes that n was served at final. It returns the document that was visited there
// under another URL, or nil.
func (w *walk) servedBefore(n *node, final string) *visited {
	if final == "" {
		return nil
	}
	n.final = keyOf(final)
	if n.final == n.key {
		return nil
	}
	if w.isSeen(n, n.final) {
		return w.seen[n.final]
	}
	w.seen[n.final] = w.seen[n.key]
	return nil
}

// keepScope remembers the scope of a document, to recognise a grant that is found too late.
func (w *walk) keepScope(d *document) {
	if len(d.n.sm.Loc) <= maxVisited && len(d.sum.FinalURL) <= maxVisited {
		v := w.seen[d.n.key]
		v.scope, v.isKnown = d.judge.scope, true
	}
}

// isSeen reports whether the document of k was visited before, and reports a grant that is found
// too late for it.
func (w *walk) isSeen(n *node, k key) bool {
	v := w.seen[k]
	if v == nil || !v.isKnown || n.index.isWithin(k) {
		return v != nil
	}
	if len(v.scope.With(n.above...)) > len(v.scope) {
		v.isKnown = false // once for each document
		w.o.report(n.sm, sitemap.Problem{Code: sitemap.LateGrant, Text: chars.Excerpt(n.sm.Loc)})
	}
	return true
}

// isOver reports whether a limit leaves out n.
func (w *walk) isOver(n *node) bool {
	switch {
	case n.depth > w.o.maxDepth():
		w.left[LimitError{What: LimitDepth, Max: w.o.maxDepth()}]++
	case w.read >= w.o.maxSitemaps():
		w.left[LimitError{What: LimitSitemaps, Max: w.o.maxSitemaps()}]++
	case n.foreign && w.foreign >= MaxForeign:
		w.left[LimitError{What: LimitForeign, Max: MaxForeign}]++
	default:
		if n.foreign {
			w.foreign++
		}
		return false
	}
	return true
}

// planOf returns the plan of n, by what the Store remembers.
func (w *walk) planOf(n *node) *plan {
	if n.plan == nil {
		n.plan = w.memory.plan(n)
	}
	return n.plan
}

// request returns the request for n, before its turn if ahead is set.
func (w *walk) request(n *node, ahead bool) fetch.Request {
	req := fetch.Request{
		URL: n.sm.Loc, Origins: w.named(n.host, n.seed), MaxBytes: w.o.Limits.Bytes, Ahead: ahead,
	}
	if w.memory == nil && w.o.Validators != nil {
		req.Validators = w.o.Validators(n.sm)
	}
	if p := w.planOf(n); p.conditional {
		req.Validators = fetch.Validators{
			URL: p.record.Final, ETag: p.record.ETag, LastModified: p.record.LastModified,
		}
	}
	return req
}

// maxLookahead is how far in the queue prefetch looks for documents that are not skipped.
const maxLookahead = 1_024

// prefetch requests the documents that come next, as far as they are known and Concurrency allows.
func (w *walk) prefetch() {
	room, looked, trials := w.c.concurrency()-1, 0, 0
	room = min(room, w.o.maxSitemaps()-w.read)
	for n := range w.queue.next {
		if looked++; room <= 0 || looked > maxLookahead {
			return
		}
		isLeft := n.skip != "" || n.foreign || n.depth > w.o.maxDepth()
		if isLeft || n.plan != nil && n.plan.skip != "" || w.seen[n.key] != nil {
			continue
		}
		p := w.planOf(n)
		if p.skip != "" {
			continue
		}
		if p.trial {
			if trials++; trials > provedRight {
				n.plan = nil // wait for the outcome of the trials under way
				return
			}
		}
		w.ahead.ask(n.key, w.request(n, true))
		room--
	}
}

// skip ends a document that is not read because of the Store.
func (w *walk) skip(n *node, p *plan) {
	if w.servedBefore(n, p.record.Final) != nil {
		return
	}
	d := w.newDocument(n, answer{}, p.record.Final)
	w.keepScope(d)
	d.sum.Skipped, d.partial = p.skip, p.record.Partial
	if p.record.Err != "" {
		d.sum.Err = errors.New(p.record.Err) // of an earlier run
	}
	d.relist(p.record)
	w.finish(d)
	switch {
	case d.sum.Err == errDamagedRecord:
		d.remember(nil, family{})
	case p.skip == SkippedState:
		r := *p.record
		d.recorder.end(nil, &r)
	}
	d.queueChildren()
}

// finish reports the end of a document.
func (w *walk) finish(d *document) {
	d.end()
	if d.lost > 0 {
		w.left[LimitError{What: LimitMemory, Max: maxQueued}] += d.lost
	}
	if d.sum.Err != nil {
		w.failed.add(&DocumentError{d.n.sm, d.sum.Err})
		if v := w.seen[d.n.key]; v != nil {
			v.err = d.sum.Err
		}
	}
	if d.sum.Skipped != SkippedSince && d.sum.Skipped != SkippedFollow && !d.isEmpty() {
		w.sound++
	}
	if m := w.memory; m != nil && m.other && !w.otherTold {
		w.otherTold = true
		d.report(sitemap.Problem{Code: sitemap.StoreFormat, Text: d.n.sm.Loc})
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
