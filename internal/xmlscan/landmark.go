package xmlscan

import "bytes"

// lookAhead is how far tags are looked for behind the current one.
const lookAhead = 4 << 10

// Holds reports whether the current start tag is known to stand in the element at depth d,
// and not behind it: the end tag of that follows.
func (r *Reader) Holds(d int) bool {
	var entry []byte
	if r.entry > 0 {
		entry = r.name(r.entry)
	}
	return r.landmark(r.name(d), entry) == itsEnd
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
	return r.landmark(r.name(r.entry+1), r.name(r.entry)) == entryTag
}

// Enclosed reports whether the current start tag has its namespace from an element within
// the entry whose end tag follows: then the tag is that element's, whatever its name.
func (r *Reader) Enclosed() bool {
	if r.entry == 0 || len(r.stack) <= r.entry {
		return false
	}
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if b := &r.bindings[i]; b.prefix == string(r.Prefix) {
			return r.entry < b.depth && b.depth <= len(r.stack) && r.landmark(r.name(b.depth), nil) == itsEnd
		}
	}
	return false
}

// A mark is what tells whether an element that is open was ever closed: of the tags that
// follow, the first of its name or of the entry's.
type mark int

const (
	noMark        mark = iota // there is none in lookAhead
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
// that is not nil.
func (r *Reader) landmark(name, entry []byte) mark {
	rest := r.ahead(lookAhead)
	offset := r.in.Offset() + int64(len(r.in.Window())-len(rest))
	rest = rest[:min(len(rest), lookAhead)]
	l := &r.seenLandmark
	if !bytes.Equal(l.name, name) || !bytes.Equal(l.entry, entry) || offset < l.from || l.to < offset {
		l.name, l.entry = append(l.name[:0], name...), append(l.entry[:0], entry...)
		l.to, l.mark = offset, noMark
	}
	l.from = offset
	for at := int(l.to - offset); l.mark == noMark && at < len(rest); {
		i := bytes.IndexByte(rest[at:], '<')
		if i < 0 {
			break
		}
		at += i
		l.to = offset + int64(at)
		l.mark = markOf(rest[at+1:], name, entry)
		at++
	}
	return l.mark
}

// markOf returns the mark that a tag is; one whose name goes on beyond its bytes is none.
func markOf(tag, name, entry []byte) mark {
	tag, ends := bytes.CutPrefix(tag, []byte("/"))
	n := NameLen(tag)
	switch {
	case n == len(tag):
	case bytes.EqualFold(tag[:n], name) && ends:
		return itsEnd
	case bytes.EqualFold(tag[:n], name):
		return anothersStart
	case len(entry) > 0 && bytes.EqualFold(tag[:n], entry):
		return entryTag
	}
	return noMark
}
