package xmlscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/input"
)

// A Quick reads elements of the most common shape straight from the window: well-formed, without
// problems, and closed by their own end tags. If an entry has another shape or runs past the
// window, the caller leaves it to the Reader, from its start: a Quick does not advance the input
// until Done. Its results are valid until then.
type Quick struct {
	r  *Reader
	b  []byte // the window with its padding
	at int

	Bare Space // namespace of names without a prefix
	// The prefixes xhtml and content are bound to their usual namespaces.
	XHTML, Content bool

	// The start tag.
	Space Space
	Empty bool
	Attrs int // number of attributes

	// Its parts, as offsets in b: pointers would cost write barriers.
	name, local span
	attrs       [maxQuickAttrs]quickAttr
}

type quickAttr struct {
	name, value span
	plain       bool
}

// A span is a part of a window.
type span struct{ start, end int }

// Name returns the name of the start tag, in the letter case of the document.
func (q *Quick) Name() []byte { return q.b[q.name.start:q.name.end] }

// Local returns the name without its prefix.
func (q *Quick) Local() []byte { return q.b[q.local.start:q.local.end] }

// Attr returns an attribute of the start tag. Its value is valid, with references that XML defines,
// or, if plain is true, without any.
func (q *Quick) Attr(i int) (name, value []byte, plain bool) {
	a := &q.attrs[i]
	return q.b[a.name.start:a.name.end], q.b[a.value.start:a.value.end], a.plain
}

const (
	maxQuickAttrs = 8
	maxQuickDepth = 16
)

// Quick starts to read quickly after the current token, in the element at depth d, which contains
// entries. It returns false if that element is closed, or if the start tag of an entry was read
// already.
func (r *Reader) Quick(q *Quick, d int) (ok bool) {
	if len(r.stack) != d || r.deep > 0 || r.cut || r.ended || r.pending {
		return false // a pending token was reported already
	}
	r.Sync()
	for n := len(r.bindings); n > 0 && r.bindings[n-1].depth > d; n-- {
		r.bindings = r.bindings[:n-1]
	}
	q.r = r
	q.Bare, _ = r.Lookup(nil)
	q.XHTML, q.Content = r.binds(xhtml, XHTML), r.binds(content, Content)
	q.Reset()
	return true
}

var xhtml, content = []byte("xhtml"), []byte("content")

// binds reports whether a prefix is declared for a namespace.
func (r *Reader) binds(prefix []byte, space Space) bool {
	bound, declared := r.Lookup(prefix)
	return declared && bound == space
}

// Reset goes back to the start of the window, which may have grown.
func (q *Quick) Reset() {
	b := q.r.in.Window()
	q.b, q.at = b[:len(b)+input.Padding], 0
}

// Offset returns the offset of the Quick in the window.
func (q *Quick) Offset() int { return q.at }

// Seek sets the offset in the window.
func (q *Quick) Seek(offset int) { q.at = offset }

// Len returns the length of the window.
func (q *Quick) Len() int { return len(q.b) - input.Padding }

// URI is Reader.URI for the start tag that was read.
func (q *Quick) URI() string {
	return q.r.uri(q.b[q.name.start:max(q.name.start, q.local.start-1)])
}

// Done advances the input past everything that was read.
func (q *Quick) Done() { q.r.in.Advance(q.at) }

// SkipSpace skips white space. Markup must follow it.
func (q *Quick) SkipSpace() {
	for IsSpace(q.b[q.at]) {
		q.at++
	}
}

// Open reads a start tag after white space. It returns false if another token is next, or if the
// tag declares namespaces, or has an undeclared prefix that was not reported yet.
func (q *Quick) Open() bool {
	q.SkipSpace()
	b, i := q.b, q.at
	if b[i] != '<' || !quickName[b[i+1]] {
		return false
	}
	i++
	start, colon := i, -1
	for ; quickName[b[i]]; i++ {
		if b[i] == ':' {
			if colon >= 0 {
				return false
			}
			colon = i
		}
	}
	q.name.start, q.name.end = start, i
	q.local.start, q.local.end = start, i
	q.Empty, q.Attrs = false, 0
	var prefix []byte
	if colon >= 0 {
		prefix, q.local.start = b[start:colon], colon+1
	}
	space, declared := q.r.Lookup(prefix)
	if q.Space = space; !declared && !q.r.undeclared || start+1 < i && !isNameStart(b[start]) {
		return false
	}
	if b[i] == '>' {
		q.at = i + 1
		return true
	}
	return q.openAttrs(i)
}

// openAttrs reads the attributes of a start tag from b[i]. It returns false if one has an
// undeclared prefix that was not reported yet.
func (q *Quick) openAttrs(i int) bool {
	b := q.b
	for n := 0; ; n++ {
		space := i
		for IsSpace(b[i]) {
			i++
		}
		switch {
		case b[i] == '>':
			q.at = i + 1
			q.Attrs = n
			return true
		case b[i] == '/':
			q.Empty = true
			q.at = i + 2
			q.Attrs = n
			return b[i+1] == '>'
		case i == space, n == maxQuickAttrs:
			return false
		}
		start := i
		for quickName[b[i]] && b[i] != ':' {
			i++
		}
		if b[i] == ':' {
			if !q.r.knows(b[start:i]) || q.otherPrefix(n, b[start:i]) {
				return false
			}
			for quickName[b[i]] {
				i++
			}
			if !soundName(b[start:i]) {
				return false
			}
		}
		name := b[start:i]
		if i == start || b[i] != '=' || b[i+1] != '"' && b[i+1] != '\'' || !isNameStart(name[0]) ||
			bytes.HasPrefix(name, xmlns) {
			return false
		}
		i += 2
		end, plain := valueEnd(b, i)
		if end < 0 {
			return false
		}
		for k := range n {
			if other := q.attrs[k].name; bytes.Equal(b[other.start:other.end], name) {
				return false
			}
		}
		a := &q.attrs[n] // field by field: copying a new struct would wait for its stores
		a.name.start, a.name.end = start, start+len(name)
		a.value.start, a.value.end = i, end
		a.plain = plain
		i = end + 1
	}
}

// otherPrefix reports whether one of the first n attributes has another prefix. The two may be the
// same attribute.
func (q *Quick) otherPrefix(n int, prefix []byte) bool {
	for _, a := range q.attrs[:n] {
		name := q.b[a.name.start:a.name.end]
		if colon := bytes.IndexByte(name, ':'); colon >= 0 && !bytes.Equal(name[:colon], prefix) {
			return true
		}
	}
	return false
}

var xmlns = []byte("xmlns")

// valueEnd returns the offset after the closing quote of the attribute's value at b[i], and whether
// the value is plain. It returns -1 if the value does not end or has a problem.
func valueEnd(b []byte, i int) (end int, isPlain bool) {
	quote := uint64(b[i-1]) * chars.Ones
	for n := i; n+8 <= len(b); n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		if found := special(x) | chars.Highs&^chars.Differ(x, quote); found != 0 {
			if n += bits.TrailingZeros64(found) / 8; b[n] == b[i-1] {
				return n, true
			}
			break
		}
	}
	n := bytes.IndexByte(b[i:], b[i-1])
	if n < 0 {
		return -1, false
	}
	if v := b[i : i+n]; bytes.IndexByte(v, '<') >= 0 || !Sound(v) || !Predefined(v) {
		return -1, false
	}
	return i + n, false
}

// Text reads the text and the end tag of the element whose start tag was read. The text is from a
// CDATA section if section is true; otherwise it has references that XML defines. Text returns
// false if there is anything else in the element, or a problem.
func (q *Quick) Text() (text []byte, section, ok bool) {
	if q.Empty {
		return nil, false, true
	}
	b := q.b[:len(q.b)-input.Padding]
	i := q.at
	n := bytes.IndexByte(b[i:], '<')
	if n < 0 {
		return nil, false, false
	}
	if q.b[i+n+1] == '/' {
		text = b[i : i+n]
		return text, false, (plain(text) || soundText(text)) && q.closeAt(i+n, q.Name())
	}
	if len(TrimSpace(b[i:i+n])) > 0 {
		return nil, false, false
	}
	text, i = q.section(i + n)
	if i == 0 || !Sound(text) {
		return nil, false, false
	}
	for IsSpace(q.b[i]) {
		i++
	}
	return text, true, q.closeAt(i, q.Name())
}

// section returns the text of the CDATA section at b[i] and the offset of its end, or 0.
func (q *Quick) section(i int) ([]byte, int) {
	b := q.b[:len(q.b)-input.Padding]
	if !bytes.HasPrefix(b[i:], cdataStart) {
		return nil, 0
	}
	i += len(cdataStart)
	n := indexCDATAEnd(b[i:])
	if n < 0 {
		return nil, 0
	}
	text := b[i : i+n]
	if nextCDATA(text) {
		return nil, 0
	}
	return text, i + n + len(cdataEnd)
}

// TrimSpace removes leading and trailing white space of XML.
func TrimSpace(b []byte) []byte {
	for len(b) > 0 && IsSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && IsSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// Close reads the end tag with that name after white space.
func (q *Quick) Close(name []byte) bool {
	q.SkipSpace()
	return q.closeAt(q.at, name)
}

// AtEnd reports whether an end tag comes next, after white space.
func (q *Quick) AtEnd() bool {
	q.SkipSpace()
	return q.b[q.at] == '<' && q.b[q.at+1] == '/'
}

// closeAt reads the end tag with that name at b[i].
func (q *Quick) closeAt(i int, name []byte) bool {
	b := q.b
	end := i + 2 + len(name)
	if end >= len(b) || b[i] != '<' || b[i+1] != '/' || b[end] != '>' ||
		!bytes.Equal(b[i+2:end], name) {
		return false
	}
	q.at = end + 1
	return true
}

// Skip skips the rest of the element whose start tag was read. It returns false if there is an
// entry in it or, with a report, a problem.
func (q *Quick) Skip() bool {
	return q.Empty || q.skip(q.Name(), maxQuickDepth)
}

// SkipText is Skip for an element that should contain only text. It returns false if the element
// contains another one: a Reader must decide whether that one is in it or follows it.
func (q *Quick) SkipText() bool {
	return q.Empty || q.skip(q.Name(), 0)
}

func (q *Quick) skip(name []byte, depth int) bool {
	for {
		b := q.b[:len(q.b)-input.Padding]
		n := bytes.IndexByte(b[q.at:], '<')
		if n < 0 {
			return false
		}
		if text := b[q.at : q.at+n]; q.r.report != nil && !plain(text) && !soundText(text) {
			return false
		}
		q.at += n
		switch q.b[q.at+1] {
		case '/':
			return q.closeAt(q.at, name)
		case '!':
			text, end := q.section(q.at)
			if end == 0 || q.r.report != nil && !Sound(text) {
				return false
			}
			q.at = end
		default:
			if depth == 0 || !q.Open() || q.mayBeEntry() || !q.Empty && !q.skip(q.Name(), depth-1) {
				return false
			}
		}
	}
}

// mayBeEntry reports whether the start tag could be that of an entry. A Reader decides.
func (q *Quick) mayBeEntry() bool {
	switch len(q.Local()) {
	case len("url"), len("item"), len("entry"), len("sitemap"):
		switch string(appendLower(nil, q.Local())) {
		case "url", "item", "entry", "sitemap":
			return true
		}
	}
	return false
}

// quickName are the ASCII characters of names.
var quickName = func() (set [256]bool) {
	for c := range set {
		set[c] = c < 0x80 && (isNameStart(byte(c)) || c == '-' || c == '.' || '0' <= c && c <= '9')
	}
	return set
}()
