package xmlscan

import (
	"bytes"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// A Space is a namespace. A namespace without a constant gets the next number; Reader.URI returns
// its name.
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
	Content // the module content of RSS 1.0
	firstOther
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

// conventional maps prefixes to the namespaces that they stand for without a declaration.
var conventional = map[string]Space{
	"image": Image, "video": Video, "news": News, "mobile": Mobile, "xhtml": XHTML, "atom": Atom,
	"rdf": RDF, "dc": DC, "dcterms": DCTerms, "media": Media,
	"content": Content,
}

// known returns the namespace of a URI, or -1.
func known(uri string) Space {
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

// Unknown reports whether the prefix of the current start tag is not declared, and has no
// conventional namespace.
func (r *Reader) Unknown() bool { return !r.Declared && r.Space >= firstOther }

// maxBindings is the maximum number of namespace declarations in force, and of URIs that are
// remembered.
const maxBindings = 256

// A declaration is a prefix with its namespace.
type declaration struct {
	prefix, uri string
	space       Space
}

// A binding is a declaration in force.
type binding struct {
	declaration
	depth int // of the element with the declaration
}

// bind puts the declarations of the current start tag, at depth, into force.
func (r *Reader) bind(depth int) {
	for i := range r.Attrs {
		a := &r.Attrs[i]
		if len(a.Name) == 0 || a.Name[0] != 'x' {
			continue
		}
		prefix, isDecl := bytes.CutPrefix(a.Name, xmlns)
		if !isDecl || len(prefix) > 0 && prefix[0] != ':' || len(r.bindings) == maxBindings {
			continue
		}
		prefix = bytes.TrimPrefix(prefix, []byte(":"))
		value := a.Value
		if bytes.IndexByte(value, '&') >= 0 {
			value = Decode(nil, value)
		}
		if !r.undeclared && !mayBind(prefix, value) {
			r.undeclared = true
			r.problem(sitemap.UndeclaredPrefix, 0, r.Raw)
		}
		r.bindings = append(r.bindings, binding{r.declare(key(prefix), key(value)), depth})
	}
}

// mayBind reports whether a prefix may be declared for a namespace (Namespaces in XML 1.0, sections
// 2.2 and 3).
func mayBind(prefix, uri []byte) bool {
	switch {
	case len(prefix) == 0:
		return true
	case string(prefix) == "xml":
		return bytes.Equal(uri, xmlNamespace)
	}
	return string(prefix) != "xmlns" && len(uri) > 0 && !bytes.Equal(uri, xmlNamespace) &&
		string(uri) != "http://www.w3.org/2000/xmlns/"
}

// declare returns a declaration. It is remembered for documents that repeat it with each element.
func (r *Reader) declare(prefix, uri []byte) declaration {
	for i := range r.seen {
		if d := &r.seen[i]; d.uri == string(uri) && d.prefix == string(prefix) {
			return *d
		}
	}
	d := declaration{string(prefix), string(uri), 0}
	if d.space = known(d.uri); d.space < 0 {
		d.space = r.other(d.uri)
	}
	if len(r.seen) < maxBindings {
		r.seen = append(r.seen, d)
	}
	return d
}

// other returns the number of a namespace without a constant. It is the same for the same URI, and
// firstOther if there are too many to remember.
func (r *Reader) other(uri string) Space {
	for i := range r.seen {
		if r.seen[i].space > firstOther && r.seen[i].uri == uri {
			return r.seen[i].space
		}
	}
	if len(r.seen) >= maxBindings {
		return firstOther
	}
	r.others++
	return firstOther + Space(r.others)
}

// URI returns the URI of the current start tag's namespace as it was declared. It returns the
// prefix if it was not declared, or "".
func (r *Reader) URI() string { return r.uri(r.Prefix) }

func (r *Reader) uri(prefix []byte) string {
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if r.bindings[i].prefix == string(prefix) {
			return r.bindings[i].uri
		}
	}
	return string(prefix)
}

// Lookup returns the namespace of a prefix in the current element.
func (r *Reader) Lookup(prefix []byte) (space Space, declared bool) {
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if r.bindings[i].prefix == string(prefix) {
			return r.bindings[i].space, true
		}
	}
	if len(prefix) == 0 {
		return NoSpace, true
	}
	if string(prefix) == "xml" {
		return r.declare(prefix, xmlNamespace).space, true
	}
	if s, ok := conventional[string(prefix)]; ok {
		return s, false
	}
	return r.declare(nil, key(prefix)).space, false
}

var xmlNamespace = []byte("http://www.w3.org/XML/1998/namespace")

var xmlns = []byte("xmlns")
