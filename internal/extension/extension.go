// Package extension reads what an entry has beyond the elements of its format:
// images, videos, news, alternates, PageMap, Media RSS and enclosures, and elements
// of any other namespace.
//
// What a record's value should be and is not is reported as BadExtension and left
// out; the entry is never harmed. A record keeps what could be read of it, but one
// that locates nothing where that is its purpose is left out.
//
// # Memory
//
// Entries share memory: text is cut from blocks of up to 4 KiB, records from
// chunks. So an entry costs a fraction of an allocation, and one that is kept
// keeps a few neighbours alive. What an entry may have is bounded by the constants
// below; what is over is reported once an entry and left out.
package extension

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/record"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

const (
	// MaxRecords is how many images, videos, news, alternates, and DataObjects
	// are kept of an entry, each; and how many values of one list.
	MaxRecords = 1000
	// MaxText is how many bytes of text are kept of an entry.
	MaxText = 1 << 20
	// MaxElements is how many elements of other namespaces are kept of an entry.
	MaxElements = 100
	// MaxOtherText is how many bytes of text and attributes these have together.
	MaxOtherText = 64 << 10
	// MaxOtherDepth is how deep these are nested.
	MaxOtherDepth = 8
)

// A Decoder reads the extensions of one document's entries. It is not safe for
// concurrent use.
type Decoder struct {
	in   *input.Reader
	r    *xmlscan.Reader
	sink *record.Sink

	recent  location.Recent
	text    arena
	names   interner
	met     metTags
	entries slab[sitemap.Extensions]
	strings slab[string]

	// Of the entry that is being read.
	images     slab[sitemap.Image]
	videos     slab[sitemap.Video]
	news       slab[sitemap.News]
	alternates slab[sitemap.Alternate]
	objects    slab[sitemap.DataObject]
	attributes slab[sitemap.Attribute]
	others     slab[sitemap.Element]
	children   slab[sitemap.Element]
	mobile     bool
	media      scope
	records    []medium // images and videos that came from media and enclosures
	other      otherBudget
	textSize   int
	overflowed bool // that there was too much was reported
	sound      bool // what is read is known to be free of what XML forbids
	nested     int  // records that stand in the one that is read
	uppered    bool // uppercase_tag was reported, which is said once of a document

	buf  []byte            // an attribute, decoded
	mix  []byte            // text of an element of another namespace
	tree []sitemap.Element // children of the elements that are open
}

// New returns a decoder of the extensions that r reads from in. Locations are
// resolved by the sink's Resolver.
func New(r *xmlscan.Reader, in *input.Reader, sink *record.Sink) *Decoder {
	return &Decoder{in: in, r: r, sink: sink}
}

// Element reads the element whose start tag is current, a child of the entry that
// is none of its format's own fields. Own says that it is in the namespace of the
// format, or in none: so are extensions whose prefix was forgotten.
func (d *Decoder) Element(own bool) {
	d.sound = false
	d.checkCase()
	if own {
		d.ownElement()
		return
	}
	switch d.r.Space {
	case xmlscan.Image:
		d.image()
	case xmlscan.Video:
		d.video()
	case xmlscan.News:
		d.newsItem()
	case xmlscan.XHTML:
		d.xhtml()
	case xmlscan.Mobile:
		d.mobile = d.mobile || string(d.r.Local) == "mobile"
	case xmlscan.PageMap:
		d.pageMap()
	case xmlscan.Media:
		d.mediaElement()
	case xmlscan.Content: // the page itself
	default:
		d.otherElement()
	}
}

// ownElement reads an extension whose prefix was forgotten. What else there is in
// the format's namespace is no extension.
func (d *Decoder) ownElement() {
	switch string(d.r.Local) {
	case "image":
		d.image()
	case "video":
		d.video()
	case "news":
		d.newsItem()
	case "link":
		d.alternate()
	case "mobile":
		d.mobile = true
	case "pagemap":
		d.pageMap()
	}
}

// checkCase reports, once, that a name that is read stands in another letter case than its
// schema has it. PageMap and Media RSS, which have capitals of their own, are left alone.
func (d *Decoder) checkCase() {
	if !d.r.Upper || d.uppered {
		return
	}
	switch d.r.Space {
	case xmlscan.Image, xmlscan.Video, xmlscan.News, xmlscan.Mobile, xmlscan.XHTML:
	default:
		return
	}
	if local := string(d.r.Local); lowerCase[local] {
		d.uppered = true
		d.sink.Problem(sitemap.UppercaseTag, d.in.Position(0), local, d.r.Raw)
	}
}

// lowerCase are the elements read here of the schemas that have them all in lower case.
var lowerCase = map[string]bool{
	"image": true, "loc": true, "title": true, "caption": true, "geo_location": true, "license": true,
	"video": true, "thumbnail_loc": true, "content_loc": true, "content_segment_loc": true, "player_loc": true,
	"gallery_loc": true, "description": true, "category": true, "tag": true, "uploader": true, "id": true,
	"price": true, "restriction": true, "platform": true, "tvshow": true, "duration": true, "view_count": true,
	"rating": true, "expiration_date": true, "family_friendly": true, "requires_subscription": true, "live": true,
	"show_title": true, "video_type": true, "episode_title": true, "season_number": true, "episode_number": true,
	"premier_date": true, "premiere_date": true, "news": true, "publication": true, "publication_date": true, "name": true, "language": true,
	"access": true, "genres": true, "keywords": true, "stock_tickers": true, "mobile": true, "link": true,
}

// Take returns the extensions of the entry, nil if it has none, and starts the next.
func (d *Decoder) Take() *sitemap.Extensions {
	d.finishMedia()
	var e *sitemap.Extensions
	if d.mobile || !(d.images.empty() && d.alternates.empty() && d.videos.empty() && d.news.empty() && d.objects.empty() && d.others.empty()) {
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

// Reset forgets the extensions of the entry and starts the next.
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

// overflow reports, once an entry, that there is more of a field than is kept.
func (d *Decoder) overflow(field string) {
	if !d.overflowed {
		d.overflowed = true
		d.sink.Problem(sitemap.BadExtension, d.in.Position(0), field, nil)
	}
}

// outOfText is overflow for text, of which no more is kept then.
func (d *Decoder) outOfText(field string) {
	d.textSize = MaxText + 1
	d.overflow(field)
}

// bad reports a value that is wrong; or that is missing, unless it may be for want of room.
func (d *Decoder) bad(pos sitemap.Position, field string, text []byte) {
	if d.textSize <= MaxText {
		d.sink.Problem(sitemap.BadExtension, pos, field, text)
	}
}
