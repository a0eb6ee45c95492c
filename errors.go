package sitemap

import (
	"errors"
	"fmt"
	"strconv"
)

// Causes of a [ParseError], for [errors.Is].
var (
	// ErrNotSitemap means that the document is neither a sitemap nor a feed. The errors below whose
	// texts begin with "not a sitemap" match it too.
	ErrNotSitemap = errors.New("not a sitemap")
	// ErrHTML means an HTML page, often a "not found" page that is served with status 200.
	ErrHTML error = notSitemap("not a sitemap: an HTML page")
	// ErrJSON means JSON.
	ErrJSON error = notSitemap("not a sitemap: JSON")
	// ErrUnknownXML means an XML document of another kind.
	ErrUnknownXML error = notSitemap("not a sitemap: another kind of XML document")
	// ErrBinary means an image, an archive or other binary data.
	ErrBinary error = notSitemap("not a sitemap: binary data")
	// These errors mean an archive or data that is compressed other than by gzip. They match
	// ErrBinary too. Brotli is recognized by the name in [Options.Base] only.
	ErrZip    error = archive("a ZIP archive")
	ErrTar    error = archive("a tar archive")
	ErrBzip2  error = archive("bzip2 data")
	ErrXz     error = archive("xz data")
	ErrZstd   error = archive("Zstandard data")
	ErrZlib   error = archive("zlib data")
	ErrBrotli error = archive("Brotli data")
	// ErrGitLFS means a pointer in place of a file that Git LFS stores.
	ErrGitLFS error = notSitemap("not a sitemap: a Git LFS pointer; run git lfs pull first")
	// ErrNoURLs means text without a line that is a URL.
	ErrNoURLs error = notSitemap("not a sitemap: text without a URL")

	// ErrEmpty means that the document is empty or only white space.
	ErrEmpty = errors.New("empty document")
	// ErrTruncated means that the document, or the gzip stream around it, ends too early.
	ErrTruncated = errors.New("document ends too early")
	// ErrGzip means that the gzip stream is damaged. The decoded bytes, and the entries in them,
	// are doubtful from the position of the ParseError on: that is where the damaged member starts.
	ErrGzip = errors.New("damaged gzip stream")
	// ErrTooLarge means that the document exceeds [Limits.Bytes].
	ErrTooLarge = errors.New("document too large")
	// ErrTooManyEntries means that the document exceeds [Limits.Entries].
	ErrTooManyEntries = errors.New("too many entries")
)

type notSitemap string

func (e notSitemap) Error() string        { return string(e) }
func (e notSitemap) Is(target error) bool { return target == ErrNotSitemap }

type archive string

func (e archive) Error() string {
	return "not a sitemap: " + string(e) + "; unpack it first"
}
func (e archive) Is(target error) bool { return target == ErrNotSitemap || target == ErrBinary }

// A ParseError says why reading a document ended before its end, and at which position. The entries
// before it are valid. An error of the reader of the document is not wrapped in a ParseError.
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
