package xmlscan

import (
	"bytes"
	"unicode/utf8"
)

// open is an open element.
type open struct {
	name int    // where its name starts in names
	hash uint32 // of its name, where that was needed
}

// key is what is remembered of a name.
func key(name []byte) []byte { return name[:min(len(name), MaxName)] }

// push opens the current start tag's element.
func (r *Reader) push() {
	switch {
	case r.Empty:
		if len(r.stack) == 0 {
			r.ended = true
		}
		return
	case len(r.stack) >= MaxDepth:
		r.deep++
		return
	}
	if len(r.stack) > 0 && r.entry == 0 && r.IsEntry() {
		r.entry = len(r.stack) + 1
		r.entryName = append(r.entryName[:0], r.Name...)
		r.Direct, r.DirectCut, r.directEnd = r.Direct[:0], false, false
	}
	r.stack = append(r.stack, open{name: len(r.names)})
	r.names = append(r.names, key(r.Name)...)
	r.pushed = true
}

// name returns the name of the open element at depth d.
func (r *Reader) name(d int) []byte {
	start, end := r.stack[d-1].name, len(r.names)
	if d < len(r.stack) {
		end = r.stack[d].name
	}
	return r.names[start:end]
}

// find returns the depth of the innermost open element of that name, in any letter case; 0 if
// there is none. Most end tags name the innermost element. End tags that close nothing are not
// to cost as much as there are names: these are counted by the last 8 bits of their hashes.
func (r *Reader) find(name []byte) int {
	d := len(r.stack)
	if d == 0 || isFold(r.name(d), name) {
		return d
	}
	if r.hashes == nil {
		r.hashes = new([256]uint16)
	}
	for ; r.hashed < d; r.hashed++ {
		o := &r.stack[r.hashed]
		o.hash = hashOf(r.name(r.hashed + 1))
		r.hashes[uint8(o.hash)]++
	}
	hash := hashOf(name)
	if r.hashes[uint8(hash)] == 0 {
		return 0
	}
	for d > 0 && (r.stack[d-1].hash != hash || !isFold(r.name(d), name)) {
		d--
	}
	return d
}

func isFold(a, b []byte) bool { return len(a) == len(b) && bytes.EqualFold(a, b) }

// hashOf returns a hash of a name (FNV-1a), the same in any letter case.
func hashOf(name []byte) uint32 {
	hash := uint32(2166136261)
	for _, c := range name {
		if c < utf8.RuneSelf { // other letters have cases of other bytes
			hash = (hash ^ uint32(c|0x20)) * 16777619
		}
	}
	return hash>>16 ^ hash
}

// close closes the innermost open element that the current end tag names, and
// what is open within. It reports whether there is one.
func (r *Reader) close() bool {
	ending := key(r.Name)
	d := r.find(ending)
	switch deeper := r.deep > 0 && d == len(r.stack) && d > 1 && d != r.entry; {
	case d == 0 || deeper:
	case d == 1 && r.closesInner():
		return true
	default:
		if d < len(r.stack) || r.deep > 0 || !bytes.Equal(r.name(d), ending) {
			r.mismatched(r.Raw)
		}
		r.pop(d - 1)
		return true
	}
	if r.deep > 0 {
		r.deep--
		return true
	}
	r.mismatched(r.Raw)
	return false
}

// eof is for the document's end before that of the root; it was there, though, if an
// end tag of the root's name stood for one that was closed before.
func (r *Reader) eof() {
	r.cut = !r.rootEnd || len(r.stack) > 1
	r.ended = !r.cut
}

// closesInner reports whether the current end tag, which names the root, is that of an
// element of the same name within, which reread closed before.
func (r *Reader) closesInner() bool {
	if r.inner == 0 {
		return false
	}
	r.inner--
	r.rootEnd = true
	r.mismatched(r.Raw)
	if len(r.stack) > 1 {
		r.pop(1)
	}
	return true
}

// pop closes the elements deeper than d.
func (r *Reader) pop(d int) {
	if r.marked > d {
		r.closeLandmarks(d)
	}
	for r.hashed > d {
		r.hashed--
		r.hashes[uint8(r.stack[r.hashed].hash)]--
	}
	r.names = r.names[:r.stack[d].name]
	r.stack = r.stack[:d]
	r.deep = 0
	if d < r.entry {
		r.entry, r.entryName = 0, r.entryName[:0]
	}
	if d == 0 {
		r.ended = true
	}
}

// resume goes back to where entries stand, before the current start tag of an
// entry: it closes the entry that is open, or what is open deeper than d if none is.
func (r *Reader) resume(d int) {
	if r.entry > 0 {
		d = r.entry - 1
	}
	r.reread(d)
}

// reread closes the elements deeper than d before the current start tag, which
// is the next token again.
func (r *Reader) reread(d int) {
	r.mismatched(r.Raw)
	for n := len(r.stack); n > max(d, 1); n-- {
		if bytes.Equal(r.name(n), r.name(1)) {
			r.inner++
		}
	}
	if d < len(r.stack) {
		r.pop(d)
	}
	r.pending = true
}
