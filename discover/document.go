package discover

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"strconv"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/parse"
)

// A reader is what all documents of a walk are read with.
type reader struct {
	ctx      context.Context // the caller's
	o        *Options
	sites    []string // hosts that URL.OnSite means
	verifier *verifier
	memory   *memory
	yield    func(URL, error) bool
}

// A document is one that a walk reads, on the ranging goroutine.
type document struct {
	*reader
	n        *node
	judge    *judge
	sum      Summary
	levels   [trust.Caller + 1]int64 // pages by verdict
	children []*node
	listed   []childRecord // for the Store
	digest   hash.Hash     // of the entries, for the Store
	buf      []byte
	room     int               // bytes of memory that the children may still take
	lost     int               // children that found no room
	partial  bool              // something was left out
	held     []sitemap.Problem // of a known path that may not hold a sitemap
	index    struct {          // what isForeign has found out
		asked, final, authority string
		foreign                 bool
	}
}

// newDocument returns the document of n, served at final, whose children may take room bytes.
func (r *reader) newDocument(n *node, final string, room int) *document {
	scope := n.scope
	if g, ok := trust.OfLocation(final); ok {
		scope = scope.With(g)
	}
	d := &document{reader: r, n: n, judge: newJudge(scope, r.sites), room: room}
	d.sum.URL, d.sum.FinalURL = n.sm.Loc, final
	d.sum.Problems = map[sitemap.Code]int{}
	d.index.asked, d.index.final = authority(n.sm.Loc), authority(final)
	r.memory.enter(n.seed())
	if r.memory != nil {
		d.digest = sha256.New()
	}
	return d
}

// answered takes what the response says.
func (d *document) answered(f fetched) {
	var fe *fetch.Error
	switch {
	case f.doc != nil:
		d.sum.Status, d.sum.Attempts, d.sum.Hops = f.doc.Status, f.doc.Attempts, f.doc.Hops
		d.sum.NotModified, d.sum.Received = f.doc.NotModified, f.doc.Received
	case errors.As(f.err, &fe):
		d.sum.Status, d.sum.Attempts, d.sum.Hops = fe.Status, fe.Attempts, fe.Hops
	}
	d.sum.Err = f.err
}

// read reads the body and yields its pages. It reports false if the walk must end.
func (d *document) read(doc *fetch.Document) bool {
	if d.o.Fetched != nil {
		d.o.Fetched(d.n.sm, doc)
	}
	rd, err := parse.NewReader(doc.Body, &sitemap.Options{
		Base:           doc.URL,
		ContentType:    doc.Header.Get("Content-Type"),
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

// alive reports whether the caller's context has not ended, and yields its error if it has.
func (d *document) alive() bool {
	err := d.ctx.Err()
	if err != nil {
		d.yield(URL{}, err)
	}
	return err == nil
}

// entry takes one entry. It reports false if the walk must end.
func (d *document) entry(e *sitemap.Entry) bool {
	if d.ctx.Err() != nil {
		return d.alive()
	}
	if d.held != nil {
		d.release()
	}
	if d.digest != nil {
		d.addDigest(e)
	}
	switch {
	case e.Kind == sitemap.Sitemap:
		d.child(e)
	case d.o.Excludes(e.LastMod):
		d.partial = true
	default:
		return d.page(e)
	}
	return true
}

// addDigest adds to the digest what would make the document another one. Extensions are left out:
// Options.SkipExtensions may change between runs.
func (d *document) addDigest(e *sitemap.Entry) {
	b := append(d.buf[:0], e.Loc...)
	b = append(e.LastMod.AppendTo(append(b, '\n')), '\n', byte(e.ChangeFreq), byte(e.Kind))
	d.buf = append(strconv.AppendFloat(b, e.Priority.Or(-1), 'g', -1, 64), '\n')
	d.digest.Write(d.buf)
}

// page judges a page and yields it.
func (d *document) page(e *sitemap.Entry) bool {
	minTrust := d.o.minTrust()
	level, grant, host := d.judge.trust(e.Loc)
	if level < max(minTrust, trust.Variant) && minTrust <= trust.Verified && !host.asked {
		host.asked = true
		if g, ok := d.verifier.verify(d.n, host.origin); ok {
			d.judge.add(g)
			level, grant, host = d.judge.trust(e.Loc)
		}
	}
	d.levels[level]++
	if level < minTrust {
		d.partial = true
		d.report(sitemap.Problem{
			Code: sitemap.UntrustedLoc, Pos: e.Pos, Field: "loc", Text: chars.Excerpt(e.Loc), Dropped: true,
		})
		return true
	}
	var change Change
	if d.memory != nil {
		change = d.memory.change(e.Loc, e.LastMod)
		if change == Unchanged && d.o.OnlyChanged {
			return true
		}
	}
	return d.yield(URL{
		Entry: *e, Sitemap: d.n.sm, Trust: level, Grant: grant, Change: change, OnSite: host.onSite,
	}, nil)
}

// child takes a child of an index.
func (d *document) child(e *sitemap.Entry) {
	if d.isForeign(e.Loc) {
		d.report(sitemap.Problem{
			Code: sitemap.ForeignChild, Pos: e.Pos, Field: "loc", Text: chars.Excerpt(e.Loc),
		})
	}
	d.list(e.Loc, e.LastMod)
}

// list adds a child.
func (d *document) list(loc string, lastMod sitemap.Time) {
	if d.memory != nil {
		d.listed = append(d.listed, childRecord{loc, storedTime(lastMod)})
	}
	n := &node{
		sm:    &Sitemap{Loc: loc, LastMod: lastMod, Referrer: d.n.sm},
		key:   keyOf(loc),
		scope: d.judge.scope,
		index: d.n,
		depth: d.n.depth + 1,
	}
	n.foreign = d.isForeign(loc) && !d.covers(loc)
	if d.room -= n.cost(); d.room < 0 {
		d.lost++
		return
	}
	switch {
	case d.o.Excludes(lastMod):
		n.skip = SkippedSince
	case d.o.Follow != nil && !d.o.Follow(n.sm):
		n.skip = SkippedFollow
	}
	d.children = append(d.children, n)
}

// covers reports whether a grant of the document covers loc.
func (d *document) covers(loc string) bool {
	level, _ := d.judge.scope.Judge(loc)
	return level > trust.Untrusted
}

// isForeign reports whether a child is on another host than the index, by both of the index's
// URLs. Most children of an index are on one host.
func (d *document) isForeign(loc string) bool {
	x := &d.index
	if a := authority(loc); a != x.authority {
		x.authority = a
		x.foreign = !sameHost(a, x.asked) && !sameHost(a, x.final)
	}
	return x.foreign
}

func sameHost(a, b string) bool {
	if a == b {
		return true
	}
	x, _, err := location.ParseOrigin(a)
	y, _, otherErr := location.ParseOrigin(b)
	return err == nil && otherErr == nil && x.Host == y.Host
}

// relist adds the children that the Store remembers of a document that is not read.
func (d *document) relist(r *record) {
	for _, c := range r.Children {
		d.list(c.Loc, parseStoredTime(c.LastMod))
	}
}

// maxHeld bounds document.held.
const maxHeld = 1_000

// report counts a problem and hands it to the caller. Those of a known path wait until it is known
// to hold a sitemap.
func (d *document) report(p sitemap.Problem) {
	d.sum.Problems[p.Code]++
	switch {
	case d.held != nil && len(d.held) < maxHeld:
		d.held = append(d.held, p)
	case d.o.Report != nil && d.held == nil:
		d.o.Report(d.n.sm, p)
	}
}

// hold makes report wait for release.
func (d *document) hold() { d.held = []sitemap.Problem{} }

// release hands on the problems that were held.
func (d *document) release() {
	held := d.held
	d.held = nil
	for _, p := range held {
		if d.o.Report != nil {
			d.o.Report(d.n.sm, p)
		}
	}
}

// end completes the summary.
func (d *document) end(begun time.Time) {
	d.sum.Scope = d.judge.scope
	d.sum.ByTrust = map[trust.Level]int64{}
	for level, n := range d.levels {
		if n > 0 {
			d.sum.ByTrust[trust.Level(level)] = n
		}
	}
	if !begun.IsZero() {
		d.sum.Elapsed = time.Since(begun)
	}
}

// isEmpty reports whether the document failed before anything came of it.
func (d *document) isEmpty() bool {
	return d.sum.Err != nil && d.sum.Entries == 0 && len(d.children) == 0 && !d.partial
}

// record returns what the Store keeps of a document that was read.
func (d *document) record(doc *fetch.Document, now time.Time) *record {
	r := &record{
		URL: d.n.sm.Loc, Final: d.sum.FinalURL, LastMod: d.n.sm.LastMod.String(),
		Children: d.listed, Read: now.Unix(),
		Partial: d.partial || d.sum.Err != nil && !d.isEmpty(),
	}
	var fe *fetch.Error
	switch {
	case d.sum.Err != nil:
		r.Err = chars.Excerpt(d.sum.Err.Error())
		if errors.As(d.sum.Err, &fe) && fe.RetryAfter > 0 {
			r.Retry = now.Add(fe.RetryAfter).Unix()
		}
	default:
		r.Digest = d.digest.Sum(nil)[:16]
		r.ETag, r.LastModified = doc.ETag, doc.LastModified
	}
	return r
}
