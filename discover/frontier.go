package discover

import (
	"math"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// A child is a document that is still to be walked. There may be very many.
type child struct {
	loc     string
	lastMod sitemap.Time
	sm      *Sitemap // of a seed; else made when it is decided on
	skip    Skip
	foreign bool
	fresh   bool // it is to be fetched whether or not it has changed
	listed  bool // its own pages were yielded before the walk was interrupted
	heeded  bool // it was counted for the Crawl-delay of its origin
	putOff  bool // it was looked at for fetching ahead, and is waiting in its frame

	*plans // nil until it is decided on
}

// plans are what is known of a document that may be fetched next.
type plans struct {
	key    key
	scope  Scope         // its grants, without those of where it is
	waited time.Duration // in earlier tries
}

const childCost = 100 // bytes of memory, about, beside its location

func (c *child) cost() int { return childCost + len(c.loc) }

// A frame is an index on the way down to the current document, with its children.
type frame struct {
	index    *record // nil for the seeds
	children []child
	next     int // the first that was not walked
	ahead    int // the first that was not looked at for fetching ahead
	gone     int // how many there were before the first, by compact
	// Those that were put off, by authority, in their order: how many there were before each.
	waiting map[string][]int
	putOff  int // how many they are

	nested bool    // one of the children was an index with children
	hints  []*hint // of children that are, in the order in which they were started
}

// compact gives back the memory of children that are gone, when it is more than
// that of those that are left.
func (fr *frame) compact() {
	const least = 1_000
	left := len(fr.children) - fr.next
	if cap(fr.children)-left > left+least {
		fr.children = slices.Clone(fr.children[fr.next:])
		fr.ahead = max(fr.ahead-fr.next, 0)
		fr.gone += fr.next
		fr.next = 0
	}
}

// A frontier is what is still to be walked: the rest of each index on the way
// down, the innermost last. It is bounded in memory, and where that runs out it
// lets go of what would be walked last.
type frontier struct {
	frames []*frame
	cost   int
	max    int
	lost   int
	letGo  func(index *record, c *child) // is told of each that is let go
}

// frontierRoom returns how much memory the frontier of a walk may have: about twice as
// many children as the walk may have documents, and as many as by default, since not all
// are read that are listed.
func frontierRoom(maxSitemaps int) int {
	const perSitemap = 320
	if maxSitemaps > math.MaxInt/perSitemap {
		return math.MaxInt
	}
	return max(DefaultMaxSitemaps, maxSitemaps) * perSitemap
}

// list adds a child to a frame, which is not pushed yet.
func (f *frontier) list(to *frame, c child) {
	f.cost += c.cost()
	for f.cost > f.max {
		if !f.dropLast() {
			f.cost -= c.cost()
			f.lost++
			return
		}
	}
	to.children = append(to.children, c)
}

// dropLast lets go of the child that would be walked last.
func (f *frontier) dropLast() bool {
	for _, fr := range f.frames {
		if n := len(fr.children); n > fr.next {
			c := &fr.children[n-1]
			f.leave(fr, c)
			f.letGo(fr.index, c)
			*c = child{}
			fr.children = fr.children[:n-1]
			fr.compact()
			f.lost++
			return true
		}
	}
	return false
}

// leave counts a child no more.
func (f *frontier) leave(fr *frame, c *child) {
	f.cost -= c.cost()
	if c.putOff {
		fr.putOff--
	}
}

// forget takes back what was listed to a frame that is not pushed.
func (f *frontier) forget(fr *frame) {
	for i := range fr.children {
		f.cost -= fr.children[i].cost()
	}
	fr.children = nil
}

func (f *frontier) push(fr *frame) { f.frames = append(f.frames, fr) }

// frameOf returns the frame of an index on the way down, nil for the seeds.
func (f *frontier) frameOf(index *record) *frame {
	for _, fr := range slices.Backward(f.frames) {
		if fr.index == index {
			return fr
		}
	}
	return nil
}

// pop returns the next child in document order with the index that lists it;
// false at the end. Ended is called with each index whose children have all been
// walked.
func (f *frontier) pop(ended func(*record)) (child, *record, bool) {
	for len(f.frames) > 0 {
		top := f.frames[len(f.frames)-1]
		if top.next < len(top.children) {
			c := top.children[top.next]
			top.children[top.next] = child{}
			top.next++
			top.compact()
			f.leave(top, &c)
			return c, top.index, true
		}
		f.frames[len(f.frames)-1] = nil
		f.frames = f.frames[:len(f.frames)-1]
		if top.index != nil {
			ended(top.index)
		}
	}
	return child{}, nil, false
}

// left counts the children that are still to be walked.
func (f *frontier) left() (n int) {
	for _, fr := range f.frames {
		n += len(fr.children) - fr.next
	}
	return n
}

// looksInside reports whether upcoming may return a child of the index whose turn it is, and
// that index.
func (f *frontier) looksInside() (index *record, ok bool) {
	for _, fr := range slices.Backward(f.frames) {
		if fr.next < len(fr.children) {
			return fr.index, max(fr.ahead, fr.next) < len(fr.children) || len(fr.waiting) > 0
		}
	}
	return nil, false
}
