package xmlscan

import (
	"bytes"
	"strings"
)

// lookAhead is how far tags after the current one are searched at first, and farAhead is how far at
// most.
const (
	lookAhead = 4 << 10
	farAhead  = maxLook
)

// Holds reports whether the current start tag is known to be in the element at depth d, because the
// end tag of that follows.
func (r *Reader) Holds(d int) bool {
	var entry []byte
	if r.entry > 0 {
		entry = r.name(r.entry)
	}
	return r.landmark(d, entry) == itsEnd
}

// Leave closes the unclosed element at depth d before the current start tag, which is that of a
// child of it. The tag becomes the next one again.
func (r *Reader) Leave(d int) { r.reread(d - 1) }

// leftOpen reports whether the current start tag is that of a field of the entry although an
// extension or an unknown element is open, which is certainly unclosed.
func (r *Reader) leftOpen() bool {
	if r.entry == 0 || len(r.stack) <= r.entry || !r.IsField() {
		return false
	}
	prefix, local := cutPrefix(r.name(r.entry + 1))
	if space, _ := r.Lookup(prefix); r.HoldsFields(space, strings.ToLower(string(local))) {
		return false
	}
	return r.landmark(r.entry+1, r.name(r.entry)) == entryTag
}

// Enclosed reports whether the current start tag, within an entry, has its namespace from itself,
// or from an element within the entry whose end tag follows. The tag then belongs to that element,
// whatever its name.
func (r *Reader) Enclosed() bool {
	if r.entry == 0 || len(r.stack) < r.entry {
		return false
	}
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if b := &r.bindings[i]; b.prefix == string(r.Prefix) {
			if b.depth == len(r.stack)+1 {
				return true
			}
			return r.entry < b.depth && b.depth <= len(r.stack) &&
				r.landmark(b.depth, nil) == itsEnd
		}
	}
	return false
}

// HeldBy reports whether the current start tag is in a child of the entry with this local name,
// whose end tag follows.
func (r *Reader) HeldBy(local string) bool {
	d := r.entry + 1
	if r.entry == 0 || len(r.stack) < d {
		return false
	}
	_, name := cutPrefix(r.name(d))
	return strings.EqualFold(string(name), local) && r.landmark(d, nil) == itsEnd
}

// A mark shows whether an open element is ever closed. It is the first of the following tags with
// its name or the entry's, apart from those of elements with these names within.
type mark int

const (
	noMark mark = iota // no mark was found so far
	itsEnd             // its end tag
	// a start tag of its name, which shows nothing without an entry's name
	anothersStart
	entryTag // the entry's end tag, or the start tag of another entry
)

// A landmark is the last mark that was found at some depths. It is kept so that a document full of
// tags is not searched again for each of them.
type landmark struct {
	depth       int
	name, entry []byte
	from, to    int64 // offsets; the mark is at to, or, without a mark, not before it
	mark        mark
	inside      int  // elements with the entry's name that are open at to, but are not entries
	own         int  // elements with its own name that are open at to, if it has an entry's
	ended       bool // an end tag with its own name was seen
	// The element was closed because it was unclosed. The landmark is then that of the next element
	// at its depth. Orphans is how many such elements there were.
	closed  bool
	orphans int
}

// landmark returns the mark for the open element at depth d, in an entry with that name unless it
// is nil. It searches at least half of farAhead and at most all of it, as long as the document
// affords it.
func (r *Reader) landmark(d int, entry []byte) mark {
	l := &r.landmarks[d%len(r.landmarks)]
	r.marked = max(r.marked, d)
	if r.lookedNear > maxLooked+lookedNearPerByte*r.in.Offset() {
		return noMark
	}
	for near := lookAhead; ; near = min(2*near, farAhead) {
		rest := r.ahead(near)
		offset := r.in.Offset() + int64(len(r.in.Window())-len(rest))
		if l.seek(d, r.name(d), entry, offset) {
			l.inside, l.own = r.count(entry, d), r.count(l.name, d)
			if !r.pushed && !r.Empty && isFold(key(r.Name), l.name) {
				l.own++
			}
		}
		from := l.to
		l.look(rest[:min(len(rest), near)], offset)
		if near > lookAhead {
			r.looked += l.to - from
		} else {
			r.lookedNear += l.to - from
		}
		if l.mark != noMark || near == farAhead || len(rest) < near ||
			l.to-offset >= int64(farAhead/2) || r.spent(offset) {
			return l.mark
		}
	}
}

// Bounds of all searches together: a number of bytes, and a number for each byte of the document,
// within lookAhead and beyond it. So a document full of such tags takes no longer than others.
const (
	maxLooked         = 4 * farAhead
	lookedNearPerByte = 16
	lookedPerByte     = 4
)

// spent reports whether a document that is read up to an offset affords no more searches.
func (r *Reader) spent(offset int64) bool { return r.looked > maxLooked+lookedPerByte*offset }

// count returns the number of open elements with that name deeper than d.
func (r *Reader) count(name []byte, d int) (n int) {
	for d++; len(name) > 0 && d <= len(r.stack); d++ {
		if bytes.EqualFold(r.name(d), name) {
			n++
		}
	}
	return n
}

// seek makes l the landmark for an element at depth d and these names from an offset on. It reports
// whether the landmark is a new one. The mark of other names or another place is discarded.
func (l *landmark) seek(d int, name, entry []byte, offset int64) (isNew bool) {
	isNew = l.depth != d || !bytes.Equal(l.name, name) || !bytes.Equal(l.entry, entry) ||
		offset < l.from || l.to < offset
	if !isNew && l.closed {
		isNew = l.mark != noMark || l.ended
		l.closed = false
		l.orphans++
	}
	if isNew {
		*l = landmark{depth: d, name: append(l.name[:0], name...),
			entry: append(l.entry[:0], entry...), to: offset}
	}
	l.from = offset
	return isNew
}

// closeLandmarks records that the elements deeper than d were closed.
func (r *Reader) closeLandmarks(d int) {
	for i := range r.landmarks {
		if l := &r.landmarks[i]; l.depth > d {
			l.closed = true
		}
	}
	r.marked = d
}

// look searches rest, the bytes at that offset, for the mark, from the last place of the search on.
func (l *landmark) look(rest []byte, offset int64) {
	for l.mark == noMark && l.to < offset+int64(len(rest)) {
		tag := rest[l.to-offset:]
		lt := bytes.IndexByte(tag, '<')
		if lt < 0 {
			l.to += int64(len(tag))
			return
		}
		l.to += int64(lt)
		size := l.pass(tag[lt+1:])
		if size == 0 {
			return
		}
		if l.mark == noMark {
			l.to += int64(size)
		}
	}
}

// pass sets the mark if the tag after a '<' is one. It returns how far to go on from there, or 0 if
// it needs more bytes to decide.
func (l *landmark) pass(tag []byte) (size int) {
	if bytes.HasPrefix(tag, []byte("!")) {
		return 1 + sectionLen(tag)
	}
	name, ends := bytes.CutPrefix(tag, []byte("/"))
	n := NameLen(name)
	if n == len(name) {
		return 0
	}
	switch name, rest := name[:n], name[n:]; {
	case bytes.EqualFold(name, l.name) && ends:
		l.ended = true
		if l.own--; l.own < l.orphans || len(l.entry) == 0 {
			l.mark = itsEnd
		}
	case bytes.EqualFold(name, l.name) && len(l.entry) > 0:
		if end, _ := tagEnd(rest, 0); end == 0 || rest[end-1] != '/' {
			l.own++
		}
	case bytes.EqualFold(name, l.name):
		l.mark = anothersStart
	case len(l.entry) == 0 || !bytes.EqualFold(name, l.entry):
	case ends:
		if l.inside--; l.inside < 0 {
			l.mark = entryTag
		}
	default:
		return l.passEntry(rest)
	}
	return 1
}

// passEntry is pass for a start tag with the entry's name, called after that. A tag that no other
// tag follows, or with a namespace of its own, is not that of an entry.
func (l *landmark) passEntry(rest []byte) (size int) {
	end, complete := tagEnd(rest, 0)
	if end == len(rest) {
		return 0
	}
	if !complete {
		l.mark = entryTag
		return 1
	}
	switch follows, known := opens(rest[end+1:]); {
	case !known:
		return 0
	case end > 0 && rest[end-1] == '/':
	case follows && !bytes.Contains(rest[:end], xmlns):
		l.mark = entryTag
	default:
		l.inside++
	}
	return 1
}

// sectionLen returns the length of the comment or CDATA section in b, which starts after its '<'.
// It returns 0 if nothing closes it before another one.
func sectionLen(b []byte) int {
	for _, s := range []struct{ start, end []byte }{{commentStart, commentEnd},
		{cdataStart, cdataEnd}} {
		if !bytes.HasPrefix(b, s.start[1:]) {
			continue
		}
		b = b[:min(len(b), lookAhead)]
		n := bytes.Index(b, s.end)
		if n >= 0 && !bytes.Contains(b[1:n], s.start) {
			return n + len(s.end)
		}
	}
	return 0
}
