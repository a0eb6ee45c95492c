package discover

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/turn"
	"github.com/seed-322c453a/sitemap/parse"
)

// A document is one that a walk reads.
type document struct {
	w     *walk
	child *child
	rec   *record
	f     *fetched
	host  string // that answered
	judge *judge
	kids  *frame
	scope Scope // of a try that is over
	sum   Summary

	final  key     // of the URL that answered
	former *record // that was known by it
	trusts [ByCaller + 1]int64
	digest digest
	listed kids // for the State

	lastAuthority string // of the last child
	lastForeign   bool

	begun      time.Time // the first try
	broken     bool      // its body broke off, and not behind all that it has
	yielded    int64
	dropped    bool     // URLs were, since they are not trusted
	unverified []string // origins of such URLs that were asked and did not vouch
	verified   []string // origins that did

	held             []sitemap.Problem // until it is known that this try counts
	telling          bool              // it is
	toldBefore, told int64             // see tries.told: by earlier tries, and with this one
}

func (w *walk) newDocument(c *child, r *record, f *fetched) *document {
	d := &document{w: w, child: c, rec: r, f: f, kids: &frame{index: r}, digest: w.state.digest(w.o.SkipExtensions)}
	d.sum.Problems = map[sitemap.Code]int{}
	if f.err == nil {
		d.sum.FinalURL = f.doc.URL.String()
		d.sum.Status, d.sum.Attempts, d.sum.Hops = f.doc.Status, f.doc.Attempts, f.doc.Hops
		d.sum.FirstByte, d.sum.NotModified = f.doc.FirstByte, f.doc.NotModified
	} else {
		d.sum.answered(f.err)
	}
	return d
}

// answered takes from an error what it says of the responses.
func (s *Summary) answered(err error) {
	var fe *fetch.Error
	if errors.As(err, &fe) {
		s.Status, s.Attempts, s.Hops = fe.Status, fe.Attempts, fe.Hops
	}
}

// duplicate reports whether the document that answered is one that was begun
// before under another URL, which then has the grants of both.
func (d *document) duplicate() bool {
	if d.f.err != nil {
		return false
	}
	g := &d.w.graph
	d.final = d.child.key
	if d.sum.FinalURL != d.child.loc {
		d.final = keyOf(d.sum.FinalURL)
	}
	before := g.byKey[d.final]
	if before == nil || before == d.rec || before.unread {
		d.name()
		d.takeScope(d.sum.FinalURL, d.final)
		return false
	}
	d.w.state.relisted(before, d.child.lastMod)
	g.byKey[d.child.key] = before
	if len(before.keys) < maxKeys {
		before.keys = append(before.keys, d.child.key)
	}
	if p := d.rec.parent; p != nil {
		p.kids = p.kids[:len(p.kids)-1]
	}
	g.meet(d.rec.parent, d.child.sm.Scope.With(d.w.verified(d.rec)...), before)
	return true
}

// name has the document known by the URL that answered.
func (d *document) name() {
	byKey := d.w.graph.byKey
	d.former, byKey[d.final] = byKey[d.final], d.rec
}

// unname takes that back.
func (d *document) unname() {
	switch byKey := d.w.graph.byKey; {
	case d.f.err != nil || byKey[d.final] != d.rec:
	case d.former == nil:
		delete(byKey, d.final)
	default:
		byKey[d.final] = d.former
	}
}

// takeScope gives the document its grants: those of all that name it by final,
// the URL that answered, whose key is k, and that of its location.
func (d *document) takeScope(final string, k key) {
	sm := d.child.sm
	sm.Scope = d.w.withSeeds(sm.Scope, k)
	if g, ok := LocationGrant(final); ok {
		sm.Scope = sm.Scope.With(g)
	}
	d.host = hostOf(final)
	d.rec.final = k
	d.rec.scope = sm.Scope
	d.judge = newJudge(sm.Scope, d.w.sites)
}

// read reads the document. It reports false if the walk must end.
func (d *document) read() bool {
	if d.f.err != nil {
		d.sum.Err = d.f.err
		return true
	}
	if d.sum.NotModified {
		if e := d.w.state.read(d.child.loc); e != nil {
			d.relist(e) // what it listed before
		}
		return d.alive()
	}
	rd, err := parse.NewReader(d.w.patiently(d.f.body), &sitemap.Options{
		Base:           d.f.doc.URL,
		ContentType:    d.f.doc.Header.Get("Content-Type"),
		Limits:         d.w.o.Limits,
		SkipExtensions: d.w.o.SkipExtensions,
		Report:         d.report,
	})
	if err != nil {
		d.sum.Err = err
		d.broken = d.breaksOff(err) || d.isCut(err)
		return d.alive()
	}
	for e, err := range rd.Entries() {
		if err != nil {
			var whole *input.AfterRoot
			d.sum.Err, d.broken = err, errors.Is(err, fetch.ErrBody) && !errors.As(err, &whole) || d.isCut(err)
			break
		}
		if !d.entry(&e) {
			return false
		}
	}
	problems := d.sum.Problems
	d.sum.Summary = rd.Summary()
	d.sum.Problems = problems
	return d.alive()
}

// alive reports whether the walk's context is, and ends the walk if it is not.
func (d *document) alive() bool {
	err := d.w.parent.Err()
	if err != nil {
		d.tellHeld()
		d.w.yield(URL{}, err)
	}
	return err == nil
}

// entry takes one entry. It reports false if the walk must end.
func (d *document) entry(e *sitemap.Entry) bool {
	if d.w.ctx.Err() != nil {
		return d.alive()
	}
	if d.digest.h != nil {
		d.digest.entry(e)
	}
	if e.Kind == sitemap.Sitemap {
		d.list(e)
		return true
	}
	if d.child.listed {
		return true
	}
	if d.w.o.LeavesOut(e.LastMod) {
		return true
	}
	return d.page(e)
}

// page judges a page and yields it.
func (d *document) page(e *sitemap.Entry) bool {
	o := d.w.o
	trust, h := d.judge.trust(e.Loc)
	if trust < max(o.minTrust(), ByVariant) && o.minTrust() <= ByVerification && !h.asked {
		h.asked = true
		if g, ok := d.w.verify(d.rec, h.origin); ok {
			d.judge.add(g)
			d.takeVerified(g, h.origin)
			trust, h = d.judge.trust(e.Loc)
		} else {
			d.notVerified(h.origin)
		}
	}
	d.trusts[trust]++
	if trust < o.minTrust() {
		d.dropped = true
		d.report(sitemap.Problem{Code: sitemap.UntrustedLoc, Pos: e.Pos, Field: "loc", Text: clip(e.Loc), Dropped: true})
		return true
	}
	if !d.telling {
		d.tellHeld()
	}
	d.yielded++
	return d.w.yield(URL{Entry: *e, Sitemap: d.child.sm, Trust: trust, OnSite: h.onSite}, nil)
}

// notVerified notes an origin that does not vouch for the document.
func (d *document) notVerified(o location.Origin) {
	if loc := o.String(); len(d.unverified) < maxVouching && d.w.mayVerify(o) && !slices.Contains(d.unverified, loc) {
		d.unverified = append(d.unverified, loc)
	}
}

// takeVerified gives the document, and what it lists, the grant of a host that vouched for it.
func (d *document) takeVerified(g Grant, by location.Origin) {
	d.child.sm.Scope = d.child.sm.Scope.With(g)
	d.rec.scope = d.rec.scope.With(g)
	if len(d.verified) < maxVouching {
		d.verified = append(d.verified, by.String())
	}
}

// clip shortens s to what a Problem may hold.
func clip(s string) string {
	if len(s) <= 256 {
		return s
	}
	return strings.ToValidUTF8(s[:256], "")
}

// list takes a child of an index.
func (d *document) list(e *sitemap.Entry) {
	if d.isForeign(e.Loc) {
		d.report(sitemap.Problem{Code: sitemap.ForeignChild, Pos: e.Pos, Field: "loc", Text: clip(e.Loc)})
	}
	if d.w.state != nil {
		d.listed.add(e.Loc, timeText(e.LastMod))
	}
	d.add(e.Loc, e.LastMod)
}

// add adds a child.
func (d *document) add(loc string, lastMod sitemap.Time) {
	foreign := d.isForeign(loc) && d.rec.scope.Trust(loc) == Untrusted
	d.w.frontier.list(d.kids, child{loc: loc, lastMod: lastMod, foreign: foreign})
}

// isForeign reports whether a child is on another host than the index. Most
// children of an index are on one host.
func (d *document) isForeign(loc string) bool {
	if a := authority(loc); a != d.lastAuthority {
		d.lastAuthority, d.lastForeign = a, d.isElsewhere(a)
	}
	return d.lastForeign
}

// isElsewhere reports whether loc is on another host than the index, by both of
// the index's URLs.
func (d *document) isElsewhere(loc string) bool {
	o, _, err := location.ParseOrigin(loc)
	if err != nil || o.Host == d.host {
		return false
	}
	asked, _, err := location.ParseOrigin(d.child.loc)
	return err != nil || o.Host != asked.Host
}

const (
	// tail is how much is read of what is no sitemap to see whether it breaks off, and tailTime for
	// how long from its header on.
	tail     = 64 << 10
	tailTime = 500 * time.Millisecond
)

// breaksOff reports whether the body breaks off of which NewReader said err: also one that is no
// sitemap as far as it was read, for that may be what a server says that has come to grief. One that
// is silent behind it has most likely no more to say.
func (d *document) breaksOff(err error) bool {
	b, ok := d.f.body.(turn.Body)
	if !ok || !errors.Is(err, sitemap.ErrNotSitemap) {
		return errors.Is(err, fetch.ErrBody)
	}
	late := time.After(time.Until(d.f.came.Add(tailTime)))
	buf := make([]byte, 4<<10)
	for read := 0; read < tail; {
		for pending := b.Pending(); pending != nil; pending = b.Pending() {
			if !d.w.fillUntil(pending, late) {
				return false
			}
		}
		n, err := b.Raw().Read(buf)
		if read += n; err != nil {
			return errors.Is(err, fetch.ErrBody) && !errors.Is(err, fetch.ErrTimeout)
		}
	}
	return false
}

// shortest is the length of the start of a document that may not yet tell what it is.
const shortest = 16

// isCut reports whether the body ended too early where nothing tells whether that was its end.
func (d *document) isCut(err error) bool {
	b, ok := d.f.body.(turn.Body)
	if !ok || !b.Unframed() {
		return false
	}
	isShort := errors.Is(err, sitemap.ErrNotSitemap) && d.f.doc.Received() < shortest
	return isShort || errors.Is(err, sitemap.ErrTruncated) || errors.Is(err, sitemap.ErrEmpty)
}

// canRetry reports whether the body broke off before anything was yielded.
func (d *document) canRetry() bool { return d.broken && d.yielded == 0 }

// undo takes back what the document listed, if there is one.
func (d *document) undo() {
	if d != nil {
		d.w.frontier.forget(d.kids)
	}
}

// end tells that the document has ended, and goes on to its children.
func (d *document) end() {
	w := d.w
	d.tellHeld()
	d.sum.Elapsed = time.Since(d.begun)
	d.sum.ByTrust = d.byTrust()
	d.sum.Queued = len(d.kids.children)
	if d.yielded == 0 && !d.dropped && len(d.kids.children) == 0 && !d.isReadBefore() {
		d.rec.fail(d.sum.Err != nil, d.child.loc, d.sum.FinalURL)
	}
	if d.sum.Err != nil {
		w.failures.add(&DocumentError{d.child.sm, d.sum.Err})
	}
	w.done(d.child, d.sum)
	// Who ends the context in Done could not put away what was yielded.
	if w.parent.Err() == nil {
		w.state.ended(d)
	}
	d.goOn()
}

// isReadBefore reports whether what the document has was yielded before, by the State.
func (d *document) isReadBefore() bool {
	return d.sum.NotModified || d.child.listed && d.sum.Err == nil
}

// goOn makes the children the next to be walked.
func (d *document) goOn() {
	if len(d.kids.children) > 0 {
		d.w.noteNested(d.rec.parent)
		d.w.adoptHint(d.kids)
		d.w.frontier.push(d.kids)
	} else {
		d.w.graph.end(d.rec)
	}
}

func (d *document) byTrust() map[Trust]int64 {
	m := map[Trust]int64{}
	for t, n := range d.trusts {
		if n > 0 {
			m[Trust(t)] = n
		}
	}
	return m
}
