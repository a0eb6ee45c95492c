package document

import (
	"io"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
)

// A Source is a document that package parse has sniffed and passes on to package feed or text. It
// is positioned at the root of a feed, or at the start of text.
type Source struct {
	*input.Reader
	Tally *Tally // counts the entries
}

// Open returns the document in r. If r is a *Source, Open returns it, and sniffed is true; the
// caller must not close it then.
func Open(r io.Reader, o *sitemap.Options) (src *Source, sniffed bool) {
	if src, ok := r.(*Source); ok {
		return src, true
	}
	return &Source{Reader: input.Open(r, o), Tally: NewTally()}, false
}
