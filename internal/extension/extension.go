// Package extension reads the parts of an entry beyond the elements of its format: images, videos,
// news, alternates, PageMap, Media RSS and enclosures, and elements of any other namespace. For
// example, it reads this child of a url element into [sitemap.Extensions]:
//
//	<image:image>
//	  <image:loc>https://example.com/a.jpg</image:loc>
//	</image:image>
//
// Invalid values are reported as [sitemap.BadExtension] and left out; the entry is never harmed. A
// record keeps all values that could be read. It is left out if its purpose is a location and it
// has none.
//
// # Memory
//
// Entries share memory: text is cut from blocks of up to 4 KiB, records from chunks. So an entry
// costs a fraction of an allocation, and an entry that is kept keeps a few neighbors alive. The
// constants below bound the extensions of an entry. The rest is reported once per entry and left
// out.
package extension

import (
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

const (
	// MaxRecords is the maximum number of images, videos, news, alternates and DataObjects of an
	// entry, each, and of values in one list.
	MaxRecords = 1000
	// MaxText is the maximum number of bytes of text of an entry.
	MaxText = 1 << 20
	// MaxElements is the maximum number of elements of other namespaces of an entry.
	MaxElements = 100
	// MaxOtherText is the maximum number of bytes of text and attributes in these.
	MaxOtherText = 64 << 10
	// MaxOtherDepth is the maximum depth of these.
	MaxOtherDepth = 8
)

// A Decoder reads the extensions of one document's entries. It is not safe for
// concurrent use.
type Decoder struct {
	in   *input.Reader
	r    *xmlscan.Reader
	sink *document.Sink

	// ByName makes Element recognize images, videos, news and alternates by their names in any
	// namespace. It is for sitemaps: in feeds, these names have other meanings.
	ByName bool

	readEntry func() // for Around

	recent  location.Recent
	uppered bool     // uppercase_tag was reported
	spaces  []string // namespaces that were reported
	memory
	entryRecords
	entryState
	quick quick
}

// A memory is what entries share.
type memory struct {
	text    arena
	names   interner
	entries slab[sitemap.Extensions]
	strings slab[string]
	buf     []byte            // a decoded attribute
	mix     []byte            // text of an element of another namespace
	tree    []sitemap.Element // children of the open elements
}

// entryRecords are the records of the current entry.
type entryRecords struct {
	images     slab[sitemap.Image]
	videos     slab[sitemap.Video]
	news       slab[sitemap.News]
	alternates slab[sitemap.Alternate]
	objects    slab[sitemap.DataObject]
	attributes slab[sitemap.Attribute]
	others     slab[sitemap.Element]
	children   slab[sitemap.Element]
	records    []medium // images and videos from media and enclosures
	mobile     bool
}

// entryState is the state of reading the current entry.
type entryState struct {
	media      scope
	other      otherBudget
	textSize   int
	overflowed bool // an excess was reported
	nested     int  // depth of records in records
	// the namespace of the start tag of the open record
	actual namespace.Space
	// the part of the open record whose value was invalid last
	invalid string
	last    value // that was read, but not quickly
}

// New returns a decoder of the extensions that r reads from in. Locations are
// resolved by the sink's Resolver.
func New(r *xmlscan.Reader, in *input.Reader, sink *document.Sink) *Decoder {
	return &Decoder{in: in, r: r, sink: sink}
}

// Element reads the element whose start tag is current: a child of the entry that is not one of its
// format's own fields. Own reports whether it is in the namespace of the format or in none. Such an
// element may be an extension without its prefix.
func (d *Decoder) Element(own bool) {
	d.checkCase()
	space := d.r.Space
	if own || d.ByName && space > namespace.XHTML && IsRecord(d.r) {
		space = recordSpace(string(d.r.Local()))
	}
	if own && space == namespace.NoSpace {
		return
	}
	if !own || IsRecord(d.r) {
		d.checkSpace(space)
	}
	switch space {
	case namespace.Image:
		d.image()
	case namespace.Video:
		d.video()
	case namespace.News:
		d.newsItem()
	case namespace.XHTML: // other elements are the content of the page, in a feed
		if string(d.r.Local()) == "link" {
			d.alternate()
		}
	case namespace.Mobile:
		d.mobile = d.mobile || string(d.r.Local()) == "mobile"
	case namespace.PageMap:
		d.pageMap()
	case namespace.Media:
		d.mediaElement()
	case namespace.Content: // the page itself
	default:
		d.otherElement()
	}
}

// IsRecord reports whether the current start tag has the name of an image, a video, news or an
// alternate.
func IsRecord(r *xmlscan.Reader) bool {
	switch string(r.Local()) {
	case "image", "video", "news":
		return true
	case "link":
		_, ok := r.Attr("hreflang")
		return ok
	}
	return false
}

// checkSpace reports, once a namespace, an element that is read as one of space although it is
// declared to be in another namespace, or in none.
func (d *Decoder) checkSpace(space namespace.Space) {
	uri := namespace.Documented(space)
	if uri == "" || !d.r.Declared {
		return
	}
	declared := d.r.URI()
	if declared == uri || recordNames[space] != string(d.r.Local()) ||
		len(d.spaces) == maxSpaces || slices.Contains(d.spaces, declared) {
		return
	}
	d.spaces = append(d.spaces, declared)
	d.sink.Problem(sitemap.ExtensionNamespace, d.here(), string(d.r.Name()),
		[]byte(declared))
}

// maxSpaces is the number of namespaces that are reported.
const maxSpaces = 100

// checkCase reports, once, a name in another letter case than that of its schema. PageMap and Media
// RSS, which have capitals of their own, are not checked.
func (d *Decoder) checkCase() {
	if !d.r.Upper || d.uppered {
		return
	}
	switch d.r.Space {
	case namespace.Image, namespace.Video, namespace.News, namespace.Mobile, namespace.XHTML:
	default:
		return
	}
	d.uppered = true
	d.sink.Problem(sitemap.UppercaseTag, d.here(), string(d.r.Local()), d.r.Raw())
}

// Take returns the extensions of the entry, or nil if it has none, and starts the next entry.
func (d *Decoder) Take() *sitemap.Extensions {
	d.finishMedia()
	var e *sitemap.Extensions
	if d.mobile || !(d.images.empty() && d.alternates.empty() && d.videos.empty() &&
		d.news.empty() && d.objects.empty() && d.others.empty()) {
		e = d.entries.next()
		e.Images = d.images.take()
		e.Videos = d.videos.take()
		e.News = d.news.take()
		e.Alternates = d.alternates.take()
		e.Mobile = d.mobile
		e.PageMap = d.objects.take()
		e.Other = d.others.take()
		d.entries.take()
	}
	d.startEntry()
	return e
}

// Reset discards the extensions of the entry and starts the next entry.
func (d *Decoder) Reset() {
	d.images.drop()
	d.videos.drop()
	d.news.drop()
	d.alternates.drop()
	d.objects.drop()
	d.others.drop()
	d.attributes.drop()
	d.strings.drop()
	d.tree = d.tree[:0]
	d.startEntry()
}

func (d *Decoder) startEntry() {
	if d.media.used {
		d.media = scope{}
	}
	d.records = d.records[:0]
	d.mobile, d.overflowed, d.textSize = false, false, 0
	d.other = otherBudget{}
}

// overflow reports, once per entry, that there are more values of a field than are kept.
func (d *Decoder) overflow(field string) {
	if d.quick.active {
		d.quick.failed = true
	} else if !d.overflowed {
		d.overflowed = true
		d.sink.Problem(sitemap.BadExtension, d.here(), field, nil)
	}
}

// outOfText is overflow for text. The entry keeps no more text after it.
func (d *Decoder) outOfText(field string) {
	d.textSize = MaxText + 1
	d.overflow(field)
}

// here returns the position of the current token, if there is a report to use it.
func (d *Decoder) here() (pos sitemap.Position) {
	if d.sink.Report() != nil && !d.quick.active {
		pos = d.in.Position(0)
	}
	return pos
}

// bad reports a value that is invalid, or missing for another reason than lack of room.
func (d *Decoder) bad(pos sitemap.Position, field string, text []byte) {
	if d.quick.active {
		d.quick.failed = true
	} else if d.textSize <= MaxText {
		d.sink.Problem(sitemap.BadExtension, pos, field, text)
	}
}

// recordNames are the names of the records of each namespace.
var recordNames = [namespace.FirstOther]string{
	namespace.Image: "image", namespace.Video: "video", namespace.News: "news",
	namespace.XHTML: "link", namespace.Mobile: "mobile", namespace.PageMap: "pagemap",
}

// recordSpace returns the namespace of records with this name, or NoSpace.
func recordSpace(name string) namespace.Space {
	for s := namespace.Image; s <= namespace.XHTML; s++ {
		if recordNames[s] == name {
			return s
		}
	}
	return namespace.NoSpace
}
