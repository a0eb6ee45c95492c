package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

// Text returns the text of the element whose start tag is current, with decoded references, and
// advances past the end tag. It includes the text of elements inside. It is valid until the next
// call.
//
// If the end tag is missing, the text ends at the start tag of a field. In extensions and their
// parts this holds only directly in them, in another namespace, and if their end tag does not
// follow. The text also ends at an end tag that closes nothing, unless more text or the right end
// tag follows.
func (r *Reader) Text() []byte {
	if text, ok := r.Leaf(); ok {
		return text
	}
	r.readText(false)
	return r.text
}

// Leaf is Text for an element that holds only text or one CDATA section, and is closed by its own
// end tag. Most elements are such. It reports false, and does not advance, for others, and where
// the window ends before the element does.
func (r *Reader) Leaf() (text []byte, ok bool) {
	text, isRaw, ok := r.leaf()
	if isRaw && bytes.IndexByte(text, '&') >= 0 {
		r.text = xmlchar.Decode(r.text[:0], text)
		return r.text, ok
	}
	return text, ok
}

// SkipText skips the element whose start tag is current as Text does, if its text does not matter.
// A field's start tag then does not end it if its end tag follows.
func (r *Reader) SkipText() {
	if !r.skipLeaf() {
		r.readText(true)
	}
}

// skipLeaf skips the element whose start tag is current if leaf can read it.
func (r *Reader) skipLeaf() bool {
	_, _, ok := r.leaf()
	return ok
}

// IsSound reports whether the attributes of the current start tag, or the text that Leaf has just
// read, are known to contain only characters that XML allows.
func (r *Reader) IsSound() bool {
	return r.current == soundLeaf ||
		r.current == fresh && r.report != nil && r.isSound(r.size)
}

// leaf is Leaf with text whose references are not decoded if isRaw is true.
func (r *Reader) leaf() (text []byte, isRaw, ok bool) {
	if r.current != fresh || r.Empty || r.Cut {
		return nil, false, false
	}
	b, from := r.in.Window(), r.size
	n := bytes.IndexByte(b[from:], '<')
	if n < 0 {
		return nil, false, false
	}
	text, at := b[from:from+n], from+n
	if isRaw = n > 0 || b[at : at+2][1] != '!'; !isRaw {
		if text = r.section(b, at); text == nil {
			return nil, false, false
		}
		at += len(cdataStart) + len(text) + len(cdataEnd)
	}
	name := r.Name()
	end := at + len("</") + len(name)
	if end >= len(b) || b[end] != '>' || b[at] != '<' || b[at+1] != '/' ||
		!bytes.Equal(b[at+2:end], name) || len(text) > MaxText {
		return nil, false, false
	}
	sound := r.report != nil && r.isSound(end)
	if r.report != nil {
		if !sound && (!isRaw || !xmlchar.Sound(name)) {
			return nil, false, false
		}
		if !sound {
			r.checkCharacters(from, text)
		}
		if isRaw {
			r.checkText(from, text)
		}
	}
	if r.Listener != nil && r.entry > 0 {
		r.Listener.Text(text, isRaw, r.depth())
	}
	r.in.Advance(at)
	r.Kind, r.size, r.nameAt = EndTag, end+1-at, span{2, end - at}
	r.owner = r.owner[:0]
	if r.current = unopened; sound {
		r.current = soundLeaf
	}
	r.Nested, r.Complete, r.Overflow = false, true, false
	return text, isRaw, true
}

// section returns the text of the CDATA section at b[at], or nil if there is no closed one without
// another section in it.
func (r *Reader) section(b []byte, at int) []byte {
	body, ok := bytes.CutPrefix(b[at:], cdataStart)
	if !ok {
		return nil
	}
	end := r.cdataEnd.find(body, r.in.Offset()+int64(len(b)-len(body)), indexCDATAEnd)
	if end < 0 || nextCDATA(body[:end]) {
		return nil
	}
	return body[:end:end]
}

// Void closes the element whose start tag is current, which should be empty, if the next tag is not
// its end tag, and that does not come later.
func (r *Reader) Void() {
	r.open()
	if r.Empty || r.Cut {
		return
	}
	if d := len(r.stack); r.nothingFollows(d) && !bytes.HasPrefix(r.ahead(2), []byte("<!")) &&
		!r.Holds(d) {
		r.mismatched(r.Raw())
		r.pop(d - 1)
	}
}

func (r *Reader) readText(whole bool) {
	r.open()
	r.text, r.Href = r.text[:0], r.Href[:0]
	r.Nested, r.Complete, r.Overflow = false, r.Empty, false
	space := r.Space
	if !r.Empty {
		r.end = append(append(append(r.end[:0], '/'), r.name(len(r.stack))...), '>')
	}
	for d := len(r.stack); len(r.stack) >= d && !r.Complete && r.root == rootOpen; {
		switch r.next() {
		case EOF:
			r.root = rootCut
			r.Complete = !r.Nested && r.endsHere(d)
		case Text:
			r.keep(r.Raw(), true)
		case CDATA:
			r.keep(r.Data, false)
		case StartTag:
			switch {
			case r.Cut:
				r.keep(r.Raw(), true)
			case r.IsEntry() && r.opensEntry():
				r.Complete = true
				r.resume(d - 1)
			case r.isNextField(d, space) && !((whole || d > r.entry+1 || r.IsExtension(space)) &&
				r.Holds(d)):
				r.Complete = true
				if around := d - 1; around > r.entry && !r.leftOpen() {
					r.reread(around) // the extension around the part is closed later
				} else {
					r.reread(r.entry)
				}
			case r.isNextPart(d, space):
				r.Complete = true
				r.reread(d - 1)
			default:
				r.Nested = true
				if href, ok := r.Attr("href"); ok && len(r.Href) == 0 && string(r.Local()) == "a" {
					r.Href = xmlchar.Decode(r.Href[:0], href)
				}
				r.push()
			}
		case EndTag:
			if !r.close() && len(r.stack) == d && r.nothingFollows(d) {
				r.pop(d - 1)
			}
			r.Complete = len(r.stack) < d
		}
	}
	if r.Kind != EndTag || !bytes.HasPrefix(r.end, append([]byte("/"), r.Name()...)) {
		r.text = bytes.TrimRight(r.text, " \t\r\n")
		if text, ok := bytes.CutSuffix(r.text, r.end); ok { // it lost its '<', or has a blank after it
			r.text = bytes.TrimRight(text, "< \t\r\n")
		}
	}
	if !r.pending { // else it is that of the next tag
		r.Empty = false
	}
}

// isNextField reports whether the current start tag, in an element at depth d in that namespace, is
// that of a field of the entry. It ends the element unless the element is known to contain it.
func (r *Reader) isNextField(d int, space namespace.Space) bool {
	return r.IsField() && (d == r.entry+1 || r.entry > 0 && d == len(r.stack) && r.Space != space)
}

// isNextPart is isNextField for an extension, which ends a field, and for a part of one, which ends
// another part. Neither does if the end tag follows.
func (r *Reader) isNextPart(d int, space namespace.Space) bool {
	inField := d == r.entry+1 && r.IsExtension(r.Space) && !r.IsExtension(space)
	inPart := r.entry+1 < d && r.Space == space && r.IsExtension(space)
	return r.entry > 0 && d == len(r.stack) && (inField || inPart) && !r.Holds(d)
}

// keep appends to the text of an element.
func (r *Reader) keep(b []byte, references bool) {
	if len(r.text)+len(b) > MaxText { // white space around the text does not count
		if n := spaceLen(r.text); n > 0 {
			r.text = append(r.text[:0], r.text[n:]...)
		}
		if len(r.text) == 0 {
			b = b[spaceLen(b):]
		}
	}
	if cut := MaxText - len(r.text); cut < len(b) {
		r.Overflow = r.Overflow || len(bytes.TrimSpace(b[max(0, cut):])) > 0
		b = b[:max(0, cut)]
	}
	if references {
		r.text = xmlchar.Decode(r.text, b)
	} else {
		r.text = append(r.text, b...)
	}
}

// endsHere reports whether the rest of the document begins the end tag of the element at depth d. A
// character of UTF-16 or UTF-32 that is cut, which package input replaces by 0xff, may follow it.
func (r *Reader) endsHere(d int) bool {
	rest, ok := bytes.CutPrefix(r.Raw(), []byte("</"))
	return ok && bytes.HasPrefix(r.name(d), bytes.TrimSuffix(rest, []byte{0xff}))
}

// nothingFollows reports whether the next tag is not the end tag of the element at depth d.
func (r *Reader) nothingFollows(d int) bool {
	rest := r.ahead(2 + len(r.name(d)))
	if !bytes.HasPrefix(rest, []byte("<")) {
		return false
	}
	rest, ok := bytes.CutPrefix(rest, []byte("</"))
	return !ok || !bytes.HasPrefix(rest, r.name(d))
}
