package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Causes of an Error, to be told with errors.Is.
var (
	// ErrRequest: the Request cannot be sent: its URL is no absolute URL with a host that can
	// be read, or a field of its header or the Client's UserAgent is none of HTTP. Nothing was
	// sent.
	ErrRequest = errors.New("invalid request")
	// ErrRefused: the URL's scheme, port or address is one that this Client does
	// not go to; nothing was sent to it. AllowPrivateNetworks opens the way to
	// loopback and private networks, and to all ports.
	ErrRefused = errors.New("refused")
	// ErrRedirect: a redirect that cannot be followed: in a circle, one too many,
	// or without a readable target. A target of a refused scheme, port or address
	// is ErrRefused.
	ErrRedirect = errors.New("bad redirect")
	// ErrConnect: there was no connection: the name was not resolved, nobody
	// listened, or the TLS handshake failed. A certificate that did not verify is
	// a *tls.CertificateVerificationError within.
	ErrConnect = errors.New("cannot connect")
	// ErrNoResponse: the connection failed before a response was read, or what
	// came was not a response of HTTP or had a header larger than 256 KiB or of more
	// than 1,000 fields.
	ErrNoResponse = errors.New("no response")
	// ErrStatus: the server answered with a status other than success;
	// Error.Status holds it.
	ErrStatus = errors.New("unexpected status")
	// ErrBody: the body broke off, also because its next bytes took too long; what came
	// before was read. Trying again may help.
	ErrBody = errors.New("body cut short")
	// ErrTimeout: the connection, the response, the next bytes of the body or the
	// whole document took too long. It is ErrConnect too where there was no connection yet.
	ErrTimeout = errors.New("timed out")
	// ErrEncoding: the body has a compressed Content-Encoding other than gzip.
	ErrEncoding = errors.New("unknown content encoding")
	// ErrBusy: the request, or its next attempt, was not sent, since the host has
	// answered all recent requests with 429 or 503. Error.RetryAfter says when it
	// may be tried again.
	ErrBusy = errors.New("host too busy")
	// ErrSilent: the request, or its next attempt, was not sent, since the host has answered none
	// for five minutes, and those for twenty documents have timed out. Error.RetryAfter says
	// when it may be tried again.
	ErrSilent = errors.New("host does not answer")
	// ErrClosed: a body was read after it was closed.
	ErrClosed = errors.New("body is closed")
)

// An Error says why a document could not be fetched, or not to its end.
type Error struct {
	// URL is the URL that failed, after redirects, without user name, password
	// and fragment.
	URL string
	// Hops are the redirects that led to URL.
	Hops []Hop
	// Status is the status of the response to the last request that was tried, 0 if that
	// got none. Where a redirect leads to a host that cannot be connected to it is 0, and
	// where its target was not tried, as one that is refused, it is the redirect's own.
	Status int
	// Attempts is how often the document was tried: 1 and the retries, those without a
	// connection too. Redirects do not count, nor what net/http repeats: see
	// Client.Retries. It is 0 if nothing was tried.
	Attempts int
	// RetryAfter is how long the server asked to wait before the next attempt, 0
	// if it did not.
	RetryAfter time.Duration
	// Err is the cause.
	Err error
}

// Error returns the URL, the cause, and what is known beyond it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("fetch: ")
	if e.URL != "" {
		b.WriteString(e.URL)
		b.WriteString(": ")
	}
	fmt.Fprint(&b, e.Err)
	var notes []string
	if errors.Is(e.Err, ErrBusy) && retriable(e.Status) {
		notes = append(notes, "status "+strconv.Itoa(e.Status))
	}
	if e.Attempts > 1 {
		notes = append(notes, "after "+strconv.Itoa(e.Attempts)+" attempts")
	}
	if e.RetryAfter > 0 {
		notes = append(notes, "retry after "+max(e.RetryAfter.Round(time.Second), time.Second).String())
	}
	if len(notes) > 0 {
		b.WriteString(" (" + strings.Join(notes, ", ") + ")")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later: after failures
// of the network, timeouts, and the statuses that are retried.
func (e *Error) Temporary() bool {
	if errors.Is(e.Err, ErrStatus) {
		return retriable(e.Status)
	}
	for _, kind := range []error{ErrConnect, ErrNoResponse, ErrBody, ErrTimeout, ErrBusy, ErrSilent} {
		if errors.Is(e.Err, kind) {
			return !final(e.Err)
		}
	}
	return false
}

// Timeout reports whether the cause is ErrTimeout.
func (e *Error) Timeout() bool { return errors.Is(e.Err, ErrTimeout) }

// A cause is an error that matches one of the sentinels and wraps what is known
// beyond it.
type cause struct {
	kind   error
	detail string // instead of the kind's text, or ""
	err    error  // what it came from, or nil
}

func (c *cause) Error() string {
	s := c.detail
	if s == "" {
		s = c.kind.Error()
	}
	if c.err != nil {
		// net/http quotes what it could not read, and a server can send a lot.
		s += ": " + clip(c.err.Error(), 400)
	}
	return s
}

// clip shortens s, which may come from a server, to about n bytes.
func clip(s string, n int) string {
	if len(s) > n {
		s = s[:n] + "..."
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func (c *cause) Is(target error) bool { return target == c.kind }
func (c *cause) Unwrap() error        { return c.err }

// statusError returns the cause for a status.
func statusError(status int) error {
	s := "status " + strconv.Itoa(status)
	if text := http.StatusText(status); text != "" {
		s += " " + text
	}
	return &cause{kind: ErrStatus, detail: s}
}

// timeoutError returns the cause for a clock that ran out.
func timeoutError(what string, limit time.Duration) error {
	return &cause{kind: ErrTimeout, detail: "timed out: " + what + " took more than " + limit.String()}
}
