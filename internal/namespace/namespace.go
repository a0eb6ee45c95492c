// Package namespace knows the XML namespaces of sitemaps, feeds and their extensions, with the
// mistakes that documents make in them:
//
//	namespace.Of("http://www.google.com/schemas/sitemap-image/1.1") == namespace.Image
package namespace

import "strings"

// A Space is a namespace. A namespace without a constant gets the next number; The URI has to be
// remembered elsewhere.
type Space int

// The namespaces of the formats and their extensions. Those with http and https, with and without
// "www." and a trailing slash, and legacy versions are the same.
const (
	NoSpace Space = iota
	Sitemap       // sitemaps.org, and Google's 0.84
	Image
	Video
	News
	Mobile
	PageMap
	XHTML
	Atom   // 1.0
	Atom03 // 0.3
	RSS    // 1.0, 0.90 and those of 2.0
	RDF
	DC
	DCTerms
	Media
	Content    // the module content of RSS 1.0
	FirstOther // the first number of the others
)

// spaces maps the start of a namespace's URI, in lower case and without scheme and "www.", to the
// namespace.
var spaces = []struct {
	prefix string
	space  Space
}{
	{"sitemaps.org/schemas/sitemap/", Sitemap},
	{"google.com/schemas/sitemap/", Sitemap},
	{"sitemaps.org/schemas/sitemap-image/", Image}, // a common mistake, like the next ones
	{"sitemaps.org/schemas/sitemap-video/", Video},
	{"sitemaps.org/schemas/sitemap-news/", News},
	{"sitemaps.org/schemas/sitemap-mobile/", Mobile},
	{"google.com/schemas/sitemap-image/", Image},
	{"google.com/schemas/sitemap-video/", Video},
	{"google.com/schemas/sitemap-news/", News},
	{"google.com/schemas/sitemap-mobile/", Mobile},
	{"google.com/schemas/sitemap-pagemap/", PageMap},
	{"w3.org/1999/xhtml", XHTML},
	{"w3.org/2002/06/xhtml2", XHTML},
	{"w3.org/tr/xhtml11", XHTML},
	{"w3.org/2005/atom", Atom},
	{"purl.org/atom/", Atom03},
	{"example.com/necho", Atom03},
	{"purl.org/rss/1.", RSS},
	{"purl.org/rss/1.0/modules/", -1}, // namespaces of their own
	{"purl.org/net/rss1.1", RSS},
	{"my.netscape.com/rdf/simple/0.9", RSS},
	{"channel.netscape.com/rdf/simple/0.9", RSS},
	{"my.netscape.com/publish/formats/rss-0.9", RSS},
	{"backend.userland.com/rss", RSS},
	{"blogs.law.harvard.edu/tech/rss", RSS},
	{"w3.org/1999/02/22-rdf-syntax-ns", RDF},
	{"purl.org/dc/elements/", DC},
	{"purl.org/dc/terms", DCTerms},
	{"purl.org/rss/1.0/modules/dcterms", DCTerms},
	{"search.yahoo.com/mrss", Media},
	{"video.search.yahoo.com/mrss", Media},
	{"tools.search.yahoo.com/mrss", Media},
	{"purl.org/rss/1.0/modules/content", Content},
}

// documented holds the URIs of the extensions' namespaces as their documentation has them.
var documented = [...]string{
	Image:   "http://www.google.com/schemas/sitemap-image/1.1",
	Video:   "http://www.google.com/schemas/sitemap-video/1.1",
	News:    "http://www.google.com/schemas/sitemap-news/0.9",
	Mobile:  "http://www.google.com/schemas/sitemap-mobile/1.0",
	PageMap: "http://www.google.com/schemas/sitemap-pagemap/1.0",
	XHTML:   "http://www.w3.org/1999/xhtml",
}

// Documented returns the only correct URI of a namespace of extensions, or "" for other namespaces.
func Documented(s Space) string {
	if int(s) < len(documented) {
		return documented[s]
	}
	return ""
}

// Conventional maps prefixes to the namespaces that they stand for without a declaration.
var Conventional = map[string]Space{
	"image": Image, "video": Video, "news": News, "mobile": Mobile, "xhtml": XHTML, "atom": Atom,
	"rdf": RDF, "dc": DC, "dcterms": DCTerms, "media": Media,
	"content": Content,
}

// Of returns the namespace of a URI, or -1.
func Of(uri string) Space {
	uri = strings.ToLower(strings.TrimSpace(uri))
	if uri == "" {
		return NoSpace
	}
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://")
	uri = strings.TrimPrefix(uri, "www.")
	found, length := Space(-1), 0
	for _, s := range spaces {
		if len(s.prefix) > length && strings.HasPrefix(uri, s.prefix) {
			found, length = s.space, len(s.prefix)
		}
	}
	return found
}
