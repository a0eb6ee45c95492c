package audit

// An occurrence is the first place of a location, with its spelling.
type occurrence struct {
	exact, norm uint32 // hashes as it is, and without equivalent spellings
	line        uint32
}

// occurrences is a map from hashes of locations to their first occurrences. It takes a third of the
// time and half of the memory of a Go map. Most of the audit of a plain document is spent here.
type occurrences struct {
	slots []slot // a power of two of them, at most three quarters used
	n     int
	more  map[[2]uint64]uint32 // lines of further spellings of one key, by sum and exact
}

// A slot is free if its sum is 0.
type slot struct {
	sum uint64
	occurrence
}

// add adds a location. If its key was added before, add returns the first occurrence with the same
// spelling, or else the first one of the key.
func (m *occurrences) add(sum uint64, o occurrence) (before occurrence, isNew bool) {
	if 4*m.n >= 3*len(m.slots) {
		m.grow()
	}
	sum = max(sum, 1)
	at := m.find(sum)
	if at.sum == 0 {
		*at = slot{sum, o}
		m.n++
		return o, true
	}
	before = at.occurrence
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

// find returns the slot of a key, or the free slot for it.
func (m *occurrences) find(sum uint64) *slot {
	mask := uint64(len(m.slots) - 1)
	i := sum & mask
	for m.slots[i].sum != 0 && m.slots[i].sum != sum {
		i = (i + 1) & mask
	}
	return &m.slots[i]
}

func (m *occurrences) grow() {
	before := m.slots
	m.slots = make([]slot, max(1_024, 4*len(before)))
	for _, s := range before {
		if s.sum != 0 {
			*m.find(s.sum) = s
		}
	}
}
