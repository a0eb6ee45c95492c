package feed

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/record"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A rank orders the links of an entry: a lower one is preferred.
type rank int

const (
	noLink    rank = iota - 1 // a link to something else than the page
	unlinked                  // no link so far
	plainLink                 // RSS's own, or Atom's without rel
	htmlAlternate
	alternate
	rssAtomLink // an Atom link in an RSS item: behind RSS's own, whatever its rel
)

// A candidate is what may become the location of an entry. Its text is a copy.
type candidate struct {
	rank   rank
	usable bool
	raw    []byte
	pos    sitemap.Position
	base   *url.URL
	field  string
	code   sitemap.Code // to report if it becomes the location; or 0
}

// set makes c another candidate.
func (c *candidate) set(raw []byte, from candidate) {
	from.raw = append(c.raw[:0], raw...)
	*c = from
}

// unset forgets the candidate but keeps its memory: of one that is neither ranked nor
// usable, nothing else is looked at.
func (c *candidate) unset() { c.rank, c.usable = unlinked, false }

// offer proposes raw as the entry's location. The first usable candidate of the
// best rank stays; an unusable one stays only to tell why the entry is dropped.
func (d *document) offer(raw []byte, c candidate) {
	best := &d.entry.link
	if best.usable && best.rank <= c.rank {
		return
	}
	c.usable = usable(raw, c.base)
	if best.rank == unlinked || c.usable {
		best.set(raw, c)
	}
}

// usable reports whether a location can be made of raw.
func usable(raw []byte, base *url.URL) bool {
	if location.Plain(raw) {
		return true
	}
	r := location.Resolver{Base: base}
	_, ok := r.CleanRef(raw)
	return ok
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}

// A link is the attributes of a link element.
type link struct {
	rel, typ []byte // decoded
	href     []byte // as it stands in the document
	hasHref  bool
}

// linkAttrs reads the attributes of the current start tag.
func (d *document) linkAttrs() (l link) {
	for attrs := d.r.Attrs; len(attrs) > 0; {
		name, value, rest, ok := xmlscan.NextAttr(attrs)
		if !ok {
			break
		}
		attrs = rest
		switch string(name) {
		case "href":
			l.href, l.hasHref = value, true
		case "rel":
			l.rel = decoded(value)
		case "type":
			l.typ = decoded(value)
		default:
			l.oddAttr(name, value)
		}
	}
	return l
}

// decoded returns the value of an attribute without references; a copy if it has any.
func decoded(value []byte) []byte {
	if bytes.IndexByte(value, '&') < 0 {
		return value
	}
	return xmlscan.Decode(nil, value)
}

// oddAttr reads an attribute in another letter case.
func (l *link) oddAttr(name, value []byte) {
	switch strings.ToLower(string(name)) {
	case "href":
		l.href, l.hasHref = value, true
	case "rel":
		l.rel = decoded(value)
	case "type":
		l.typ = decoded(value)
	}
}

// relations of the registry may be written as its URIs (RFC 4287, section 4.2.7.2).
const ianaRelation = "http://www.iana.org/assignments/relation/"

// relation returns the rel without the registry's URI.
func (l *link) relation() []byte {
	rel := bytes.TrimSpace(l.rel)
	if hasPrefixFold(rel, ianaRelation) {
		rel = rel[len(ianaRelation):]
	}
	return rel
}

// rank ranks a link by rel and type; code is what to report if it is used.
func (l *link) rank() (r rank, code sitemap.Code) {
	rel := l.relation()
	switch {
	case len(rel) == 0:
		return plainLink, 0
	case string(rel) == "alternate":
	case strings.EqualFold(string(rel), "alternate"):
		code = sitemap.NonstandardRel
	default:
		return noLink, 0
	}
	if isHTML(l.typ) {
		return htmlAlternate, code
	}
	return alternate, code
}

// isHTML reports whether a media type is one of HTML.
func isHTML(typ []byte) bool {
	if string(typ) == "text/html" {
		return true
	}
	typ, _, _ = bytes.Cut(typ, []byte(";"))
	name := strings.ToLower(string(bytes.TrimSpace(typ)))
	return name == "text/html" || name == "application/xhtml+xml"
}

// readLink reads a link element of an entry. Atom's has its location in href, and
// by mistake as text; RSS's as text, and by mistake in href.
func (d *document) readLink(atom bool) {
	pos := d.in.Position(0)
	l := d.linkAttrs()
	c := candidate{pos: pos, field: "link", base: record.BaseHere(d.r.Attrs, d.entry.base)}
	c.rank, c.code = l.rank()
	if l.hasHref {
		d.href = xmlscan.Decode(d.href[:0], l.href)
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
	case atom && l.hasHref, !atom && l.hasHref && len(bytes.TrimSpace(text)) == 0:
		d.offer(d.href, c)
	case !d.r.Complete:
	case atom:
		c.code = sitemap.TextAsLoc
		d.offer(text, c)
	default:
		if d.r.Nested {
			d.sink.Problem(sitemap.ElementInLoc, pos, "link", text)
		}
		d.offer(text, c)
	}
}

// enclosure hands a file that the entry encloses to the extensions; its location is
// in d.href.
func (d *document) enclosure(typ []byte, base *url.URL) {
	d.ext.Enclosure(d.href, xmlscan.Decode(nil, typ), base)
}

// readEnclosure reads the enclosure of an RSS item.
func (d *document) readEnclosure() {
	value, ok := d.r.Attr("url")
	if !ok {
		d.problem(sitemap.BadExtension, "enclosure")
		return
	}
	d.href = xmlscan.Decode(d.href[:0], value)
	typ, _ := d.r.Attr("type")
	d.enclosure(typ, record.BaseHere(d.r.Attrs, d.entry.base))
}
