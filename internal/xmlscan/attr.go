package xmlscan

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// An Attr is an attribute of a start tag. Its value is raw.
type Attr struct{ Name, Value []byte }

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
		name := b[i : i+n]
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
		if size < 0 || has&(isColon|isOther) != 0 && !soundName(name) ||
			!s.addAttr(name, b[i+1:i+1+size]) {
			return 0, false
		}
		i += size + 2
	}
	return 0, false
}

// addAttr adds an attribute. It returns false if the tag is not well-formed with it.
func (s *Scanner) addAttr(name, value []byte) bool {
	if len(s.Attrs) == maxAttrs {
		return false
	}
	for i := range min(len(s.Attrs), maxCompared) {
		if bytes.Equal(s.Attrs[i].Name, name) {
			return false
		}
	}
	n := len(s.Attrs)
	s.Attrs = slices.Grow(s.Attrs, 1)[:n+1]
	a := &s.Attrs[n] // field by field: copying a new struct would wait for its stores
	a.Name = name
	a.Value = value
	return true
}

// readAttrs reads the attributes of a start tag that is not well-formed. A value without quotes
// ends at white space, and a name without a value has an empty one.
func (s *Scanner) readAttrs(b []byte) {
	s.Attrs = s.Attrs[:0]
	for len(s.Attrs) < maxAttrs {
		for len(b) > 0 && (IsSpace(b[0]) || b[0] == '/') {
			b = b[1:]
		}
		if len(b) == 0 {
			return
		}
		end := 0
		for end < len(b) && !IsSpace(b[end]) && b[end] != '=' {
			end++
		}
		a := Attr{Name: b[:end]}
		b = b[end:]
		if after := b[spaceLen(b):]; len(after) > 0 && after[0] == '=' {
			a.Value, b = attrValue(after[1+spaceLen(after[1:]):])
		}
		s.Attrs = append(s.Attrs, a)
	}
}

// attrValue returns the value at the start of b and the rest.
func attrValue(b []byte) (value, rest []byte) {
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		if size := bytes.IndexByte(b[1:], b[0]); size >= 0 {
			return b[1 : 1+size], b[size+2:]
		}
		b = b[1:]
	}
	end := 0
	for end < len(b) && !IsSpace(b[end]) {
		end++
	}
	return b[:end], b[end:]
}

// Attr returns the raw value of the current start tag's attribute with this local name, which must
// be in lower case. It returns the attribute without a prefix, else the first one with a prefix in
// any namespace.
func (s *Scanner) Attr(local string) (value []byte, ok bool) {
	for _, a := range s.Attrs {
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
	for i := 0; i < len(r.Attrs) && !r.undeclared; i++ {
		prefix, local := cutPrefix(r.Attrs[i].Name)
		if len(prefix) == 0 || bytes.Equal(prefix, xmlns) {
			continue
		}
		space, declared := r.Lookup(prefix)
		if !declared {
			r.undeclared = true
			r.problem(sitemap.UndeclaredPrefix, 0, r.Raw)
			return
		}
		q := qualified{space, string(local)}
		if seen[q] && space != namespace.FirstOther {
			r.mismatched(r.Raw)
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
