package audit

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// The codes of images.
const (
	ImageMissingLoc sitemap.Code = "image_missing_loc"
	ImageRelative   sitemap.Code = "image_relative"
	ImageTooMany    sitemap.Code = "image_too_many"
)

var _ = register(
	rule(ImageMissingLoc, failure, googleImages, "an image:image without an image:loc",
		"Google requires it, and ignores the image without it.",
		"Add <image:loc>https://www.example.com/image.jpg</image:loc> to image:image."),
	rule(ImageRelative, failure, googleImages, "an image:loc that is not an absolute URL",
		"Google asks for the full URL, and ignores the image.",
		"Write the URL with its scheme and host: https://www.example.com/image.jpg."),
	rule(ImageTooMany, failure, googleImages, "more than 1,000 images in an entry",
		"Google allows 1,000 images for a page, and may ignore the others.",
		"Keep the 1,000 most important images of the page."),
)

const maxImages = 1_000 // of an entry

// judgeImage judges the image:image i.
func (x *extensions) judgeImage(i int) {
	e := &x.elements[i]
	if x.images++; x.images == maxImages+1 {
		x.find(of(ImageTooMany), e, "", "the entry has more than %d images", maxImages)
	}
	if loc := x.needs(i, ImageMissingLoc); loc != nil && len(chars.SchemeOf(loc.value())) == 0 {
		v := loc.value()
		x.find(of(ImageRelative), loc, string(v), "image:loc %s is a relative URL", quoted(v))
	}
}

// judgeQuickImage judges an image that the short cut has read. It returns false if there may be
// something to report: parts that were not read, a location that was changed, or parts that Google
// no longer reads and that were not reported before.
func (x *extensions) judgeQuickImage(text []byte, image *sitemap.Image) bool {
	parts := 0
	for _, part := range [...]struct{ name, value string }{
		{"image:caption", image.Caption}, {"image:geo_location", image.GeoLocation},
		{"image:title", image.Title}, {"image:license", image.License},
	} {
		if part.value != "" {
			if parts++; !x.once[part.name] {
				return false
			}
		}
	}
	const others = 2 // the image and its location
	tags := bytes.Count(text, []byte("<")) - bytes.Count(text, []byte("<!"))
	if x.images == maxImages || tags != 2*(parts+others) ||
		!bytes.Contains(text, []byte(image.Loc)) {
		return false
	}
	x.images++
	return true
}

// The codes of videos.
const (
	VideoBadDate                   sitemap.Code = "video_bad_date"
	VideoBadDuration               sitemap.Code = "video_bad_duration"
	VideoBadRating                 sitemap.Code = "video_bad_rating"
	VideoDescriptionTooLong        sitemap.Code = "video_description_too_long"
	VideoExpired                   sitemap.Code = "video_expired"
	VideoLocIsPage                 sitemap.Code = "video_loc_is_page"
	VideoMissingContentOrPlayerLoc sitemap.Code = "video_missing_content_or_player_loc"
	VideoMissingDescription        sitemap.Code = "video_missing_description"
	VideoMissingThumbnailLoc       sitemap.Code = "video_missing_thumbnail_loc"
	VideoMissingTitle              sitemap.Code = "video_missing_title"
	VideoTooManyTags               sitemap.Code = "video_too_many_tags"
)

// videoLost is the consequence if a required part is missing.
const videoLost = "Google requires it, and ignores the video without it."

var _ = register(
	rule(VideoBadDate, warning, googleVideos, "a date of a video that is not a W3C date",
		"Search Console reports an invalid tag value, and Google ignores the date.",
		"Write it as 2026-11-23, or with time and zone as 2026-11-23T12:00:00+00:00."),
	rule(VideoBadDuration, failure, googleVideos,
		"a video duration that is not a number of seconds from 1 to 28800",
		"Search Console reports an invalid tag value, and Google ignores the duration.",
		"Write whole seconds: <video:duration>90</video:duration>, not 1:30."),
	rule(VideoBadRating, failure, googleVideos, "a video rating that is not a number from 0 to 5",
		"Search Console reports an invalid tag value, and Google ignores the rating.",
		"Write a number from 0.0 to 5.0: <video:rating>4.2</video:rating>."),
	rule(VideoDescriptionTooLong, failure, googleVideos,
		"a video description of more than 2,048 characters",
		"Google allows 2,048 characters, and may ignore the description.",
		"Shorten the description."),
	rule(VideoExpired, warning, googleVideos, "a video whose expiration date has passed",
		"Google removes the video from its results.",
		"Remove the video, or correct video:expiration_date."),
	rule(VideoLocIsPage, failure, googleVideos, "a video file or player at the URL of its page",
		"Search Console reports that the location of the video and the page are the same. Google "+
			"finds no video there.",
		"Write the URL of the video file into video:content_loc, or that of the embedded player "+
			"into video:player_loc."),
	rule(VideoMissingContentOrPlayerLoc, failure, googleVideos,
		"a video:video without a video:content_loc and a video:player_loc",
		"Google requires one of them, and ignores the video without it.",
		"Add the URL of the video file: "+
			"<video:content_loc>https://www.example.com/video.mp4</video:content_loc>."),
	rule(VideoMissingDescription, failure, googleVideos, "a video:video without its description",
		videoLost, "Add <video:description>…</video:description> with at most 2,048 characters."),
	rule(VideoMissingThumbnailLoc, failure, googleVideos, "a video:video without its thumbnail",
		"Search Console reports a missing thumbnail URL. Google requires it, and ignores the "+
			"video without it.",
		"Add the URL of an image: "+
			"<video:thumbnail_loc>https://www.example.com/video.jpg</video:thumbnail_loc>."),
	rule(VideoMissingTitle, failure, googleVideos, "a video:video without its title",
		"Search Console reports a missing video title. Google requires it, and ignores the video "+
			"without it.",
		"Add <video:title>…</video:title>, the title that the page shows."),
	rule(VideoTooManyTags, failure, googleVideos, "more than 32 tags for a video",
		"Google allows 32 tags for a video, and may ignore the others.",
		"Keep at most 32 video:tag elements in each video."),
)

// The limits of videos.
const (
	maxVideoTags   = 32
	maxDescription = 2_048 // characters
	maxDuration    = 28_800
	maxRating      = 5
)

// judgeVideo judges the video:video i.
func (x *extensions) judgeVideo(i int) {
	x.needs(i, VideoMissingThumbnailLoc)
	x.needs(i, VideoMissingTitle)
	x.needs(i, VideoMissingDescription)
	if x.child(i, "content_loc") == nil && x.child(i, "player_loc") == nil {
		x.find(of(VideoMissingContentOrPlayerLoc), &x.elements[i], "",
			"video:video has no video:content_loc and no video:player_loc")
	}
	tags := 0
	for _, part := range x.children(i) {
		if string(part.local) != "tag" {
			x.videoPart(part)
		} else if tags++; tags == maxVideoTags+1 {
			x.find(of(VideoTooManyTags), part, "", "the video has more than %d tags", maxVideoTags)
		}
	}
}

func (x *extensions) videoPart(e *element) {
	v := string(e.value())
	if v == "" {
		return
	}
	switch string(e.local) {
	case "duration":
		if n, err := strconv.Atoi(v); err != nil || n < 1 || n > maxDuration {
			x.find(of(VideoBadDuration), e, v,
				"video:duration %s is not a number of seconds from 1 to %d", quoted(v), maxDuration)
		}
	case "rating":
		if f, err := strconv.ParseFloat(v, 64); err != nil || !(0 <= f && f <= maxRating) {
			x.find(of(VideoBadRating), e, v,
				"video:rating %s is not a number from 0 to %d", quoted(v), maxRating)
		}
	case "content_loc", "player_loc":
		if v == x.loc {
			x.find(of(VideoLocIsPage), e, v, "video:%s is the URL of the page itself", e.local)
		}
	case "description":
		if n := utf8.RuneCountInString(v); n > maxDescription {
			x.find(of(VideoDescriptionTooLong), e, v,
				"video:description has %d characters; %d are allowed", n, maxDescription)
		}
	case "publication_date", "expiration_date":
		t, err := sitemap.ParseTime(v)
		if err != nil && !isW3CDate(v+"Z") {
			x.find(of(VideoBadDate), e, v, "video:%s %s is not a W3C date", e.local, quoted(v))
		} else if err == nil && string(e.local) == "expiration_date" && t.End().Before(x.now) {
			x.find(of(VideoExpired), e, v, "video:expiration_date %s has passed", quoted(v))
		}
	}
}
