package extension

import (
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// mediaPart reads an element of Media RSS that applies to the media in s. The first of each kind
// counts.
func (d *Decoder) mediaPart(s *scope) {
	defer d.enterBase()()
	switch string(d.r.Local()) {
	case "title":
		fill(&s.about.Title, d.string(d.value("media:title")))
	case "description":
		fill(&s.about.Description, d.string(d.value("media:description")))
	case "category":
		fill(&s.about.Category, d.string(d.value("media:category")))
	case "keywords":
		if tags := d.list(d.value("media:keywords"), commas); s.about.Tags == nil {
			s.about.Tags = tags
		}
	case "thumbnail":
		d.thumbnail(s)
	case "player":
		fill(&s.about.Player.Loc, d.attrLoc("url", "media:player"))
	case "license":
		fill(&s.license, d.attrLoc("href", "media:license"))
	case "price":
		d.mediaPrice(s)
	case "community":
		d.community(s)
	default:
		d.mediaAudience(s)
	}
}

// mediaAudience reads an element about the authors and the audience of the media.
func (d *Decoder) mediaAudience(s *scope) {
	switch string(d.r.Local()) {
	case "credit":
		if role := d.token("role"); strings.EqualFold(role, "uploader") ||
			strings.EqualFold(role, "owner") {
			fill(&s.about.Uploader.Name, d.string(d.value("media:credit")))
		}
	case "rating":
		switch strings.ToLower(string(d.content())) {
		case "adult":
			fill(&s.about.FamilyFriendly, sitemap.Some(false))
		case "nonadult":
			fill(&s.about.FamilyFriendly, sitemap.Some(true))
		}
	case "adult":
		if adult, ok := d.yesNo(d.value("media:adult")).Get(); ok {
			fill(&s.about.FamilyFriendly, sitemap.Some(!adult))
		}
	case "restriction":
		if d.token("type") == "country" {
			if r := d.restriction("media:restriction"); s.about.Restriction.IsZero() {
				s.about.Restriction = r
			}
		}
	}
}

func (d *Decoder) thumbnail(s *scope) {
	if loc := d.attrLoc("url", "media:thumbnail"); loc != "" {
		add(d, &s.thumbnails, loc, "media:thumbnail")
		fill(&s.about.ThumbnailLoc, loc)
	}
}

func (d *Decoder) mediaPrice(s *scope) {
	p := sitemap.Price{
		Amount:   d.attrString("price", "media:price"),
		Currency: d.attrString("currency", "media:price"),
		Type:     d.attrString("type", "media:price"),
	}
	if p != (sitemap.Price{}) {
		add(d, &s.about.Prices, p, "media:price")
	}
}

// community reads the ratings of the media by viewers. Stars are used if their maximum is five, as
// in Video.
func (d *Decoder) community(s *scope) {
	for depth := d.r.Depth(); d.r.Child(depth); {
		if d.r.Space != namespace.Media {
			continue
		}
		switch string(d.r.Local()) {
		case "starrating":
			if most := d.token("max"); most == "" || most == "5" {
				fill(&s.about.Rating, d.number(d.attrValue("average", "media:starRating"),
					maxRating))
			}
		case "statistics":
			fill(&s.about.ViewCount, d.integer(d.attrValue("views", "media:statistics")))
		}
	}
}
