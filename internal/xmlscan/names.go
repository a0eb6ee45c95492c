package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// A Tag is the current start tag, in addition to the Scanner's fields.
type Tag struct {
	Prefix, Local []byte // Local is in lower case
	Space         namespace.Space
	Declared      bool // the prefix is declared, or there is no prefix
	Upper         bool // Local is in another letter case in the document
}

// A tagName is the name of start tags, with its meaning.
type tagName struct {
	Tag
	scope int // of the declarations for which Tag holds; 0 if Tag is not set
	text  []byte
	lower []byte // the local part in lower case, if it has capitals
	has   nameClass
	next  *tagName // the name that followed this one the last time
}

// starts reports whether b starts with the name, and with no longer one.
func (t *tagName) starts(b []byte) bool {
	n := len(t.text)
	return n < len(b) && string(b[:n]) == string(t.text) && nameClasses[b[n]] == 0
}

// tagNames are the names of recent start tags. Most tags of a document have one of a few names, in
// the same order in each entry.
type tagNames struct {
	recent [32]tagName
	last   *tagName
}

// maxTagName is the maximum length of a name that is remembered for other tags.
const maxTagName = 64

// scan returns the name at the start of b.
func (s *tagNames) scanTagName(b []byte) *tagName {
	if t := s.last.next; t != nil && t.starts(b) {
		s.last = t
		return t
	}
	n, has := scanName(b)
	if n > maxTagName {
		return &tagName{text: b[:n], has: has}
	}
	hash := uint32(0)
	for _, c := range b[:n] {
		hash = hash*31 + uint32(c)
	}
	t := &s.recent[hash*0x9e3779b1>>27]
	if string(t.text) != string(b[:n]) {
		*t = tagName{text: append(t.text[:0], b[:n]...), lower: t.lower[:0], has: has}
	}
	s.last.next, s.last = t, t
	return t
}

// resolve splits the name of a start tag and finds its namespace.
func (r *Reader) resolve() {
	depth := len(r.stack)
	r.unbind(depth)
	if len(r.Attrs) > 0 {
		r.bind(depth + 1)
	}
	r.split()
	if !r.Declared && !r.undeclared {
		r.undeclared = true
		r.problem(sitemap.UndeclaredPrefix, 0, r.Name)
	}
	if r.report != nil && !r.Cut {
		r.checkAttrs()
	}
}

// split splits the name of a start tag at its colon, lowers its local part, and finds its
// namespace. An undeclared prefix has the namespace of the one in lower case, if there is one.
func (r *Reader) split() {
	t := r.tag
	r.Tag = &t.Tag
	if t.scope == r.scope {
		return
	}
	t.scope = r.scope
	t.Tag = Tag{}
	t.Prefix, t.Local = cutPrefix(t.text)
	t.Space, t.Declared = r.Lookup(t.Prefix)
	if t.has&isUpper == 0 {
		return
	}
	if lower := bytes.ToLower(t.Prefix); !t.Declared {
		if s, declared := r.Lookup(lower); s < namespace.FirstOther || declared {
			t.Prefix, t.Space, t.Declared, t.Upper = lower, s, declared, true
		}
	}
	t.lower = append(t.lower[:0], t.Local...)
	for i, c := range t.lower {
		if 'A' <= c && c <= 'Z' {
			t.lower[i], t.Upper = c|0x20, true
		}
	}
	t.Local = t.lower
}

// cutPrefix splits a name at its colon.
func cutPrefix(name []byte) (prefix, local []byte) {
	for i, c := range name {
		if c == ':' {
			return name[:i], name[i+1:]
		}
	}
	return nil, name
}
