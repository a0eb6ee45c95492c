package xmlscan

import (
	"bytes"
)

// An elementState is the state of the element of the current tag.
type elementState uint8

const (
	unopened  elementState = iota // the Reader examines its start tag, or there is no such element
	fresh                         // the caller has its start tag, and the Reader has not opened it
	opened                        // it is on the stack
	soundLeaf                     // Leaf has read all of it, and found it sound
)

// A rootState is the state of the root.
type rootState uint8

const (
	rootOpen  rootState = iota // not closed, or not read yet
	rootEnded                  // closed by an end tag
	rootCut                    // the document ended before that
)

// key returns the part of a name that is remembered.
func key(name []byte) []byte { return name[:min(len(name), MaxName)] }

// push opens the element of the current start tag.
func (r *Reader) push() {
	switch {
	case r.Empty:
		if len(r.stack) == 0 {
			r.root = rootEnded
		}
		return
	case len(r.stack) >= MaxDepth:
		r.deep++
		return
	}
	if len(r.stack) > 0 && r.entry == 0 && r.IsEntry() {
		r.pushEntry(r.Name())
		return
	}
	r.pushName(r.Name())
}

// pushEntry opens an entry.
func (r *Reader) pushEntry(name []byte) {
	r.entry = len(r.stack) + 1
	r.Direct, r.DirectCut, r.directEnd = r.Direct[:0], false, false
	r.pushName(name)
}

// pushName opens an element with this name.
func (r *Reader) pushName(name []byte) {
	r.stack = append(r.stack, len(r.names))
	r.names = append(r.names, key(name)...)
	r.current = opened
}

// name returns the name of the open element at depth d.
func (r *Reader) name(d int) []byte {
	start, end := r.stack[d-1], len(r.names)
	if d < len(r.stack) {
		end = r.stack[d]
	}
	return r.names[start:end]
}

// find returns the depth of the innermost open element with that name, in any letter case, or 0.
func (r *Reader) find(name []byte) int {
	d := len(r.stack)
	for d > 0 && !isFold(r.name(d), name) {
		d--
	}
	return d
}

func isFold(a, b []byte) bool { return len(a) == len(b) && bytes.EqualFold(a, b) }

// close closes the innermost open element that the current end tag names, and the elements in it.
// It reports whether there is one.
func (r *Reader) close() bool {
	if d := len(r.stack); d > 1 && r.deep == 0 && bytes.Equal(r.name(d), r.Name()) {
		r.rootEnd = r.rootEnd || r.entry == 0 && bytes.Equal(r.name(1), r.Name())
		r.pop(d - 1)
		return true
	}
	ending := key(r.Name())
	d := r.find(ending)
	switch deeper := r.deep > 0 && d == len(r.stack) && d > 1 && d != r.entry; {
	case d == 0 || deeper:
	default:
		if d < len(r.stack) || r.deep > 0 || !bytes.Equal(r.name(d), ending) {
			r.mismatched(r.Raw())
		}
		r.pop(d - 1)
		return true
	}
	if r.deep > 0 {
		r.deep--
		return true
	}
	r.mismatched(r.Raw())
	return false
}

// eof handles the end of the document before that of the root. The root did end if an end tag with
// its name closed an element in it: its start tag was there twice.
func (r *Reader) eof() {
	if !r.rootEnd && !r.wrapped || len(r.stack) > 1 || r.Continues() {
		r.root = rootCut
		return
	}
	if r.root = rootEnded; r.rootEnd {
		r.mismatched(r.name(1))
	}
}

// pop closes the elements deeper than d.
func (r *Reader) pop(d int) {
	r.names = r.names[:r.stack[d]]
	r.stack = r.stack[:d]
	r.deep = 0
	if d < r.entry {
		r.entry = 0
	}
	if d == 0 {
		r.root = rootEnded
	}
}

// resume goes back to the parent of the entries, before the current start tag of an entry. It
// closes the open entry, or, without one, the elements deeper than d.
func (r *Reader) resume(d int) {
	if r.entry > 0 {
		d = r.entry - 1
	}
	r.reread(d)
}

// reread closes the elements deeper than d before the current start tag, which becomes the next
// token again.
func (r *Reader) reread(d int) {
	r.mismatched(r.Raw())
	if d < len(r.stack) {
		r.pop(d)
	}
	r.pending, r.current = true, unopened
}
