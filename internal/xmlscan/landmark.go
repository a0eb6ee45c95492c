package xmlscan

import (
	"bytes"
	"strings"
)

// lookAhead is how far tags after the current one are searched.
const lookAhead = 16 << 10

// Holds reports whether the current start tag is known to be in the element at depth d, because the
// end tag of that follows.
func (r *Reader) Holds(d int) bool {
	r.open()
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
	r.open()
	if r.entry == 0 || len(r.stack) < r.entry {
		return false
	}
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if b := &r.bindings[i]; b.prefix == string(r.Prefix()) {
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
	r.open()
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

// A landmark is a search for the mark of an open element.
type landmark struct {
	name, entry []byte
	mark        mark
	inside      int // open elements with the entry's name that are not entries
	own         int // open elements with its own name, if it has an entry's
}

// landmark returns the mark for the open element at depth d, in an entry with that name unless it
// is nil.
func (r *Reader) landmark(d int, entry []byte) mark {
	if !r.mayLook() {
		return noMark
	}
	rest := r.ahead(lookAhead)
	rest = rest[:min(len(rest), lookAhead)]
	l := landmark{name: r.name(d), entry: entry}
	l.inside, l.own = r.count(entry, d), r.count(l.name, d)
	if r.current != opened && !r.Empty && isFold(key(r.Name()), l.name) {
		l.own++
	}
	r.looked += int64(l.look(rest))
	return l.mark
}

// Bounds of all searches together: a number of bytes, and a number for each byte of the document.
// So a document full of such tags takes no longer than others.
const (
	maxLooked     = 2 << 20
	lookedPerByte = 16
)

// mayLook reports whether the searches so far leave room for another one.
func (s *Scanner) mayLook() bool { return s.looked <= maxLooked+lookedPerByte*s.in.Offset() }

// count returns the number of open elements with that name deeper than d.
func (r *Reader) count(name []byte, d int) (n int) {
	for d++; len(name) > 0 && d <= len(r.stack); d++ {
		if bytes.EqualFold(r.name(d), name) {
			n++
		}
	}
	return n
}

// look searches b for the mark and returns how many bytes it has searched.
func (l *landmark) look(b []byte) int {
	for at := 0; ; {
		lt := bytes.IndexByte(b[at:], '<')
		if lt < 0 {
			return len(b)
		}
		at += lt
		size := l.pass(b[at+1:])
		if size == 0 || l.mark != noMark {
			return at
		}
		at += size
	}
}

// pass sets the mark if the tag after a '<' is one. It returns how far to go on from there, or 0 if
// it needs more bytes to decide.
func (l *landmark) pass(tag []byte) (size int) {
	if bytes.HasPrefix(tag, []byte("!")) {
		size, _ = sectionLen(tag)
		return 1 + size
	}
	name, ends := bytes.CutPrefix(tag, []byte("/"))
	n := NameLen(name)
	if n == len(name) {
		return 0
	}
	switch name, rest := name[:n], name[n:]; {
	case bytes.EqualFold(name, l.name) && ends:
		if l.own--; l.own < 0 || len(l.entry) == 0 {
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
// It returns 0 if nothing closes it before another one. IsOpen reports whether b has neither its
// end nor another one.
func sectionLen(b []byte) (size int, isOpen bool) {
	for _, s := range []struct{ start, end []byte }{{commentStart, commentEnd},
		{cdataStart, cdataEnd}} {
		if !bytes.HasPrefix(b, s.start[1:]) {
			continue
		}
		next := bytes.Index(b, s.start)
		if next >= 0 {
			b = b[:next]
		}
		if n := bytes.Index(b, s.end); n >= 0 {
			return n + len(s.end), false
		}
		return 0, next < 0
	}
	return 0, false
}
