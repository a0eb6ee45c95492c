package pagetable

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
)

// A State is what is kept of a page.
type State struct {
	LastMod uint32 // the latest one that was seen, in Unix seconds
	Run     uint32
}

// entrySize is the length of a page and its state in a value.
const entrySize = 16

// An entry is a page and its state.
type entry struct {
	page  uint64
	state State
}

// comparePages compares entries by their page.
func comparePages(a, b entry) int { return cmp.Compare(a.page, b.page) }

// sorted returns the entries of pages in order.
func sorted(pages map[uint64]State) []entry {
	entries := make([]entry, 0, len(pages))
	for page, state := range pages {
		entries = append(entries, entry{page, state})
	}
	slices.SortFunc(entries, comparePages)
	return entries
}

// join returns the entries of both in order. Of two for one page, that of newer counts.
func join(older, newer []entry) []entry {
	all := slices.Concat(newer, older)
	slices.SortStableFunc(all, comparePages)
	return slices.CompactFunc(all, func(a, b entry) bool { return a.page == b.page })
}

func encode(entries []entry) []byte {
	b := make([]byte, 0, len(entries)*entrySize)
	for _, e := range entries {
		b = binary.BigEndian.AppendUint64(b, e.page)
		b = binary.BigEndian.AppendUint32(b, e.state.LastMod)
		b = binary.BigEndian.AppendUint32(b, e.state.Run)
	}
	return b
}

// decode returns the entries in a value, none if it is damaged.
func decode(b []byte) []entry {
	if len(b)%entrySize != 0 {
		return nil
	}
	entries := make([]entry, 0, len(b)/entrySize)
	for ; len(b) > 0; b = b[entrySize:] {
		e := entry{binary.BigEndian.Uint64(b), State{
			binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:]),
		}}
		if n := len(entries); n > 0 && entries[n-1].page >= e.page {
			return nil
		}
		entries = append(entries, e)
	}
	return entries
}

// find returns the state of a page in the value of a bucket.
func find(b []byte, page uint64) (State, bool) {
	at := func(i int) []byte { return b[i*entrySize:] }
	n := len(b) / entrySize
	i := sort.Search(n, func(i int) bool { return binary.BigEndian.Uint64(at(i)) >= page })
	if i == n || binary.BigEndian.Uint64(at(i)) != page {
		return State{}, false
	}
	return State{binary.BigEndian.Uint32(at(i)[8:]), binary.BigEndian.Uint32(at(i)[12:])}, true
}

// A prefix is the first nibbles of hashes, after a 1.
type prefix uint64

// prefixOf returns the first n nibbles of a page.
func prefixOf(page uint64, n int) prefix { return prefix(1<<(4*n) | page>>(64-4*n)) }

// size returns the number of nibbles.
func (p prefix) size() int { return bits.Len64(uint64(p)) / 4 }

// starts reports whether the hash of a page starts with p.
func (p prefix) starts(page uint64) bool { return prefixOf(page, p.size()) == p }
