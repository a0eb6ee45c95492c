package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/hostlimit"
	"github.com/seed-322c453a/sitemap/internal/spool"
)

// Causes of an [Error], for [errors.Is].
var (
	// ErrRequest means that the Request cannot be sent: its URL is not an absolute http or https
	// URL, or a header field is not valid in HTTP. Nothing was sent.
	ErrRequest = errors.New("invalid request")
	// ErrRefused means that this Client does not go to the URL's scheme, port or address. Nothing
	// was sent there. [Client.AllowPrivateNetworks] allows private networks and all ports.
	ErrRefused = errors.New("refused")
	// ErrRedirect means a redirect that cannot be followed: one too many, or one without a readable
	// target.
	ErrRedirect = errors.New("bad redirect")
	// ErrConnect means that there was no connection: the name was not resolved, nobody listened, or
	// the TLS handshake failed. It wraps a *tls.CertificateVerificationError for a bad certificate.
	ErrConnect = errors.New("cannot connect")
	// ErrNoResponse means that the connection failed before a response was read, or that the
	// response was not HTTP or had a header of more than 256 KiB.
	ErrNoResponse = errors.New("no response")
	// ErrStatus means that the server answered with a status other than success. Error.Status
	// holds it.
	ErrStatus = errors.New("unexpected status")
	// ErrBody means that the body broke off, in every attempt. The bytes of the last attempt
	// precede it.
	ErrBody = errors.New("body cut short")
	// ErrTimeout means that the connection, the response, the next bytes of the body or the whole
	// document took too long. It is joined with ErrConnect, ErrNoResponse or ErrBody.
	ErrTimeout = errors.New("timed out")
	// ErrEncoding means that the Content-Encoding of the body is a compression other than gzip.
	ErrEncoding = errors.New("unknown content encoding")
	// ErrBusy means that the request was not sent because the host, with 429 or 503, asked for a
	// longer pause than the Limiter waits for. Error.RetryAfter is the rest of the pause.
	ErrBusy = hostlimit.ErrBusy
	// ErrHostDown means that the request was not sent because the host has not answered the
	// requests before it. Error.RetryAfter says when the host is tried again.
	ErrHostDown = hostlimit.ErrHostDown
	// ErrNoRoom means that a Request with Ahead needs a temporary file, and those of the Client
	// or the disk have no room for it. Close bodies, or get the document without Ahead.
	ErrNoRoom = spool.ErrNoRoom
	// ErrClosed means that a body was read after it was closed.
	ErrClosed = spool.ErrClosed
)

// An Error says why a document could not be fetched, or not to its end.
type Error struct {
	// URL is the URL that failed, after redirects, without credentials and fragment.
	URL string
	// Hops are the redirects that led to URL.
	Hops []Hop
	// Status is the status of the last response, 0 if the last request got none. It is a
	// redirect's own status if its target was not requested.
	Status int
	// Attempts is how often the document was requested, retries included and redirects not. It is 0
	// if nothing was sent.
	Attempts int
	// RetryAfter is how long to wait before the next attempt, as the server or the Limiter asks,
	// else 0.
	RetryAfter time.Duration
	// Err is the cause.
	Err error
}

// Error returns the URL and the cause, and the number of attempts if there were several. A long URL
// that a redirect names is shortened.
func (e *Error) Error() string {
	s, at := "fetch: ", e.URL
	if len(e.Hops) > 0 {
		at = chars.Shorten(at, 400)
	}
	if at != "" {
		s += at + ": "
	}
	s += fmt.Sprint(e.Err)
	if e.Attempts > 1 {
		s += fmt.Sprintf(" (after %d attempts)", e.Attempts)
	}
	if e.RetryAfter > 0 {
		s += fmt.Sprintf(" (retry after %v)", max(e.RetryAfter.Round(time.Second), time.Second))
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later: after failures of the network,
// timeouts, ErrNoRoom, and the statuses that are retried.
func (e *Error) Temporary() bool {
	if errors.Is(e.Err, ErrStatus) {
		return isRetriable(e.Status)
	}
	for _, kind := range []error{
		ErrConnect, ErrNoResponse, ErrBody, ErrTimeout, ErrBusy, ErrHostDown, ErrNoRoom,
	} {
		if errors.Is(e.Err, kind) {
			return !isFinal(e.Err)
		}
	}
	return false
}

// Timeout reports whether the cause is [ErrTimeout].
func (e *Error) Timeout() bool { return errors.Is(e.Err, ErrTimeout) }

// A cause is an error that matches one of the sentinels and wraps the original error.
type cause struct {
	kind   error
	detail string // in place of the kind's text, or ""
	err    error  // the original error, or nil
}

func (c *cause) Error() string {
	s := c.detail
	if s == "" {
		s = c.kind.Error()
	}
	if c.err != nil {
		s += ": " + chars.Shorten(c.err.Error(), 400) // net/http quotes what it could not read
	}
	return s
}

func (c *cause) Is(target error) bool { return target == c.kind }
func (c *cause) Unwrap() error        { return c.err }

func refused(why string) error {
	return &cause{kind: ErrRefused, detail: "refused: " + why}
}

func statusError(status int) error {
	s := strings.TrimSpace(fmt.Sprint("status ", status, " ", http.StatusText(status)))
	return &cause{kind: ErrStatus, detail: s}
}

func timeoutError(what string, limit time.Duration) error {
	detail := "timed out: " + what + " took more than " + limit.String()
	return &cause{kind: ErrTimeout, detail: detail}
}

// isRetriable reports whether a response with this status is requested again.
func isRetriable(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500 && status < 600 && status != http.StatusNotImplemented
}

// A tunnelError is the status with which a proxy refuses to connect to a host.
type tunnelError struct{ status int }

func (e *tunnelError) Error() string { return "proxy: " + statusError(e.status).Error() }

// limited marks an error of the Limiter, which is not retried.
type limited struct{ error }

func (l *limited) Unwrap() error { return l.error }

// isFinal reports whether a request that failed with err would fail again.
func isFinal(err error) bool {
	var (
		byLimiter   *limited
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError // the server does not speak TLS
		dns         *net.DNSError
		file        *fs.PathError // no temporary file, or no room in it
		tunnel      *tunnelError
	)
	return errors.Is(err, ErrRefused) || errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, &byLimiter) || errors.As(err, &certificate) || errors.As(err, &record) ||
		errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &file) ||
		errors.As(err, &tunnel) && !isRetriable(tunnel.status)
}

// isRefusal reports whether err means that nobody listens at an address.
func isRefusal(err error) bool {
	const windows = syscall.Errno(10061) // WSAECONNREFUSED
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, windows)
}
