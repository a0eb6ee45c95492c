package extension

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// image reads an image of Google's sitemap-image 1.1:
//
//	<image:image>
//	  <image:loc>https://example.com/a.jpg</image:loc>
//	  <image:caption/> <image:geo_location/> <image:title/> <image:license/>
//	</image:image>
func (d *Decoder) image() {
	at, pos, ok := readRecord(d, &d.images, namespace.Image, "image:image", d.image, d.imagePart)
	if ok && d.images.current()[at].Loc == "" {
		d.missing(pos, "image:loc")
		d.images.remove(at)
	}
}

// imagePart reads a part of an image.
func (d *Decoder) imagePart(img *sitemap.Image) {
	switch string(d.local()) {
	case "loc":
		take(d, &img.Loc, d.loc(d.value("image:loc")))
	case "title":
		take(d, &img.Title, d.string(d.value("image:title")))
	case "caption":
		take(d, &img.Caption, d.string(d.value("image:caption")))
	case "geo_location":
		take(d, &img.GeoLocation, d.string(d.value("image:geo_location")))
	case "license":
		take(d, &img.License, d.license(d.value("image:license")))
	}
}

// license returns the location of a license, or its name if that is given instead: text without a
// slash, or with white space.
func (d *Decoder) license(v value) string {
	if bytes.IndexByte(v.raw, '/') < 0 || bytes.IndexByte(v.raw, ' ') >= 0 {
		return d.string(v)
	}
	return d.loc(v)
}

// alternate reads a link to another version of the page:
//
//	<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>
func (d *Decoder) alternate() {
	if d.alternates.len() == MaxRecords {
		d.overflow("xhtml:link")
		return
	}
	a := d.alternates.next()
	for attr := range d.r.Attrs() {
		d.alternateAttr(a, attr.Name, attr.Value)
	}
	if a.Href == "" {
		d.bad(d.here(), "xhtml:link", d.r.Raw())
		d.alternates.cut(d.alternates.len() - 1)
	}
	d.r.Void()
}

// href returns the location of an alternate, or "": a page, or a place in an app, which has its own
// scheme (android-app://com.example/...).
func (d *Decoder) href(raw []byte) string {
	if d.isPlain(raw) {
		return d.keepSound(raw)
	}
	return d.decodedHref(raw)
}

// decodedHref is href for an attribute that may have references.
func (d *Decoder) decodedHref(raw []byte) string {
	value := d.attr(raw)
	if loc, ok := d.tryLoc(value); ok {
		return loc
	}
	scheme, _, ok := bytes.Cut(value, []byte("://"))
	if !ok || len(scheme) == 0 || chars.IsHTTP(scheme) || bytes.ContainsAny(scheme, "/?#: ") {
		return ""
	}
	return d.keep(value, "xhtml:link")
}

// isPlain reports whether an attribute, for which there is room, is a location that needs no
// change.
func (d *Decoder) isPlain(raw []byte) bool {
	return d.recent.PlainXML(raw) && d.textSize+len(raw) <= MaxText
}

// alternateAttr sets an attribute of an alternate.
func (d *Decoder) alternateAttr(a *sitemap.Alternate, name, raw []byte) {
	switch string(name) {
	case "href":
		fill(&a.Href, d.href(raw))
	case "hreflang":
		a.Hreflang = d.name(d.attr(raw))
	case "rel":
		if a.Rel = "alternate"; string(raw) != a.Rel {
			a.Rel = d.name(d.attr(raw))
		}
	case "media":
		a.Media = d.keep(d.attr(raw), "xhtml:link")
	default: // in another letter case, such as hrefLang
		if lower := bytes.ToLower(name); !bytes.Equal(lower, name) {
			d.alternateAttr(a, lower, raw)
		}
	}
}
