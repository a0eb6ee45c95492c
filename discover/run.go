package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
)

const (
	// foundAge is how long what a site's robots.txt named holds for a walk that
	// goes on.
	foundAge = robotsAge
	// trustAge is how long a document may be left out for its lastmod alone.
	trustAge = 7 * 24 * time.Hour
)

// A run is a State as one walk uses it. All methods of a nil *run do nothing.
type run struct {
	s      *State
	name   string
	number int
}

func (s *State) newRun() *run {
	if s == nil {
		return nil
	}
	return &run{s: s}
}

// recall returns how the sitemaps of a site were found when its walk was
// interrupted, or nil if it was not. If the walk had ended, there are none. Secrets says that the
// Fetcher has some.
func (s *State) recall(name string, secrets bool) (*found, error) {
	if s == nil {
		return nil, nil
	}
	named, err := parseSite(name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name = WalkName(name)
	l := s.plan.begun(name)
	if l == nil || l.Site == "" || !s.plan.goesOn(name, s.now()) {
		return nil, nil
	}
	st, err := parseSite(l.Site)
	if err != nil {
		return nil, err
	}
	st.user = named.user
	if s.plan.walks[name].ended {
		return &found{site: st}, nil
	}
	if l.Found == nil || isOlder(l.At, foundAge, s.now()) {
		return nil, nil
	}
	if named.bare && (secrets || named.user != nil) && st.url.Scheme == "http" {
		return nil, nil // it was begun without them
	}
	return l.Found.found(st, s.now()), nil
}

// found returns the seeds with the grants that they have by how they were found.
func (l *foundLine) found(st site, now time.Time) *found {
	f := &found{site: st}
	if l.Cut != nil {
		f.robots, f.cut = &Robots{URL: l.Robots, hops: l.Hops, answer: l.Answer}, l.Cut.error(l.Robots, now)
	}
	scope := Scope{RobotsGrants(l.Robots, l.Hops...)}
	for _, m := range l.Missed {
		f.missed = append(f.missed, Attempt{m.Loc, m.error(m.Loc, now)})
	}
	for _, seed := range l.Seeds {
		sm := &Sitemap{Loc: seed.Loc}
		if seed.Line > 0 {
			sm.RobotsURL, sm.Line, sm.Scope = l.Robots, seed.Line, scope
		} else if g, ok := LocationGrant(seed.Loc); ok {
			sm.Scope = Scope{[]Grant{g}}
		}
		f.seeds = append(f.seeds, sm)
	}
	return f
}

// begin notes that the walk begins: of site, or, if that is "", of the seeds. It
// reports false if there is nothing to walk, since the walk had ended before
// others of its plan were interrupted.
func (r *run) begin(site string, f *found) bool {
	if r == nil {
		return true
	}
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.name = WalkName(site); site == "" {
		r.name = nameOf(f.seeds)
	}
	if !s.plan.goesOn(r.name, s.now()) {
		s.newPlan("", []string{r.name}, false)
	}
	s.plan.retry(r.name)
	if s.plan.walks[r.name].ended {
		s.plan.replays = max(s.plan.replays-1, 0)
		return false
	}
	if l := s.plan.begun(r.name); l != nil {
		r.number = l.Run
		return true
	}
	s.last++
	r.number = s.last
	l := &line{Kind: lineBegin, Walk: r.name, Run: r.number, At: s.now().Unix()}
	if site != "" {
		l.Site, l.Found = f.site.url.String(), lineOf(f, s.now())
	}
	s.plan.begin(l)
	s.journal.append(l)
	return true
}

// WalkName returns what a State knows a walk of a site, or from a sitemap, by: how it is named,
// without credentials, and without the slash of a bare host. It is safe for concurrent use.
func WalkName(name string) string {
	name = escapeInvalid(sitemap.Redact(name))
	if host, ok := strings.CutSuffix(name, "/"); ok && !strings.Contains(strings.TrimPrefix(strings.TrimPrefix(host, "https://"), "http://"), "/") {
		return host
	}
	return name
}

// escapeInvalid escapes the bytes of a URL that are not UTF-8, as they are on the wire.
func escapeInvalid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, "%%%02X", s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// nameOf returns what a walk from sitemaps is known by.
func nameOf(seeds []*Sitemap) string {
	if len(seeds) == 1 {
		return WalkName(seeds[0].Loc)
	}
	h := sha256.New()
	for _, sm := range seeds {
		h.Write([]byte(WalkName(sm.Loc) + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func lineOf(f *found, now time.Time) *foundLine {
	l := &foundLine{}
	if f.cut != nil {
		cut := failureOf(f.cut, now)
		l.Cut, l.Answer = &cut, f.robots.answer
	}
	if f.robots != nil {
		l.Robots, l.Hops = f.robots.URL, f.robots.hops
	}
	for _, m := range f.missed {
		l.Missed = append(l.Missed, missedLine{m.URL, failureOf(m.Err, now)})
	}
	for _, sm := range f.seeds {
		l.Seeds = append(l.Seeds, seedLine{sm.Loc, sm.Line})
	}
	return l
}

// finish notes that the walk came to its end, and the limits that left documents out.
func (r *run) finish(limits []*LimitError) {
	if r == nil {
		return
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.s.plan.end(r.name, limits)
	r.s.journal.append(&line{Kind: lineEnd, Walk: r.name, Limits: limits, Out: r.s.plan.takeNoted()})
}

// skip says whether a document is left out: because the walk that goes on had
// it, or because it has not changed.
func (r *run) skip(c *child) Skip {
	if r == nil {
		return NotSkipped
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	e := r.s.of(c.loc)
	now := r.s.now()
	switch {
	case e == nil:
	case e.readBy(r.number) && e.Wide:
		c.listed = true
	case e.readBy(r.number):
		return ByResume
	case e.Err != "":
		if e.isHeldBack(now) {
			return ByState
		}
	case c.lastMod.IsZero() || e.LastMod != timeText(c.lastMod), e.lacks(c.scope):
	case isOlder(e.At, trustAge, now):
	case r.checked(c.loc):
	case r.s.hosts[hostOf(c.loc)].proved(now):
		return ByState
	}
	return NotSkipped
}

// missed writes down a known path that is not to be asked for again before a time that it named.
func (r *run) missed(loc string, err error) {
	if r == nil {
		return
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if len(r.s.plan.stillOpen(r.s.of(loc), r.number)) > 0 {
		return // a walk that goes on has read it
	}
	e := &entry{URL: loc, At: r.s.now().Unix(), failure: failureOf(err, r.s.now()), Run: r.number, Last: r.s.of(loc).content()}
	if e.isHeldBack(r.s.now()) {
		r.s.journal.append(&line{Kind: lineDoc, Doc: r.s.put(e)})
	}
}

// heldBack returns why a document is not to be asked for yet, nil if it may be.
func (s *State) heldBack(loc string) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.of(loc); e != nil && e.isHeldBack(s.now()) {
		return e.heldBack(e.error(loc, s.now()))
	}
	return nil
}

// isOlder reports whether a time, in seconds since 1970, is longer ago than age, or in the
// future: the clock was wrong then, or is now.
func isOlder(at int64, age time.Duration, now time.Time) bool {
	passed := now.Sub(time.Unix(at, 0))
	return passed > age || passed < -time.Hour
}

func hostOf(loc string) string {
	o, _, err := location.ParseOrigin(loc)
	if err != nil {
		return ""
	}
	return o.Host
}

// validators returns those of the document as it was last read, unless it is to be read
// again even if it has not changed.
func (r *run) validators(c *child) fetch.Validators {
	e := r.read(c.loc)
	if c.fresh || e == nil || e.Wide || e.lacks(c.scope) {
		return fetch.Validators{}
	}
	return fetch.Validators{ETag: string(e.ETag), LastModified: string(e.Modified)}
}

// isOf reports whether the document that answered from that URL is the one that was last
// read, or may be. Where redirects lead to signed URLs, the query is another each time; but some
// sites tell documents by it, and a date says nothing of which it is.
func (r *run) isOf(c *child, final string) bool {
	e := r.read(c.loc)
	if e == nil || e.Final == "" {
		return true
	}
	before, _, _ := strings.Cut(e.Final, "?")
	now, _, _ := strings.Cut(final, "?")
	return e.Final == final || before == now && e.ETag != ""
}

// entry returns what is known of a document, nil if that is nothing.
func (r *run) entry(loc string) *entry {
	if r == nil {
		return nil
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.s.of(loc)
}

// read returns the document as it was when it was last read, nil if it never was.
func (r *run) read(loc string) *entry { return r.entry(loc).content() }

// recall goes on below a document that is left out.
func (w *walk) recall(c *child, rec *record) bool {
	e := w.state.entry(c.loc)
	if c.skip == ByResume { // it takes from what the walk may ask for, as it did
		w.fetches++
		w.verifier.recall(e.Asked)
	}
	d := &document{w: w, child: c, rec: rec, kids: &frame{index: rec}}
	if e.Final != "" {
		k := keyOf(e.Final)
		if before := w.graph.byKey[k]; before == nil || before.unread {
			w.graph.byKey[k] = rec
		}
		d.takeScope(e.Final, k)
	}
	d.relist(e)
	if !d.alive() {
		return false
	}
	sum := Summary{Skipped: c.skip, FinalURL: e.Final, Status: e.Status, Queued: len(d.kids.children)}
	sum.Entries = e.Entries
	if e.Err != "" {
		if e.Entries == 0 && len(d.kids.children) == 0 {
			rec.fail(true, c.loc, e.Final)
		}
		sum.Err = e.error(c.loc, w.state.s.now())
		if c.skip == ByState {
			sum.Err = e.heldBack(sum.Err)
		}
		w.failures.add(&DocumentError{c.sm, sum.Err})
	}
	w.done(c, sum)
	d.goOn()
	return true
}

// relist lists the children that the State has of an index, with the grants of hosts that
// vouch for it.
func (d *document) relist(e *entry) {
	if d.w.o.minTrust() <= ByVerification {
		d.verifyAgain(e.Verified)
	}
	for _, k := range e.Kids {
		d.add(k.Loc, parseText(k.LastMod))
	}
}

// verifyAgain asks the origins again that vouched for the document.
func (d *document) verifyAgain(origins []string) {
	for _, loc := range origins {
		if o, _, err := location.ParseOrigin(loc); err == nil {
			if g, ok := d.w.verify(d.rec, o); ok {
				d.takeVerified(g, o)
			}
		}
	}
}

// ended writes down a document that has ended.
func (r *run) ended(d *document) {
	if r == nil {
		return
	}
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.of(d.child.loc)
	content := old.content()
	e := &entry{
		URL: d.child.loc, Final: d.sum.FinalURL, At: s.now().Unix(),
		LastMod: timeText(d.child.lastMod), Kids: d.listed.list, Run: r.number,
		Asked: d.w.verifier.takeAsked(),
	}
	switch {
	case d.sum.Err != nil:
		e.failure, e.Entries = failureOf(d.sum.Err, s.now()), d.sum.Entries
		if e.Last = content; e.cost() > maxKids {
			e.Last = nil
		}
	case d.sum.NotModified && content != nil:
		e.Digest, e.Entries, e.Format, e.Kids, e.Scopes = content.Digest, content.Entries, content.Format, content.Kids, content.Scopes
		e.Unverified, e.Verified = content.Unverified, content.Verified
	default:
		e.Digest, e.Entries, e.Format = d.digest.String(), d.sum.Entries, d.sum.Format.String()
		if d.dropped {
			e.Scopes, e.Unverified = []string{d.child.scope.digest()}, d.unverified
			e.addReading(content)
		}
	}
	if d.sum.Err == nil {
		e.ETag, e.Modified = validator(d.f.doc.ETag), validator(d.f.doc.LastModified)
	}
	if len(e.Kids) > 0 && e.Verified == nil {
		e.Verified = d.verified
	}
	if d.listed.tooMany() || d.child.listed { // whose pages were passed over
		e.Wide = true
		e = e.brief()
	}
	e.Also = s.plan.stillOpen(old, r.number)
	if d.rec.parent != nil && old != nil {
		s.judgeHost(hostOf(e.URL), old, e)
	}
	s.journal.append(&line{Kind: lineDoc, Doc: s.put(e), Out: s.plan.takeNoted()})
}

// timeText writes a time so that parseText reads it back.
func timeText(t sitemap.Time) string {
	s := t.String()
	if t.Precision() == sitemap.Minute {
		s += "'"
	}
	if t.ZoneAssumed() {
		s += "?"
	}
	return s
}

func parseText(s string) sitemap.Time {
	s, assumed := strings.CutSuffix(s, "?")
	s, toMinute := strings.CutSuffix(s, "'")
	t, err := sitemap.ParseTime(s)
	if err != nil {
		return sitemap.Time{}
	}
	p := t.Precision()
	if toMinute {
		p = sitemap.Minute
	}
	return sitemap.NewTime(t.Start(), p, assumed)
}
