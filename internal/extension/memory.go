package extension

import "strings"

const (
	firstBlock = 512
	lastBlock  = 4 << 10
	// maxShared is the maximum length of text that shares a block.
	maxShared = 1 << 10
	// maxName is the maximum length of text that is reused.
	maxName = 32
	// lastChunk is roughly the number of records that share a chunk.
	lastChunk = 64
)

// An arena makes strings that share memory. A block is a strings.Builder that is never written past
// its capacity, so its strings never change.
type arena struct {
	block strings.Builder
	size  int
}

// string returns b as a string.
func (a *arena) string(b []byte) string {
	switch {
	case len(b) == 0:
		return ""
	case len(b) > maxShared:
		return string(b)
	case a.block.Cap()-a.block.Len() < len(b):
		a.size = max(firstBlock, min(2*a.size, lastBlock))
		a.block.Reset()
		a.block.Grow(max(a.size, len(b)))
	}
	start := a.block.Len()
	a.block.Write(b)
	return a.block.String()[start:]
}

// An interner reuses short strings that it has seen, such as names of languages and elements.
type interner struct{ seen [128]string }

// slot returns the place of b. It holds the last string there, which may be b.
func (n *interner) slot(b []byte) *string {
	h := uint32(len(b))
	for _, c := range b {
		h = h*31 + uint32(c)
	}
	return &n.seen[h*0x9e3779b1>>25]
}

// A slab makes slices that share memory. The items from index from on are those of the current
// slice.
type slab[T any] struct {
	items []T
	from  int
}

// next adds an item. It stays at its address until the next one is added.
func (s *slab[T]) next() *T {
	if len(s.items) == cap(s.items) {
		n := len(s.items) - s.from
		items := make([]T, n, max(2*n, min(lastChunk, 2*cap(s.items)), 2))
		copy(items, s.items[s.from:])
		s.items, s.from = items, 0
	}
	s.items = s.items[:len(s.items)+1]
	return &s.items[len(s.items)-1]
}

// current returns the current slice.
func (s *slab[T]) current() []T { return s.items[s.from:] }

func (s *slab[T]) empty() bool { return len(s.items) == s.from }

func (s *slab[T]) len() int { return len(s.items) - s.from }

// take returns the slice, or nil if it is empty, and starts the next one.
func (s *slab[T]) take() []T {
	if s.empty() {
		return nil
	}
	made := s.items[s.from:len(s.items):len(s.items)]
	s.from = len(s.items)
	return made
}

// drop discards the slice.
func (s *slab[T]) drop() { s.cut(0) }

// cut discards all items of the slice after the first n.
func (s *slab[T]) cut(n int) {
	clear(s.items[s.from+n:])
	s.items = s.items[:s.from+n]
}

// remove discards item n of the slice.
func (s *slab[T]) remove(n int) {
	copy(s.current()[n:], s.current()[n+1:])
	s.cut(s.len() - 1)
}
