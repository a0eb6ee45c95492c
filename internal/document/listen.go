package document

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A Listener receives the elements of a document as they are written, beside its entries and
// problems. The elements of an entry precede the entry.
type Listener interface {
	// Start takes the input, of which the start was read.
	Start(in *input.Reader)
	// Root takes the start tag of a urlset or sitemapindex.
	Root(r *xmlscan.Reader)
	// Entry takes an entry that starts with a tag without attributes, at an offset, and with fields
	// without attributes. Often that is all of it, or all but what Extension took. If the end of
	// the memory cuts the entry, a second call takes further fields. The fields are valid in this
	// call only. No white space surrounds a changefreq of them, and no location of
	// them starts or ends with a reference or with white space beyond ASCII, or starts with another
	// character beyond ASCII.
	Entry(offset int64, fields []Field)
	// Extension takes links, with their offsets, or an image that was read quickly from text, in
	// the entry at an offset. It returns false to take their elements instead.
	Extension(entry int64, text []byte, links []sitemap.Alternate, offsets []int64,
		images []sitemap.Image) bool
	// Listener takes the other entries, and everything after the fields of Entry.
	xmlscan.Listener
	// End is called after the last entry, before the input is closed.
	End()
}

// A Field is one of the protocol's fields of an entry.
type Field struct {
	Kind   FieldKind
	Offset int64 // of its start tag
}

// A FieldKind is a field of an entry, in the order of the schema.
type FieldKind uint8

// The fields of an entry.
const (
	Loc FieldKind = 1 + iota
	LastMod
	ChangeFrequency
	Priority
	Extension
)
