package audit

import "slices"

// extensionRules are about news, images, videos and alternates in one document.
var extensionRules = slices.Concat(newsRules, imageRules, videoRules, alternateRules)

// The consequences of what Google requires.
const (
	newsLost  = "Google requires it, and may not take the article as news without it."
	videoLost = "Google requires it, and ignores the video without it."
)

var newsRules = []Rule{
	{
		Code:     "news_bad_date",
		Severity: failure,
		Summary:  "a publication date that is not a W3C date",
		Why: "Search Console reports an invalid date. " +
			"Google does not learn when the article appeared.",
		Fix: "Write <news:publication_date>2026-11-23</news:publication_date>, " +
			"or with time and zone 2026-11-23T12:00:00+00:00.",
		Source: googleNews,
	},
	{
		Code:     "news_bad_language",
		Severity: failure,
		Summary:  "a news language that is not a code of two or three letters, zh-cn or zh-tw",
		Why: "Google does not learn the language of the publication, " +
			"and may ignore the record.",
		Fix: "Write the ISO 639 code: <news:language>en</news:language>, " +
			"not en-US or English.",
		Source: googleNews,
	},
	{
		Code:     "news_missing_language",
		Severity: failure,
		Summary:  "a news:publication without its language",
		Why:      newsLost,
		Fix:      "Add <news:language>en</news:language> to news:publication.",
		Source:   googleNews,
	},
	{
		Code:     "news_missing_name",
		Severity: failure,
		Summary:  "a news:publication without its name",
		Why:      newsLost,
		Fix: "Add the name as it is on the articles: " +
			"<news:name>The Example Times</news:name>.",
		Source: googleNews,
	},
	{
		Code:     "news_missing_publication",
		Severity: failure,
		Summary:  "a news:news without its publication",
		Why:      "Search Console reports a missing publication tag. " + newsLost,
		Fix:      "Add a news:publication with a news:name and a news:language to news:news.",
		Source:   googleNews,
	},
	{
		Code:     "news_missing_publication_date",
		Severity: failure,
		Summary:  "a news:news without its publication date",
		Why:      newsLost,
		Fix:      "Add <news:publication_date>2026-11-23</news:publication_date> to news:news.",
		Source:   googleNews,
	},
	{
		Code:     "news_missing_title",
		Severity: failure,
		Summary:  "a news:news without its title",
		Why:      newsLost,
		Fix:      "Add the title of the article: <news:title>…</news:title>.",
		Source:   googleNews,
	},
	{
		Code:     "news_repeated",
		Severity: failure,
		Summary:  "a second news:news in an entry, or a field twice in a record for news",
		Why:      "Google allows one of each, and does not say which of several it uses.",
		Fix:      "Keep one of them and remove the others.",
		Source:   googleNews,
	},
	{
		Code:     "news_too_many",
		Severity: failure,
		Summary:  "more than 1,000 entries with news in a document",
		Why: "Search Console reports too many URLs in a news sitemap. " +
			"Google ignores the rest.",
		Fix:    "Split the document, or remove articles older than two days from it.",
		Source: googleNews,
	},
	{
		Code:     "news_too_old",
		Severity: warning,
		Summary:  "news that was published more than two days ago",
		Why:      "Google takes articles of the last two days as news only.",
		Fix:      "Remove the entry from the news sitemap, or its news:news.",
		Source:   googleNews,
	},
}

var imageRules = []Rule{
	{
		Code:     "image_missing_loc",
		Severity: failure,
		Summary:  "an image:image without an image:loc",
		Why:      "Google requires it, and ignores the image without it.",
		Fix:      "Add <image:loc>https://www.example.com/image.jpg</image:loc> to image:image.",
		Source:   googleImages,
	},
	{
		Code:     "image_too_many",
		Severity: failure,
		Summary:  "more than 1,000 images in an entry",
		Why:      "Google allows 1,000 images for a page, and may ignore the others.",
		Fix:      "Keep the 1,000 most important images of the page.",
		Source:   googleImages,
	},
}

var videoRules = []Rule{
	{
		Code:     "video_bad_duration",
		Severity: failure,
		Summary:  "a video duration that is not a number of seconds from 1 to 28800",
		Why:      "Search Console reports an invalid tag value, and Google ignores the duration.",
		Fix:      "Write whole seconds: <video:duration>90</video:duration>, not 1:30.",
		Source:   googleVideos,
	},
	{
		Code:     "video_bad_rating",
		Severity: failure,
		Summary:  "a video rating that is not a number from 0 to 5",
		Why:      "Search Console reports an invalid tag value, and Google ignores the rating.",
		Fix:      "Write a number from 0.0 to 5.0: <video:rating>4.2</video:rating>.",
		Source:   googleVideos,
	},
	{
		Code:     "video_description_too_long",
		Severity: failure,
		Summary:  "a video description of more than 2,048 characters",
		Why:      "Google allows 2,048 characters, and may ignore the description.",
		Fix:      "Shorten the description.",
		Source:   googleVideos,
	},
	{
		Code:     "video_loc_is_page",
		Severity: failure,
		Summary:  "a video file or player at the URL of its page",
		Why: "Search Console reports that the location of the video and the page are the same. " +
			"Google finds no video there.",
		Fix: "Write the URL of the video file into video:content_loc, " +
			"or that of the embedded player into video:player_loc.",
		Source: googleVideos,
	},
	{
		Code:     "video_missing_content_or_player_loc",
		Severity: failure,
		Summary:  "a video:video without a video:content_loc and a video:player_loc",
		Why:      "Google requires one of them, and ignores the video without it.",
		Fix: "Add the URL of the video file: " +
			"<video:content_loc>https://www.example.com/video.mp4</video:content_loc>.",
		Source: googleVideos,
	},
	{
		Code:     "video_missing_description",
		Severity: failure,
		Summary:  "a video:video without its description",
		Why:      videoLost,
		Fix:      "Add <video:description>…</video:description> with at most 2,048 characters.",
		Source:   googleVideos,
	},
	{
		Code:     "video_missing_thumbnail_loc",
		Severity: failure,
		Summary:  "a video:video without its thumbnail",
		Why:      "Search Console reports a missing thumbnail URL. " + videoLost,
		Fix: "Add the URL of an image: " +
			"<video:thumbnail_loc>https://www.example.com/video.jpg</video:thumbnail_loc>.",
		Source: googleVideos,
	},
	{
		Code:     "video_missing_title",
		Severity: failure,
		Summary:  "a video:video without its title",
		Why:      "Search Console reports a missing video title. " + videoLost,
		Fix:      "Add <video:title>…</video:title>, the title that the page shows.",
		Source:   googleVideos,
	},
	{
		Code:     "video_too_many_tags",
		Severity: failure,
		Summary:  "more than 32 tags for a video",
		Why:      "Google allows 32 tags for a video, and may ignore the others.",
		Fix:      "Keep at most 32 video:tag elements in each video.",
		Source:   googleVideos,
	},
}

var alternateRules = []Rule{
	{
		Code:     "hreflang_bad_code",
		Severity: failure,
		Summary:  "an hreflang that is not a language with an optional region, nor x-default",
		Why:      "Google ignores the alternate, so the page is not shown for this language.",
		Fix: "Write a language of ISO 639-1, with a hyphen before a country of ISO 3166-1: " +
			"en-GB, not en-UK, and de-DE, not de_DE.",
		Source: googleAlternates,
	},
	{
		Code:     "hreflang_missing_href",
		Severity: failure,
		Summary:  "an alternate without its URL",
		Why:      "Search Console reports a missing attribute, and the alternate is ignored.",
		Fix: "Add the URL: " +
			`<xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/de/"/>.`,
		Source: googleAlternates,
	},
	{
		Code:     "hreflang_no_self",
		Severity: warning,
		Summary:  "an entry whose alternates do not have the entry itself",
		Why: "Each version of a page has to list itself and all others. " +
			"Google may ignore the alternates otherwise.",
		Fix:    "Add an xhtml:link with the entry's own URL and language.",
		Source: googleAlternates,
	},
	{
		Code:     "hreflang_relative",
		Severity: failure,
		Summary:  "an alternate with a relative URL",
		Why:      "Google requires the complete URL, and ignores the alternate.",
		Fix:      "Write the URL with scheme and host: https://www.example.com/de/, not /de/.",
		Source:   googleAlternates,
	},
	{
		Code:     "hreflang_repeated_code",
		Severity: warning,
		Summary:  "two alternates of an entry for one language and region",
		Why:      "Google cannot know which of the URLs to show.",
		Fix:      "Keep one alternate for each code.",
		Source:   googleAlternates,
	},
	{
		Code:     "hreflang_two_x_defaults",
		Severity: warning,
		Summary:  "two alternates of an entry for x-default",
		Why:      "Google cannot know which of the URLs to show to users of all other languages.",
		Fix:      "Keep one alternate for x-default.",
		Source:   googleAlternates,
	},
}
