package extension

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// A scope holds the values of Media RSS that apply to all media in an item, in a group, or in one
// media:content. An inner scope has precedence. A media:group is one medium in several
// representations, each of which is kept.
type scope struct {
	used       bool
	about      sitemap.Video // applies to the media in the scope
	license    string
	thumbnails []string
	records    int // number of media of the entry before the scope
}

// A medium is an image or a video from Media RSS or an enclosure.
type medium struct {
	video bool
	index int
}

// mediaElement reads an element of Media RSS 1.5 in the item.
func (d *Decoder) mediaElement() {
	defer d.enterBase()()
	d.media.used = true
	switch string(d.r.Local()) {
	case "group":
		group := scope{records: len(d.records)}
		for depth := d.r.Depth(); d.r.Child(depth); {
			if d.r.Space != namespace.Media {
				continue
			}
			if string(d.r.Local()) == "content" {
				d.mediaContent()
			} else {
				d.mediaPart(&group)
			}
		}
		d.closeScope(&group)
	case "content":
		d.mediaContent()
	default:
		d.mediaPart(&d.media)
	}
}

// enterBase resolves locations against the xml:base of the current element, if it has one, until
// the caller calls leave.
func (d *Decoder) enterBase() (leave func()) {
	return d.enter(document.BaseHere(d.r, d.sink.Resolver.Base))
}

// enter resolves locations against base until the caller calls leave.
func (d *Decoder) enter(base *url.URL) (leave func()) {
	around := d.sink.Resolver.Base
	d.sink.Resolver.Base = base
	return func() { d.sink.Resolver.Base = around }
}

// finishMedia applies the values of the item to its media.
func (d *Decoder) finishMedia() {
	if d.media.used {
		d.closeScope(&d.media)
	}
}

// closeScope applies the values of a scope to its media. A player without content becomes a video,
// and thumbnails without a video become images.
func (d *Decoder) closeScope(s *scope) {
	videos := 0
	for _, m := range d.records[s.records:] {
		if m.video {
			videos++
		}
	}
	if videos == 0 && s.about.Player.Loc != "" {
		d.addVideo("")
		videos++
	}
	if videos == 0 {
		for _, loc := range s.thumbnails {
			d.addImage(loc)
		}
	}
	for _, m := range d.records[s.records:] {
		if m.video {
			fillVideo(&d.videos.current()[m.index], &s.about)
		} else {
			fillImage(&d.images.current()[m.index], s)
		}
	}
}

// fillVideo sets the fields of v that are not set to those of about.
func fillVideo(v, about *sitemap.Video) {
	fill(&v.Title, about.Title)
	fill(&v.Description, about.Description)
	fill(&v.ThumbnailLoc, about.ThumbnailLoc)
	fill(&v.Category, about.Category)
	fill(&v.Player, about.Player)
	fill(&v.Uploader, about.Uploader)
	fill(&v.Rating, about.Rating)
	fill(&v.ViewCount, about.ViewCount)
	fill(&v.Duration, about.Duration)
	fill(&v.FamilyFriendly, about.FamilyFriendly)
	if v.Tags == nil {
		v.Tags = about.Tags
	}
	if v.Prices == nil {
		v.Prices = about.Prices
	}
	if v.Restriction.IsZero() {
		v.Restriction = about.Restriction
	}
}

func fillImage(img *sitemap.Image, s *scope) {
	fill(&img.Title, s.about.Title)
	fill(&img.Caption, s.about.Description)
	fill(&img.License, s.license)
}

// fill sets *v if it is zero.
func fill[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// addImage returns the entry's image with this location, or a new one. It returns nil if there are
// too many.
func (d *Decoder) addImage(loc string) *sitemap.Image {
	for i := range d.images.current() {
		if img := &d.images.current()[i]; img.Loc == loc {
			return img
		}
	}
	if d.images.len() == MaxRecords {
		d.overflow("media:content")
		return nil
	}
	d.records = append(d.records, medium{false, d.images.len()})
	img := d.images.next()
	img.Loc = loc
	return img
}

// addVideo returns the entry's video with this content, or a new one if there is none or loc is "".
// It returns nil if there are too many.
func (d *Decoder) addVideo(loc string) *sitemap.Video {
	for i := range d.videos.current() {
		if v := &d.videos.current()[i]; loc != "" &&
			(v.ContentLoc == loc || v.ContentLoc == "" && v.Player.Loc == loc) {
			return v
		}
	}
	if d.videos.len() == MaxRecords {
		d.overflow("media:content")
		return nil
	}
	d.records = append(d.records, medium{true, d.videos.len()})
	v := d.videos.next()
	v.ContentLoc = loc
	return v
}

// mediaContent reads a media:content. It skips audio, documents, and files of unknown kind.
func (d *Decoder) mediaContent() {
	defer d.enterBase()()
	pos := d.here()
	raw, _ := d.r.Attr("url")
	loc, ok := d.tryLoc(d.attr(raw))
	is := mediumOf(d.token("medium"), d.token("type"), loc)
	duration := d.attrValue("duration", "media:content")
	own := scope{records: len(d.records)}
	if len(duration.raw) > 0 {
		duration.raw, _, _ = bytes.Cut(duration.raw, []byte(".")) // of a second
		own.about.Duration = d.integer(duration)
	}
	for depth := d.r.Depth(); d.r.Child(depth); {
		if d.r.Space == namespace.Media {
			d.mediaPart(&own)
		}
	}
	if !ok || loc == "" && own.about.Player.Loc == "" {
		d.bad(pos, "media:content", raw[:0])
		return
	}
	d.addMedium(is, loc, &own)
}

// addMedium adds a file, or a player without one, with the values of its own scope.
func (d *Decoder) addMedium(is mediumKind, loc string, own *scope) {
	switch {
	case is == imageMedium:
		if img := d.addImage(loc); img != nil {
			fillImage(img, own)
		}
	case is == flashMedium:
		if v := d.addVideo(""); v != nil {
			v.Player.Loc = loc
			fillVideo(v, &own.about)
		}
	case is == videoMedium, own.about.Player.Loc != "":
		if v := d.addVideo(loc); v != nil {
			fillVideo(v, &own.about)
		}
	}
}

// A mediumKind is the kind of a media file.
type mediumKind uint8

const (
	noMedium mediumKind = iota
	imageMedium
	videoMedium
	flashMedium // a player rather than a video
)

// mediumOf returns the kind of a file by its medium, else by its type, else by its name.
func mediumOf(medium, typ, loc string) mediumKind {
	typ = strings.ToLower(strings.TrimSpace(typ))
	switch {
	case typ == "application/x-shockwave-flash":
		return flashMedium
	case strings.EqualFold(medium, "image"):
		return imageMedium
	case strings.EqualFold(medium, "video"):
		return videoMedium
	case medium != "":
		return noMedium
	case strings.HasPrefix(typ, "image/"):
		return imageMedium
	case strings.HasPrefix(typ, "video/"), typ == "application/x-mpegurl",
		typ == "application/vnd.apple.mpegurl", typ == "application/dash+xml":
		return videoMedium
	case typ != "":
		return noMedium
	}
	loc, _, _ = strings.Cut(loc, "#")
	loc, _, _ = strings.Cut(loc, "?")
	switch strings.ToLower(loc[strings.LastIndexByte(loc, '.')+1:]) {
	case "jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "bmp", "tif", "tiff":
		return imageMedium
	case "mp4", "m4v", "webm", "mov", "avi", "wmv", "flv", "mkv", "mpg", "mpeg", "ogv", "3gp",
		"m3u8", "mpd":
		return videoMedium
	case "swf":
		return flashMedium
	}
	return noMedium
}

// Enclosure adds a file that the entry of a feed encloses. Its location is resolved against base.
func (d *Decoder) Enclosure(loc, typ []byte, base *url.URL) {
	pos := d.here()
	leave := d.enter(base)
	abs, ok := d.tryLoc(bytes.TrimSpace(loc))
	leave()
	if !ok || abs == "" {
		d.bad(pos, "enclosure", loc)
		return
	}
	d.media.used = true
	d.addMedium(mediumOf("", string(d.attr(typ)), abs), abs, new(scope))
}
