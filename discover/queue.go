package discover

import (
	"slices"

	"github.com/seed-322c453a/sitemap/discover/trust"
)

// A node is a document in the order of a walk.
type node struct {
	sm      *Sitemap
	key     key
	scope   trust.Scope // inherited: what its own location grants is not in it
	index   *node       // that lists it; nil for a seed
	final   key         // of the URL that answered, once that is known
	depth   int         // how many indexes are above it
	skip    string      // why it is not read: SkippedSince, SkippedFollow
	foreign bool        // on a host of its own, without a grant
	plan    *plan       // what the Store says of it; nil until asked
}

// seed returns the Sitemap of the seed that led to n.
func (n *node) seed() *Sitemap {
	for n.index != nil {
		n = n.index
	}
	return n.sm
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

// maxQueued bounds the memory of the nodes that wait for their turn.
const maxQueued = 32 << 20

// cost estimates the memory of a node.
func (n *node) cost() int { return 300 + len(n.sm.Loc) }

// A queue holds what a walk has still to read: a stack of frames, each the rest of the children of
// one index in listed order, the innermost index last. So documents come in document order, depth
// first.
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
