package fetch

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/net/http/httpguts"

	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/spool"
)

// Get gets the document that req names. It returns after the last byte of the body has come, which
// is then in memory or in a temporary file: however slowly Body is read, nothing is lost. The price
// is that the first byte of a large document comes late.
//
// The error is a [*Error], or ctx's error in one. A status of 2xx other than 206 is a success.
// 304 is one if the Validators of req were sent to the URL that answered with it. If the body broke
// off in every attempt, Get returns a Document whose Body ends with the error.
func (c *Client) Get(ctx context.Context, req Request) (*Document, error) {
	c.init()
	t, user, err := parseTarget(req.URL)
	if err = cmp.Or(c.invalid, err); err != nil {
		return nil, &Error{Err: err}
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g := &getter{
		c: c, req: &req, user: user, target: t,
		policy: policy{c.AllowPrivateNetworks, c.guard, []location.Origin{t.origin}},
		x: &exchange{
			url: t.url, host: t.origin.Host, began: time.Now(), delay: c.Delay,
			limit: c.maxBytes(&req), ahead: req.Ahead, failFast: req.FailFast,
			clock: clock{total: c.timeout(), left: c.timeout(), cancel: cancel},
		},
	}
	if c.guard != nil && !c.AllowPrivateNetworks {
		g.x.lookup = c.guard.lookup
	}
	if len(req.Origins) > 0 {
		g.nameOrigins(req.Origins)
	}
	g.x.share = c.room.Share()
	if req.Ahead {
		g.x.share = c.ahead.Share()
	}
	defer g.x.share.Release()
	defer g.x.clock.stop()
	return g.get(httptrace.WithClientTrace(
		context.WithValue(inner, exchangeKey{}, g.x),
		&httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { g.x.last.connected.Store(true) },
		},
	))
}

var errHeader = errors.New("invalid header field")

func checkHeader(h http.Header) error {
	for name, values := range h {
		for _, v := range values {
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(v) {
				return errHeader
			}
		}
	}
	return nil
}

// A getter gets one document: it sends one request a hop.
type getter struct {
	c        *Client
	req      *Request
	policy   policy
	user     *url.Userinfo // for the origin of the request's URL
	stripped bool          // a redirect led to another host
	hops     []Hop
	target   target // of the current hop
	x        *exchange
}

// nameOrigins takes the origins that the caller named, and the credentials of the first that has
// some for the request's URL.
func (g *getter) nameOrigins(urls []string) {
	g.policy.named = nil
	for _, raw := range urls {
		t, user, err := parseTarget(raw)
		if err != nil {
			continue
		}
		g.policy.named = append(g.policy.named, t.origin)
		if g.user == nil && carriesTo(t.origin, g.target.origin) {
			g.user = user
		}
	}
}

// get follows redirects to a document.
func (g *getter) get(ctx context.Context) (*Document, error) {
	for {
		if err := g.policy.check(g.target); err != nil {
			return nil, g.fail(err)
		}
		resp, err := g.send(ctx)
		if err != nil {
			return nil, g.fail(err)
		}
		if !isRedirect(resp.StatusCode) {
			return g.document(resp)
		}
		if err := g.follow(ctx, resp); err != nil {
			return nil, g.fail(err)
		}
	}
}

// send sends the request for the current hop until it is answered.
func (g *getter) send(ctx context.Context) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.target.text, nil)
	if err == nil {
		req.Header = g.header()
		err = checkHeader(req.Header)
	}
	if err != nil {
		return nil, &cause{kind: ErrRequest, err: err}
	}
	g.x.proxy.Store(nil)
	resp, err := g.c.http.Do(&retryablehttp.Request{Request: req})
	why := context.Cause(ctx)
	timedOut := errors.Is(why, ErrTimeout)
	if ue, ok := err.(*url.Error); ok { // its text repeats the URL
		err = ue.Err
	}
	switch {
	case why == nil, timedOut && (resp != nil || errors.Is(err, ErrTimeout)):
		return resp, err
	case err == nil:
		resp.Body.Close()
	}
	if ctxErr := ctx.Err(); why != ctxErr && !timedOut {
		return nil, &cause{kind: ctxErr, err: why}
	}
	return nil, why
}

func isRedirect(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// follow makes the target of a redirect the current one.
func (g *getter) follow(ctx context.Context, resp *http.Response) error {
	most := cmp.Or(g.req.MaxRedirects, 10)
	from := Hop{g.target.text, resp.StatusCode}
	switch {
	case g.x.last.location == "":
		return &cause{kind: ErrRedirect, detail: "bad redirect: status without Location"}
	case len(g.hops) >= most:
		return &cause{kind: ErrRedirect, detail: "too many redirects"}
	}
	next, err := g.target.redirect(g.x.last.location)
	if err != nil {
		return err
	}
	g.hops = append(g.hops, from)
	if !carriesTo(g.target.origin, next.origin) {
		g.stripped = true
	}
	g.target, g.x.url, g.x.host = next, next.url, next.origin.Host
	g.c.log.DebugContext(ctx, "fetch: redirect", "url", from.URL, "to", next.url)
	return nil
}

// document returns the document of the response that ended the redirects.
func (g *getter) document(resp *http.Response) (*Document, error) {
	doc := &Document{
		URL: g.target.url, Status: resp.StatusCode, Hops: g.hops, Header: resp.Header,
		Received: g.x.last.received, Attempts: g.attempts(),
	}
	doc.Validators = Validators{
		g.target.text, resp.Header.Get("ETag"), resp.Header.Get("Last-Modified"),
	}
	layers, err := 0, error(nil)
	switch {
	case resp.StatusCode == http.StatusNotModified && g.isConditional():
		doc.NotModified = true
		doc.ETag = cmp.Or(doc.ETag, g.req.ETag)
		doc.LastModified = cmp.Or(doc.LastModified, g.req.LastModified)
	case !isSuccess(resp.StatusCode):
		return nil, g.fail(statusError(resp.StatusCode))
	default:
		layers, err = encodings(resp.Header)
	}
	if err != nil && doc.Received > 0 {
		resp.Body.Close()
		return nil, g.fail(err)
	}
	raw := resp.Body.(*spool.Reader)
	doc.Body = newContent(raw, layers, g.x.limit, g.fail)
	doc.again = func() io.ReadCloser {
		c := newContent(raw.Body.Reader(), layers, g.x.limit, g.fail)
		c.isAgain = true
		return c
	}
	return doc, nil
}

// attempts returns how often the document was requested, without the redirects.
func (g *getter) attempts() int { return max(g.x.attempts-len(g.hops), min(g.x.attempts, 1)) }

// fail returns err as the *Error of this document.
func (g *getter) fail(err error) *Error {
	e := &Error{
		URL: g.target.text, Hops: g.hops, Status: g.x.last.status,
		Attempts: g.attempts(), RetryAfter: g.x.last.after, Err: err,
	}
	var ours *Error // of a HostLimiter
	if errors.As(err, &ours) {
		e.Err, e.RetryAfter = ours.Err, ours.RetryAfter
	}
	return e
}

func setField(h http.Header, name, value string) {
	if value != "" {
		h[name] = []string{value}
	}
}

// isConditional reports whether the validators of the request belong to the current hop.
func (g *getter) isConditional() bool {
	if g.req.ETag == "" && g.req.LastModified == "" {
		return false
	}
	of, _, err := parseTarget(cmp.Or(g.req.Validators.URL, g.req.URL))
	return err == nil && of.text == g.target.text
}

// isHarmless holds the fields that any host may see.
var isHarmless = map[string]bool{
	"Accept": true, "Accept-Language": true, "Cache-Control": true, "From": true,
	"Pragma": true, "Referer": true, "User-Agent": true,
}

// header returns the header for a request to the current target.
func (g *getter) header() http.Header {
	h := make(http.Header, len(g.c.Header)+len(g.req.Header)+5)
	for _, from := range []http.Header{g.c.Header, g.req.Header} {
		for name, values := range from {
			h[http.CanonicalHeaderKey(name)] = values
		}
	}
	if g.stripped || len(g.req.Origins) > 0 && !g.policy.isNamed(g.target.origin) {
		maps.DeleteFunc(h, func(name string, _ []string) bool { return !isHarmless[name] })
	}
	for _, name := range []string{
		"Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
	} {
		delete(h, name)
	}
	h.Set("Accept-Encoding", "gzip")
	if h.Get("Accept") == "" {
		h.Set("Accept", "*/*")
	}
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", g.c.userAgent())
	}
	if g.isConditional() {
		setField(h, "If-None-Match", g.req.ETag)
		setField(h, "If-Modified-Since", g.req.LastModified)
	}
	if g.user != nil && !g.stripped && h.Get("Authorization") == "" {
		password, _ := g.user.Password()
		(&http.Request{Header: h}).SetBasicAuth(g.user.Username(), password)
	}
	return h
}
