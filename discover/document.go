package discover

import (
	"errors"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/parse"
)

// A document is a sitemap during its turn in a walk. It is read on the ranging goroutine.
type document struct {
	*walk
	n        *node
	got      answer
	judge    *judge
	recorder *recorder
	sum      Summary
	levels   [trust.Caller + 1]int64 // pages by verdict
	children []*node
	room     int               // bytes of memory that the children may still take
	lost     int               // children for which there was no room
	partial  bool              // something was left out
	listed   time.Time         // end of the lastmod that an index lists; zero if a page is newer
	held     []sitemap.Problem // of a known path that may not hold a sitemap
}

// newDocument returns the document of n for an answer. Final is the URL that answered, or "".
func (w *walk) newDocument(n *node, got answer, final string) *document {
	scope := n.above
	if final != "" {
		scope = w.scopeOf(n, got, final)
	}
	d := &document{
		walk: w, n: n, got: got,
		judge:    newJudge(scope, w.sites, w.o.minTrust(), n.sm.Loc, final),
		recorder: newRecorder(w.memory, n.seed.site),
		room:     maxQueued - w.queue.size,
	}
	d.judge.verify = func(o location.Origin) (trust.Grant, bool) {
		return w.verifier.verify(w.ctx, n, o, w.named(o.Host, n.seed))
	}
	if n.index != nil {
		d.listed = datetime.EndOf(n.sm.LastMod)
	}
	d.sum.URL, d.sum.FinalURL, d.sum.Err = n.sm.Loc, final, got.err
	d.sum.Problems = map[sitemap.Code]int{}
	var fe *fetch.Error
	switch doc := got.doc; {
	case doc != nil:
		d.sum.Status, d.sum.Attempts, d.sum.Hops = doc.Status, doc.Attempts, doc.Hops
		d.sum.NotModified, d.sum.Received = doc.NotModified, doc.Received
		d.sum.Validators, d.sum.Fresh = doc.Validators, doc.Fresh()
	case errors.As(got.err, &fe):
		d.sum.Status, d.sum.Attempts, d.sum.Hops = fe.Status, fe.Attempts, fe.Hops
	}
	return d
}

// read reads the body and yields its pages. It reports false if the walk must end.
func (d *document) read() bool {
	doc := d.got.doc
	d.sum.Fetched, d.sum.ContentType = time.Now(), doc.Header.Get("Content-Type")
	d.o.fetched(d.n.sm, doc)
	rd, err := parse.NewReader(doc.Body, &sitemap.Options{
		Base:           doc.URL,
		ContentType:    d.sum.ContentType,
		Limits:         d.o.Limits,
		SkipExtensions: d.o.SkipExtensions,
		Report:         d.report,
	})
	if err != nil {
		d.sum.Err = err
		return d.alive()
	}
	for e, err := range rd.Entries() {
		if err != nil {
			d.sum.Err = err
			break
		}
		if !d.entry(&e) {
			return false
		}
	}
	problems := d.sum.Problems // with those of the walk
	d.sum.Summary = rd.Summary()
	d.sum.Problems = problems
	return d.alive()
}

// entry takes one entry. It reports false if the walk must end.
func (d *document) entry(e *sitemap.Entry) bool {
	if d.ctx.Err() != nil {
		return d.alive()
	}
	if d.held != nil {
		d.release()
	}
	isPage := e.Kind != sitemap.Sitemap
	v := d.judge.verdictOn(e.Loc, isPage)
	excluded, isLate := d.o.judgeDate(e.LastMod, d.listed)
	isTrusted := v.level >= d.judge.least
	change := d.recorder.add(e, isPage && isTrusted && !excluded)
	if !isPage && v.foreign {
		d.reportEntry(sitemap.ForeignChild, e)
	}
	if isPage && isLate {
		d.listed = time.Time{} // once for each document
		d.reportEntry(sitemap.IndexLastModOld, e)
	}
	if isPage && !excluded && !isTrusted {
		d.reportEntry(sitemap.UntrustedLoc, e)
	}
	switch {
	case d.memory.Err() != nil:
		return d.alive()
	case !isPage:
		d.add(d.n.newChild(e.Loc, e.LastMod, v, d.judge.scope), excluded)
		return true
	case excluded:
		d.partial = true
		return true
	}
	d.levels[v.level]++
	switch {
	case !isTrusted:
		d.partial = true
		return true
	case change == Unchanged && d.o.OnlyChanged:
		return true
	}
	return d.yield(URL{
		Entry: *e, Sitemap: d.n.sm, Trust: v.level, Grant: v.grant, Change: change,
		OnSite: v.onSite,
	}, nil)
}

// reportEntry reports a problem of an entry.
func (d *document) reportEntry(code sitemap.Code, e *sitemap.Entry) {
	p := sitemap.Problem{Code: code, Pos: e.Pos, Field: "loc", Text: chars.Excerpt(e.Loc)}
	if code == sitemap.IndexLastModOld {
		p.Field, p.Text = "lastmod", e.LastMod.String()
	}
	p.Dropped = code == sitemap.UntrustedLoc
	d.report(p)
}

// add adds a child. Excluded says that Since leaves it out.
func (d *document) add(n *node, excluded bool) {
	if d.room -= n.cost(); d.room < 0 {
		d.lost++
		d.partial = true
		return
	}
	switch {
	case excluded && !d.o.IgnoreIndexLastMod:
		n.skip = SkippedSince
	case d.o.Follow != nil && !d.o.Follow(n.sm):
		n.skip = SkippedFollow
	}
	d.children = append(d.children, n)
}

// queueChildren puts the children into the queue, in the order in which they are to be read.
func (d *document) queueChildren() {
	if d.o.Newest {
		slices.SortStableFunc(d.children, func(a, b *node) int {
			return b.sm.LastMod.Start().Compare(a.sm.LastMod.Start())
		})
	}
	d.queue.push(d.children)
}

// relist adds the children that the Store remembers of a document that is not read.
func (d *document) relist(r *record) {
	ok := d.memory.children(d.n.seed.site, r, func(loc string, lastMod sitemap.Time) {
		v := d.judge.verdictOn(loc, false)
		d.add(d.n.newChild(loc, lastMod, v, d.judge.scope), d.o.Excludes(lastMod))
	})
	if d.lost += r.Lost; !ok {
		d.sum.Err = errDamagedRecord
	}
}

var errDamagedRecord = errors.New("a part of its record in the Store is missing")

// maxHeld bounds document.held.
const maxHeld = 1_000

// report counts a problem and hands it to the caller. Those of a known path wait until it is known
// to hold a sitemap.
func (d *document) report(p sitemap.Problem) {
	d.sum.Problems[p.Code]++
	if p.Dropped {
		d.sum.Dropped++
	}
	switch {
	case d.held == nil:
		d.o.report(d.n.sm, p)
	case len(d.held) < maxHeld:
		d.held = append(d.held, p)
	}
}

// hold makes report wait for release.
func (d *document) hold() { d.held = []sitemap.Problem{} }

// release hands on the problems that were held.
func (d *document) release() {
	for _, p := range d.held {
		d.o.report(d.n.sm, p)
	}
	d.held = nil
}

// end completes the summary.
func (d *document) end() {
	d.sum.Scope = d.judge.scope
	d.sum.ByTrust = map[trust.Level]int64{}
	for level, n := range d.levels {
		if n > 0 {
			d.sum.ByTrust[trust.Level(level)] = n
		}
	}
	if !d.got.at.IsZero() {
		d.sum.Elapsed = time.Since(d.got.at)
	}
}

// isEmpty reports whether the document failed before its first entry.
func (d *document) isEmpty() bool {
	return d.sum.Err != nil && d.sum.Entries == 0 && len(d.children) == 0 && !d.partial
}

// remember stores the record of the document, which was read or answered with 304.
func (d *document) remember(old *record, children family) {
	m := d.memory
	if m == nil {
		return
	}
	now := time.Now().Unix()
	if d.sum.NotModified && d.sum.Err == nil && old != nil {
		same := *old
		same.LastMod, same.Read = m.past(d.n.sm.LastMod).String(), now
		d.recorder.end(old, &same)
		return
	}
	r := &record{
		URL: d.n.sm.Loc, Final: d.sum.FinalURL, LastMod: m.past(d.n.sm.LastMod).String(),
		family: children, Lost: d.lost, Read: now,
		Partial: d.partial || d.sum.Err != nil && !d.isEmpty(),
	}
	if d.sum.Err != nil {
		r.Err = chars.Excerpt(d.sum.Err.Error())
	} else {
		r.Digest = d.recorder.digest.Sum(nil)[:16]
		r.ETag, r.LastModified = d.got.doc.ETag, d.got.doc.LastModified
	}
	d.recorder.end(old, r)
}
