package discover

import (
	"bytes"
	"maps"
	"slices"

	"github.com/seed-322c453a/sitemap"
)

const (
	// maxCross bounds the references that a walk remembers beyond the one that
	// each document was read under.
	maxCross = 100_000
	// maxLate bounds the late grants of one document, and maxLates those of all that do not come with
	// seeds: documents that refer to each other would give each other those of all their locations.
	maxLate  = 100
	maxLates = 100_000
	// maxKept bounds the memory of the locations and the grants that are kept to report
	// late grants.
	maxKept = 16 << 20
	// maxKeys bounds the URLs by which a document is remembered to be known.
	maxKeys = 100
	// grantCost is the memory of a Grant, beside its texts.
	grantCost = 64
)

// A record is what a walk remembers of a document that it has begun.
type record struct {
	sm     *Sitemap // nil where memory ran out
	keys   []key    // by which it is known: of the URL asked for, and others that led to it
	final  key      // of the URL that answered
	scope  Scope
	parent *record // nil for seeds
	depth  int     // indexes above it
	kids   []*record
	cross  []*record // documents that it lists and that were begun before
	failed bool      // nothing of it was yielded
	unread bool      // for an error
	tried  []key     // how it was spelled when it could not be read
	late   int
	lacks  bool // it, or an index above it, late grants that were left out
	hint   bool // it is no document that was begun, but stands for one: see hint
}

// isHint reports whether r stands for an index that was not begun.
func (r *record) isHint() bool { return r != nil && r.hint }

// below returns the depth of what r, which is nil for seeds, refers to.
func (r *record) below() int {
	if r == nil {
		return 0
	}
	return r.depth + 1
}

// A graph is the documents of a walk with who refers to whom.
type graph struct {
	byKey  map[key]*record // by the URLs asked for and those that answered
	cross  int
	late   int
	kept   int
	report func(*Sitemap, sitemap.Problem)
}

// maxSpellings is how many spellings of a document that cannot be read are tried.
const maxSpellings = 3

// begun returns the document that was begun before under this key, if any, unless it could
// not be read under other spellings.
func (g *graph) begun(k key, loc string) *record {
	r := g.byKey[k]
	if r != nil && r.unread && len(r.tried) < maxSpellings && !slices.Contains(r.tried, spellingOf(loc)) {
		return nil
	}
	return r
}

// fail notes that nothing was yielded of a document, which could not be read if unread is
// set, under these spellings; "" is none.
func (r *record) fail(unread bool, locs ...string) {
	r.failed, r.unread = true, unread
	for _, loc := range locs {
		if k := spellingOf(loc); loc != "" && unread && !slices.Contains(r.tried, k) {
			r.tried = append(r.tried, k)
		}
	}
}

// begin adds a document that parent refers to, nil for a seed.
func (g *graph) begin(k key, sm *Sitemap, parent *record) *record {
	r := &record{sm: sm, keys: []key{k}, scope: sm.Scope, parent: parent, depth: parent.below()}
	if before := g.byKey[k]; before != nil {
		r.tried = slices.Clone(before.tried)
	}
	if parent != nil {
		parent.kids = append(parent.kids, r)
		r.lacks = parent.lacks
	}
	g.byKey[k] = r
	return r
}

// end is told that a document and all below it has been walked. Where memory runs out, it lets
// go of what late grants of it are told by.
func (g *graph) end(r *record) {
	if g.kept += r.cost(); g.kept <= maxKept {
		return
	}
	r.thin()
}

// cost returns the memory, about, of the location and of the grants that r does not share with
// the document above it.
func (r *record) cost() int {
	n := len(r.sm.Loc)
	shared := r.inherited()
	if r.scope.shares(shared) {
		return n
	}
	n += grantCost * len(r.scope.Grants)
	for _, g := range r.scope.Grants {
		if !slices.Contains(shared.Grants, g) {
			n += len(g.Host) + len(g.Dir)
		}
	}
	return n
}

// inherited returns what r has of the document above it.
func (r *record) inherited() Scope {
	if r.parent == nil {
		return Scope{}
	}
	return r.parent.scope
}

// thin lets go of the location and the grants of r, and of the documents below it, which would
// keep them.
func (r *record) thin() {
	r.sm, r.scope = nil, r.inherited()
	for _, kid := range r.kids {
		kid.thin()
	}
}

// meet notes that from refers to a document that was begun before, which comes
// too late for what from may grant.
func (g *graph) meet(from *record, scope Scope, r *record) {
	if from != nil && r.parent != from && g.cross < maxCross {
		g.cross++
		from.cross = append(from.cross, r)
	}
	g.grantLate(r, scope)
	if from != nil && from.lacks {
		g.leaveOut(r)
	}
}

// grantLate reports the grants of scope that r lacks, for r and for all
// documents that r refers to, but for those that were read under r: that r has a
// late grant tells of them. After maxLate, all others are left out, also those of seeds.
func (g *graph) grantLate(r *record, scope Scope) {
	isFull := r.late >= maxLate
	if r.failed || r.lacks && (isFull || g.late >= maxLates) {
		return
	}
	missing := r.scope.missing(scope)
	if isFull && len(missing) > 0 {
		g.leaveOut(r)
		return
	}
	g.giveLate(r, missing, true)
}

// giveLate gives r, and what it refers to, those of the grants it lacks that it gets late, told where
// each is to be reported for r, and reports that others are left out.
func (g *graph) giveLate(r *record, missing []Grant, told bool) {
	late := g.admit(r, missing)
	if told {
		for _, grant := range late {
			g.tellLate(r, grant.String())
		}
	}
	g.spread(r, late)
	if len(late) < len(missing) {
		g.leaveOut(r)
	}
}

// admit returns those of the grants that r lacks that it gets late: of seeds, all that come together.
func (g *graph) admit(r *record, missing []Grant) (late []Grant) {
	for _, grant := range missing {
		if !isOfSeed(grant) {
			if r.late >= maxLate || g.late >= maxLates {
				continue
			}
			g.late++
		}
		r.late++
		late = append(late, grant)
	}
	return late
}

// leaveOut reports, once, that r lacks late grants that were left out, and so may what it refers to.
func (g *graph) leaveOut(r *record) {
	if !r.lacks && !r.failed {
		g.tellLate(r, "others are left out")
		g.lacking(r)
	}
}

// lacking is leaveOut for what r, and the documents that were read under it, refer to.
func (g *graph) lacking(r *record) {
	if r.lacks {
		return
	}
	r.lacks = true
	for _, other := range r.cross {
		g.leaveOut(other)
	}
	for _, kid := range r.kids {
		g.lacking(kid)
	}
}

// isOfSeed reports whether a grant is of a robots.txt that names seeds, or of the caller: of these
// there are no more than the walk was given.
func isOfSeed(g Grant) bool { return g.By >= ByRobots }

// tellLate reports what came too late for a document, if that is still known.
func (g *graph) tellLate(r *record, what string) {
	if r.sm != nil {
		g.report(r.sm, sitemap.Problem{Code: sitemap.LateGrant, Text: what})
	}
}

// named reports the grant of a host that has only now been found to name documents, for what
// these refer to and was read under others.
func (g *graph) named(names map[key]bool, grant Grant) {
	if g.cross == 0 {
		return
	}
	byKey := func(a, b key) int { return bytes.Compare(a[:], b[:]) }
	done := map[*record]bool{}
	for _, k := range slices.SortedFunc(maps.Keys(names), byKey) {
		if r := g.byKey[k]; r != nil && !done[r] {
			done[r] = true
			g.crossLate(r, Scope{[]Grant{grant}})
		}
	}
}

// crossLate is grantLate for what r, and the documents that were read under it, refer to.
func (g *graph) crossLate(r *record, scope Scope) {
	for _, other := range r.cross {
		g.grantLate(other, scope)
	}
	for _, kid := range r.kids {
		g.crossLate(kid, scope)
	}
}

// spread gives the grants to r and to whatever it refers to. A record has at
// most MaxDepth records above it, and ends the spreading where nothing is new.
func (g *graph) spread(r *record, grants []Grant) {
	g.widen(r, r.scope.With(grants...), grants)
}

// widen is spread for what r's scope will be: where documents share theirs, they go on to.
func (g *graph) widen(r *record, to Scope, grants []Grant) {
	was := r.scope
	if len(to.Grants) == len(was.Grants) {
		return
	}
	r.scope = to
	for _, kid := range r.kids {
		if kid.sm == nil || kid.scope.shares(was) {
			g.widen(kid, to, grants)
		} else {
			g.giveLate(kid, kid.scope.missing(Scope{grants}), false)
		}
	}
	for _, other := range r.cross {
		g.grantLate(other, Scope{grants})
	}
}
