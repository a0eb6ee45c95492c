package sitemap

import (
	"errors"
	"fmt"
	"strconv"
)

// Causes of a ParseError, to be told with errors.Is.
var (
	// ErrNotSitemap: the document is no sitemap and no feed. Its kinds below match it too.
	ErrNotSitemap = errors.New("not a sitemap")
	// ErrHTML: an HTML page where a sitemap should be, often a "not found" page served with status 200.
	ErrHTML error = notSitemap("not a sitemap: an HTML page")
	// ErrJSON: JSON where a sitemap should be.
	ErrJSON error = notSitemap("not a sitemap: JSON")
	// ErrUnknownXML: an XML document of another kind.
	ErrUnknownXML error = notSitemap("not a sitemap: another kind of XML document")
	// ErrBinary: an image, an archive or other binary data.
	ErrBinary error = notSitemap("not a sitemap: binary data")
	// ErrNoURLs: text that holds no line that is a URL.
	ErrNoURLs error = notSitemap("not a sitemap: text without a URL")

	// ErrEmpty: the body is empty or white space only.
	ErrEmpty = errors.New("empty document")
	// ErrTruncated: the document, or the gzip stream that holds it, ends too early.
	ErrTruncated = errors.New("document ends too early")
	// ErrGzip: the gzip stream is damaged.
	ErrGzip = errors.New("damaged gzip stream")
	// ErrTooLarge: the document is larger than Limits.Bytes.
	ErrTooLarge = errors.New("document too large")
	// ErrTooManyEntries: the document has more entries than Limits.Entries.
	ErrTooManyEntries = errors.New("too many entries")
)

type notSitemap string

func (e notSitemap) Error() string        { return string(e) }
func (e notSitemap) Is(target error) bool { return target == ErrNotSitemap }

// A ParseError says why and where reading a document ended before its end. The
// entries that were read before it stand. Errors of the reader that the document
// came from are wrapped, but never in a ParseError.
type ParseError struct {
	Pos Position
	Err error // one of the causes above
}

// Error returns the cause with its line.
func (e *ParseError) Error() string {
	return "sitemap: line " + strconv.Itoa(e.Pos.Line) + ": " + fmt.Sprint(e.Err)
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }
