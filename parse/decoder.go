package parse

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A decoder reads one urlset or sitemapindex.
type decoder struct {
	in   *input.Reader
	r    *xmlscan.Reader
	sink *document.Sink
	ext  *extension.Decoder // nil if extensions are skipped

	skip     bool          // skip extensions
	general  bool          // do not use the short cut
	fast     *shortcut     // for entries like the last one, or nil
	quick    xmlscan.Quick // reads extensions for the short cut
	uppered  bool          // uppercase_tag was reported
	unspaced bool          // missing_namespace was reported for an entry

	rootElement
	openEntry
}

// A rootElement is the root of a document.
type rootElement struct {
	root   string        // local name
	kind   sitemap.Kind  // of its entries
	space  xmlscan.Space // of its name
	prefix string        // of its tag
}

// An openEntry is the entry being read: one of its locations with the fields that belong to it.
type openEntry struct {
	entry    sitemap.Entry
	entrySpc xmlscan.Space // of the element
	locs     int           // locations of the element so far
	dropped  bool          // the location is not to be yielded
}

// A shortcut reads entries of the most common shape straight from the window. The tags of the entry
// and its fields have no attributes, and the letter case and prefix of the entry before. Its values
// need no report. The result is the one of the general reader. The shortcut reads no part of any
// other entry; the general reader then starts at its first byte.
type shortcut struct {
	prefix []byte // of the entries, with its colon
	tag    uint64 // their start tag as load returns it, without '<' and prefix
	size   int    // of that tag
	entry  sitemap.Entry

	extended bool // the entry has extensions
}

// isForeign reports whether elements with this prefix are certainly not fields of the entry.
func (d *decoder) isForeign(prefix []byte) bool {
	s, declared := d.r.Lookup(prefix)
	return declared && d.isForeignSpace(s)
}

func (d *decoder) isForeignSpace(s xmlscan.Space) bool {
	return s != xmlscan.Sitemap && s != xmlscan.NoSpace && s != d.space && s != d.entrySpc
}

func (d *decoder) problem(code sitemap.Code, field string) {
	d.sink.Problem(code, d.in.Position(0), field, d.r.Raw)
}
