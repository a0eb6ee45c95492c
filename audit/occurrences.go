package audit

import "sync"

// An occurrence says in which spelling and where a location came first.
type occurrence struct {
	exact, norm uint32 // hashes as it is, and without equivalent spellings
	line        uint32
}

// occurrences is a map from hashes of locations to their first occurrences. It takes a third of the
// time and half of the memory of Go's, which is most of what the audit of a plain document costs.
type occurrences struct {
	keys []uint64 // a power of two of them, at most three quarters used; 0 is free
	at   []occurrence
	n    int
	more map[key]uint32 // lines of further spellings of one key
}

// A key is one spelling of a location.
type key struct {
	sum   uint64
	exact uint32
}

var pool = sync.Pool{New: func() any { return new(occurrences) }}

// maxPooled is the size up to which the memory is used again.
const maxPooled = 1 << 17

// add adds a location. If there was one under its key, add returns the first one with the same
// spelling, else the first one.
func (m *occurrences) add(sum uint64, o occurrence) (before occurrence, isNew bool) {
	if 4*m.n >= 3*len(m.keys) {
		m.grow()
	}
	sum = max(sum, 1)
	i := m.find(sum)
	if m.keys[i] == 0 {
		m.keys[i], m.at[i] = sum, o
		m.n++
		return o, true
	}
	before = m.at[i]
	if before.exact == o.exact {
		return before, false
	}
	k := key{sum, o.exact}
	if line, ok := m.more[k]; ok {
		return occurrence{o.exact, o.norm, line}, false
	}
	if m.more == nil {
		m.more = map[key]uint32{}
	}
	m.more[k] = o.line
	m.n++
	return before, false
}

// find returns the index of a key, or of the free slot for it.
func (m *occurrences) find(sum uint64) int {
	mask := uint64(len(m.keys) - 1)
	i := sum & mask
	for m.keys[i] != 0 && m.keys[i] != sum {
		i = (i + 1) & mask
	}
	return int(i)
}

func (m *occurrences) grow() {
	keys, at := m.keys, m.at
	size := max(1_024, 4*len(keys))
	m.keys, m.at = make([]uint64, size), make([]occurrence, size)
	for i, sum := range keys {
		if sum != 0 {
			n := m.find(sum)
			m.keys[n], m.at[n] = sum, at[i]
		}
	}
}

// clear removes all locations.
func (m *occurrences) clear() {
	if len(m.keys) > maxPooled {
		m.keys, m.at = nil, nil
	}
	clear(m.keys)
	m.n, m.more = 0, nil
}
