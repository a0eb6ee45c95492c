package fetch

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Request names a document to get.
type Request struct {
	// URL is an absolute http or https URL. A user name and password in it go to its own origin,
	// and to https of the same host, only.
	URL string
	// Header holds further header fields. Fields other than Accept, Accept-Language,
	// Cache-Control, From, Pragma, Referer and User-Agent count as secrets: they go only to
	// origins that the caller named, and to https of their hosts, and are dropped at a redirect
	// elsewhere. Accept-Encoding, Range and conditional fields are ignored.
	Header http.Header
	// Body is sent in a POST request, if it is not nil. It is sent again with each retry. A
	// redirect is an [ErrRedirect].
	Body []byte
	// Validators, of an earlier Document, make the request to its URL conditional: see
	// [Document.NotModified].
	Validators
	// MaxBytes bounds the body in place of [Client.MaxBytes]. 0 means that of the Client, a
	// negative number no bound.
	MaxBytes int64
	// MaxRedirects is how many redirects are followed. 0 means 10, a negative number none.
	MaxRedirects int
	// Ahead means that the document is fetched before it is needed, as by a crawler that
	// prefetches. If it needs a temporary file and those of the Client, or the disk, are full, Get
	// fails at once with [ErrNoRoom]. Without Ahead, Get waits until other Bodies are closed.
	Ahead bool
	// FailFast means that a refused connection is not retried, for callers that have another URL to
	// try. Other failures are retried.
	FailFast bool
	// Origins are URLs that the caller named, if URL was found in a document. Ports other than 80
	// and 443, secrets, and the credentials in an entry of Origins are for these origins only. If
	// Origins is empty, URL counts as named.
	Origins []string
}

// Validators identify a version of a document (RFC 9110, section 8.8). They belong to one URL: in a
// chain of redirects, only the request to that URL is conditional. Without ETag and LastModified,
// no request is.
type Validators struct {
	// URL is the URL that answered with them, without credentials and fragment. If it is empty,
	// they are those of the Request's URL.
	URL          string
	ETag         string // value of the ETag field, with its quotes
	LastModified string // value of the Last-Modified field
}

// A Hop is a redirect that was followed.
type Hop struct {
	URL    string `json:"url"`    // that redirects, without credentials and fragment
	Status int    `json:"status"` // 301, 302, 303, 307 or 308
}

// A Document is a response with success, or one that says that nothing has changed. Its Body must
// be closed. A Document is not safe for concurrent use.
type Document struct {
	// URL is the URL that answered, without credentials and fragment.
	URL *url.URL
	// Status is the status of the response: 2xx or 304.
	Status int
	// Hops are the redirects that led to URL, in order.
	Hops []Hop
	// Header is the header of the response.
	Header http.Header
	// Validators are those of the response, without any of more than 1 KiB. If NotModified is set,
	// a validator that the response does not repeat is that of the request.
	Validators
	// NotModified reports that the document has not changed since it had the Validators of the
	// request: these were sent, the status is 304, and the Body is empty.
	NotModified bool
	// Received is the size of the body on the wire, in bytes.
	Received int64
	// Attempts is how often the document was requested, retries included and redirects not.
	Attempts int
	// Body holds the document, without the gzip of its Content-Encoding. A .gz file stays gzip:
	// package parse undoes it. The body is local when Get returns; if it broke off in every
	// attempt, the bytes of the last attempt precede the error.
	Body io.ReadCloser

	again func() io.ReadCloser
}

// Fresh returns how long the response is fresh, by its Cache-Control or else its Expires (RFC 9111,
// section 4.2.1). It is 0 if neither says.
func (d *Document) Fresh() time.Duration {
	control := strings.Join(d.Header.Values("Cache-Control"), ",")
	for field := range strings.SplitSeq(control, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		n, err := strconv.ParseUint(value, 10, 31)
		if err == nil && strings.EqualFold(name, "max-age") {
			return time.Duration(n) * time.Second
		}
	}
	at, err := http.ParseTime(d.Header.Get("Expires"))
	if err != nil {
		return 0
	}
	from, err := http.ParseTime(d.Header.Get("Date")) // by the clock of the server
	if err != nil {
		from = time.Now()
	}
	return max(at.Sub(from), 0)
}

// Again returns another reader of the body, from its start. It is independent of Body and of other
// readers: each may be used by another goroutine. Once Body is closed, all fail with [ErrClosed].
// In this way a program can keep the bytes of a document that it parses:
//
//	doc, err := c.Get(ctx, req)
//	...
//	io.Copy(archive, doc.Again())
func (d *Document) Again() io.ReadCloser {
	if d.again == nil {
		return http.NoBody
	}
	return d.again()
}
