package feed

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// isEntry reports whether the current start tag is that of an item or entry. Its namespace is one
// of the format or the root's, or it has none, but it is not in the content of Atom, which may hold
// any document. Any namespace will do without a prefix or with the root's, unless an element around
// it in the entry has the same namespace.
func (d *decoder) isEntry() bool {
	local := d.r.Local()
	isItem := string(local) == "item"
	switch {
	case !isItem && string(local) != "entry",
		isItem == d.atom && !d.misplaced && d.r.InEntry():
		return false
	case d.isOwn(), !d.r.InEntry() && isFormat(d.r.Space):
		return isItem || !d.r.HeldBy("content")
	}
	return (len(d.r.Prefix()) == 0 || string(d.r.Prefix()) == d.prefix) && !d.r.Enclosed()
}

// entryName returns the format's name for an entry.
func (d *decoder) entryName() string {
	if d.atom {
		return "entry"
	}
	return "item"
}

// isField reports whether the current start tag is that of a child of entries. Such a tag ends a
// field that was left open.
func (d *decoder) isField() bool {
	if !d.isOwn() {
		return false
	}
	switch string(d.r.Local()) {
	case "title", "link", "category", "author", "source":
		return true
	case "guid", "pubdate", "description", "comments", "enclosure":
		return !d.atom
	case "id", "updated", "modified", "published", "issued", "created", "content", "summary":
		return d.atom
	}
	return false
}

// isOwn reports whether the current start tag is in a namespace of the format. In
// RSS without a prefix, any undeclared prefix stands for none.
func (d *decoder) isOwn() bool {
	return d.isOwnSpace(d.r.Space) || d.r.Unknown() && !d.atom && d.prefix == ""
}

func (d *decoder) isOwnSpace(s namespace.Space) bool {
	if s == namespace.NoSpace || s == d.entrySpace || s == d.space {
		return true
	}
	return isFormat(s) && d.atom == (s != namespace.RSS)
}

// isFormat reports whether a namespace is that of a format of feeds.
func isFormat(s namespace.Space) bool {
	return s == namespace.Atom || s == namespace.Atom03 || s == namespace.RSS
}

// isExtension reports whether s is the namespace of an extension. Namespaces of elements that hold
// pages do not count, since links and titles may be in them.
func (d *decoder) isExtension(s namespace.Space) bool {
	return !d.isOwnSpace(s) && s != namespace.Content && s != namespace.XHTML
}

// holdsFields reports whether an element of an entry may have links and titles of its own.
func (d *decoder) holdsFields(s namespace.Space, local string) bool {
	switch local {
	case "description", "content", "summary", "source":
		return d.isOwnSpace(s)
	}
	return s == namespace.Content || s == namespace.XHTML
}

// canonical returns the current local name in the letter case of the format. Package xmlscan
// returns names in lower case.
func (d *decoder) canonical() string {
	switch name := string(d.r.Local()); name {
	case "rdf":
		return "RDF"
	case "pubdate":
		return "pubDate"
	default:
		return name
	}
}

// checkCase reports, once, a name in another letter case.
func (d *decoder) checkCase() {
	if !d.r.Upper || d.uppered {
		return
	}
	switch string(d.r.Name()[bytes.IndexByte(d.r.Name(), ':')+1:]) {
	case "pubDate", "RDF": // as the format has it
	default:
		d.uppered = true
		d.problem(sitemap.UppercaseTag, d.canonical())
	}
}

// inFormat returns the date that an element means in this format.
func (d *decoder) inFormat(rss, atom date) date {
	if d.atom {
		return atom
	}
	return rss
}
