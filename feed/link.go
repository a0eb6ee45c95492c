package feed

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

// offer offers raw as the entry's location. The first usable candidate of the best rank is kept. An
// unusable one is kept only for the report if the entry is dropped.
func (d *decoder) offer(raw []byte, c candidate) {
	best := &d.entry.link
	if best.usable && best.rank <= c.rank {
		return
	}
	c.usable = d.usable(raw, c.base)
	if best.rank == unlinked || c.usable {
		d.reportUnusable()
		best.set(raw, c)
	}
}

// reportUnusable reports a link that cannot be made a location, in an entry that has another one.
func (d *decoder) reportUnusable() {
	c := &d.entry.link
	if c.rank == unlinked || c.usable || len(bytes.TrimSpace(c.raw)) == 0 {
		return
	}
	r := location.Resolver{Base: c.base}
	if _, _, code := r.Clean(c.raw); code != "" {
		d.sink.Problem(code, c.pos, c.field, c.raw)
	}
}

// usable reports whether raw can be made a location.
func (d *decoder) usable(raw []byte, base *url.URL) bool {
	if d.sink.Recent.Plain(raw) {
		return true
	}
	r := location.Resolver{Base: base}
	_, ok := r.CleanRef(raw)
	return ok
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}

// A link holds the attributes of a link element.
type link struct {
	rel, typ []byte // decoded
	href     []byte // raw
	hasHref  bool
}

// linkAttrs reads the attributes of the current start tag.
func (d *decoder) linkAttrs() (l link) {
	for a := range d.r.Attrs() {
		if !l.set(string(a.Name), a.Value) {
			l.set(strings.ToLower(string(a.Name)), a.Value)
		}
	}
	return l
}

// decoded returns the value of an attribute without references. It is a copy if there are any.
func decoded(value []byte) []byte {
	if bytes.IndexByte(value, '&') < 0 {
		return value
	}
	return xmlchar.Decode(nil, value)
}

// set sets an attribute and reports whether it is one of a link's own.
func (l *link) set(name string, value []byte) bool {
	switch name {
	case "href":
		l.href, l.hasHref = value, true
	case "rel":
		l.rel = decoded(value)
	case "type":
		l.typ = decoded(value)
	default:
		return false
	}
	return true
}

// ianaRelation precedes a relation of the registry in its URI form (RFC 4287, section 4.2.7.2).
const ianaRelation = "http://www.iana.org/assignments/relation/"

// relation returns the rel without ianaRelation.
func (l *link) relation() []byte {
	rel := bytes.TrimSpace(l.rel)
	if hasPrefixFold(rel, ianaRelation) {
		rel = rel[len(ianaRelation):]
	}
	return rel
}

// rank returns the rank of a link by its rel and type, and the problem to report if it is used.
func (l *link) rank() (r rank, code sitemap.Code) {
	rel := l.relation()
	switch {
	case len(rel) == 0:
		return plainLink, ""
	case string(rel) == "alternate":
	case strings.EqualFold(string(rel), "alternate"):
		code = sitemap.NonstandardRel
	default:
		return noLink, ""
	}
	if isHTML(l.typ) {
		return htmlAlternate, code
	}
	return alternate, code
}

// isHTML reports whether a media type is HTML.
func isHTML(typ []byte) bool {
	if string(typ) == "text/html" {
		return true
	}
	typ, _, _ = bytes.Cut(typ, []byte(";"))
	name := strings.ToLower(string(bytes.TrimSpace(typ)))
	return name == "text/html" || name == "application/xhtml+xml"
}

// readLink reads a link element of an entry. The location is in href for Atom and in the text for
// RSS, or the reverse by mistake.
func (d *decoder) readLink(atom bool) {
	pos := d.here()
	if !atom {
		if d.entry.linked {
			d.problem(sitemap.RepeatedElement, "link")
		}
		d.entry.linked = true
	}
	l := d.linkAttrs()
	c := candidate{pos: pos, atom: atom, field: "link",
		base: document.BaseHere(d.r, d.entry.base)}
	if c.rank, c.code = l.rank(); c.rank == noLink && !atom && !l.hasHref &&
		strings.EqualFold(string(l.relation()), "self") {
		c.rank = plainLink // of RSS, which has no rel
	}
	if l.hasHref {
		d.href = xmlchar.Decode(d.href[:0], l.href)
	}
	if c.rank == noLink {
		if d.ext != nil && l.hasHref && strings.EqualFold(string(l.relation()), "enclosure") {
			d.enclosure(l.typ, c.base)
		}
		d.r.Text()
		return
	}
	if atom && !d.atom {
		c.rank += rssAtomLink
	}
	text := d.r.Text()
	switch {
	case l.hasHref && (atom || !location.IsAbsolute(text) && d.usable(d.href, c.base)):
		d.offer(d.href, c)
	case !d.r.Complete:
	case atom:
		c.code = sitemap.TextAsLoc
		d.offer(text, c)
	default:
		d.offer(d.withoutMarkup(text, pos, "link"), c)
	}
}

// withoutMarkup returns a location as text, or the target of the link of HTML in its place.
func (d *decoder) withoutMarkup(text []byte, pos sitemap.Position, field string) []byte {
	href, isAnchor := location.Anchor(text)
	if d.r.Nested && len(d.r.Href) > 0 && !location.IsAbsolute(text) {
		href, isAnchor = d.r.Href, true
	}
	if d.r.Nested || isAnchor {
		d.sink.Problem(sitemap.ElementInLoc, pos, field, text)
	}
	if isAnchor {
		return href
	}
	return text
}

// enclosure passes a file that the entry encloses to the extensions. Its location is in d.href.
func (d *decoder) enclosure(typ []byte, base *url.URL) {
	d.ext.Enclosure(d.href, xmlchar.Decode(nil, typ), base)
}

// readEnclosure reads the enclosure of an RSS item.
func (d *decoder) readEnclosure() {
	value, ok := d.r.Attr("url")
	if !ok {
		d.problem(sitemap.BadExtension, "enclosure")
		return
	}
	d.href = xmlchar.Decode(d.href[:0], value)
	typ, _ := d.r.Attr("type")
	d.enclosure(typ, document.BaseHere(d.r, d.entry.base))
}
