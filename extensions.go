package sitemap

// Extensions are the data of an entry beyond the protocol's own elements, such as images and
// videos. Each kind is read with any of its namespaces (http, https and legacy ones) and with any
// prefix. Images, videos, news and links with hreflang in a urlset are read with any namespace.
// Text is decoded and trimmed. Locations are absolute; one that cannot be made absolute is left
// out.
//
// In a feed, Media RSS and enclosures become images and videos, one for each media:content, also in
// a media:group. Audio and documents are left out.
//
// A value that is invalid, or that repeats a part which a record has once, is left out and reported
// as [BadExtension]. A valid value in an unusual notation is read and not reported, unlike in the
// entry's own fields.
//
// An entry keeps at most 1,000 images, videos, news, alternates and PageMap objects each, 1,000
// values in each list of them, and 1 MiB of text. The rest is reported and left out.
type Extensions struct {
	Images     []Image     `json:"images,omitempty"`
	Videos     []Video     `json:"videos,omitempty"`
	News       []News      `json:"news,omitempty"`
	Alternates []Alternate `json:"alternates,omitempty"`
	// Mobile reports whether the page is marked as one for feature phones.
	Mobile bool `json:"mobile,omitempty"`
	// PageMap holds the DataObjects of Google's PageMap.
	PageMap []DataObject `json:"pagemap,omitempty"`
	// Other holds elements of all other namespaces, except the content of the page
	// (content:encoded). It has at most 100 elements, 64 KiB of text and 8 levels per entry.
	Other []Element `json:"other,omitempty"`
}

// An Image is an image on the page (Google's sitemap-image 1.1, Media RSS).
type Image struct {
	Loc         string `json:"loc"`
	Caption     string `json:"caption,omitempty"`
	GeoLocation string `json:"geo_location,omitempty"`
	Title       string `json:"title,omitempty"`
	License     string `json:"license,omitempty"` // location or name of a license
}

// A Video is a video on the page (Google's sitemap-video 1.1, Media RSS).
type Video struct {
	ThumbnailLoc         string            `json:"thumbnail_loc,omitempty"`
	Title                string            `json:"title,omitempty"`
	Description          string            `json:"description,omitempty"`
	ContentLoc           string            `json:"content_loc,omitempty"`
	ContentSegments      []ContentSegment  `json:"content_segments,omitempty"`
	Player               Player            `json:"player,omitzero"`
	Duration             Optional[int64]   `json:"duration,omitzero"` // seconds
	ExpirationDate       Time              `json:"expiration_date,omitzero"`
	Rating               Optional[float64] `json:"rating,omitzero"` // 0 to 5
	ViewCount            Optional[int64]   `json:"view_count,omitzero"`
	PublicationDate      Time              `json:"publication_date,omitzero"`
	Tags                 []string          `json:"tags,omitempty"`
	Category             string            `json:"category,omitempty"`
	FamilyFriendly       Optional[bool]    `json:"family_friendly,omitzero"`
	Restriction          Restriction       `json:"restriction,omitzero"` // countries, ISO 3166
	Gallery              Gallery           `json:"gallery,omitzero"`
	Prices               []Price           `json:"prices,omitempty"`
	RequiresSubscription Optional[bool]    `json:"requires_subscription,omitzero"`
	Uploader             Uploader          `json:"uploader,omitzero"`
	TVShow               *TVShow           `json:"tvshow,omitempty"`
	Platform             Restriction       `json:"platform,omitzero"` // web, mobile, tv
	Live                 Optional[bool]    `json:"live,omitzero"`
	IDs                  []VideoID         `json:"ids,omitempty"`
}

// A ContentSegment is a part of a video.
type ContentSegment struct {
	Loc      string          `json:"loc"`
	Duration Optional[int64] `json:"duration,omitzero"` // seconds
}

// A Player is a location where a video can be played.
type Player struct {
	Loc        string         `json:"loc"`
	AllowEmbed Optional[bool] `json:"allow_embed,omitzero"`
	Autoplay   string         `json:"autoplay,omitempty"`
}

// A Restriction is a list of countries or platforms where a video may, or may not, be played.
type Restriction struct {
	Relationship string   `json:"relationship,omitempty"` // "allow" or "deny"
	Values       []string `json:"values,omitempty"`
}

// IsZero reports whether there is no restriction.
func (r Restriction) IsZero() bool { return r.Relationship == "" && len(r.Values) == 0 }

// A Gallery is a collection that contains a video.
type Gallery struct {
	Loc   string `json:"loc"`
	Title string `json:"title,omitempty"`
}

// A Price is the price of a video.
type Price struct {
	Amount     string `json:"amount"`             // as listed
	Currency   string `json:"currency,omitempty"` // ISO 4217
	Type       string `json:"type,omitempty"`     // "rent" or "own", as listed
	Resolution string `json:"resolution,omitempty"`
}

// An Uploader is the person or account that uploaded a video.
type Uploader struct {
	Name string `json:"name"`
	Info string `json:"info,omitempty"` // location of a page about the uploader
}

// A TVShow is the show of which a video is an episode.
type TVShow struct {
	ShowTitle     string          `json:"show_title,omitempty"`
	VideoType     string          `json:"video_type,omitempty"`
	EpisodeTitle  string          `json:"episode_title,omitempty"`
	SeasonNumber  Optional[int64] `json:"season_number,omitzero"`
	EpisodeNumber Optional[int64] `json:"episode_number,omitzero"`
	PremierDate   Time            `json:"premier_date,omitzero"`
}

// A VideoID identifies a video in a catalogue.
type VideoID struct {
	Type  string `json:"type,omitempty"`
	Value string `json:"value"`
}

// News is an article of a news site (Google's sitemap-news 0.9).
type News struct {
	PublicationName     string   `json:"publication_name,omitempty"`
	PublicationLanguage string   `json:"publication_language,omitempty"`
	PublicationDate     Time     `json:"publication_date,omitzero"`
	Title               string   `json:"title,omitempty"`
	Keywords            []string `json:"keywords,omitempty"`
	Genres              []string `json:"genres,omitempty"`
	Access              string   `json:"access,omitempty"` // as listed
	StockTickers        []string `json:"stock_tickers,omitempty"`
}

// An Alternate is another version of the page, from xhtml:link with hreflang.
type Alternate struct {
	Rel      string `json:"rel,omitempty"`
	Hreflang string `json:"hreflang,omitempty"`
	Href     string `json:"href"` // or a place in an app: android-app://com.example/http/page
	Media    string `json:"media,omitempty"`
}

// A DataObject is a record of Google's PageMap.
type DataObject struct {
	Type       string      `json:"type,omitempty"`
	ID         string      `json:"id,omitempty"`
	Attributes []Attribute `json:"attributes,omitempty"`
}

// An Attribute is a named value.
type Attribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// An Element is an element of a namespace that has no type of its own here.
type Element struct {
	Space    string      `json:"space,omitempty"` // namespace URI, or the undeclared prefix
	Name     string      `json:"name"`            // local name
	Attrs    []Attribute `json:"attrs,omitempty"`
	Text     string      `json:"text,omitempty"` // the trimmed text directly in the element
	Children []Element   `json:"children,omitempty"`
}
