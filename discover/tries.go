package discover

import "github.com/seed-322c453a/sitemap"

// tries are the fetches of one document, of which there are several where its body breaks
// off before anything of it was yielded: for a fault on the way, or because the server did
// not wait until its turn had come.
type tries struct {
	n        int
	attempts int       // of those before
	best     *document // of those whose body broke off, the one that listed most
	told     int64     // up to here problems were reported of those before
}

// fetchAndRead walks a document that is to be fetched. It reports false if the
// walk must end.
func (w *walk) fetchAndRead(c *child, r *record) bool {
	t := &tries{told: -1}
	for t.n = 1; ; t.n++ {
		if w.ahead.started[c.key] == nil {
			w.start(c, true)
		}
		f := w.ahead.wait(c.key, func() { w.fill(true) })
		w.fill(false)
		if err := w.parent.Err(); err != nil {
			w.yield(URL{}, err)
			return false
		}
		if f.err == nil && w.again(c, &f.fetched, t) {
			w.ahead.drop(c.key)
			continue
		}
		goOn, again := w.try(c, r, &f.fetched, t)
		if !again {
			return goOn
		}
		w.ahead.drop(c.key)
		if err := pause(w.ctx, t.n); err != nil {
			w.yield(URL{}, w.parent.Err())
			return false
		}
	}
}

// maxLapses is how often a document is fetched that is to be fetched again before it is
// read.
const maxLapses = 3

// again reports whether a document is to be fetched again before it is read: because its
// server did not wait, or because another one than was read before says that it has not
// changed.
func (w *walk) again(c *child, f *fetched, t *tries) bool {
	switch {
	case t.n >= maxLapses:
		return false
	case f.doc.NotModified && !w.state.isOf(c, f.doc.URL.String()):
		c.fresh = true
	case !f.doc.Lapsed():
		return false
	}
	t.attempts += f.doc.Attempts
	c.waited += f.doc.Waited()
	return true
}

// try reads a document. It reports whether the walk goes on, and whether the document is
// to be fetched again.
func (w *walk) try(c *child, r *record, f *fetched, t *tries) (goOn, again bool) {
	d := w.newDocument(c, r, f)
	d.sum.Attempts += t.attempts
	d.told, d.reported = t.told, t.told
	if d.duplicate() {
		t.keepBest(nil)
		return true, false
	}
	if !d.read() {
		return false, false
	}
	if !d.canRetry() || t.n >= w.c.tries() {
		t.keepBest(d)
		d.end()
		return true, false
	}
	t.attempts, t.told = d.sum.Attempts, d.reported
	c.waited += f.doc.Waited()
	t.keepBest(d)
	t.best = d
	return true, true
}

// keepBest gives d, where it was cut short, the children of an earlier try that came to
// more of them, and forgets the others. A nil d takes none.
func (t *tries) keepBest(d *document) {
	best := t.best
	switch t.best = nil; {
	case best == nil:
	case d != nil && d.sum.Err != nil && len(best.kids.children) > len(d.kids.children):
		d.undo()
		d.kids, d.listed = best.kids, best.listed
	default:
		best.undo()
	}
}

// report tells of a problem, unless that was done when the document was read before.
func (d *document) report(p sitemap.Problem) {
	d.sum.Problems[p.Code]++
	if p.Pos.Offset > d.told {
		d.reported = max(d.reported, p.Pos.Offset)
		d.w.report(d.child.sm, p)
	}
}
