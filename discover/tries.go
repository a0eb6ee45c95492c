package discover

import (
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// tries are the fetches of one document, of which there are several where its body breaks
// off before anything of it was yielded: for a fault on the way, or because the server did
// not wait until its turn had come.
type tries struct {
	n      int
	over   bool // none is to follow
	final  bool // none is, since the last one came to an error
	noted  bool // that it broke off in all of them, before its turn
	lapses int  // of them, how many were in vain before anything was read
	before before
	begun  time.Time // the first of them
	scope  Scope     // of the document, before any of them
	last   *document // the one before this
	best   *document // of those whose body broke off, the one that listed most
	kept   *prefetch // one whose body broke off that was not read yet, as others may be better
	told   int64     // offset up to which problems of them were told before it was known which counts
}

// maxHeld bounds how many problems are held back of a document that may be fetched again.
const maxHeld = 10_000

// fetchAndRead walks a document that is to be fetched. It reports false if the
// walk must end.
func (w *walk) fetchAndRead(c *child, r *record) bool {
	t := &tries{scope: c.sm.Scope, told: -1}
	defer func() { w.ahead.end(t.kept) }()
	w.restartNow(c.key)
	for {
		if !w.ahead.keepIfAskedFor(c, w.state.validators(c)) {
			w.start(c, r.parent, true)
		}
		f := w.await(c.key)
		w.fill(false)
		if err := w.parent.Err(); err != nil {
			w.yield(URL{}, err)
			return false
		}
		first := t.take(f)
		if first.err == nil && w.again(c, first, t) {
			w.ahead.drop(c.key)
			continue
		}
		goOn, again := w.try(c, r, first, t)
		if again && t.over {
			goOn, again = w.tryKept(c, r, t)
		}
		if !again {
			return goOn
		}
		w.ahead.drop(c.key)
		w.startAgain(c, r.parent, t.n)
	}
}

// take takes what was fetched of a document whose turn it is, and returns which fetch is to be
// read: the last one, unless that came to less than one before.
func (t *tries) take(f *prefetch) *fetched {
	if t.n++; t.n == 1 {
		t.n, t.begun, t.before, t.noted = f.n, f.begun, f.before, f.noted
	}
	kept := f.kept
	switch {
	case kept == nil:
	case f.err != nil || f.broken.Load() && f.doc.Received() <= kept.doc.Received():
		t.before.add(&f.fetched)
		t.before = t.before.without(&kept.fetched)
		t.final = f.err != nil
		return &kept.fetched
	default:
		t.kept, f.kept = kept, nil
	}
	return &f.fetched
}

// tryKept reads what was kept, now that those after it came to nothing.
func (w *walk) tryKept(c *child, r *record, t *tries) (goOn, again bool) {
	kept := t.kept
	t.kept, t.final = nil, true
	defer w.ahead.end(kept)
	t.before = t.before.without(&kept.fetched)
	return w.try(c, r, &kept.fetched, t)
}

// startAgain begins to fetch a document again that was fetched so many times. Others are fetched
// while it waits for that.
func (w *walk) startAgain(c *child, index *record, tries int) {
	w.ahead.take(index, true)
	w.ahead.start(c, index, w.request(c), tries, nil)
}

// maxBroken is how many documents of a host in a row may break off in all their tries. Others of
// it have one try until one does not: their tries come one after another, when the turn of each
// has come.
const maxBroken = 3

// triesOf returns how often a document may be fetched.
func (w *walk) triesOf(loc string) int {
	if w.broken[hostOf(loc)] >= maxBroken {
		return 1
	}
	return w.c.tries()
}

// noteBroken notes whether a document broke off in all its tries.
func (w *walk) noteBroken(loc string, broken bool) {
	if broken {
		w.broken[strings.Clone(hostOf(loc))]++
	} else if len(w.broken) > 0 {
		delete(w.broken, hostOf(loc))
	}
}

// maxLapses is how often a document is fetched again whose server did not wait.
const maxLapses = 2

// again reports whether a document is to be fetched again before it is read: because its
// server did not wait, or because another one than was read before says that it has not
// changed.
func (w *walk) again(c *child, f *fetched, t *tries) bool {
	switch {
	case f.doc.NotModified && !c.fresh && !w.state.isOf(c, f.doc.URL.String()):
		c.fresh = true
	case t.lapses == maxLapses || !f.doc.Lapsed():
		return false
	default:
		t.lapses++
	}
	t.count(c, f)
	return true
}

// try reads a document. It reports whether the walk goes on, and whether the document is
// to be fetched again.
func (w *walk) try(c *child, r *record, f *fetched, t *tries) (goOn, again bool) {
	if t.last != nil {
		t.last.unname()
		c.sm.Scope, r.scope, r.final = t.scope, t.scope, c.key
	}
	d := w.newDocument(c, r, f)
	d.sum.Attempts += t.before.attempts
	d.sum.Received = t.before.received
	d.toldBefore, d.told, d.begun = t.told, t.told, t.begun
	defer func() { t.told = max(t.told, d.told) }()
	if d.duplicate() {
		t.best.undo()
		return true, false
	}
	if !d.read() {
		return false, false
	}
	if f.doc != nil {
		d.sum.Received += f.doc.Received()
	}
	broken := d.canRetry()
	t.over = !broken || t.final || t.n >= w.triesOf(c.loc)
	if t.over && (t.kept == nil || d.sum.Err == nil || d.yielded > 0) {
		if !broken || !t.noted {
			w.noteBroken(c.loc, broken)
		}
		t.pick(d).end()
		return true, false
	}
	t.count(c, f)
	d.scope, t.last = c.sm.Scope, d
	if t.best == nil || len(d.kids.children) >= len(t.best.kids.children) {
		t.best.undo()
		t.best = d
	} else {
		d.undo()
	}
	return true, true
}

// count counts a fetch of c that does not count as the document.
func (t *tries) count(c *child, f *fetched) {
	t.before.add(f)
	c.waited = t.before.waited
}

// pick returns the try that counts, when d is the last one: an earlier one that broke off, where
// d failed and came to less.
func (t *tries) pick(d *document) *document {
	best := t.best
	if best == nil || d.sum.Err == nil || len(best.kids.children) <= len(d.kids.children) {
		best.undo()
		return d
	}
	d.undo()
	d.unname()
	best.name()
	best.child.sm.Scope, best.rec.scope, best.rec.final = best.scope, best.scope, best.final
	best.sum.Attempts, best.sum.Received = d.sum.Attempts, d.sum.Received
	return best
}

// report takes a problem. It is held back while another try may be the one that counts.
func (d *document) report(p sitemap.Problem) {
	d.sum.Problems[p.Code]++
	if d.telling {
		d.tell(p)
		return
	}
	if d.held = append(d.held, p); len(d.held) == maxHeld {
		d.tellHeld()
	}
}

// tellHeld tells the problems that were held back, and has others told as they come.
func (d *document) tellHeld() {
	for d.telling = true; len(d.held) > 0; d.held = d.held[1:] {
		d.tell(d.held[0])
	}
	d.held = nil
}

// tell tells of a problem, unless that was done in another try.
func (d *document) tell(p sitemap.Problem) {
	if p.Pos.Offset > d.toldBefore {
		d.told = max(d.told, p.Pos.Offset)
		d.w.report(d.child.sm, p)
	}
}
