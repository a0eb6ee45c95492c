package extension

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// Quick reads the extension at b[i] straight from b, the window with its padding, and returns the
// index after it. If the extension does not have the most common shape, or if something in it needs
// a report, Quick does nothing and returns 0. The common shape is an empty link or mobile, or an
// image, a video, news or PageMap whose parts hold only text. Where a Listener takes the elements of
// others, it is a link or an image.
func (d *Decoder) Quick(b []byte, i int) int {
	n := i + 1 + wordLen(b[i+1:])
	hasPrefix := b[n] == ':'
	if !hasPrefix && (d.r.Listener != nil || !bytes.HasPrefix(b[i:], []byte(pageMapTag))) {
		return 0
	}
	q := &d.quick
	q.before = d.sizes()
	q.window, q.next, q.outer, q.active, q.failed = b, i, span{}, true, false
	q.offsets = q.offsets[:0]
	if hasPrefix && !d.quickElement(n) || !hasPrefix && !d.quickPageMap() {
		q.fail()
	}
	q.active = false
	if q.failed {
		d.Undo()
		return 0
	}
	return q.next
}

// Last returns the links, with their offsets in the document, and images of the last call of Quick,
// for a Listener. The URLs of the links are as they are written.
func (d *Decoder) Last() (links []sitemap.Alternate, offsets []int64, images []sitemap.Image) {
	before := d.quick.before
	links, images = d.alternates.current()[before.alternates:], d.images.current()[before.images:]
	return links, d.quick.offsets, images
}

// Undo discards what the last call of Quick has read.
func (d *Decoder) Undo() { d.cut(d.quick.before) }

// quickElement reads an element whose prefix ends at the window's byte n. It returns false if the
// element does not have the common shape.
func (d *Decoder) quickElement(n int) bool {
	q := &d.quick
	b, start := q.window, q.next+1
	space := d.r.Documented(b[start:n])
	q.prefix = n + 1 - start
	q.next = n + 1 + wordLen(b[n+1:])
	q.tag = span{start, q.next}
	isQuick := d.r.Listener == nil || space == namespace.XHTML || space == namespace.Image
	if string(b[n+1:q.next]) != recordName(space) || !isQuick || !d.r.IsExtension(space) {
		return false
	}
	switch space {
	case namespace.XHTML:
		next := q.next
		if d.quickLinks() {
			return true
		}
		q.next = next
		return d.r.Listener == nil && d.quickLink()
	case namespace.Mobile:
		q.next = emptyEnd(b, q.next)
		d.mobile = d.mobile || q.next > 0
		return q.next > 0
	}
	if q.next++; b[q.next-1] != '>' {
		return false
	}
	switch space {
	case namespace.Image:
		d.image()
	case namespace.Video:
		d.video()
	case namespace.News:
		d.newsItem()
	default:
		return false
	}
	return true
}

// quickLinks reads links that are written as almost all are, one after the other. The name of the
// first was scanned. It reports whether there is one.
func (d *Decoder) quickLinks() bool {
	const attrs, middle = ` rel="alternate" hreflang="`, `" href="`
	q := &d.quick
	b, i := q.window, q.tag.start-len("<")
	if !bytes.HasPrefix(b[q.next:], []byte(attrs)) {
		return false
	}
	usual := b[i : q.next+len(attrs)]
	for q.next = 0; bytes.HasPrefix(b[i:], usual); i = xmlscan.SkipSpace(b, q.next) {
		at := i + len(usual)
		lang := b[at : at+langLen(b[at:])]
		at += len(lang) + len(middle)
		size := bytes.IndexByte(b[at:], '"')
		if size < 0 || string(b[at-len(middle):at]) != middle || len(lang) > maxName {
			break
		}
		next := emptyEnd(b, at+size+1)
		if next == 0 || d.alternates.len() == MaxRecords {
			break
		}
		if d.r.Listener != nil {
			q.offsets = append(q.offsets, d.r.Offset()+int64(i))
		}
		a := d.alternates.next()
		a.Rel, a.Hreflang, a.Href = "alternate", d.name(lang), d.quickHref(b[at:at+size])
		if q.next = next; a.Href == "" {
			q.fail()
		}
	}
	return q.next > 0
}

// quickLink reads a link with any attributes, whose name was scanned. It reports whether it has.
func (d *Decoder) quickLink() bool {
	q := &d.quick
	if !q.scanTag() || !q.empty || d.alternates.len() == MaxRecords {
		return false
	}
	a := d.alternates.next()
	for _, attr := range q.attrs {
		d.alternateAttr(a, attr.Name, attr.Value)
	}
	return a.Href != ""
}

// quickHref is href, but returns "" for an attribute that is malformed or needs a report, or whose
// URL a Listener should see as it is written.
func (d *Decoder) quickHref(raw []byte) string {
	if bytes.IndexByte(raw, '<') >= 0 {
		return ""
	}
	if d.isPlain(raw) {
		return d.keepSound(raw)
	}
	if usual, _ := xmlscan.IsUsual(raw); !usual {
		return ""
	}
	href := d.decodedHref(raw)
	if d.r.Listener != nil && href != string(xmlchar.Decode(nil, raw)) {
		return ""
	}
	return href
}

// pageMapTag is the start tag of most PageMaps.
const pageMapTag = `<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0">`

// quickPageMap reads a PageMap whose start tag is pageMapTag. It returns false if the PageMap does
// not have the common shape.
func (d *Decoder) quickPageMap() bool {
	q := &d.quick
	if !d.r.IsExtension(namespace.PageMap) {
		return false
	}
	q.next += len(pageMapTag)
	for d.objects.len() < MaxRecords {
		var o sitemap.DataObject
		if kind := q.plainTag(`<DataObject type="`); kind != nil {
			o.Type = d.name(kind)
		} else if !q.passes("<DataObject") {
			break
		} else if !q.scanTag() || q.empty {
			return false
		} else {
			o = d.newObject()
		}
		d.plainAttributes()
		for q.passes("<Attribute") && q.scanPart([]byte("Attribute")) {
			d.objectAttribute()
			d.plainAttributes()
		}
		if !q.passes("</DataObject>") {
			return false
		}
		d.addObject(o, sitemap.Position{})
	}
	return q.passes("</PageMap>")
}

// plainAttributes reads attributes of a DataObject that are written as almost all are.
func (d *Decoder) plainAttributes() {
	const end = "</Attribute>"
	for q := &d.quick; d.attributes.len() < MaxRecords; {
		from := q.next
		name := q.plainTag(`<Attribute name="`)
		if name == nil {
			return
		}
		text := q.window[q.next:]
		n := bytes.IndexByte(text, '<')
		if n < 0 || n > maxShared || !bytes.HasPrefix(text[n:], []byte(end)) ||
			!xmlchar.IsPlain(text[:n]) {
			q.next = from
			return
		}
		q.next += n + len(end)
		value := d.keep(trim(text[:n]), "Attribute")
		*d.attributes.next() = sitemap.Attribute{Name: d.name(name), Value: value}
	}
}

// sizes are the numbers of records of an entry, and the size of its text.
type sizes struct{ images, videos, news, alternates, objects, text int }

func (d *Decoder) sizes() sizes {
	return sizes{d.images.len(), d.videos.len(), d.news.len(), d.alternates.len(), d.objects.len(),
		d.textSize}
}

// cut discards the records that were added since the entry had these sizes.
func (d *Decoder) cut(to sizes) {
	d.images.cut(to.images)
	d.videos.cut(to.videos)
	d.news.cut(to.news)
	d.alternates.cut(to.alternates)
	d.objects.cut(to.objects)
	d.attributes.drop()
	d.textSize = to.text
}

// langLen returns the length of the language at the start of b.
func langLen(b []byte) int {
	for i, c := range b {
		if !chars.IsLetter(c) && !chars.IsDigit(c) && c != '-' {
			return i
		}
	}
	return len(b)
}
