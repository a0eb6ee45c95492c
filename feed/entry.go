package feed

import (
	"bytes"
	"net/url"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/record"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// An entry is an item or entry as it is read. Its buffers serve all entries of the
// document.
type entry struct {
	sitemap.Entry
	base  *url.URL
	start []byte // its start tag, cut at 256 bytes
	link  candidate
	id    candidate // guid, id or rdf:about
	dates [dates]sitemap.Time
}

// A date is what a date of an entry says, in the order in which they are preferred
// as LastMod.
type date int

const (
	modified  date = iota // pubDate; Atom's updated, modified
	described             // dc:date, in RSS
	revised               // atom:updated and dcterms:modified, in RSS
	published
	issued
	created
	other // dc:date and dcterms:modified, in Atom
	dates
)

// readEntry reads the entry whose start tag is current, and hands it on.
func (d *document) readEntry() {
	d.checkCase()
	d.resetEntry()
	e := &d.entry
	e.Pos = d.in.Position(0)
	e.start = append(e.start[:0], xmlscan.Start(d.r.Raw)...)
	d.entrySpace = d.r.Space
	if len(d.r.Attrs) > 0 {
		e.base = record.BaseHere(d.r.Attrs, d.base)
		d.readAbout()
	}
	d.sink.Resolver.Base = e.base
	for depth := d.r.Depth(); d.r.Child(depth); {
		d.readChild()
	}
	d.finish()
}

// resetEntry forgets the entry before, but keeps its memory.
func (d *document) resetEntry() {
	e := &d.entry
	e.Entry, e.base, e.dates = sitemap.Entry{}, d.base, [dates]sitemap.Time{}
	e.link.unset()
	e.id.unset()
}

// readAbout takes the rdf:about of RSS 1.0, which is the item's URL, to make do with.
func (d *document) readAbout() {
	if d.atom {
		return
	}
	if about, ok := d.r.Attr("about"); ok {
		d.offerID(xmlscan.Decode(nil, about), candidate{pos: d.entry.Pos, field: "about", code: sitemap.GuidAsLoc})
	}
}

// readChild reads an element that stands in the entry.
func (d *document) readChild() {
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
func (d *document) readRSS() {
	switch string(d.r.Local) {
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
func (d *document) readAtom() {
	switch string(d.r.Local) {
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
func (d *document) readAtomDate() bool {
	switch string(d.r.Local) {
	case "updated":
		d.readDate("updated", d.inRSS(revised))
	case "modified":
		d.readDate("modified", d.inRSS(revised))
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

// inRSS returns what Atom's date of the last change is: that, or in RSS another.
func (d *document) inRSS(another date) date {
	if d.atom {
		return modified
	}
	return another
}

// readForeign reads an element of another namespace that has a meaning of its own
// in a feed, and reports whether it is one.
func (d *document) readForeign() bool {
	switch d.r.Space {
	case xmlscan.DC:
		if string(d.r.Local) != "date" {
			return false
		}
		d.readDate("date", d.unlessAtom(described))
	case xmlscan.DCTerms:
		switch string(d.r.Local) {
		case "modified":
			d.readDate("modified", d.unlessAtom(revised))
		case "issued":
			d.readDate("issued", issued)
		case "created":
			d.readDate("created", created)
		default:
			return false
		}
	case xmlscan.Atom, xmlscan.Atom03:
		if string(d.r.Local) != "link" {
			return d.readAtomDate()
		}
		d.readLink(true)
	default:
		return false
	}
	return true
}

func (d *document) unlessAtom(as date) date {
	if d.atom {
		return other
	}
	return as
}

// readDate reads a date. The first of its kind that can be read counts.
func (d *document) readDate(field string, as date) {
	pos := d.in.Position(0)
	text := d.r.Text()
	if !d.r.Complete {
		return
	}
	if d.r.Nested {
		d.sink.Problem(sitemap.MismatchedTag, pos, field, text)
	}
	var t sitemap.Time
	if field == "pubDate" {
		t = d.sink.RFC822Time(text, pos, field)
	} else {
		t = d.sink.W3CTime(text, pos, field)
	}
	d.setDate(as, t)
}

// readID reads a guid or id.
func (d *document) readID(field string, code sitemap.Code) {
	if d.entry.link.usable {
		return
	}
	pos := d.in.Position(0)
	if text := d.r.Text(); d.r.Complete {
		d.offerID(text, candidate{pos: pos, field: field, code: code})
	}
}

// offerID proposes a location to make do with; the first that is one counts.
func (d *document) offerID(raw []byte, c candidate) {
	if !d.entry.id.usable && location.IsAbsolute(raw) && usable(raw, nil) {
		c.usable = true
		d.entry.id.set(raw, c)
	}
}

// finish hands the entry on, if it has a location.
func (d *document) finish() {
	if d.setLoc() {
		d.emit()
	} else if d.ext != nil {
		d.ext.Reset()
	}
}

// emit hands the entry on.
func (d *document) emit() {
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

// setLoc chooses the entry's location: a link, else an id, else, if there is no link or an empty
// one, a URL as bare text. Of an entry that the document's end cuts, only a link counts. If there is
// none, it reports why the entry is dropped.
func (d *document) setLoc() bool {
	e := &d.entry
	switch {
	case e.link.usable:
		return d.use(&e.link)
	case d.r.Unfinished():
		return false
	case e.id.usable:
		return d.use(&e.id)
	}
	direct := bytes.TrimSpace(d.r.Direct)
	noLink := e.link.rank == unlinked || len(bytes.TrimSpace(e.link.raw)) == 0
	if noLink && location.IsAbsolute(direct) && !d.r.DirectCut {
		return d.use(&candidate{raw: direct, pos: e.Pos, base: e.base, field: "link", code: sitemap.TextAsLoc, usable: true})
	}
	if e.link.rank != unlinked {
		return d.use(&e.link)
	}
	d.sink.Drop(sitemap.MissingLoc, e.Pos, "link", e.start)
	return false
}

// use makes a candidate the entry's location, and reports what is odd about it.
func (d *document) use(c *candidate) (ok bool) {
	if c.usable && c.code != 0 {
		d.sink.Problem(c.code, c.pos, c.field, c.raw)
	}
	d.sink.Resolver.Base = c.base
	d.entry.Loc, ok = d.sink.Loc(c.raw, c.pos, c.field)
	return ok
}
