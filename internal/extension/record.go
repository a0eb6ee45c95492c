package extension

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// readRecord reads the record whose start tag is current into a new item of s. Read reads a record
// of the same kind in it, and part a part of the item. Ok is false if the element is a part outside
// its record, or if there are too many.
func readRecord[T any](d *Decoder, s *slab[T], space namespace.Space, field string, read func(),
	part func(*T)) (at int, pos sitemap.Position, ok bool) {
	pos = d.here()
	switch name := recordName(space); {
	case !d.quick.active && string(d.r.Local()) != name:
		d.bad(pos, field, d.r.Raw())
		return 0, pos, false
	case s.len() == MaxRecords:
		d.overflow(field)
		return 0, pos, false
	}
	at = s.len()
	s.next()
	d.invalid = ""
	if d.quick.active {
		for d.quick.nextPart() {
			part(&s.current()[at])
		}
		return at, pos, true
	}
	outer := d.actual
	d.actual = d.r.Space
	for depth := d.r.Depth(); d.r.Child(depth); {
		switch {
		case d.stray(space), !d.isPart(space):
		case string(d.r.Local()) == recordName(space):
			d.another(depth, read)
		default:
			part(&s.current()[at])
		}
	}
	d.actual = outer
	return at, pos, true
}

// leave closes the element at depth, unless the current start tag, which is not that of one of its
// parts, is right before its end tag.
func (d *Decoder) leave(depth int) {
	if !d.r.Holds(depth) {
		d.r.Leave(depth)
	}
}

// maxNested is the maximum depth of records in records.
const maxNested = 4

// another reads a record that starts in one of its own kind at depth. The outer one is unclosed if
// its end tag does not follow.
func (d *Decoder) another(depth int, read func()) {
	pos := d.here()
	if d.nested == maxNested || !d.r.Holds(depth) {
		d.r.Leave(depth)
		return
	}
	d.bad(pos, string(d.r.Name()), d.r.Raw())
	d.nested++
	read()
	d.nested--
}

// stray reads a record of another kind in a record of this namespace, and reports whether there is
// one.
func (d *Decoder) stray(space namespace.Space) bool {
	name := recordName(d.r.Space)
	if d.r.Space == space || name == "" || name != string(d.r.Local()) || d.nested == maxNested {
		return false
	}
	d.bad(d.here(), string(d.r.Name()), d.r.Raw())
	d.nested++
	d.Element(false)
	d.nested--
	return true
}

// recordName returns the name of the records of a namespace, or "" if it has none.
func recordName(s namespace.Space) string {
	if s >= namespace.FirstOther {
		return ""
	}
	return recordNames[s]
}

// isPart reports whether the current start tag is that of a part of a record: in the namespace of
// such records or of this one, without a prefix (and by mistake in the document's), or in the
// namespace of sitemaps with any prefix.
func (d *Decoder) isPart(space namespace.Space) bool {
	ok := d.r.Space == space || d.r.Space == d.actual || len(d.r.Prefix()) == 0 ||
		d.r.Space == namespace.Sitemap
	if ok {
		d.checkCase()
	}
	return ok
}

// local returns the local name of the current element, in lower case.
func (d *Decoder) local() []byte {
	if d.quick.active {
		return d.quick.of(d.quick.name)
	}
	return d.r.Local()
}
