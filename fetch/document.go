package fetch

import (
	"io"
	"net/http"
	"net/url"
	"time"
)

// A Request says which document to get.
type Request struct {
	// URL is an absolute http or https URL. It is asked for without dot segments
	// (RFC 3986, section 6.2.2.3), as browsers do. A user name and password in it are
	// sent as basic authentication (RFC 7617) to its own origin only, or to https of
	// the same host behind a redirect, and appear nowhere else.
	URL string
	// Validators, of an earlier Document, make the request conditional: see
	// Document.NotModified.
	Validators
	// Origins are URLs that the caller named, where URL itself was not: where it
	// was found in a document. Ports other than 80 and 443 are gone to only at
	// these origins, and secrets in Header go to these only, or to https of their
	// hosts. A user name and password in one of them are sent where URL is of the
	// same scheme, host and port, or the host's https, and has none of its own. If
	// there are none, URL counts as named.
	Origins []string
	// Header holds further header fields. Fields other than Accept,
	// Accept-Language, Cache-Control, From, Pragma, Referer and User-Agent are
	// taken for secrets: a redirect to another host, or to another
	// scheme than its https, drops them for good.
	// Accept-Encoding, Range and the conditional fields are not heeded.
	Header http.Header
	// MaxRedirects is how many redirects are followed; 0 means 10, a negative
	// number none.
	MaxRedirects int
	// MaxBytes bounds the body instead of Client.MaxBytes, if it is not 0.
	MaxBytes int64
	// ReadAhead is how many bytes of the body are read into memory before the
	// caller asks for them, as they come on the wire, so that a caller that reads
	// slowly does not lose what the server sends. A body that fits is read to its
	// end and its connection released whether or not it is read. The Client
	// spends 64 MiB on this in all, of which 48 MiB are kept for bodies that the
	// caller has begun to read, so that six of 8 MiB are safe at once; a body that
	// finds no room is read as the caller reads, and if the server does not wait for
	// that, ends with ErrBody after what came. 0 means none.
	ReadAhead int64
	// Waited is the sum of what Document.Waited told of earlier tries of the same document:
	// Client.Timeout is for all of them.
	Waited time.Duration
}

// Validators tell whether a document has changed (RFC 9110, section 8.8).
type Validators struct {
	ETag         string // value of the ETag field, with its quotes
	LastModified string // value of the Last-Modified field
}

// A Hop is a redirect that was followed.
type Hop struct {
	URL    string // the URL that answered with the redirect, without credentials and fragment
	Status int    // 301, 302, 303, 307 or 308
}

// A Document is a response with success, or one that says that nothing changed.
// Its Body must be closed. A Document is not for concurrent use.
type Document struct {
	// URL is where the document was found, after redirects, without credentials,
	// fragment and dot segments.
	URL *url.URL
	// Hops are the redirects that led there, in order.
	Hops []Hop
	// Status is the status of the response: 2xx or 304.
	Status int
	// Header is the header of the response, as received.
	Header http.Header
	// Validators are those of the response, or, where a response with NotModified does
	// not repeat one of them, that which was sent.
	Validators
	// NotModified says that the document has not changed since the Validators of
	// the request were received: the status was 304 and the body is empty.
	NotModified bool
	// Attempts is how often the document was tried: 1 and the retries. Redirects
	// do not count, nor what net/http repeats: see Client.Retries.
	Attempts int
	// FirstByte is the time from the call of Get to the header of the response,
	// waits for the Limiter and retries included.
	FirstByte time.Duration
	// Body gives the document's bytes, without the gzip of its Content-Encoding
	// and without up to two layers of gzip more, told by their magic number.
	// Errors come after all bytes that could be had. Close may be called at any
	// time, from any goroutine, and more than once; it leaves nothing running.
	//
	// The Body of a Client also has the methods Raw() io.Reader, which gives the
	// bytes as they came, and Encodings() int, which tells how many layers of gzip
	// the Content-Encoding names: package parse reads these, so that it can report
	// what is odd about the gzip. Use Body or Raw, not both.
	Body io.ReadCloser
}

// Lapsed reports whether the body broke off while it waited for its reader: there
// was no room to read more of it ahead, and the server gave up. What came can be
// read; all can be had by getting the document again. To tell, it waits until the
// rest of Request.ReadAhead has come, where that had to wait. It is false once the
// Body was read from.
func (d *Document) Lapsed() bool {
	b, ok := d.Body.(*body)
	return ok && b.ahead != nil && b.ahead.lapsed()
}

// Waited returns for how long the network was waited for so far, and between attempts, without
// Request.Waited: what Client.Timeout bounds. It is safe for concurrent use.
func (d *Document) Waited() time.Duration {
	if b, ok := d.Body.(*body); ok {
		return b.wire.clock.waited()
	}
	return 0
}

// Received returns how many bytes of the body have come on the wire so far,
// before any decompression. It is safe for concurrent use.
func (d *Document) Received() int64 {
	if b, ok := d.Body.(*body); ok {
		return b.wire.received.Load()
	}
	return 0
}
