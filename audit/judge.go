package audit

import (
	"maps"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
)

// A judge holds what the rules of one document share.
type judge struct {
	reporter
	out *reporter // of the findings that are held no longer
	text
	entry
	format sitemap.Format
	head   place // of the root
	now    time.Time
	loc    string // of the entry whose elements are judged, "" if it was dropped
	once   map[string]bool
	held   []Finding              // of the current entry, to be sorted
	habits map[sitemap.Code]tally // of their findings, with the first one that is not reported

	fallback sitemap.Problem // the encoding_fallback, reported at the end
}

// hasSchema reports whether the protocol has a schema for the document.
func (j *judge) hasSchema() bool {
	return j.format == sitemap.URLSet || j.format == sitemap.SitemapIndex
}

// findAt reports a finding of a rule at a place in the current entry.
func (j *judge) findAt(rule Rule, p place, text, format string, args ...any) {
	if p.loc == "" {
		p.loc = j.loc
	}
	if !j.isRepeat(rule, p) {
		j.report(rule, p, text, format, args...)
	}
}

// findIn is findAt for an element.
func (j *judge) findIn(rule Rule, e *element, text, format string, args ...any) {
	j.findAt(rule, j.placeOf(e.offset), text, format, args...)
}

// findLoc is findAt for the location of an entry.
func (j *judge) findLoc(rule Rule, e *sitemap.Entry, format string, args ...any) {
	j.findAt(rule, j.field(e, document.Loc), e.Loc, format, args...)
}

// placeOf returns the place of a start tag of the current entry.
func (j *judge) placeOf(offset int64) place {
	if p, ok := j.kept[offset]; ok {
		return p
	}
	return j.place(offset)
}

// at returns the place of a position, also of a start tag of the current entry that has left the
// memory.
func (j *judge) at(pos sitemap.Position) place {
	if p, ok := j.kept[pos.Offset]; ok {
		return p
	}
	return j.text.at(pos)
}

// field returns the place of a field of an entry: that of the entry if it has none.
func (j *judge) field(e *sitemap.Entry, kind document.FieldKind) place {
	if e.Pos.Offset == j.start {
		for i := range j.fields {
			if f := &j.fields[i]; f.Kind == kind {
				return j.placeOf(f.Offset).of(e.Loc)
			}
		}
	}
	return j.at(e.Pos).of(e.Loc)
}

// keepPlaces keeps the places of the current entry before its bytes leave the memory: those that
// were added since the last time.
func (j *judge) keepPlaces() {
	from := j.keptTo
	keep := func(n int, offsetOf func(i int) int64) {
		for i := n - 1; i >= 0 && offsetOf(i) >= from; i-- {
			offset := offsetOf(i)
			if j.keptTo = max(j.keptTo, offset+1); j.holds(offset) {
				j.kept[offset] = j.place(offset)
			}
		}
	}
	keep(1, func(int) int64 { return j.start })
	keep(len(j.elements), func(i int) int64 { return j.elements[i].offset })
	keep(len(j.fields), func(i int) int64 { return j.fields[i].Offset })
	keep(len(j.links), func(i int) int64 { return j.links[i].offset })
	j.wideBefore(j.in.Position(0)) // it remembers what is needed of bytes that leave the memory
}

// maxHabit is how many findings of a habit are reported in a document.
const maxHabit = 100

// isRepeat counts a finding. It reports whether the finding is only counted, not reported.
func (j *judge) isRepeat(rule Rule, p place) bool {
	if !rule.habit {
		return false
	}
	h := j.habits[rule.Code]
	if h.count++; h.count == maxHabit+1 {
		h.first = p
	}
	j.habits[rule.Code] = h
	return h.count > maxHabit
}

// endHabits reports how many findings were counted only.
func (j *judge) endHabits() {
	for _, code := range slices.Sorted(maps.Keys(j.habits)) {
		if h := j.habits[code]; h.count > maxHabit {
			j.report(of(code), h.first, "", "%d more from here on", h.count-maxHabit)
		}
	}
}

// first reports whether it is called for the first time in the document with this key.
func (j *judge) first(key string) bool {
	if j.once[key] || len(j.once) >= maxOnce {
		return false
	}
	j.once[key] = true
	return true
}

// maxOnce bounds the names for which a defect is reported once each.
const maxOnce = 1_000

// withdraw removes the findings between two offsets of the entry, since another finding covers
// them.
func (j *judge) withdraw(code sitemap.Code, from, to int64) {
	j.held = slices.DeleteFunc(j.held, func(f Finding) bool {
		return f.Code == code && from <= f.Pos.Offset && f.Pos.Offset < to
	})
}
