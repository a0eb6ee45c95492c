package audit

import (
	"math/bits"
	"sync"
)

// An occurrence is the first place of a location, with its spelling.
type occurrence struct {
	exact, norm uint32 // hashes as it is, and without equivalent spellings
	line        uint32
	key         uint32 // the second half of the hash of all spellings
}

// occurrences is a map from hashes of locations to their first occurrences. It takes a third of the
// time and half of the memory of a Go map. Most of the audit of a plain document is spent here, so
// adding a location touches one place of the table only.
type occurrences struct {
	// table has the first half of each hash and the number of its occurrence, which starts at 1.
	// Its length is a power of two, and at most three quarters of it are used; 0 is free.
	table []uint64
	shift int                     // leaves the index in table of a hash
	list  []*[partSize]occurrence // in parts
	n     int                     // of list
}

const partSize = 1_024

// recent holds tables of earlier documents.
var recent = sync.Pool{New: func() any { return new(occurrences) }}

// maxReused is the length of the largest table that is used again.
const maxReused = 1 << 14

// release empties the map for another document.
func (m *occurrences) release() {
	if len(m.table) <= maxReused {
		clear(m.table)
		m.n = 0
		recent.Put(m)
	}
}

// add adds a location. If its key was added before, add returns the first occurrence with the same
// spelling, or else the first one of the key.
func (m *occurrences) add(sum uint64, o occurrence) (before occurrence, isNew bool) {
	before, isNew = m.insert(sum, o)
	if isNew || before.exact == o.exact {
		return before, isNew
	}
	const odd = 0x9e37_79b9_7f4a_7c15 // so that few bits of a product are those of a factor
	if same, isNew := m.insert(sum+(uint64(o.exact)+1)*odd, o); !isNew {
		before = same
	}
	return before, false
}

// insert adds an occurrence with a key, or returns the one that has it.
func (m *occurrences) insert(sum uint64, o occurrence) (before occurrence, isNew bool) {
	if 4*m.n >= 3*len(m.table) {
		m.grow()
	}
	at, first := m.find(sum)
	if first != nil {
		return *first, false
	}
	if m.n == partSize*len(m.list) {
		m.list = append(m.list, new([partSize]occurrence))
	}
	o.key = uint32(sum)
	m.list[m.n/partSize][m.n%partSize] = o
	m.n++
	m.table[at] = sum&^(1<<32-1) | uint64(m.n)
	return o, true
}

// find returns the first occurrence of a key, or nil and the free place for it.
func (m *occurrences) find(sum uint64) (at int, first *occurrence) {
	for at = int(sum >> m.shift); m.table[at] != 0; at = (at + 1) & (len(m.table) - 1) {
		if slot := m.table[at]; slot>>32 == sum>>32 {
			n := uint32(slot) - 1
			first = &m.list[n/partSize][n%partSize]
			if first.key == uint32(sum) {
				return at, first
			}
		}
	}
	return at, nil
}

// grow makes the table larger. The places keep their order, since they start with the first bits of
// a hash.
func (m *occurrences) grow() {
	old := m.table
	m.table = make([]uint64, max(4*partSize, 4*len(old)))
	m.shift = 64 - bits.TrailingZeros(uint(len(m.table)))
	for _, slot := range old {
		if slot != 0 {
			at := int(slot >> m.shift)
			for m.table[at] != 0 {
				at = (at + 1) & (len(m.table) - 1)
			}
			m.table[at] = slot
		}
	}
}
