package feed

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

// readEntry reads the entry whose start tag is current, and yields it.
func (d *decoder) readEntry() {
	if d.unknownRoot {
		d.atom, d.unknownRoot = string(d.r.Local()) == "entry", false
	}
	if name := d.entryName(); string(d.r.Local()) != name {
		d.problem(sitemap.MisplacedElement, d.canonical())
		d.atom, d.misplaced = !d.atom, true
		defer func() { d.atom, d.misplaced = !d.atom, false }()
	}
	d.checkCase()
	d.resetEntry()
	e := &d.entry
	e.Pos = d.in.Position(0)
	e.start = append(e.start[:0], chars.Excerpt(d.r.Raw())...)
	d.entrySpace = d.r.Space
	e.base = document.BaseHere(d.r, d.base)
	d.readAbout()
	d.sink.Resolver.Base = e.base
	for depth := d.r.Depth(); d.r.Child(depth); {
		d.readChild()
	}
	d.finish()
}

// resetEntry clears the entry but keeps its memory.
func (d *decoder) resetEntry() {
	e := &d.entry
	e.Entry, e.base, e.linked, e.dates = sitemap.Entry{}, d.base, false, [dates]sitemap.Time{}
	e.link.unset()
	e.id.unset()
}

// readAbout reads the rdf:about of RSS 1.0, which is the item's URL, as a fallback.
func (d *decoder) readAbout() {
	if d.atom {
		return
	}
	if about, ok := d.r.Attr("about"); ok {
		d.offerID(xmlchar.Decode(nil, about), candidate{pos: d.entry.Pos, field: "about",
			code: sitemap.GuidAsLoc})
	}
}

// readChild reads a child of the entry.
func (d *decoder) readChild() {
	switch {
	case d.isOwn():
		if d.isField() {
			d.checkCase()
		}
		if d.atom {
			d.readAtom()
		} else {
			d.readRSS()
		}
	case d.readForeign():
	case d.ext != nil:
		d.ext.Element(false)
	}
}

// readRSS reads an element of RSS.
func (d *decoder) readRSS() {
	switch string(d.r.Local()) {
	case "link":
		d.readLink(false)
	case "guid":
		d.readID("guid", sitemap.GuidAsLoc)
	case "pubdate":
		d.readDate("pubDate", modified)
	case "title", "category", "author", "comments":
		d.r.SkipText()
	case "enclosure":
		if d.ext != nil {
			d.readEnclosure()
		}
	}
}

// readAtom reads an element of Atom.
func (d *decoder) readAtom() {
	switch string(d.r.Local()) {
	case "link":
		d.readLink(true)
	case "id":
		d.readID("id", sitemap.IDAsLoc)
	case "title":
		d.r.SkipText()
	case "category":
		d.r.Void()
	default:
		d.readAtomDate()
	}
}

// readAtomDate reads a date of Atom, and reports whether it is one.
func (d *decoder) readAtomDate() bool {
	switch string(d.r.Local()) {
	case "updated":
		d.readDate("updated", d.inFormat(revised, modified))
	case "modified":
		d.readDate("modified", d.inFormat(revised, modified))
	case "published":
		d.readDate("published", published)
	case "issued":
		d.readDate("issued", issued)
	case "created":
		d.readDate("created", created)
	default:
		return false
	}
	return true
}

// readForeign reads an element of another namespace that has a meaning in a feed. It reports
// whether it is one.
func (d *decoder) readForeign() bool {
	switch d.r.Space {
	case namespace.DC, namespace.DCTerms, namespace.Atom, namespace.Atom03:
		d.checkCase()
	}
	switch d.r.Space {
	case namespace.DC:
		if string(d.r.Local()) != "date" {
			return false
		}
		d.readDate("date", d.inFormat(described, other))
	case namespace.DCTerms:
		switch string(d.r.Local()) {
		case "modified":
			d.readDate("modified", d.inFormat(revised, other))
		case "issued":
			d.readDate("issued", issued)
		case "created":
			d.readDate("created", created)
		default:
			return false
		}
	case namespace.Atom, namespace.Atom03:
		if string(d.r.Local()) != "link" {
			return d.readAtomDate()
		}
		d.readLink(true)
	default:
		return false
	}
	return true
}

// readDate reads a date. The first readable one of its kind counts.
func (d *decoder) readDate(field string, as date) {
	pos := d.here()
	space := d.r.Space
	text := d.r.Text()
	if !d.r.Complete {
		return
	}
	if d.r.Nested {
		d.sink.Problem(sitemap.MismatchedTag, pos, field, text)
	}
	var t sitemap.Time
	switch {
	case field == "pubDate":
		t = d.sink.RFC822Time(text, pos, field)
	case space == namespace.Atom:
		t = d.sink.RFC3339Time(text, pos, field)
	default:
		t = d.sink.DCTime(text, pos, field)
	}
	d.setDate(as, t)
}

// readID reads a guid or id.
func (d *decoder) readID(field string, code sitemap.Code) {
	if d.entry.link.usable {
		return
	}
	pos := d.here()
	if text := d.r.Text(); d.r.Complete {
		if d.atom {
			text = d.withoutMarkup(text, pos, field)
		}
		d.offerID(text, candidate{pos: pos, field: field, code: code})
	}
}

// offerID offers a fallback location. The first usable one counts.
func (d *decoder) offerID(raw []byte, c candidate) {
	if !d.entry.id.usable && location.IsAbsolute(raw) && d.usable(raw, nil) {
		c.usable = true
		d.entry.id.set(raw, c)
	}
}

// finish yields the entry if it has a location.
func (d *decoder) finish() {
	if d.setLoc() {
		d.emit()
	} else if d.ext != nil {
		d.ext.Reset()
	}
}

// emit yields the entry.
func (d *decoder) emit() {
	e := &d.entry
	e.LastMod = e.lastMod()
	if e.Published = e.dates[published]; e.Published.IsZero() {
		e.Published = e.dates[issued]
	}
	if e.Published == e.LastMod {
		e.Published = sitemap.Time{}
	}
	if d.ext != nil {
		e.Extensions = d.ext.Take()
	}
	d.sink.Emit(&e.Entry)
}

func (e *entry) lastMod() sitemap.Time {
	for _, t := range e.dates {
		if !t.IsZero() {
			return t
		}
	}
	return sitemap.Time{}
}

// setLoc chooses the entry's location: a link, else, if the link is empty as in HTML, a URL in the
// text of the entry, else an id, else, without a link, a URL in the text. In an entry that is cut by
// the end of the document, only a link counts. Without a location, setLoc reports why the entry is
// dropped.
func (d *decoder) setLoc() bool {
	e := &d.entry
	direct := bytes.TrimSpace(d.r.Direct)
	hasLink := e.link.rank != unlinked
	isEmpty := hasLink && len(bytes.TrimSpace(e.link.raw)) == 0
	isText := (isEmpty || !hasLink && !e.id.usable) && location.IsAbsolute(direct) && !d.r.DirectCut
	if (e.link.usable || e.id.usable) && !isText && len(direct) > 0 {
		d.sink.Problem(sitemap.StrayText, d.r.DirectAt, "", direct)
	}
	switch {
	case e.link.usable:
		return d.use(&e.link)
	case d.r.Unfinished():
		return false
	case isText:
		return d.use(&candidate{raw: direct, pos: e.Pos, base: e.base, field: "link",
			code: sitemap.TextAsLoc, usable: true})
	case e.id.usable:
		d.reportUnusable()
		return d.use(&e.id)
	case hasLink:
		return d.use(&e.link)
	}
	d.sink.Drop(sitemap.MissingLoc, e.Pos, "link", e.start)
	return false
}

// use makes a candidate the entry's location and reports its problems.
func (d *decoder) use(c *candidate) (ok bool) {
	if c.usable && c.code != "" {
		d.sink.Problem(c.code, c.pos, c.field, c.raw)
	}
	d.sink.Resolver = location.Resolver{Base: c.base, Relative: c.atom && c.base != d.location}
	d.entry.Loc, ok = d.sink.Loc(c.raw, c.pos, c.field)
	return ok
}

func (d *decoder) setDate(as date, t sitemap.Time) {
	if d.entry.dates[as].IsZero() {
		d.entry.dates[as] = t
	}
}
