package extension

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// Quick is Element for the element whose start tag q has read, in another namespace than that of
// the format. It reads the element from q if it is of a common kind and has no problem. Otherwise
// it returns false, and the entry must be read again after Reset.
func (d *Decoder) Quick(q *xmlscan.Quick) (ok bool) {
	if d.textSize+q.Len() > MaxText {
		return false
	}
	d.sound = true
	switch q.Space {
	case xmlscan.XHTML:
		return d.quickAlternate(q)
	case xmlscan.Image:
		return d.quickImage(q)
	case xmlscan.News:
		return d.quickNews(q)
	case xmlscan.Content:
		return q.Skip()
	case xmlscan.Mobile:
		d.mobile = d.mobile || string(q.Local()) == "mobile"
		return string(q.Local()) == "mobile" && q.Skip()
	case xmlscan.Video, xmlscan.PageMap, xmlscan.Media:
		return false
	}
	return d.quickOther(q)
}

// QuickUsual is Quick for a link in its usual form, called before the start tag: <xhtml:link
// rel="alternate" hreflang="de" href="http://www.example.com/de/"/>. It does not advance if it
// returns false. Comparing constants is faster than parsing attributes.
func (d *Decoder) QuickUsual(q *xmlscan.Quick) (ok bool) {
	b := q.Ahead()
	if !bytes.HasPrefix(b, usualAlternate) || !q.XHTML || d.textSize+q.Len() > MaxText ||
		d.alternates.len() == MaxRecords {
		return false
	}
	lang := b[len(usualAlternate):]
	n := usualLang(lang)
	at := len(usualAlternate) + n + len(usualHref)
	if at > len(b) || string(lang[n:n+len(usualHref)]) != usualHref {
		return false
	}
	lang, href := lang[:n], b[at:]
	n = bytes.IndexByte(href, '"')
	if at += n + len(`"/>`); n < 0 || at > len(b) || string(b[at-3:at]) != `"/>` {
		return false
	}
	if href, ok = d.usualLoc(href[:n]); !ok {
		return false
	}
	d.sound = true
	a := d.alternates.next()
	a.Rel, a.Hreflang, a.Href = "alternate", d.name(lang), d.keep(href, "")
	q.Seek(q.Offset() + at)
	return true
}

var usualAlternate = []byte(`<xhtml:link rel="alternate" hreflang="`)

const usualHref = `" href="`

// usualLang returns the length of the language at the start of b.
func usualLang(b []byte) int {
	for i, c := range b {
		if !(chars.IsLetter(c)) && c != '-' {
			return i
		}
	}
	return len(b)
}

// usualLoc returns the decoded location of an attribute, if it needs no repair.
func (d *Decoder) usualLoc(raw []byte) (loc []byte, ok bool) {
	switch {
	case bytes.IndexByte(raw, '<') >= 0:
		return nil, false
	case d.recent.PlainXML(raw):
		return raw, true
	case !xmlscan.Predefined(raw):
		return nil, false
	}
	d.buf = xmlscan.Decode(d.buf[:0], raw)
	return d.buf, d.recent.Plain(d.buf)
}

// quickAlternate reads a link to another version of the page.
func (d *Decoder) quickAlternate(q *xmlscan.Quick) bool {
	if string(q.Local()) != "link" || !q.Empty || d.alternates.len() == MaxRecords {
		return false
	}
	a := d.alternates.next()
	for i := range q.Attrs {
		name, value := d.quickAttr(q, i)
		d.alternateAttr(a, name, value)
	}
	return a.Href != ""
}

// quickAttr returns the name of an attribute that q has read, and its value, decoded and trimmed.
func (d *Decoder) quickAttr(q *xmlscan.Quick, i int) (name, value []byte) {
	name, raw, plain := q.Attr(i)
	if plain {
		return name, trim(raw)
	}
	return name, d.attr(raw)
}

// trim is bytes.TrimSpace without a call for text that needs no trimming.
func trim(b []byte) []byte {
	if n := len(b) - 1; n >= 0 && ' ' < b[0] && b[0] < 0x80 && ' ' < b[n] && b[n] < 0x80 {
		return b
	}
	return bytes.TrimSpace(b)
}

// quickText reads the text of the element that q opened, decoded and trimmed.
func (d *Decoder) quickText(q *xmlscan.Quick) ([]byte, bool) {
	text, section, ok := q.Text()
	if ok && !section && bytes.IndexByte(text, '&') >= 0 {
		d.buf = xmlscan.Decode(d.buf[:0], text)
		text = d.buf
	}
	return trim(text), ok
}

// quickImage reads an image.
func (d *Decoder) quickImage(q *xmlscan.Quick) bool {
	name := q.Name()
	if string(q.Local()) != "image" || q.Empty || d.images.len() == MaxRecords {
		return false
	}
	img := d.images.next()
	for !q.AtEnd() {
		if !q.Open() || q.Space != xmlscan.Image {
			return false
		}
		part := q.Local()
		text, ok := d.quickText(q)
		if !ok || !d.quickImagePart(img, part, text) {
			return false
		}
	}
	return q.Close(name) && img.Loc != ""
}

func (d *Decoder) quickImagePart(img *sitemap.Image, part, text []byte) (ok bool) {
	switch string(part) {
	case "loc":
		if img.Loc != "" {
			return false
		}
		img.Loc, ok = d.tryLoc(text)
		return ok
	case "title":
		take(&img.Title, d.keep(text, ""))
	case "caption":
		take(&img.Caption, d.keep(text, ""))
	case "geo_location":
		take(&img.GeoLocation, d.keep(text, ""))
	default:
		return false
	}
	return true
}

// quickNews reads an article.
func (d *Decoder) quickNews(q *xmlscan.Quick) bool {
	name := q.Name()
	if string(q.Local()) != "news" || q.Empty || d.news.len() == MaxRecords {
		return false
	}
	n := d.news.next()
	return d.quickNewsParts(q, n, true) && q.Close(name) && missingOfNews(n) == ""
}

// quickNewsParts reads the parts of an article or, if whole is false, those of its publication.
func (d *Decoder) quickNewsParts(q *xmlscan.Quick, n *sitemap.News, whole bool) bool {
	for !q.AtEnd() {
		if !q.Open() || q.Space != xmlscan.News {
			return false
		}
		part := q.Local()
		if whole && string(part) == "publication" && !q.Empty {
			name := q.Name()
			if !d.quickNewsParts(q, n, false) || !q.Close(name) {
				return false
			}
			continue
		}
		text, ok := d.quickText(q)
		if !ok || !d.quickNewsPart(n, part, text) {
			return false
		}
	}
	return true
}

func (d *Decoder) quickNewsPart(n *sitemap.News, part, text []byte) bool {
	switch string(part) {
	case "name":
		take(&n.PublicationName, d.name(text))
	case "language":
		take(&n.PublicationLanguage, d.name(text))
	case "publication_date":
		n.PublicationDate, _ = datetime.ParseW3C(text)
		return !n.PublicationDate.IsZero()
	case "title":
		take(&n.Title, d.keep(text, ""))
	case "keywords":
		takeList(&n.Keywords, d.list(value{raw: text}, commas))
	case "genres":
		takeList(&n.Genres, d.list(value{raw: text}, commas))
	default:
		return false
	}
	return true
}

// quickOther reads an element of another namespace without children.
func (d *Decoder) quickOther(q *xmlscan.Quick) bool {
	if d.other.elements == MaxElements {
		return false
	}
	space, name := q.URI(), q.Local()
	attrs, ok := d.quickAttrs(q)
	if !ok {
		return false
	}
	text, ok := d.quickText(q)
	if !ok || d.other.text+len(text) > MaxOtherText {
		return false
	}
	el := d.addOther(text)
	el.Space, el.Name, el.Attrs = space, d.name(name), attrs
	if len(attrs) == 0 && !q.Empty {
		d.met.add(q.Name(), el)
	}
	return true
}

// addOther adds an element of another namespace. The caller has checked that there is room for it.
func (d *Decoder) addOther(text []byte) *sitemap.Element {
	d.other.elements++
	el := d.others.next()
	el.Text = d.keepOther(text)
	return el
}

// quickAttrs returns the attributes of the start tag that q has read.
func (d *Decoder) quickAttrs(q *xmlscan.Quick) ([]sitemap.Attribute, bool) {
	for i := range q.Attrs {
		name, value := d.quickAttr(q, i)
		if d.other.text+len(name)+len(value) > MaxOtherText {
			return nil, false
		}
		d.other.text += len(name)
		a := d.attributes.next()
		a.Name, a.Value = d.name(name), d.keepOther(value)
	}
	return d.attributes.take(), true
}
