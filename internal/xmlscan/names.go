package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
)

// resolve splits the name of a start tag and finds its namespace.
func (r *Reader) resolve() {
	depth := len(r.stack)
	for n := len(r.bindings); n > 0 && r.bindings[n-1].depth > depth; n-- {
		r.bindings = r.bindings[:n-1]
	}
	r.split()
	if len(r.Attrs) > 0 && bytes.Contains(r.Attrs, []byte("xmlns")) {
		r.bind(r.Attrs, depth+1)
	}
	if r.Space, r.Declared = r.Lookup(r.Prefix); !r.Declared && !r.undeclared {
		r.undeclared = true
		r.problem(sitemap.UndeclaredPrefix, 0, r.Name)
	}
	if len(r.Attrs) > 0 && !r.undeclared {
		r.checkAttrs()
	}
}

// checkAttrs reports the first attribute with an undeclared prefix, and one that equals another by
// its namespace (Namespaces in XML 1.0, section 6.3).
func (r *Reader) checkAttrs() {
	if r.Cut {
		return
	}
	var seen [maxQuickAttrs]struct {
		space Space
		local []byte
	}
	n := 0
	for attrs := r.Attrs; bytes.IndexByte(attrs, ':') >= 0; {
		name, _, rest, ok := NextAttr(attrs)
		if !ok {
			return
		}
		attrs = rest
		colon := bytes.IndexByte(name, ':')
		if colon <= 0 || bytes.Equal(name[:colon], xmlns) {
			continue
		}
		space, declared := r.Lookup(name[:colon])
		if !declared {
			r.undeclared = true
			r.problem(sitemap.UndeclaredPrefix, 0, r.Raw)
			return
		}
		for _, a := range seen[:n] {
			if a.space == space && space != firstOther && bytes.Equal(a.local, name[colon+1:]) {
				r.mismatched(r.Raw)
				return
			}
		}
		if n < len(seen) {
			seen[n].space, seen[n].local = space, name[colon+1:]
			n++
		}
	}
}

// knows reports whether the prefix of an attribute needs no report: it is declared, it declares
// one, or an undeclared one was reported before.
func (r *Reader) knows(prefix []byte) bool {
	if r.undeclared || bytes.Equal(prefix, xmlns) {
		return true
	}
	_, declared := r.Lookup(prefix)
	return declared
}

// split splits the name of a start tag at its colon and lowers its local part.
func (r *Reader) split() {
	r.Prefix, r.Local = cutPrefix(r.Name)
	r.Upper = false
	for _, c := range r.Local {
		if 'A' <= c && c <= 'Z' {
			r.upper = appendLower(r.upper[:0], r.Local)
			r.Local, r.Upper = r.upper, true
			return
		}
	}
}

// cutPrefix splits a name at its colon.
func cutPrefix(name []byte) (prefix, local []byte) {
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		return name[:colon], name[colon+1:]
	}
	return nil, name
}

// appendLower appends b with its ASCII letters in lower case.
func appendLower(dst, b []byte) []byte {
	for _, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
