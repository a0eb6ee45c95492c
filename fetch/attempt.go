package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed-322c453a/sitemap/internal/turn"
)

// maxDrain is how much of a body that is not wanted is read so that its
// connection can be used again.
const maxDrain = 16 << 10

// maxFields bounds the fields of a header: in memory the least of them are many times as large
// as they come.
const maxFields = 1000

var errManyFields = fmt.Errorf("header of more than %d fields", maxFields)

func countFields(h http.Header) (n int) {
	for _, values := range h {
		n += len(values)
	}
	return n
}

// A result is what came of one hop: a document or a redirect.
type result struct {
	status   int
	header   http.Header
	location *string // of a redirect
	wire     *wire   // of a document
	encoding int     // how many gzip codings the document has
	after    time.Duration
}

// do sends the request for the current target until it has a result, or an
// *Error.
func (g *getter) do() (*result, error) {
	req, err := http.NewRequestWithContext(g.ctx, http.MethodGet, g.target.url.String(), nil) // its header: see RoundTrip
	if err != nil {
		return nil, g.fail(&cause{kind: ErrRequest, err: err})
	}
	x := &exchange{getter: g}
	retry := &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: x},
		RetryMax:     g.c.MaxRetries() + spares - g.retries, // at most: see checkRetry
		RetryWaitMin: g.c.times.backoff,
		RetryWaitMax: max(g.c.times.backoff, min(maxBackoff, g.c.retryWait())),
		CheckRetry:   x.checkRetry,
		Backoff:      x.backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	g.clock.start(forever, "")
	_, err = retry.Do(&retryablehttp.Request{Request: req})
	g.clock.stop()
	g.retries += max(x.tries-1, 0)
	if err != nil {
		if x.last.wire != nil { // ctx ended just now
			x.last.wire.Close()
		}
		// What net/http says about the URL is said by Error.
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		e := g.fail(g.ended(err))
		e.RetryAfter = x.last.after
		var ours *Error // of a HostLimiter
		if errors.As(err, &ours) {
			e.Err, e.RetryAfter = ours.Err, ours.RetryAfter
		}
		return nil, e
	}
	return g.judge(&x.last)
}

// judge tells documents and redirects from failures.
func (g *getter) judge(res *result) (*result, error) {
	switch {
	case res.location != nil:
		return res, nil
	case isRedirect(res.status):
		return nil, g.fail(&cause{kind: ErrRedirect, detail: "bad redirect: status without Location"})
	case res.wire == nil:
		e := g.fail(statusError(res.status))
		e.RetryAfter = res.after
		return nil, e
	}
	var err error
	switch res.status {
	case http.StatusNoContent, http.StatusResetContent, http.StatusNotModified:
		return res, nil // without a body, and so without an encoding
	case http.StatusPartialContent:
		err = res.wire.expectPart(res.header)
	}
	if err == nil {
		res.encoding, err = encodings(res.header)
	}
	if err != nil {
		g.heard()
		res.wire.Close()
		return nil, g.fail(err)
	}
	return res, nil
}

// ended returns err, or why the document's context ended if it has. Its clock may run out
// where that of connecting would have.
func (g *getter) ended(err error) error {
	why := context.Cause(g.ctx)
	switch ctxErr := g.ctx.Err(); {
	case ctxErr == nil:
		return err
	case errors.Is(why, ErrTimeout) && g.unconnected:
		return &cause{kind: ErrConnect, err: why}
	case why == ctxErr || errors.Is(why, ErrTimeout):
		return why
	default:
		return &cause{kind: ctxErr, err: why}
	}
}

// An exchange is the http.RoundTripper under the retries of one hop. It asks the
// Limiter, watches the clock, and leaves nothing to net/http but to send one
// request: responses that are no document come back without body and Location.
type exchange struct {
	*getter
	tries int
	last  result
	// suspect is the connection over which a request was answered with a status that is tried again,
	// and not because the host is busy, nil if none was: what is behind that one alone may be to blame.
	suspect *conn
	noRoom  bool // for the last attempt, which went on a connection of its own and got none
}

// most returns how often the document is tried again at most.
func (x *exchange) most() int {
	if n := x.c.MaxRetries(); n > 0 {
		return n + x.spared
	}
	return 0
}

func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	x.last, x.unconnected, x.noRoom = result{}, true, false
	x.clock.stop()
	routed, route := withRoute(req.Context())
	req = req.WithContext(routed)
	release, done, err := x.acquire(req)
	x.clock.start(x.c.times.answer, "the connection and the response")
	if err != nil {
		return nil, &limited{err}
	}
	defer done()
	x.tries++
	x.sent, x.status = true, 0
	x.c.logRequest(req, x.tries)
	ctx, cancel := context.WithCancelCause(req.Context())
	x.clock.begin(cancel)
	watch := &inner{exchange: x, route: route, cancel: cancel, alone: x.goesAlone()}
	slot := &slot{release: release, origin: x.target.origin, watch: watch}
	x.c.parked.live.Add(1)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: watch.gotConn})
	req = req.WithContext(ctx)
	req.Header = x.header() // not before: http.Client would copy it for redirects that it never sees
	asked := time.Now()
	rt := x.c.lone
	if !watch.alone {
		rt = x.c.transport(x.target, req)
		watch.apart = x.c.lone != nil && rt == x.c.lone
	}
	resp, err := send(rt, req)
	x.unconnected = err != nil && watch.tries.Load() == 0
	if err != nil {
		if watch.unanswered(ctx, err) {
			x.spared = spares
		}
		err = classify(ctx, watch.explain(err), !x.unconnected)
		x.heardNothing(err, asked)
		slot.end()
		cancel(nil)
		x.betweenAttempts()
		return nil, err
	}
	w := &wire{getter: x.getter, src: source{resp.Body, ctx}, cancel: cancel, slot: slot, left: x.limit}
	w.unframed = resp.ProtoMajor == 1 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0
	w.watch()
	x.take(resp, w)
	return resp, nil
}

// acquire waits until req may go out: for the Limiter, and then for who asked for it.
func (x *exchange) acquire(req *http.Request) (release func(int, time.Duration), done func(), err error) {
	ctx := withLookup(req.Context(), x.lookup(req))
	if tries := x.retries + x.tries; tries > 0 {
		ctx = context.WithValue(ctx, triesKey{}, tries)
	}
	l, ours := x.c.limiter.(*HostLimiter)
	if !ours {
		turn.Queued(ctx) // as far as is known
	}
	release, err = x.c.limiter.Acquire(ctx, req.URL)
	if err != nil {
		return nil, nil, err
	}
	if done, err = turn.Take(req.Context()); err != nil {
		if release != nil {
			release(0, 0)
		}
		return nil, nil, err
	}
	if ours {
		l.sends(req.URL)
	}
	return release, done, nil
}

// send returns a response with a body and a header within bounds.
func send(rt http.RoundTripper, req *http.Request) (*http.Response, error) {
	resp, err := rt.RoundTrip(req)
	switch {
	case err != nil:
		return nil, err
	case resp == nil || resp.Body == nil:
		return nil, errors.New("transport returned no response")
	case countFields(resp.Header) > maxFields:
		resp.Body.Close()
		return nil, errManyFields
	}
	return resp, nil
}

// lookup returns what a HostLimiter looks up the host of req with: nothing where a proxy alone
// needs to know its address. A lookup takes of the document's time.
func (x *exchange) lookup(req *http.Request) lookupFunc {
	if x.c.guard == nil || x.c.AllowPrivateNetworks && x.c.proxy(req) != nil {
		return nil
	}
	return func(ctx context.Context, host string) ([]netip.Addr, error) {
		x.clock.start(forever, "")
		defer x.clock.stop()
		return x.c.guard.lookup(ctx, host)
	}
}

// take keeps what is wanted of resp and puts away the rest.
func (x *exchange) take(resp *http.Response, w *wire) {
	x.status = resp.StatusCode
	x.last = result{status: resp.StatusCode, header: resp.Header}
	if retriable(resp.StatusCode) {
		x.last.after = retryAfter(resp.Header, time.Now())
	}
	w.slot.answered(resp.StatusCode, x.last.after)
	w.slot.watch.answered(resp.StatusCode, x.last.after)
	success := resp.StatusCode/100 == 2
	if !success {
		x.heard() // else when the body comes
	}
	unchanged := resp.StatusCode == http.StatusNotModified && x.req.Validators != Validators{}
	if success || unchanged {
		x.clock.stop()
		w.slot.idle()
		x.last.wire = w
	} else {
		if locations := resp.Header.Values("Location"); isRedirect(resp.StatusCode) && len(locations) > 0 && locations[0] != "" {
			x.last.location = &locations[0]
		}
		// The body of a 101 is the connection, which no context ends.
		if resp.StatusCode != http.StatusSwitchingProtocols {
			x.clock.start(x.c.times.drain, "a body that is not wanted")
			io.Copy(io.Discard, io.LimitReader(&w.src, maxDrain))
		}
		w.end(nil)
		x.betweenAttempts()
	}
	// The rest is not net/http's affair: not redirects, nor the body.
	resp.Header = http.Header{}
	resp.Body = http.NoBody
}

// betweenAttempts lets only the document's clock run on.
func (x *exchange) betweenAttempts() {
	x.clock.begin(nil)
	x.clock.start(forever, "")
}

func isRedirect(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// limited marks an error of the Limiter, which is not retried.
type limited struct{ error }

func (l *limited) Unwrap() error { return l.error }

// classify returns what err, of a RoundTrip under ctx, means.
func classify(ctx context.Context, err error, connected bool) error {
	var policy *cause
	if errors.As(err, &policy) && (policy.kind == ErrRefused || policy.kind == ErrNoResponse) {
		return policy
	}
	if why := context.Cause(ctx); errors.Is(why, ErrNoResponse) {
		return why
	} else if errors.Is(why, ErrTimeout) {
		err = why
	} else if n := net.Error(nil); errors.As(err, &n) && n.Timeout() && ctx.Err() == nil {
		err = &cause{kind: ErrTimeout, err: err}
	}
	if connected {
		return &cause{kind: ErrNoResponse, err: err}
	}
	return &cause{kind: ErrConnect, err: err}
}

// final reports whether a failed attempt would fail again.
func final(err error) bool {
	var (
		byLimiter   *limited
		certificate *tls.CertificateVerificationError
		alert       *net.OpError // of package tls, which has no other type for it
		record      tls.RecordHeaderError
		dns         *net.DNSError
	)
	connecting := !errors.Is(err, ErrNoResponse) // later, it may be damage
	return errors.Is(err, ErrRefused) || errors.Is(err, errProxy) ||
		errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, &byLimiter) ||
		errors.As(err, &certificate) ||
		errors.As(err, &alert) && (alert.Op == "remote error" || alert.Op == "local error") && (connecting || isOfCertificate(alert)) ||
		connecting && errors.As(err, &record) ||
		errors.As(err, &dns) && dns.IsNotFound ||
		isHeaderTooLarge(err)
}

// isOfCertificate reports whether an alert says that a certificate, ours perhaps, is not accepted,
// as TLS 1.3 has it after the handshake: package tls has no types for them (RFC 8446, section 6.2).
func isOfCertificate(alert error) bool {
	s := alert.Error()
	return strings.Contains(s, "certificate") || strings.Contains(s, "access denied")
}

// isHeaderTooLarge tells the errors for a header above a bound, of which those of
// net/http have no type.
func isHeaderTooLarge(err error) bool {
	s := err.Error()
	return errors.Is(err, errManyFields) || errors.Is(err, errProtocol) ||
		strings.Contains(s, "server response headers exceeded") || // HTTP/1
		strings.Contains(s, "response header list larger") || // HTTP/2
		strings.Contains(s, "header list too large") // of responses 1xx
}
