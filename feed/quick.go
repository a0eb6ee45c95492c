package feed

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

const (
	// quickWindow is how much of the document the window should hold before an entry is considered
	// too long to be read quickly.
	quickWindow = 16 << 10
	// maxOdd is the number of entries in a row of another shape after which no entry of the
	// document is read quickly.
	maxOdd = 16
)

// quickEntries reads entries as readEntry does, but quickly, as long as they have the common shape:
// they are well-formed, their link needs no repair, there is nothing to report, and their
// extensions are of common kinds. Depth is that of the element around them.
func (d *decoder) quickEntries(depth int) {
	if d.odd > maxOdd || !d.r.Quick(&d.quick, depth) {
		return
	}
	if d.ext != nil {
		d.ext.ForgetMet()
	}
	d.sink.Resolver.Base = d.base
	size := 0 // of the last entry: the next one may be about as long
	for !d.sink.Stopped() {
		if len(d.in.Window()) < size {
			d.in.MoreAtHand()
		}
		d.quick.Reset()
		if d.quickEntry() {
			d.odd, size = 0, d.quick.Offset()
			d.entry.Pos = d.in.Position(d.start)
			d.quick.Done()
			d.emit()
			continue
		}
		if d.ext != nil {
			d.ext.Reset()
		}
		if d.quick.Len() >= quickWindow || !d.in.More() {
			d.odd++
			return
		}
	}
}

// quickEntry reads the entry at the window's start into d.entry.
func (d *decoder) quickEntry() bool {
	q := &d.quick
	q.SkipSpace()
	d.start = q.Offset()
	if string(q.Ahead()[:6]) == "<item>" && !d.atom {
		q.Enter("<item>")
	} else if !q.Open() || string(q.Local()) != d.entryName() || q.Empty || q.Attrs > 0 {
		return false
	}
	if !d.isOwnSpace(q.Space) {
		return false
	}
	name := q.Name()
	d.entrySpace = q.Space
	d.resetEntry()
	for asUsual := !d.atom && d.isOwnSpace(q.Bare); !q.AtEnd(); {
		if asUsual && d.quickUsual(q) || d.ext != nil && d.ext.QuickMet(q) {
			continue
		}
		if !q.Open() || !d.quickChild(q) {
			return false
		}
	}
	return q.Close(name) && d.entry.Loc != ""
}

// quickChild reads a child of the entry.
func (d *decoder) quickChild(q *xmlscan.Quick) bool {
	switch {
	case !d.isOwnSpace(q.Space):
		if q.Space == xmlscan.DC && string(q.Local()) == "date" {
			return d.quickDate(q, d.unlessAtom(described))
		}
		if q.Space == xmlscan.DCTerms || q.Space == xmlscan.Atom || q.Space == xmlscan.Atom03 {
			return false
		}
		if d.ext == nil {
			return q.Skip()
		}
		return d.ext.Quick(q)
	case d.atom:
		return d.quickAtom(q)
	default:
		return d.quickRSS(q)
	}
}

// quickUsual is quickRSS for the elements of almost all items, if they hold only text and their
// tags have the usual form. Comparing constants is faster than parsing a tag. It does not advance
// if it returns false.
func (d *decoder) quickUsual(q *xmlscan.Quick) (ok bool) {
	switch b := q.Ahead(); {
	case string(b[:7]) == "<title>":
		return q.Pass("<title>", "</title>")
	case string(b[:6]) == "<link>":
		return d.quickUsualLink(q)
	case string(b[:9]) == "<pubDate>":
		return d.quickUsualDate(q)
	case string(b[:10]) == "<category>":
		return q.Pass("<category>", "</category>")
	case string(b[:13]) == "<description>":
		return q.Pass("<description>", "</description>")
	case bytes.HasPrefix(b, []byte(otherGuid)):
		return q.Pass(otherGuid, "</guid>")
	case q.Content && bytes.HasPrefix(b, []byte("<content:encoded>")):
		return q.Pass("<content:encoded>", "</content:encoded>")
	}
	return false
}

// otherGuid is the start tag of a guid that is not the item's location.
const otherGuid = `<guid isPermaLink="false">`

// quickUsualLink reads a location that needs no repair.
func (d *decoder) quickUsualLink(q *xmlscan.Quick) bool {
	text, next := q.Between("<link>", "</link>")
	text = xmlscan.TrimSpace(text)
	if next == 0 || d.entry.link.rank != unlinked || !d.sink.Recent.PlainXML(text) {
		return false
	}
	d.entry.Loc = string(text)
	d.entry.link.rank, d.entry.link.usable = plainLink, true
	q.Seek(next)
	return true
}

// quickUsualDate reads a date in the usual form.
func (d *decoder) quickUsualDate(q *xmlscan.Quick) bool {
	text, next := q.Between("<pubDate>", "</pubDate>")
	t, ok := datetime.QuickRFC822(text)
	if next == 0 || !ok {
		return false
	}
	d.setDate(modified, t)
	q.Seek(next)
	return true
}

// quickRSS reads an element of RSS.
func (d *decoder) quickRSS(q *xmlscan.Quick) bool {
	switch string(q.Local()) {
	case "link":
		text, section, ok := q.Text()
		return ok && q.Attrs == 0 && d.quickLoc(text, section, plainLink)
	case "pubDate":
		return d.quickPubDate(q)
	case "title", "author", "category", "comments", "guid":
		return q.SkipText()
	case "description", "source":
		return q.Skip()
	case "enclosure":
		_, _, ok := q.Text()
		return ok && d.quickEnclosure(q)
	}
	return false
}

// quickEnclosure reads the attributes of an enclosure whose location needs no repair.
func (d *decoder) quickEnclosure(q *xmlscan.Quick) bool {
	if d.ext == nil {
		return true
	}
	var loc, typ []byte
	for i := range q.Attrs {
		switch name, raw, _ := q.Attr(i); string(name) {
		case "url":
			loc = raw
		case "type":
			typ = raw
		case "length":
		default:
			return false
		}
	}
	d.href = xmlscan.Decode(d.href[:0], bytes.TrimSpace(loc))
	if !location.Plain(d.href) {
		return false
	}
	d.enclosure(typ, d.base)
	return true
}

// quickAtom reads an element of Atom.
func (d *decoder) quickAtom(q *xmlscan.Quick) bool {
	switch string(q.Local()) {
	case "link":
		return d.quickLink(q)
	case "updated", "modified":
		return d.quickDate(q, modified)
	case "published":
		return d.quickDate(q, published)
	case "issued":
		return d.quickDate(q, issued)
	case "id", "title", "category":
		return q.SkipText()
	case "summary", "content", "author", "contributor", "rights", "source":
		return q.Skip()
	}
	return false
}

// quickLink reads a link of Atom.
func (d *decoder) quickLink(q *xmlscan.Quick) bool {
	var l link
	for i := range q.Attrs {
		switch name, raw, _ := q.Attr(i); string(name) {
		case "hreflang", "title", "length":
		default:
			if !l.set(string(name), raw) {
				return false
			}
		}
	}
	rank, code := l.rank()
	switch {
	case !q.Empty || !l.hasHref || code != "":
		return false
	case rank == noLink:
		return d.ext == nil || !bytes.EqualFold(l.relation(), []byte("enclosure"))
	}
	return d.quickLoc(l.href, false, rank)
}

// quickLoc uses a location that needs no repair, if it is better than that of the entry.
func (d *decoder) quickLoc(raw []byte, section bool, r rank) bool {
	best := &d.entry.link
	if best.usable && best.rank <= r {
		return true
	}
	best.rank, best.usable = r, true
	var ok bool
	d.entry.Loc, ok = d.sink.QuickLoc(bytes.TrimSpace(raw), section)
	return ok
}

// quickDate reads a W3C datetime.
func (d *decoder) quickDate(q *xmlscan.Quick, as date) bool {
	text, section, ok := q.Text()
	t, codes := datetime.ParseW3C(text)
	d.setDate(as, t)
	// there may be white space around a section
	return ok && !section && len(codes) == 0 && !t.IsZero()
}

// quickPubDate reads a date of RSS.
func (d *decoder) quickPubDate(q *xmlscan.Quick) bool {
	text, section, ok := q.Text()
	t, codes := datetime.ParseRFC822(text)
	d.setDate(modified, t)
	return ok && !section && len(codes) == 0 && !t.IsZero()
}
