package audit

import (
	"io"
	"net/url"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// A Source is a document to audit.
type Source struct {
	// Name is what findings call the document: its location, or the name of a file.
	Name string
	// Open returns a reader of the document from its start, which is closed.
	Open func() (io.ReadCloser, error)
	// Base is the location of the document. Relative locations are resolved against it, and pages
	// that a sitemap there may not list are findings.
	Base *url.URL
	// ContentType is the media type that came with the document, if any, and Encoding its
	// Content-Encoding.
	ContentType, Encoding string
	// Date is when the document was served. It is zero if that is not known.
	Date time.Time
	// Done, if set, is called when the document has been read, after its findings.
	Done func(sitemap.Summary)
}
