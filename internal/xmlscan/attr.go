package xmlscan

import (
	"bytes"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// An Attr is an attribute of a start tag. Its value is raw.
type Attr struct{ Name, Value []byte }

type attr struct{ name, value span }

// Attrs yields the attributes of the current start tag.
func (s *Scanner) Attrs() iter.Seq[Attr] {
	return func(yield func(Attr) bool) {
		for i := range s.attrs {
			if !yield(s.attr(i)) {
				return
			}
		}
	}
}

// attr returns attribute i of the current start tag.
func (s *Scanner) attr(i int) Attr {
	b, a := s.in.Window(), &s.attrs[i]
	return Attr{b[a.name.start:a.name.end], b[a.value.start:a.value.end]}
}

const (
	// maxAttrs is the maximum number of attributes of a tag. The rest is skipped.
	maxAttrs = 1 << 10
	// maxCompared is the number of attributes that are compared with each other.
	maxCompared = 32
)

// scanAttrs scans the attributes of a start tag and its end, from b[i] on, which is after the name.
// It returns the offset of the '>'. It reports false if the tag is not well-formed or b does not
// hold all of it. Each attribute of a well-formed tag follows white space and has a valid name and
// a quoted value, and no name occurs twice.
func (s *Scanner) scanAttrs(b []byte, i int) (end int, ok bool) {
	region, _ := markup(b, i)
	b = b[:i+len(region)]
	for i < len(b) {
		start := i
		i += spaceLen(b[i:])
		switch rest := b[i:]; {
		case len(rest) == 0:
			return 0, false
		case rest[0] == '>':
			return i, true
		case rest[0] == '/':
			s.Empty = true
			return i + 1, len(rest) > 1 && rest[1] == '>'
		case i == start:
			return 0, false
		}
		n, _, has := scanName(b[i:])
		name := span{i, i + n}
		s.prefixed = s.prefixed || has&isColon != 0
		i += n
		if i < len(b) && b[i] != '=' {
			i += spaceLen(b[i:])
		}
		if n == 0 || i == len(b) || b[i] != '=' {
			return 0, false
		}
		i++
		i += spaceLen(b[i:])
		if i == len(b) || b[i] != '"' && b[i] != '\'' {
			return 0, false
		}
		size := bytes.IndexByte(b[i+1:], b[i])
		if size < 0 || has&(isColon|isOther) != 0 && !soundName(b[name.start:name.end]) ||
			!s.addAttr(b, name, span{i + 1, i + 1 + size}) {
			return 0, false
		}
		i += size + 2
	}
	return 0, false
}

// addAttr adds an attribute of the tag b. It returns false if the tag is not well-formed with it.
func (s *Scanner) addAttr(b []byte, name, value span) bool {
	if len(s.attrs) == maxAttrs {
		return false
	}
	for i := range min(len(s.attrs), maxCompared) {
		other := s.attrs[i].name
		if bytes.Equal(b[other.start:other.end], b[name.start:name.end]) {
			return false
		}
	}
	s.attrs = append(s.attrs, attr{name, value})
	return true
}

// readAttrs reads the attributes of a start tag that is not well-formed, from b[i] on. A value
// without quotes ends at white space, and a name without a value has an empty one.
func (s *Scanner) readAttrs(b []byte, i int) {
	s.attrs, s.prefixed = s.attrs[:0], true // perhaps
	for len(s.attrs) < maxAttrs {
		for i < len(b) && (IsSpace(b[i]) || b[i] == '/') {
			i++
		}
		if i == len(b) {
			return
		}
		a := attr{name: span{i, i}}
		for i < len(b) && !IsSpace(b[i]) && b[i] != '=' {
			i++
		}
		a.name.end = i
		if at := i + spaceLen(b[i:]); at < len(b) && b[at] == '=' {
			at++
			a.value, i = attrValue(b, at+spaceLen(b[at:]))
		}
		s.attrs = append(s.attrs, a)
	}
}

// attrValue returns the value at b[i] and the offset after it.
func attrValue(b []byte, i int) (value span, next int) {
	if i < len(b) && (b[i] == '"' || b[i] == '\'') {
		i++
		if size := bytes.IndexByte(b[i:], b[i-1]); size >= 0 {
			return span{i, i + size}, i + size + 1
		}
	}
	end := i
	for end < len(b) && !IsSpace(b[end]) {
		end++
	}
	return span{i, end}, end
}

// Attr returns the raw value of the current start tag's attribute with this local name, which must
// be in lower case. It returns the attribute without a prefix, else the first one with a prefix in
// any namespace.
func (s *Scanner) Attr(local string) (value []byte, ok bool) {
	for a := range s.Attrs() {
		if string(a.Name) == local {
			return a.Value, true
		}
		prefix, name := cutPrefix(a.Name)
		switch {
		case len(name) != len(local) || !strings.EqualFold(string(name), local):
		case prefix == nil:
			return a.Value, true
		case !ok:
			value, ok = a.Value, true
		}
	}
	return value, ok
}

// checkAttrs reports the first attribute with an undeclared prefix, and one that equals another by
// its namespace (Namespaces in XML 1.0, section 6.3).
func (r *Reader) checkAttrs() {
	type qualified struct {
		space namespace.Space
		local string
	}
	var seen map[qualified]bool
	if r.undeclared || !r.prefixed {
		return
	}
	for a := range r.Attrs() {
		prefix, local := cutPrefix(a.Name)
		if len(prefix) == 0 || bytes.Equal(prefix, xmlns) {
			continue
		}
		space, declared := r.Lookup(prefix)
		if !declared {
			r.undeclared = true
			r.problem(sitemap.UndeclaredPrefix, 0, r.Raw())
			return
		}
		q := qualified{space, string(local)}
		if seen[q] && space != namespace.FirstOther {
			r.mismatched(r.Raw())
			return
		}
		if seen == nil {
			seen = make(map[qualified]bool)
		}
		seen[q] = true
	}
}

// soundName reports whether a name is valid (Namespaces in XML 1.0, section 4): it has at most one
// colon, and both parts start with a letter or a low line.
func soundName(name []byte) bool {
	prefix, local := cutPrefix(name)
	return (prefix == nil || startsName(prefix)) && startsName(local) &&
		bytes.IndexByte(local, ':') < 0
}

func startsName(b []byte) bool {
	r, _ := utf8.DecodeRune(b)
	return len(b) > 0 && (unicode.IsLetter(r) || r == '_')
}
