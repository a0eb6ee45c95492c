package discover

import (
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A node is a document in the order of a walk.
type node struct {
	claim
	sm      *Sitemap
	host    string // of sm.Loc, normalised
	key     key
	seed    *seed // that led to it
	index   *node // that lists it; nil for a seed
	final   key   // of the URL that answered, once that is known
	depth   int   // how many indexes are above it
	skip    Skipped
	foreign bool  // on a host of its own, without a grant
	plan    *plan // what the Store says of it; nil until asked
}

// newSeedNode returns the node of a sitemap that no index lists.
func newSeedNode(sm *Sitemap, of *seed) *node {
	o, _, _ := location.ParseOrigin(sm.Loc) // fetch refuses what it cannot read
	return &node{
		claim: claim{sm.source(), sm.Grants}, sm: sm, host: o.Host, key: keyOf(sm.Loc), seed: of,
	}
}

// newChild returns the node of a location that the index n lists.
func (n *node) newChild(loc string, lastMod sitemap.Time, v verdict, scope trust.Scope) *node {
	return &node{
		claim:   claim{trust.FromIndex, scope},
		sm:      &Sitemap{Loc: loc, LastMod: lastMod, Referrer: n.sm},
		host:    v.origin.Host,
		key:     keyAt(v.origin, v.rest),
		seed:    n.seed,
		index:   n,
		depth:   n.depth + 1,
		foreign: v.foreign && v.level == trust.Untrusted,
	}
}

// isNamed reports whether n or an index above it is among names.
func (n *node) isNamed(names map[key]bool) bool {
	for ; n != nil && len(names) > 0; n = n.index {
		if names[n.key] || names[n.final] {
			return true
		}
	}
	return false
}

// isWithin reports whether k is the document of n or of an index above it.
func (n *node) isWithin(k key) bool {
	for ; n != nil; n = n.index {
		if n.key == k || n.final == k {
			return true
		}
	}
	return false
}

// maxQueued bounds the memory of the nodes that wait for their turn. It is a variable for tests.
var maxQueued = 32 << 20

// cost estimates the memory of a node.
func (n *node) cost() int { return 300 + len(n.sm.Loc) }

// A queue holds the documents that a walk has still to read. It is a stack of frames, the innermost
// index last. Each frame has the remaining children of one index, as listed. So documents come in
// document order, depth first.
type queue struct {
	frames [][]*node
	size   int // cost of all nodes
	count  int // number of nodes
}

// push puts the children of an index before everything else.
func (q *queue) push(children []*node) {
	if len(children) == 0 {
		return
	}
	q.frames = append(q.frames, children)
	q.count += len(children)
	for _, n := range children {
		q.size += n.cost()
	}
}

// pop removes the next node, nil at the end.
func (q *queue) pop() *node {
	for top := len(q.frames) - 1; top >= 0; top-- {
		if frame := q.frames[top]; len(frame) > 0 {
			n := frame[0]
			frame[0] = nil // the array lives on
			q.frames[top] = frame[1:]
			q.count--
			q.size -= n.cost()
			return n
		}
		q.frames = q.frames[:top]
	}
	return nil
}

// next yields the nodes in the order in which pop will return them, as far as it is known.
func (q *queue) next(yield func(*node) bool) {
	for _, frame := range slices.Backward(q.frames) {
		for _, n := range frame {
			if !yield(n) {
				return
			}
		}
	}
}
