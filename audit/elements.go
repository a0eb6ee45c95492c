package audit

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// elements judges the elements of one entry, which is els[0].
func (d *document) elements(els []element) {
	d.attributes(&els[0])
	x := extensions{document: d, els: els}
	var last *element // the one that comes last in the schema
	disordered := false
	for i := 1; i < len(els); i++ {
		e := &els[i]
		own := d.structure.isOwn(e.space)
		if own {
			d.attributes(e)
		}
		if e.depth > 1 {
			continue
		}
		if own {
			d.fieldText(e)
		}
		switch n := orderOf(e, own); {
		case n == 0:
		case last == nil || n >= orderOf(last, d.structure.isOwn(last.space)):
			last = e
		case !disordered:
			disordered = true
			d.find("element_order", e.offset, string(e.local), fmt.Sprintf(
				"%s comes after %s, which follows it in the schema", e.local, last.local))
		}
		if !own {
			x.extension(i)
		}
	}
	x.end()
}

// root judges the root, once.
func (d *document) root() {
	if root := &d.structure.root; root.offset >= 0 && !d.once["root"] {
		d.once["root"] = true
		d.start = d.mark(root.offset)
		entry := d.entry
		d.entry = nil
		d.rootNamespace(root)
		d.attributes(root)
		d.entry = entry
	}
}

// orderOf returns the place of a child of an entry in the schema's order, and 0 for one that the
// schema does not have.
func orderOf(e *element, own bool) int {
	if !own {
		return 5
	}
	switch string(e.local) {
	case "loc":
		return 1
	case "lastmod":
		return 2
	case "changefreq":
		return 3
	case "priority":
		return 4
	}
	return 0
}

// attributes reports attributes that the schema does not have, each once a document.
func (d *document) attributes(e *element) {
	for _, a := range e.attrs {
		prefix, local := split(a.Name)
		if string(prefix) == "xmlns" || string(a.Name) == "xmlns" || d.isInstance(prefix, local) {
			continue
		}
		key := string(e.local) + " " + string(a.Name)
		if !d.once[key] && len(d.once) < maxNamesOf {
			d.once[key] = true
			d.find("unknown_attribute", e.offset, string(a.Name), fmt.Sprintf(
				"<%s> has an attribute %q, which the schema does not have", e.local, a.Name))
		}
	}
}

// isInstance reports whether an attribute is one of XML Schema's own, such as xsi:schemaLocation.
func (d *document) isInstance(prefix, local []byte) bool {
	switch string(local) {
	case "schemaLocation", "noNamespaceSchemaLocation", "type", "nil":
		return len(prefix) > 0
	}
	return false
}

// field returns the first child of the entry with this name, or nil.
func field(els []element, local string) *element {
	for i := range els {
		if e := &els[i]; e.depth == 1 && string(e.local) == local && e.space <= namespace.Sitemap {
			return e
		}
	}
	return nil
}

var encodingName = regexp.MustCompile(`\sencoding\s*=\s*["']([^"']+)`)

// declaredEncoding returns the encoding that the XML declaration at the start of a document names.
func declaredEncoding(text []byte) string {
	if !bytes.HasPrefix(text, []byte("<?xml")) {
		return ""
	}
	declaration, _, _ := bytes.Cut(text, []byte("?>"))
	m := encodingName.FindSubmatch(declaration)
	if m == nil {
		return ""
	}
	return string(m[1])
}
