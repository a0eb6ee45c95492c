package parse

import (
	"encoding/binary"

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
	unspaced bool // missing_namespace was reported for an entry or a field
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
	start      []byte // of an entry: "<url>"
	size       int    // of the rest of it after the prefix: "url>"
	word, mask uint64 // that rest, as load returns it, and its bits
	disabled   bool   // in tests
}

// newQuick returns the tags of entries of this kind, in a root with this prefix.
func newQuick(kind sitemap.Kind, prefix string, disabled bool) quick {
	rest := "url>"
	if kind == sitemap.Sitemap {
		rest = "sitemap>"
	}
	if prefix != "" {
		prefix += ":"
	}
	var word [8]byte
	copy(word[:], rest)
	return quick{disabled: disabled, prefix: []byte(prefix), start: []byte("<" + prefix + rest),
		size: len(rest), word: load(word[:], 0), mask: 1<<(8*len(rest)) - 1}
}

// isEntry reports whether the tag of an entry goes on at b[at], after its prefix. At is 0 if there
// is no tag.
func (q *quick) isEntry(b []byte, at int) bool {
	return at > 0 && load(b, at)&q.mask == q.word
}

// load returns the eight bytes at b[i]. The window is padded.
func load(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i : i+8]) }

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

// begin starts an entry at the window's byte at.
func (d *decoder) begin(kind sitemap.Kind, at int) {
	d.entry = sitemap.Entry{Kind: kind, Pos: d.in.Position(at)}
	d.locs, d.seen, d.dropped, d.extended = 0, 0, false, false
	d.fields = d.fields[:0]
}

// setLoc sets the location of the entry.
func (d *decoder) setLoc(raw []byte, pos sitemap.Position) {
	d.locs++
	loc, ok := d.sink.Loc(raw, pos, "loc")
	d.entry.Loc, d.dropped = loc, !ok
}

// extensions returns the decoder of extensions of entries.
func (d *decoder) extensions() *extension.Decoder {
	if d.ext == nil {
		d.ext = extension.New(d.r, d.in, d.sink)
		d.ext.ByName = true
	}
	return d.ext
}

// flush yields the location that was read last.
func (d *decoder) flush() {
	if d.locs > 0 && !d.dropped {
		if d.extended {
			d.entry.Extensions = d.ext.Take()
		}
		d.sink.Emit(&d.entry)
	} else if d.extended {
		d.ext.Reset()
	}
	d.extended = false
}
