package sitemap

// Extensions are what an entry has beyond the protocol's own elements. Each kind
// is read under any of its namespaces (http, https and legacy ones) and any prefix.
// Text is decoded and trimmed. Locations are made absolute where that is
// possible and else left out. A value that is wrong is a Problem (BadExtension) and
// left out; one that is only written in another way than it should be is read, and no
// Problem, unlike in the entry's own fields. At most 1,000 images, 1,000 videos, 1,000 news, 1,000 alternates, and
// 1,000 PageMap objects are kept of one entry, 1,000 values of each list in them, and
// 1 MiB of text; that there was more is a Problem too.
//
// In feeds, Media RSS and enclosures give images and videos: one for each
// media:content, those of a media:group included; audio and documents give none.
type Extensions struct {
	Images     []Image     `json:"images,omitempty"`
	Videos     []Video     `json:"videos,omitempty"`
	News       []News      `json:"news,omitempty"`
	Alternates []Alternate `json:"alternates,omitempty"`
	// Mobile is set where the page is marked as made for feature phones.
	Mobile bool `json:"mobile,omitempty"`
	// PageMap holds the DataObjects of Google's PageMap.
	PageMap []DataObject `json:"pagemap,omitempty"`
	// Other holds elements of all other namespaces, but for the page's content
	// (content:encoded): at most 100 elements and 64 KiB of text an entry, at
	// most 8 deep.
	Other []Element `json:"other,omitempty"`
}

// An Image is an image on the page (Google's sitemap-image 1.1, Media RSS).
type Image struct {
	Loc         string `json:"loc"`
	Caption     string `json:"caption,omitempty"`
	GeoLocation string `json:"geo_location,omitempty"`
	Title       string `json:"title,omitempty"`
	License     string `json:"license,omitempty"` // location, or the name of a license
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

// A Player is where a video can be played.
type Player struct {
	Loc        string         `json:"loc"`
	AllowEmbed Optional[bool] `json:"allow_embed,omitzero"`
	Autoplay   string         `json:"autoplay,omitempty"`
}

// A Restriction is a list of countries or platforms with what it means to be in it.
type Restriction struct {
	Relationship string   `json:"relationship,omitempty"` // "allow" or "deny"
	Values       []string `json:"values,omitempty"`
}

// IsZero reports whether there is no restriction.
func (r Restriction) IsZero() bool { return r.Relationship == "" && len(r.Values) == 0 }

// A Gallery is a collection that a video is in.
type Gallery struct {
	Loc   string `json:"loc"`
	Title string `json:"title,omitempty"`
}

// A Price is what a video costs.
type Price struct {
	Amount     string `json:"amount"`             // as listed
	Currency   string `json:"currency,omitempty"` // ISO 4217
	Type       string `json:"type,omitempty"`     // "rent" or "own", as listed
	Resolution string `json:"resolution,omitempty"`
}

// An Uploader is who uploaded a video.
type Uploader struct {
	Name string `json:"name"`
	Info string `json:"info,omitempty"` // location of a page about the uploader
}

// A TVShow is the show that a video is an episode of.
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

// An Alternate is another version of the page: xhtml:link, hreflang.
type Alternate struct {
	Rel      string `json:"rel,omitempty"`
	Hreflang string `json:"hreflang,omitempty"`
	Href     string `json:"href"` // or a place in an app, such as android-app://com.example/http/page
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

// An Element is an element of a namespace that has no type here.
type Element struct {
	Space    string      `json:"space,omitempty"` // namespace URI, or the prefix where none is declared
	Name     string      `json:"name"`            // local name
	Attrs    []Attribute `json:"attrs,omitempty"`
	Text     string      `json:"text,omitempty"` // the character data directly in the element, trimmed
	Children []Element   `json:"children,omitempty"`
}
