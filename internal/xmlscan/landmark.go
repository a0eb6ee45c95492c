package xmlscan

import "bytes"

// lookAhead is how far tags are looked for behind the current one, and farAhead is how far
// where that decides whether an entry is one.
const (
	lookAhead = 4 << 10
	farAhead  = maxLook
)

// Holds reports whether the current start tag is known to stand in the element at depth d,
// and not behind it: the end tag of that follows.
func (r *Reader) Holds(d int) bool {
	var entry []byte
	if r.entry > 0 {
		entry = r.name(r.entry)
	}
	return r.landmark(r.name(d), entry, lookAhead) == itsEnd
}

// Leave closes the element at depth d, which was left open before the current start tag,
// that of a child of it: the tag is the next one again.
func (r *Reader) Leave(d int) { r.reread(d - 1) }

// leftOpen reports whether the current start tag is that of a field of the entry, though an
// extension with a prefix is open there that is certain not to be closed.
func (r *Reader) leftOpen() bool {
	if r.entry == 0 || len(r.stack) <= r.entry || !r.IsField() {
		return false
	}
	prefix, _, ok := bytes.Cut(r.name(r.entry+1), []byte(":"))
	if !ok {
		return false
	}
	if space, _ := r.Lookup(prefix); !r.IsExtension(space) {
		return false
	}
	return r.landmark(r.name(r.entry+1), r.name(r.entry), lookAhead) == entryTag
}

// Enclosed reports whether the current start tag, within an entry, has its namespace from
// itself, or from an element within the entry whose end tag follows: then the tag is that
// element's, whatever its name.
func (r *Reader) Enclosed() bool {
	if r.entry == 0 || len(r.stack) < r.entry {
		return false
	}
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if b := &r.bindings[i]; b.prefix == string(r.Prefix) {
			if b.depth == len(r.stack)+1 {
				return true
			}
			return r.entry < b.depth && b.depth <= len(r.stack) && r.landmark(r.name(b.depth), nil, farAhead) == itsEnd
		}
	}
	return false
}

// A mark is what tells whether an element that is open was ever closed: of the tags that
// follow, the first of its name or of the entry's.
type mark int

const (
	noMark        mark = iota // there is none as far as was looked
	itsEnd                    // its end tag
	anothersStart             // a start tag of its name, which tells nothing
	entryTag                  // a tag of the entry's name
)

// A landmark is the mark that was found last. It is remembered so that a document full of
// tags is not looked through again for each of them.
type landmark struct {
	name, entry []byte
	from, to    int64 // offsets; the mark is at to, or, if there is none, not before it
	mark        mark
}

// landmark returns the mark for an element of that name, in an entry of the other name if
// that is not nil. It looks as far ahead as reach; where that is beyond lookAhead, half as
// far at least, while the document affords it.
func (r *Reader) landmark(name, entry []byte, reach int) mark {
	l := &r.seenLandmark
	for near := lookAhead; ; near = min(2*near, reach) {
		rest := r.ahead(near)
		offset := r.in.Offset() + int64(len(r.in.Window())-len(rest))
		l.seek(name, entry, offset)
		from := l.to
		l.look(rest[:min(len(rest), near)], offset)
		if near > lookAhead {
			r.looked += l.to - from
		}
		if l.mark != noMark || near == reach || len(rest) < near || l.to-offset >= int64(reach/2) || r.looked > maxLooked+lookedPerByte*offset {
			return l.mark
		}
	}
}

// What is looked at beyond lookAhead in all: so many bytes, and so many for each of the
// document, so that one full of such tags takes no longer than others.
const (
	maxLooked     = 4 * farAhead
	lookedPerByte = 4
)

// seek makes l the landmark for these names from an offset on: what was found for others,
// or elsewhere, is forgotten.
func (l *landmark) seek(name, entry []byte, offset int64) {
	if !bytes.Equal(l.name, name) || !bytes.Equal(l.entry, entry) || offset < l.from || l.to < offset {
		l.name, l.entry = append(l.name[:0], name...), append(l.entry[:0], entry...)
		l.to, l.mark = offset, noMark
	}
	l.from = offset
}

// look looks for the mark in rest, the bytes at that offset, from where it was not found yet.
func (l *landmark) look(rest []byte, offset int64) {
	for l.mark == noMark && l.to < offset+int64(len(rest)) {
		tag := rest[l.to-offset:]
		if lt := bytes.IndexByte(tag, '<'); lt >= 0 {
			l.to += int64(lt)
			tag = tag[lt+1:]
		} else {
			l.to += int64(len(tag))
			return
		}
		var cut bool
		if l.mark, cut = markOf(tag, l.name, l.entry); cut {
			return
		}
		if l.mark == noMark {
			l.to++
		}
	}
}

// markOf returns the mark that a tag is, or that its name goes on beyond its bytes.
func markOf(tag, name, entry []byte) (m mark, cut bool) {
	tag, ends := bytes.CutPrefix(tag, []byte("/"))
	n := NameLen(tag)
	switch {
	case n == len(tag):
		return noMark, true
	case bytes.EqualFold(tag[:n], name) && ends:
		return itsEnd, false
	case bytes.EqualFold(tag[:n], name):
		return anothersStart, false
	case len(entry) > 0 && bytes.EqualFold(tag[:n], entry):
		return entryTag, false
	}
	return noMark, false
}
