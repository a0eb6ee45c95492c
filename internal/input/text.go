package input

import (
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/seed-322c453a/sitemap"
)

// NewText returns the text of a list or an export: decompressed, and in UTF-8 without a byte order
// mark, since shells of Windows write UTF-16. What follows gzip data is damage here, and not ignored
// as in a document: Read fails with [sitemap.ErrGzip].
func NewText(r io.Reader) io.Reader {
	return transform.NewReader(wholeGzip{NewGunzip(r, 1)}, unicode.BOMOverride(transform.Nop))
}

// A wholeGzip is a Gunzip that ignores nothing.
type wholeGzip struct{ *Gunzip }

func (g wholeGzip) Read(p []byte) (int, error) {
	n, err := g.Gunzip.Read(p)
	if err == io.EOF && g.TrailingJunk() {
		err = sitemap.ErrGzip
	}
	return n, err
}
