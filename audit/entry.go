package audit

import (
	"bytes"
	"slices"

	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// An element is an element of an entry, or the root.
type element struct {
	local  []byte // name without its prefix, in lower case
	space  namespace.Space
	own    bool   // it is in the protocol's namespace, that of the root, or none
	cdata  bool   // text has no references
	depth  int    // 0 is the entry
	text   []byte // the first text directly in it, at most 16 KiB
	attrs  []xmlscan.Attr
	offset int64
}

// maxElementText is how much of an element's text is kept.
const maxElementText = 16 << 10

// value returns the text of the element with decoded references.
func (e *element) value() []byte {
	if e.cdata {
		return bytes.TrimSpace(e.text)
	}
	return decoded(e.text)
}

// decoded returns text with decoded references, without white space around it.
func decoded(text []byte) []byte {
	if bytes.IndexByte(text, '&') >= 0 {
		text = xmlchar.Decode(nil, text)
	}
	return xmlscan.TrimSpace(text)
}

// attr returns the value of an attribute without a prefix, with decoded references.
func (e *element) attr(name string) (value []byte, ok bool) {
	for i := range e.attrs {
		if a := &e.attrs[i]; string(a.Name) == name {
			return decoded(a.Value), true
		}
	}
	return nil, false
}

// An entry holds the elements of the entry that is being read.
type entry struct {
	start    int64 // its offset, -1 before the first one
	fields   []document.Field
	links    []link          // alternates
	elements []element       // unless all of it has the common shape
	path     []int           // of each depth, the element that was added last below the one above
	kept     map[int64]place // of start tags whose bytes have left the memory, by offset
	keptTo   int64           // the end of the offsets that were kept

	bytes []byte // that the elements keep
	attrs []xmlscan.Attr
}

// A link is an alternate of the entry.
type link struct {
	offset     int64
	code, href string
}

// begin starts the next entry.
func (e *entry) begin(offset int64) {
	e.start, e.fields, e.links = offset, e.fields[:0], e.links[:0]
	if len(e.elements) > 0 || len(e.kept) > 0 {
		clear(e.kept)
		e.keptTo = 0
		e.elements, e.bytes, e.attrs = e.elements[:0], e.bytes[:0], e.attrs[:0]
		e.path = e.path[:0]
	}
}

// Bounds of what is judged of an entry.
const (
	maxElements = 100_000
	maxKept     = 16 << 20 // of names, attributes and text
)

// isFull reports whether there is no room for a further element of the entry.
func (e *entry) isFull() bool { return len(e.elements) >= maxElements || len(e.bytes) >= maxKept }

// add adds the current start tag. It replaces the last element if that is the same tag.
func (e *entry) add(r *xmlscan.Reader, depth int, own bool) {
	at := r.Offset()
	if n := len(e.elements); n > 0 && e.elements[n-1].offset == at {
		e.elements = e.elements[:n-1]
	}
	if e.isFull() {
		e.path = e.path[:min(depth, len(e.path))]
		return
	}
	for len(e.path) < depth {
		e.path = append(e.path, -1)
	}
	e.path = append(e.path[:depth], len(e.elements))
	el := element{local: e.keep(r.Local()), space: r.Space, own: own, depth: depth, offset: at}
	from := len(e.attrs)
	for a := range r.Attrs() {
		e.attrs = append(e.attrs, xmlscan.Attr{Name: e.keep(a.Name), Value: e.keep(a.Value)})
	}
	el.attrs = slices.Clip(e.attrs[from:])
	e.elements = append(e.elements, el)
	if kind := kindOf(&el); depth == 1 && kind != 0 {
		e.fields = append(e.fields, document.Field{Kind: kind, Offset: at})
	}
}

// keep returns a copy of b that is valid until the next entry.
func (e *entry) keep(b []byte) []byte {
	n := len(e.bytes)
	e.bytes = append(e.bytes, b...)
	return e.bytes[n:len(e.bytes):len(e.bytes)]
}

// addText adds text of the last element at depth.
func (e *entry) addText(text []byte, isRaw bool, depth int) {
	if depth >= len(e.path) || e.path[depth] < 0 || len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if el := &e.elements[e.path[depth]]; len(el.text) == 0 && len(e.bytes) < maxKept {
		el.text, el.cdata = e.keep(text[:min(len(text), maxElementText)]), !isRaw
	}
}

// fieldNames are the names of the kinds of fields.
var fieldNames = []string{"", "loc", "lastmod", "changefreq", "priority", "an extension"}

// kindOf returns the kind of a child of an entry, or 0 for one that the schema does not have.
func kindOf(e *element) document.FieldKind {
	if !e.own {
		return document.Extension
	}
	return document.FieldKind(max(0, slices.Index(fieldNames, string(e.local))))
}
