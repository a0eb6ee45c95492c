package pagetable

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// An entry is a page and its state.
type entry struct {
	page  uint64
	state State
}

// sorted returns the entries of pages in order.
func sorted(pages map[uint64]State) []entry {
	entries := make([]entry, 0, len(pages))
	for page, state := range pages {
		entries = append(entries, entry{page, state})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.page, b.page) })
	return entries
}

// join returns the entries of both in order. Of two for one page, that of newer counts.
func join(older, newer []entry) []entry {
	all := make([]entry, 0, len(older)+len(newer))
	for len(older) > 0 && len(newer) > 0 {
		switch c := cmp.Compare(older[0].page, newer[0].page); {
		case c < 0:
			all, older = append(all, older[0]), older[1:]
		case c == 0:
			older = older[1:]
		default:
			all, newer = append(all, newer[0]), newer[1:]
		}
	}
	return append(append(all, older...), newer...)
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

// A prefix is the first n nibbles of hashes.
type prefix struct {
	nibbles uint64
	n       int
}

// prefixOf returns the first n nibbles of a page.
func prefixOf(page uint64, n int) prefix { return prefix{page >> (64 - 4*n), n} }

func (p prefix) child(nibble uint64) prefix { return prefix{p.nibbles<<4 | nibble, p.n + 1} }

// starts reports whether the hash of a page starts with p.
func (p prefix) starts(page uint64) bool { return prefixOf(page, p.n) == p }

// String returns the nibbles in hex digits.
func (p prefix) String() string {
	if p.n == 0 {
		return ""
	}
	return fmt.Sprintf("%0*x", p.n, p.nibbles)
}
