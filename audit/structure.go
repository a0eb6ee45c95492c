package audit

import (
	"bytes"
	"slices"

	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// An element is one of an entry, or the root. Its bytes are valid while its entry is visited.
type element struct {
	name     []byte // with its prefix
	local    []byte
	space    namespace.Space
	standard namespace.Space // of names without a prefix in it
	depth    int             // 0 is the entry
	offset   int64           // of its start tag
	end      int64           // after its last tag
	text     []byte
	cdata    bool // text has no references
	attrs    []xmlscan.Attr
}

// is reports whether the element has this name.
func (e *element) is(space namespace.Space, local string) bool {
	return e.space == space && string(e.local) == local
}

// value returns the text of the element with decoded references.
func (e *element) value() string {
	if e.cdata {
		return string(xmlscan.TrimSpace(e.text))
	}
	return decoded(e.text)
}

// decoded returns text with decoded references, without white space around it.
func decoded(text []byte) string {
	if bytes.IndexByte(text, '&') >= 0 {
		text = xmlchar.Decode(nil, text)
	}
	return string(xmlscan.TrimSpace(text))
}

// attr returns the value of an attribute without a prefix.
func (e *element) attr(name string) (value string, ok bool) {
	for _, a := range e.attrs {
		if string(a.Name) == name {
			return decoded(a.Value), true
		}
	}
	return "", false
}

// A structure reads the elements of a urlset or sitemapindex as they stand there, entry by entry.
// It repairs nothing: that is the parser's work, which it follows.
type structure struct {
	view   *view
	in     *input.Reader // the window, from the next token on
	scan   *xmlscan.Scanner
	slides int   // view.slides of the scanner's window
	next   int64 // the offset of the current token
	plain  int64 // the offset of the last entry that was not visited because it is plain
	done   bool

	root     element
	names    map[string]namespace.Space // namespaces by prefix
	attrs    []xmlscan.Attr
	elements []element // of the current entry, itself first
	open     []int     // indexes of the elements that are open
	deep     int       // how many more are open, below maxDepth
}

func newStructure(v *view) *structure {
	return &structure{
		view:   v,
		slides: -1,
		plain:  -1,
		root:   element{offset: -1},
		names:  map[string]namespace.Space{},
	}
}

// upTo visits all entries that start at limit or before it. Their elements are in s.elements.
func (s *structure) upTo(limit int64, visit func()) {
	for !s.done && s.findEntry(limit) {
		if s.readEntry() {
			visit()
		}
	}
}

// sync makes the scanner read from the next token on. Sync is needed after the window has moved.
func (s *structure) sync() bool {
	if s.slides == s.view.slides {
		return true
	}
	i := s.view.reach(s.next)
	if i < 0 {
		s.done = true
		return false
	}
	s.in = s.view.in.Peek()
	s.in.Advance(i)
	s.scan = xmlscan.NewScanner(s.in, nil)
	s.slides = s.view.slides
	return true
}

// restart makes the scanner read from offset on.
func (s *structure) restart(offset int64) { s.next, s.slides = offset, -1 }

// grow reads more of the document, of which the bytes from offset on are still needed.
func (s *structure) grow(offset int64) bool {
	before := s.view.in.Bytes()
	step := max(lookBehind, before-offset) // so that an entry is read again only a few times
	for s.view.in.Bytes()-before < step && s.view.more(offset-lookBehind) {
	}
	s.restart(offset)
	return s.view.in.Bytes() > before
}

// token reads the next token. It returns false at the end of the window.
func (s *structure) token() bool {
	s.next += int64(len(s.scan.Raw()))
	kind := s.scan.Next()
	isCut := kind == xmlscan.EOF || kind == xmlscan.Comment && len(s.scan.Raw()) == len("<!--")
	return !isCut || kind != xmlscan.EOF && s.view.in.AtEnd()
}

// findEntry advances to the start tag of the next entry. It returns false if there is none up to
// limit.
func (s *structure) findEntry(limit int64) bool {
	for s.next <= limit {
		if !s.sync() {
			return false
		}
		if s.skipPlain(limit); s.next > limit {
			return false
		}
		if !s.token() {
			if s.done = !s.grow(s.next); s.done {
				return false
			}
			continue
		}
		if s.scan.Kind != xmlscan.StartTag {
			continue
		}
		if s.isEntry() {
			if s.next > limit {
				s.restart(s.next)
				return false
			}
			return true
		}
		if s.root.offset < 0 {
			s.attrs = s.attrs[:0]
			s.root = s.element(0)
			s.root.name, s.root.attrs = bytes.Clone(s.root.name), cloneAttrs(s.root.attrs)
			_, s.root.local = split(s.root.name)
		}
	}
	return false
}

func cloneAttrs(attrs []xmlscan.Attr) []xmlscan.Attr {
	out := make([]xmlscan.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = xmlscan.Attr{Name: bytes.Clone(a.Name), Value: bytes.Clone(a.Value)}
	}
	return out
}

// isEntry reports whether the current start tag is that of an entry.
func (s *structure) isEntry() bool {
	_, local := split(s.scan.Name())
	if string(local) != "url" && string(local) != "sitemap" {
		return false
	}
	space, _ := s.spaceOf()
	return s.isOwn(space)
}

// isOwn reports whether a namespace is that of the protocol's elements.
func (s *structure) isOwn(space namespace.Space) bool {
	return space == namespace.Sitemap || space == namespace.NoSpace || space == s.root.space
}

// readEntry reads the entry whose start tag is current. It returns false if the document ends
// before the entry does, or if the entry is longer than a window of a megabyte.
func (s *structure) readEntry() bool {
	start := s.next
	for {
		s.elements, s.open, s.attrs, s.deep = s.elements[:0], s.open[:0], s.attrs[:0], 0
		s.push()
		for len(s.open) > 0 && s.token() {
			switch s.scan.Kind {
			case xmlscan.StartTag:
				if len(s.open) <= 2 && s.isEntry() { // the end tag is missing
					s.restart(s.next)
					s.pop(0, 0)
					return true
				}
				s.push()
			case xmlscan.EndTag:
				s.close()
			case xmlscan.Text, xmlscan.CDATA:
				s.addText()
			}
		}
		end := s.next + int64(len(s.scan.Raw()))
		atEnd := s.view.in.AtEnd()
		switch isWhole := len(s.open) == 0; {
		case isWhole && (atEnd || end+lookAhead <= s.view.in.Bytes()):
			return true
		case atEnd: // which cuts the entry
			s.done = true
			return false
		case !s.grow(start) && !s.view.in.AtEnd(): // longer than the window can be
			s.restart(s.view.in.Bytes() - 1)
			return false
		}
		if !s.sync() || !s.token() {
			return false
		}
	}
}

// maxDepth is the depth up to which elements are told apart.
const maxDepth = 32

// push opens the element of the current start tag.
func (s *structure) push() {
	if len(s.open) >= maxDepth {
		if !s.scan.Empty {
			s.deep++
		}
		return
	}
	s.elements = append(s.elements, s.element(len(s.open)))
	s.open = append(s.open, len(s.elements)-1)
	if s.scan.Empty {
		s.pop(len(s.open)-1, len(s.scan.Raw()))
	}
}

// pop closes the open elements from n on, at the end of the current token's first bytes.
func (s *structure) pop(n, bytes int) {
	for _, i := range s.open[min(n, len(s.open)):] {
		s.elements[i].end = s.next + int64(bytes)
	}
	s.open = s.open[:min(n, len(s.open))]
}

// close closes the innermost element with the name of the current end tag.
func (s *structure) close() {
	if s.deep > 0 {
		s.deep--
		return
	}
	_, local := split(s.scan.Name())
	for n := len(s.open) - 1; n >= 0; n-- {
		if bytes.Equal(s.elements[s.open[n]].local, local) {
			s.pop(n, len(s.scan.Raw()))
			return
		}
	}
}

// addText adds text to the innermost element. Only the first text of an element is kept.
func (s *structure) addText() {
	e := &s.elements[s.open[len(s.open)-1]]
	text := s.scan.Raw()
	if s.scan.Kind == xmlscan.CDATA {
		text = s.scan.Data
	}
	if len(bytes.TrimSpace(e.text)) == 0 {
		e.text, e.cdata = text, s.scan.Kind == xmlscan.CDATA
	}
}

// element returns the element of the current start tag.
func (s *structure) element(depth int) element {
	from := len(s.attrs)
	s.attrs = slices.AppendSeq(s.attrs, s.scan.Attrs())
	for a := range s.scan.Attrs() {
		prefix, ok := bytes.CutPrefix(a.Name, []byte("xmlns:"))
		if ok && len(s.names) < maxNamesOf {
			s.names[string(prefix)] = namespace.Of(string(a.Value))
		}
	}
	e := element{
		name: s.scan.Name(), depth: depth, offset: s.next, end: s.next + int64(len(s.scan.Raw())),
		attrs: slices.Clip(s.attrs[from:]),
	}
	_, e.local = split(s.scan.Name())
	e.space, e.standard = s.spaceOf()
	return e
}

// maxNamesOf bounds the prefixes of a document, and what is reported once for each name.
const maxNamesOf = 1_000

// spaceOf returns the namespace of the current start tag, and the one of names without a prefix in
// its element.
func (s *structure) spaceOf() (own, standard namespace.Space) {
	standard = s.root.standard
	if len(s.open) > 0 {
		standard = s.elements[s.open[len(s.open)-1]].standard
	}
	for a := range s.scan.Attrs() {
		if string(a.Name) == "xmlns" {
			standard = namespace.Of(string(a.Value))
		}
	}
	prefix, _ := split(s.scan.Name())
	if prefix == nil {
		return standard, standard
	}
	if space, ok := s.names[string(prefix)]; ok {
		return space, standard
	}
	return namespace.Conventional[string(prefix)], standard
}

// split returns the prefix and the local part of a name.
func split(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}
