package fetch

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/spool"
)

// Get gets the document that req names. It returns after the last byte of the body has arrived. The
// body is then in memory or in a temporary file: however slowly Body is read, nothing is lost. The
// price is that the first byte of a large document is available late.
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
	x := &exchange{
		req: &req, began: time.Now(), delay: c.Delay, pause: max(c.retryWait(), 1),
		limit: c.maxBytes(&req), share: c.room.Share(),
		clock: clock{total: c.timeout(), left: c.timeout(), cancel: cancel},
	}
	if req.Ahead {
		x.share = c.ahead.Share()
	}
	if c.guard != nil && !c.AllowPrivateNetworks {
		x.lookup = c.guard.lookup
	}
	defer x.share.Release()
	defer x.clock.stop()
	g := &getter{
		c: c, x: x, user: user, target: t,
		policy: policy{c.AllowPrivateNetworks, c.guard, []location.Origin{t.origin}},
	}
	if len(req.Origins) > 0 {
		g.nameOrigins(req.Origins)
	}
	return g.get(context.WithValue(inner, exchangeKey{}, x))
}

// get follows redirects to a document.
func (g *getter) get(ctx context.Context) (*Document, error) {
	for {
		resp, err := g.send(ctx)
		if err == nil && !isRedirect(resp.StatusCode) {
			return g.document(resp)
		}
		if err == nil {
			err = g.follow(ctx, resp)
		}
		if err != nil {
			return nil, g.fail(err)
		}
	}
}

// send sends the request for the current hop until it is answered.
func (g *getter) send(ctx context.Context) (*http.Response, error) {
	if err := g.policy.check(g.target); err != nil {
		return nil, err
	}
	req, err := g.request(ctx)
	if err != nil {
		return nil, &cause{kind: ErrRequest, err: err}
	}
	if req.Header = g.header(); !isValid(req.Header) {
		return nil, &cause{kind: ErrRequest, detail: "invalid request: invalid header field"}
	}
	g.x.proxy.Store(nil)
	resp, err := g.c.http.Do(req)
	why := context.Cause(ctx)
	timedOut := errors.Is(why, ErrTimeout)
	if ue, ok := err.(*url.Error); ok { // its text repeats the URL
		err = ue.Err
	}
	if why == nil || timedOut && (err == nil || errors.Is(err, ErrTimeout)) {
		return resp, err
	}
	if err == nil {
		resp.Body.Close()
	}
	if timedOut || why == ctx.Err() {
		return nil, why
	}
	return nil, &cause{kind: ctx.Err(), err: why}
}

// request returns the request for the current hop, without its header.
func (g *getter) request(ctx context.Context) (*retryablehttp.Request, error) {
	if g.x.req.Body == nil {
		return retryablehttp.NewRequestWithContext(ctx, http.MethodGet, g.target.text, nil)
	}
	return retryablehttp.NewRequestWithContext(ctx, http.MethodPost, g.target.text, g.x.req.Body)
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
	switch {
	case g.x.req.Body != nil:
		return &cause{kind: ErrRedirect, detail: "bad redirect: of a POST request"}
	case g.x.last.location == "":
		return &cause{kind: ErrRedirect, detail: "bad redirect: status without Location"}
	case len(g.hops) >= cmp.Or(g.x.req.MaxRedirects, 10):
		return &cause{kind: ErrRedirect, detail: "too many redirects"}
	}
	next, err := g.target.redirect(g.x.last.location)
	if err != nil {
		return err
	}
	from := Hop{g.target.text, resp.StatusCode}
	g.hops = append(g.hops, from)
	if !carriesTo(g.target.origin, next.origin) {
		g.stripped = true
	}
	g.target = next
	g.c.log.DebugContext(ctx, "fetch: redirect", "url", from.URL, "to", next.url)
	return nil
}

// document returns the document of the response that ended the redirects.
func (g *getter) document(resp *http.Response) (*Document, error) {
	h := resp.Header
	doc := &Document{
		URL: g.target.url, Status: resp.StatusCode, Hops: g.hops, Header: h,
		Validators: Validators{g.target.text, validator(h, "ETag"), validator(h, "Last-Modified")},
		Received:   g.x.last.received, Attempts: g.attempts(),
	}
	switch {
	case resp.StatusCode == http.StatusNotModified && g.isConditional():
		doc.NotModified = true
		doc.ETag = cmp.Or(doc.ETag, g.x.req.ETag)
		doc.LastModified = cmp.Or(doc.LastModified, g.x.req.LastModified)
	case !isSuccess(resp.StatusCode):
		return nil, g.fail(statusError(resp.StatusCode))
	}
	layers, err := encodings(h)
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

// validator returns the value of a field, or "" if it is so long that a server may refuse the
// request that repeats it.
func validator(h http.Header, name string) string {
	if v := h.Get(name); len(v) <= 1<<10 {
		return v
	}
	return ""
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
