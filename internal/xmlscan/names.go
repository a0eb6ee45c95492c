package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// resolve splits the name of a start tag and finds its namespace.
func (r *Reader) resolve() {
	depth := len(r.stack)
	r.unbind(depth)
	r.split()
	if len(r.Attrs) > 0 {
		r.bind(depth + 1)
	}
	if r.Space, r.Declared = r.Lookup(r.Prefix); !r.Declared && r.has&isUpper != 0 {
		r.lowerPrefix()
	}
	if !r.Declared && !r.undeclared {
		r.undeclared = true
		r.problem(sitemap.UndeclaredPrefix, 0, r.Name)
	}
	if r.report != nil && !r.Cut {
		r.checkAttrs()
	}
}

// lowerPrefix finds the namespace of an undeclared prefix in lower case, if that has one.
func (r *Reader) lowerPrefix() {
	lower := bytes.ToLower(r.Prefix)
	if space, declared := r.Lookup(lower); space < namespace.FirstOther || declared {
		r.Prefix, r.Space, r.Declared, r.Upper = lower, space, declared, true
	}
}

// split splits the name of a start tag at its colon and lowers its local part.
func (r *Reader) split() {
	if r.Local, r.Upper = r.Name, false; r.colon >= 0 {
		r.Prefix, r.Local = r.Name[:r.colon], r.Name[r.colon+1:]
	} else if len(r.Prefix) > 0 {
		r.Prefix = nil
	}
	if r.has&isUpper != 0 {
		r.lower = append(r.lower[:0], r.Local...)
		for i, c := range r.lower {
			if 'A' <= c && c <= 'Z' {
				r.lower[i], r.Upper = c|0x20, true
			}
		}
		r.Local = r.lower
	}
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
