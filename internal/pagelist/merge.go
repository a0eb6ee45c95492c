package pagelist

import (
	"time"

	"github.com/seed-322c453a/sitemap"
)

// A Merge compares the entries of a document that is read with the pages that it had.
type Merge struct {
	Changed bool        // an entry appeared, vanished or moved its lastmod
	Dates   []time.Time // the lastmods
	Ahead   time.Time   // the first lastmod that is in the future

	at     time.Time
	old    List
	isSeen []bool // of old
	fresh  List
}

// NewMerge returns the comparison of a reading at a time with the list before it, which it takes.
func NewMerge(old List, at time.Time) *Merge {
	return &Merge{at: at, old: old, isSeen: make([]bool, len(old))}
}

// A Change is what has changed in an entry.
type Change struct {
	LastMod sitemap.Time // zero while it is in the future
	IsNew   bool
	IsLater bool   // the lastmod is later than any that was seen
	Removed uint64 // how often the page was removed before
}

// Add takes an entry and returns what has changed in it.
func (m *Merge) Add(p Page) Change {
	if isAhead(p.LastMod, m.at) {
		if at := p.LastMod.Start(); m.Ahead.IsZero() || at.Before(m.Ahead) {
			m.Ahead = at
		}
		p.LastMod = sitemap.Time{}
	}
	if !p.LastMod.IsZero() {
		m.Dates = append(m.Dates, p.LastMod.Start())
	}
	i, ok := m.old.Find(p.Loc)
	if !ok {
		m.fresh, m.Changed = append(m.fresh, p), true
		return Change{LastMod: p.LastMod, IsNew: true}
	}
	was := &m.old[i]
	c := Change{
		LastMod: p.LastMod, IsLater: p.LastMod.After(was.LastMod.Start()), Removed: was.Removed,
		IsNew: was.State&Untrusted != 0 || was.IsRemoved(),
	}
	m.Changed = m.Changed || c.IsLater || was.Gone > 0
	if c.IsLater {
		was.LastMod = p.LastMod
	}
	was.Gone, was.State = 0, p.State
	m.isSeen[i] = true
	return c
}

// End returns the joined list. A page that a document, read to its end, no longer lists is gone
// since now. State is added to all pages that were read, and gone to those that are gone.
func (m *Merge) End(isWhole bool, now time.Time, state, gone State) List {
	for i := range m.old {
		p := &m.old[i]
		if m.isSeen[i] {
			p.State |= state
		}
		if m.isSeen[i] || p.Gone > 0 || !isWhole {
			continue
		}
		p.Gone, m.Changed = now.UnixMilli(), true
		p.State |= gone
		if p.State&Untrusted != 0 {
			p.State |= Reported
		}
	}
	for i := range m.fresh {
		m.fresh[i].State |= state
	}
	return append(m.old, m.fresh...).Sort()
}

// isAhead reports whether t is after now, in whatever zone it is meant.
func isAhead(t sitemap.Time, now time.Time) bool {
	if t.ZoneAssumed() || t.Precision() <= sitemap.Day {
		now = now.Add(14 * time.Hour)
	}
	return t.After(now)
}
