package extension

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// maxRating is the best rating of a video.
const maxRating = 5

// video reads a video of Google's sitemap-video 1.1, with the deprecated elements.
func (d *Decoder) video() {
	at, pos, ok := readRecord(d, &d.videos, namespace.Video, "video:video", d.video, d.videoPart)
	if !ok {
		return
	}
	v := &d.videos.current()[at]
	d.missing(pos, missingOfVideo(v))
	if isBlank(v) {
		d.videos.remove(at)
	}
}

// videoPart reads a part of a video.
func (d *Decoder) videoPart(v *sitemap.Video) {
	if !d.videoLocation(v) && !d.videoText(v) {
		d.videoFact(v)
	}
}

// missingOfVideo returns the name of a required part that v lacks, or "".
func missingOfVideo(v *sitemap.Video) string {
	switch {
	case v.ThumbnailLoc == "":
		return "video:thumbnail_loc"
	case v.Title == "":
		return "video:title"
	case v.Description == "":
		return "video:description"
	case v.ContentLoc == "" && v.Player.Loc == "" && len(v.ContentSegments) == 0:
		return "video:content_loc"
	}
	return ""
}

// isBlank reports whether v has none of the parts that describe a video.
func isBlank(v *sitemap.Video) bool {
	return v.ThumbnailLoc == "" && v.Title == "" && v.Description == "" && v.ContentLoc == "" &&
		v.Player.Loc == "" && len(v.ContentSegments) == 0
}

// videoLocation reads a part of a video that is a location, and reports whether it is one.
func (d *Decoder) videoLocation(v *sitemap.Video) bool {
	switch string(d.local()) {
	case "thumbnail_loc":
		take(d, &v.ThumbnailLoc, d.loc(d.value("video:thumbnail_loc")))
	case "content_loc":
		take(d, &v.ContentLoc, d.loc(d.value("video:content_loc")))
	case "content_segment_loc":
		d.contentSegment(v)
	case "player_loc":
		d.player(v)
	case "gallery_loc":
		title := d.attrString("title", "video:gallery_loc")
		if loc := d.loc(d.value("video:gallery_loc")); loc != "" {
			take(d, &v.Gallery, sitemap.Gallery{Loc: loc, Title: title})
		}
	default:
		return false
	}
	return true
}

// videoText reads a part of a video that is free text, and reports whether it is one.
func (d *Decoder) videoText(v *sitemap.Video) bool {
	switch string(d.local()) {
	case "title":
		take(d, &v.Title, d.string(d.value("video:title")))
	case "description":
		take(d, &v.Description, d.string(d.value("video:description")))
	case "category":
		take(d, &v.Category, d.string(d.value("video:category")))
	case "tag":
		d.tag(v)
	case "uploader":
		info := d.attrLoc("info", "video:uploader")
		name := d.string(d.value("video:uploader"))
		take(d, &v.Uploader, sitemap.Uploader{Name: name, Info: info})
	case "id":
		d.videoID(v)
	case "price":
		d.price(v)
	case "restriction":
		d.takeRestriction(&v.Restriction, d.restriction("video:restriction"))
	case "platform":
		d.takeRestriction(&v.Platform, d.restriction("video:platform"))
	case "tvshow":
		d.tvShow(v)
	default:
		return false
	}
	return true
}

// videoFact reads a part of a video that is a number, a date, or yes or no.
func (d *Decoder) videoFact(v *sitemap.Video) {
	switch string(d.local()) {
	case "duration":
		take(d, &v.Duration, d.integer(d.value("video:duration")))
	case "view_count":
		take(d, &v.ViewCount, d.integer(d.value("video:view_count")))
	case "rating":
		take(d, &v.Rating, d.number(d.value("video:rating"), maxRating))
	case "expiration_date":
		take(d, &v.ExpirationDate, d.time(d.value("video:expiration_date")))
	case "publication_date":
		take(d, &v.PublicationDate, d.time(d.value("video:publication_date")))
	case "family_friendly":
		take(d, &v.FamilyFriendly, d.yesNo(d.value("video:family_friendly")))
	case "requires_subscription":
		take(d, &v.RequiresSubscription, d.yesNo(d.value("video:requires_subscription")))
	case "live":
		take(d, &v.Live, d.yesNo(d.value("video:live")))
	}
}

// attrValue decodes the attribute with this name. The result is valid until the next attribute is
// decoded or the element's text is read.
func (d *Decoder) attrValue(name, field string) value {
	return value{at: d.in.Offset(), field: field, raw: d.attrText(name)}
}

// attrText is attrValue without what is needed to report a value.
func (d *Decoder) attrText(name string) []byte {
	if d.quick.active {
		return d.attr(d.quick.attr(name))
	}
	raw, _ := d.r.Attr(name)
	return d.attr(raw)
}

func (d *Decoder) attrString(name, field string) string { return d.keep(d.attrText(name), field) }

func (d *Decoder) attrLoc(name, field string) string { return d.loc(d.attrValue(name, field)) }

func (d *Decoder) contentSegment(v *sitemap.Video) {
	duration := d.integer(d.attrValue("duration", "video:content_segment_loc"))
	if loc := d.loc(d.value("video:content_segment_loc")); loc != "" {
		add(d, &v.ContentSegments, sitemap.ContentSegment{Loc: loc, Duration: duration},
			"video:content_segment_loc")
	}
}

func (d *Decoder) player(v *sitemap.Video) {
	p := sitemap.Player{
		AllowEmbed: d.yesNo(d.attrValue("allow_embed", "video:player_loc")),
		Autoplay:   d.attrString("autoplay", "video:player_loc"),
	}
	if p.Loc = d.loc(d.value("video:player_loc")); p.Loc != "" {
		take(d, &v.Player, p)
	}
}

func (d *Decoder) tag(v *sitemap.Video) {
	if text := d.content(); len(text) > 0 {
		add(d, &v.Tags, d.keep(text, "video:tag"), "video:tag")
	}
}

func (d *Decoder) videoID(v *sitemap.Video) {
	id := sitemap.VideoID{Type: d.attrString("type", "video:id")}
	if id.Value = d.string(d.value("video:id")); id.Value != "" {
		add(d, &v.IDs, id, "video:id")
	}
}

func (d *Decoder) price(v *sitemap.Video) {
	p := sitemap.Price{
		Currency:   d.attrString("currency", "video:price"),
		Type:       d.attrString("type", "video:price"),
		Resolution: d.attrString("resolution", "video:price"),
	}
	if p.Amount = d.string(d.value("video:price")); p != (sitemap.Price{}) {
		add(d, &v.Prices, p, "video:price")
	}
}

// restriction reads a list of countries or platforms. An attribute says whether they are allowed or
// denied. Without it, the list has no certain meaning and is reported.
func (d *Decoder) restriction(field string) (r sitemap.Restriction) {
	switch rel := d.attrValue("relationship", field); string(rel.raw) {
	case "allow", "Allow", "ALLOW":
		r.Relationship = "allow"
	case "deny", "Deny", "DENY":
		r.Relationship = "deny"
	default:
		d.bad(d.here(), field, d.r.Raw())
	}
	r.Values = d.list(d.value(field), words)
	return r
}

// takeRestriction is take for a restriction. One without values may be replaced.
func (d *Decoder) takeRestriction(to *sitemap.Restriction, r sitemap.Restriction) {
	switch {
	case len(r.Values) == 0 && !to.IsZero():
	case len(to.Values) == 0:
		*to = r
	default:
		d.again()
	}
}

func (d *Decoder) tvShow(v *sitemap.Video) {
	if v.TVShow != nil {
		d.bad(d.here(), "video:tvshow", d.r.Raw())
		return
	}
	var s sitemap.TVShow
	for depth := d.r.Depth(); d.r.Child(depth); {
		if !d.isPart(namespace.Video) {
			continue
		}
		switch string(d.r.Local()) {
		case "show_title":
			take(d, &s.ShowTitle, d.string(d.value("video:show_title")))
		case "video_type":
			take(d, &s.VideoType, d.string(d.value("video:video_type")))
		case "episode_title":
			take(d, &s.EpisodeTitle, d.string(d.value("video:episode_title")))
		case "season_number":
			take(d, &s.SeasonNumber, d.integer(d.value("video:season_number")))
		case "episode_number":
			take(d, &s.EpisodeNumber, d.integer(d.value("video:episode_number")))
		case "premier_date", "premiere_date":
			take(d, &s.PremierDate, d.time(d.value("video:premier_date")))
		default:
			d.leave(depth)
		}
	}
	if s != (sitemap.TVShow{}) {
		v.TVShow = &s
	}
}
