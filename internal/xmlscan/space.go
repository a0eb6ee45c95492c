package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

// Unknown reports whether the prefix of the current start tag is not declared, and has no
// conventional namespace.
func (r *Reader) Unknown() bool { return !r.Declared && r.Space >= namespace.FirstOther }

// maxBindings is the maximum number of namespace declarations in force, and of URIs that are
// remembered.
const maxBindings = 256

// A declaration is a prefix with its namespace.
type declaration struct {
	prefix, uri string
	space       namespace.Space
	documented  bool // the URI is that of the namespace's documentation
}

// A binding is a declaration in force.
type binding struct {
	declaration
	depth int // of the element with the declaration
}

// bind puts the declarations of the current start tag, at depth, into force.
func (r *Reader) bind(depth int) {
	for i := range r.attrs {
		a := r.attr(i)
		if len(a.Name) == 0 || a.Name[0] != 'x' {
			continue
		}
		prefix, isDecl := bytes.CutPrefix(a.Name, xmlns)
		if !isDecl || len(prefix) > 0 && prefix[0] != ':' || len(r.bindings) == maxBindings {
			continue
		}
		prefix = bytes.TrimPrefix(prefix, []byte(":"))
		value := a.Value
		if bytes.IndexByte(value, '&') >= 0 {
			value = xmlchar.Decode(nil, value)
		}
		if !r.undeclared && !mayBind(prefix, value) {
			r.undeclared = true
			r.problem(sitemap.UndeclaredPrefix, 0, r.Raw())
		}
		r.bindings = append(r.bindings, binding{r.declare(key(prefix), key(value)), depth})
	}
}

// unbind ends the declarations of elements deeper than depth.
func (r *Reader) unbind(depth int) {
	for n := len(r.bindings); n > 0 && r.bindings[n-1].depth > depth; n-- {
		r.bindings = r.bindings[:n-1]
	}
}

// mayBind reports whether a prefix may be declared for a namespace (Namespaces in XML 1.0, sections
// 2.2 and 3).
func mayBind(prefix, uri []byte) bool {
	switch {
	case len(prefix) == 0:
		return true
	case string(prefix) == "xml":
		return bytes.Equal(uri, xmlNamespace)
	}
	return string(prefix) != "xmlns" && len(uri) > 0 && !bytes.Equal(uri, xmlNamespace) &&
		string(uri) != "http://www.w3.org/2000/xmlns/"
}

// declare returns a declaration. It is remembered for documents that repeat it with each element.
func (r *Reader) declare(prefix, uri []byte) declaration {
	for i := range r.seen {
		if d := &r.seen[i]; d.uri == string(uri) && d.prefix == string(prefix) {
			return *d
		}
	}
	d := declaration{prefix: string(prefix), uri: string(uri)}
	if d.space = namespace.Of(d.uri); d.space < 0 {
		d.space = r.other(d.uri)
	}
	d.documented = d.uri == namespace.Documented(d.space)
	if len(r.seen) < maxBindings {
		r.seen = append(r.seen, d)
	}
	return d
}

// other returns the number of a namespace without a constant. It is the same for the same URI, and
// namespace.FirstOther if there are too many to remember.
func (r *Reader) other(uri string) namespace.Space {
	for i := range r.seen {
		if r.seen[i].space > namespace.FirstOther && r.seen[i].uri == uri {
			return r.seen[i].space
		}
	}
	if len(r.seen) >= maxBindings {
		return namespace.FirstOther
	}
	r.others++
	return namespace.FirstOther + namespace.Space(r.others)
}

// URI returns the URI of the current start tag's namespace as it was declared. It returns the
// prefix if it was not declared, or "".
func (r *Reader) URI() string {
	if b := r.binding(r.Prefix()); b != nil {
		return b.uri
	}
	return string(r.Prefix())
}

// Documented returns the namespace of extensions that a prefix is declared for by its only correct
// URI, or NoSpace. It is for a caller that reads the window itself.
func (r *Reader) Documented(prefix []byte) namespace.Space {
	if b := r.binding(prefix); b != nil && b.documented {
		return b.space
	}
	return namespace.NoSpace
}

// binding returns the declaration of a prefix, or nil.
func (r *Reader) binding(prefix []byte) *binding {
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if r.bindings[i].prefix == string(prefix) {
			return &r.bindings[i]
		}
	}
	return nil
}

// Lookup returns the namespace of a prefix in the current element.
func (r *Reader) Lookup(prefix []byte) (space namespace.Space, declared bool) {
	if b := r.binding(prefix); b != nil {
		return b.space, true
	}
	if len(prefix) == 0 {
		return namespace.NoSpace, true
	}
	if string(prefix) == "xml" {
		return r.declare(prefix, xmlNamespace).space, true
	}
	if s, ok := namespace.Conventional[string(prefix)]; ok {
		return s, false
	}
	return r.declare(nil, key(prefix)).space, false
}

var xmlNamespace = []byte("http://www.w3.org/XML/1998/namespace")

var xmlns = []byte("xmlns")
