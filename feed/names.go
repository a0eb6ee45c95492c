package feed

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// isEntry tells the start tag of an item or entry: by its name, in a namespace of
// the format's, the root's, or none, but not in Atom's content, which may hold any document;
// or without a prefix or with the root's, whatever the namespace, unless that is of an element
// around it in the entry.
func (d *document) isEntry() bool {
	switch {
	case string(d.r.Local) != d.entryName():
		return false
	case d.isOwn():
		return !d.atom || !d.r.HeldBy("content")
	}
	return (len(d.r.Prefix) == 0 || string(d.r.Prefix) == d.prefix) && !d.r.Enclosed()
}

// entryName is what the format calls an entry.
func (d *document) entryName() string {
	if d.atom {
		return "entry"
	}
	return "item"
}

// isField tells the start tag of an element that stands in an entry directly, and
// so ends one that was left open.
func (d *document) isField() bool {
	if !d.isOwn() {
		return false
	}
	switch string(d.r.Local) {
	case "title", "link", "category", "author", "source":
		return true
	case "guid", "pubdate", "description", "comments", "enclosure":
		return !d.atom
	case "id", "updated", "modified", "published", "issued", "created", "content", "summary":
		return d.atom
	}
	return false
}

// isOwn reports whether the current start tag is in a namespace of the format.
func (d *document) isOwn() bool { return d.isOwnSpace(d.r.Space) }

func (d *document) isOwnSpace(s xmlscan.Space) bool {
	if s == xmlscan.NoSpace || s == d.entrySpace || s == d.space {
		return true
	}
	if d.atom {
		return s == xmlscan.Atom || s == xmlscan.Atom03
	}
	return s == xmlscan.RSS
}

// isExtension tells the namespaces of extensions, but not of what holds pages, in which
// there may be links and titles.
func (d *document) isExtension(s xmlscan.Space) bool {
	return !d.isOwnSpace(s) && s != xmlscan.Content && s != xmlscan.XHTML
}

// holdsFields tells the elements of an entry that may have links and titles of their own.
func (d *document) holdsFields(s xmlscan.Space, local string) bool {
	switch local {
	case "description", "content", "summary", "source":
		return d.isOwnSpace(s)
	}
	return s == xmlscan.Content || s == xmlscan.XHTML
}

// canonical returns the current local name as the format writes it, where that is
// not what xmlscan makes of it: in lower case.
func (d *document) canonical() string {
	switch name := string(d.r.Local); name {
	case "rdf":
		return "RDF"
	case "pubdate":
		return "pubDate"
	default:
		return name
	}
}

// checkCase reports, once, that names stand in another letter case.
func (d *document) checkCase() {
	if !d.r.Upper || d.uppered {
		return
	}
	local := d.r.Name[bytes.IndexByte(d.r.Name, ':')+1:]
	if name := d.canonical(); string(local) != name {
		d.uppered = true
		d.problem(sitemap.UppercaseTag, name)
	}
}
