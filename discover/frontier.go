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
	decided bool
	skip    Skip
	foreign bool
	fresh   bool // it is to be fetched whether or not it has changed
	listed  bool // its own pages were yielded before the walk was interrupted
	heeded  bool // it was counted for the Crawl-delay of its origin
	later   bool // it was put off when it was looked at for fetching ahead

	*plans // of one that is decided on
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
	later  map[string][]int
	putOff int // how many they are

	nested bool    // one of the children was an index with children
	hints  []*hint // of children that are, in their order
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
	last   look // of upcoming
}

// A look is a child that was looked at for fetching ahead.
type look struct {
	fr    *frame
	at    int   // in fr.children, or of hint
	later bool  // it was put off before
	hint  *hint // that lists it, if its index was not walked yet
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

// list adds a child to f, which is not pushed yet.
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
			f.leave(fr, &fr.children[n-1])
			fr.children[n-1] = child{}
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
	if c.later {
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

// upcoming returns, in document order as far as it is known, the next child that was not looked
// at for fetching ahead, or was put off and is not on a host that is full, or nil. No more are put
// off than are within reach, so that it is not the last ones that are fetched first.
func (f *frontier) upcoming(full func(authority string) bool, reach int) (*child, *record) {
	before := 0 // children that were put off
	for _, fr := range slices.Backward(f.frames) {
		fr.ahead = max(fr.ahead, fr.next)
		if h := fr.firstHint(full); h != nil {
			f.last = look{fr, h.next, false, h}
			h.next++
			return &h.children[h.next-1], h.index
		}
		if reach <= 0 {
			continue // to a hint
		}
		at, later := fr.firstLater(full)
		switch {
		case later:
			fr.children[at].later = false
			fr.putOff--
		case before+fr.putOff >= reach:
			return nil, nil
		case fr.ahead < len(fr.children):
			at = fr.ahead
			fr.ahead++
		default:
			before += fr.putOff
			continue
		}
		f.last = look{fr, at, later, nil}
		return &fr.children[at], fr.index
	}
	return nil, nil
}

// firstLater takes the first child that was put off and is not on a host that is full.
func (fr *frame) firstLater(full func(authority string) bool) (at int, ok bool) {
	var first string
	for on, waiting := range fr.later {
		for len(waiting) > 0 && !fr.isLater(waiting[0]-fr.gone) {
			waiting = waiting[1:]
		}
		if fr.later[on] = waiting; len(waiting) == 0 {
			delete(fr.later, on)
		} else if i := waiting[0] - fr.gone; !full(on) && (!ok || i < at) {
			first, at, ok = on, i, true
		}
	}
	if ok {
		fr.later[first] = fr.later[first][1:]
	}
	return at, ok
}

// isLater reports whether the child at i is still there, and put off.
func (fr *frame) isLater(i int) bool {
	return i >= fr.next && i < len(fr.children) && fr.children[i].later
}

// putOff puts off what upcoming returned last, until its host is not full.
func (f *frontier) putOff() {
	fr, at := f.last.fr, f.last.at
	c := &fr.children[at]
	c.later = true
	fr.putOff++
	if fr.later == nil {
		fr.later = map[string][]int{}
	}
	on := authority(c.loc)
	waiting := append(fr.later[on], fr.gone+at)
	slices.Sort(waiting) // already, unless it was put off before
	fr.later[on] = waiting
}

// unlook puts back what upcoming returned last.
func (f *frontier) unlook() {
	switch {
	case f.last.hint != nil:
		f.last.hint.next--
	case f.last.later:
		f.putOff()
	default:
		f.last.fr.ahead--
	}
}

// looksInside reports whether upcoming may return a child of the index whose turn it is, and
// that index.
func (f *frontier) looksInside() (index *record, ok bool) {
	for _, fr := range slices.Backward(f.frames) {
		if fr.next < len(fr.children) {
			return fr.index, max(fr.ahead, fr.next) < len(fr.children) || len(fr.later) > 0
		}
	}
	return nil, false
}
