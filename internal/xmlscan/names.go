package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// resolve finds the namespace of a start tag.
func (r *Reader) resolve() {
	depth := len(r.stack)
	r.unbind(depth)
	r.lowerName()
	if len(r.attrs) > 0 {
		r.bind(depth + 1)
	}
	if r.Space, r.Declared = r.Lookup(r.Prefix()); !r.Declared && r.has&isUpper != 0 {
		r.lowerPrefix()
	}
	if !r.Declared && !r.undeclared {
		r.undeclared = true
		r.problem(sitemap.UndeclaredPrefix, 0, r.Name())
	}
	if r.report != nil && !r.Cut {
		r.checkAttrs()
	}
}

// lowerPrefix finds the namespace of an undeclared prefix in lower case, if that has one.
func (r *Reader) lowerPrefix() {
	lower := bytes.ToLower(r.Prefix())
	if space, declared := r.Lookup(lower); space < namespace.FirstOther || declared {
		r.lowered, r.Space, r.Declared, r.Upper = lower, space, declared, true
	}
}

// Prefix returns the prefix of the current start tag.
func (r *Reader) Prefix() []byte {
	switch {
	case r.colon < 0:
		return nil
	case len(r.lowered) > 0:
		return r.lowered
	}
	return r.Name()[:r.colon]
}

// Local returns the local name of the current start tag in lower case.
func (r *Reader) Local() []byte {
	if r.has&isUpper != 0 {
		return r.lower
	}
	return r.Name()[r.colon+1:]
}

// lowerName lowers the local name of a start tag.
func (r *Reader) lowerName() {
	r.Upper, r.lowered = false, r.lowered[:0]
	if r.has&isUpper == 0 {
		return
	}
	r.lower = append(r.lower[:0], r.Name()[r.colon+1:]...)
	for i, c := range r.lower {
		if 'A' <= c && c <= 'Z' {
			r.lower[i], r.Upper = c|0x20, true
		}
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
