package audit

// An occurrence is the first place of a location, with its spelling.
type occurrence struct {
	exact, norm uint32 // hashes as it is, and without equivalent spellings
	line        uint32
}

// occurrences is a map from hashes of locations to their first occurrences. It takes a third of the
// time and half of the memory of a Go map. Most of the audit of a plain document is spent here.
type occurrences struct {
	sums  []uint64     // a power of two of them, at most three quarters used; 0 is free
	first []occurrence // of each sum
	n     int
	more  map[[2]uint64]uint32 // lines of further spellings of one key, by sum and exact
}

// add adds a location. If its key was added before, add returns the first occurrence with the same
// spelling, or else the first one of the key.
func (m *occurrences) add(sum uint64, o occurrence) (before occurrence, isNew bool) {
	if 4*m.n >= 3*len(m.sums) {
		m.grow()
	}
	sum = max(sum, 1)
	i := m.find(sum)
	if m.sums[i] == 0 {
		m.sums[i], m.first[i] = sum, o
		m.n++
		return o, true
	}
	before = m.first[i]
	if before.exact == o.exact {
		return before, false
	}
	k := [2]uint64{sum, uint64(o.exact)}
	if line, ok := m.more[k]; ok {
		return occurrence{o.exact, o.norm, line}, false
	}
	if m.more == nil {
		m.more = map[[2]uint64]uint32{}
	}
	m.more[k] = o.line
	m.n++
	return before, false
}

// find returns the index of a key, or the free one for it.
func (m *occurrences) find(sum uint64) uint64 {
	mask := uint64(len(m.sums) - 1)
	i := sum & mask
	for m.sums[i] != 0 && m.sums[i] != sum {
		i = (i + 1) & mask
	}
	return i
}

func (m *occurrences) grow() {
	sums, first := m.sums, m.first
	n := max(1_024, 4*len(sums))
	m.sums, m.first = make([]uint64, n), make([]occurrence, n)
	for i, sum := range sums {
		if sum != 0 {
			at := m.find(sum)
			m.sums[at], m.first[at] = sum, first[i]
		}
	}
}
