package parse

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A decoder reads one urlset or sitemapindex.
type decoder struct {
	in   *input.Reader
	r    *xmlscan.Reader
	sink *document.Sink
	ext  *extension.Decoder // nil until there are extensions
	data *extension.Decoder // of elements around entries, nil until there are any
	skip bool               // skip extensions

	listener document.Listener // or nil
	fields   []document.Field  // that were read quickly since the start of the entry, for listener

	uppered  bool // uppercase_tag was reported
	unspaced bool // missing_namespace was reported for an entry
	quick    quick
	decoded  []byte // a location without references

	rootElement
	openEntry
}

// A rootElement is the root of a document.
type rootElement struct {
	root   string          // local name
	kind   sitemap.Kind    // of its entries
	space  namespace.Space // of its name
	prefix string          // of its tag
}

// An openEntry is the entry being read: one of its locations with the fields that belong to it.
type openEntry struct {
	entry    sitemap.Entry
	entrySpc namespace.Space // of the element
	start    []byte          // its start tag, cut at 256 bytes
	usual    bool            // the element has the usual tag, in the namespace of the root
	locs     int             // locations of the element so far
	seen     fieldSet        // other fields since the last location
	dropped  bool            // the location is not to be yielded
	extended bool            // there are extensions
}

// A quick holds the tags of entries and fields without attributes, in the letter case and with the
// prefix of the root.
type quick struct {
	prefix     []byte // of the tags, with its colon
	start, end tag    // of an entry: "<url>", "</url>"
	disabled   bool   // in tests
}

func (d *decoder) isForeignSpace(s namespace.Space) bool {
	return s != namespace.Sitemap && s != namespace.NoSpace && s != d.space && s != d.entrySpc
}

// A fieldSet is a set of fields of an entry.
type fieldSet uint8

const (
	lastMod fieldSet = 1 << iota
	changeFreq
	priority
)

// add adds a field, and reports whether the set did not have it.
func (s *fieldSet) add(f fieldSet) bool {
	isNew := *s&f == 0
	*s |= f
	return isNew
}

func (d *decoder) problem(code sitemap.Code, field string) {
	d.sink.Problem(code, d.in.Position(0), field, d.r.Raw())
}
