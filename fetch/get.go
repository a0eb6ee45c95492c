package fetch

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Get gets the document that req names. The error is a *Error. ctx bounds the
// body as well: when it ends, reading the Body fails, but for what was read ahead.
//
// A response with a status of 2xx is a Document, an empty one (204) too; so is
// the first part of a document that the server sent without being asked for a
// part (206), whose Body then ends with ErrBody. Other statuses are ErrStatus,
// 304 too unless req has Validators.
func (c *Client) Get(ctx context.Context, req Request) (*Document, error) {
	c.init()
	g := &getter{c: c, req: &req, begun: time.Now(), limit: c.maxBytes(&req)}
	t, user, err := parseTarget(req.URL)
	if err != nil {
		return nil, &Error{Err: &cause{kind: ErrRequest, err: err}}
	}
	g.policy = policy{anyPort: c.AllowPrivateNetworks, guard: c.guard, named: []origin{t.origin}}
	if len(req.Origins) > 0 {
		var theirs *url.Userinfo
		if g.policy.named, theirs = namedOrigins(req.Origins, t.origin); user == nil {
			user = theirs
		}
	}
	g.target, g.user = t, user
	if err := c.checkHeader(&req); err != nil {
		return nil, g.fail(&cause{kind: ErrRequest, err: err})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	g.ctx, g.cancel = ctx, cancel
	g.clock = newClock(c.timeout(), req.Waited, cancel)
	if g.clock.remaining() == 0 {
		cancel(nil)
		return nil, g.fail(timeoutError("the document", c.timeout()))
	}
	doc, err := g.get()
	if err != nil {
		g.clock.stop()
		cancel(nil)
		return nil, err
	}
	return doc, nil
}

// namedOrigins returns the origins of urls, and the userinfo of the first of them
// that has one and carries to o.
func namedOrigins(urls []string, o origin) (named []origin, user *url.Userinfo) {
	for _, raw := range urls {
		t, u, err := parseTarget(raw)
		if err != nil {
			continue
		}
		named = append(named, t.origin)
		if user == nil && t.origin.carriesTo(o) {
			user = u
		}
	}
	return named, user
}

func (c *Client) checkHeader(req *Request) error {
	for _, h := range []http.Header{c.Header, req.Header} {
		if err := checkFields(h); err != nil {
			return err
		}
	}
	for _, v := range []string{req.ETag, req.LastModified} {
		if !httpguts.ValidHeaderFieldValue(v) {
			return errors.New("invalid validator")
		}
	}
	if !httpguts.ValidHeaderFieldValue(c.userAgent()) {
		return errors.New("invalid user agent")
	}
	return nil
}

func checkFields(h http.Header) error {
	for name, values := range h {
		if !httpguts.ValidHeaderFieldName(name) {
			return errors.New("invalid name of a header field")
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return errors.New("invalid value of header field " + name)
			}
		}
	}
	return nil
}

// A getter gets one document.
type getter struct {
	c      *Client
	req    *Request
	begun  time.Time
	limit  int64 // of bytes
	ctx    context.Context
	cancel context.CancelCauseFunc // ends ctx
	clock  *clock
	policy policy

	target      target
	user        *url.Userinfo // for the origin of the request's URL
	stripped    bool          // a redirect led to another host
	hops        []Hop
	retries     int  // so far
	spared      int  // of them, how many do not count
	sent        bool // anything
	unconnected bool // the last attempt got no connection
	status      int  // of the last response
}

// get follows redirects to a document.
func (g *getter) get() (*Document, error) {
	for {
		if err := g.policy.check(g.target); err != nil {
			return nil, g.fail(err)
		}
		res, err := g.do()
		if err != nil {
			return nil, err
		}
		if res.location == nil {
			return g.document(res), nil
		}
		if len(g.hops) >= g.maxRedirects() {
			return nil, g.fail(&cause{kind: ErrRedirect, detail: "too many redirects"})
		}
		next, err := g.target.redirect(*res.location)
		if err != nil {
			return nil, g.fail(err)
		}
		g.hops = append(g.hops, Hop{g.target.url.String(), res.status})
		if !g.target.origin.carriesTo(next.origin) {
			g.stripped = true
		}
		g.target = next
		g.c.logRedirect(g.ctx, g.hops[len(g.hops)-1], next.url)
		if g.wasAt(next.url.String()) {
			return nil, g.fail(&cause{kind: ErrRedirect, detail: "redirect loop"})
		}
	}
}

// wasAt reports whether a redirect was followed from loc.
func (g *getter) wasAt(loc string) bool {
	return slices.ContainsFunc(g.hops, func(h Hop) bool { return h.URL == loc })
}

func (g *getter) maxRedirects() int {
	if g.req.MaxRedirects == 0 {
		return DefaultRedirects
	}
	return max(g.req.MaxRedirects, 0)
}

// document makes the Document of the response that ended the redirects. It alone holds the
// header then: the body holds what the response came by.
func (g *getter) document(res *result) *Document {
	h := res.header
	res.header = nil
	doc := &Document{
		URL:         g.target.url,
		Hops:        g.hops,
		Status:      res.status,
		Header:      h,
		Validators:  Validators{h.Get("ETag"), h.Get("Last-Modified")},
		NotModified: res.status == http.StatusNotModified,
		Attempts:    g.attempts(),
		FirstByte:   time.Since(g.begun),
	}
	if doc.NotModified {
		doc.ETag = cmp.Or(doc.ETag, g.req.ETag)
		doc.LastModified = cmp.Or(doc.LastModified, g.req.LastModified)
		res.wire.Close()
		doc.Body = &body{wire: res.wire, raw: http.NoBody, plain: http.NoBody}
	} else {
		doc.Body = newBody(res.wire, res.encoding)
	}
	return doc
}

func (g *getter) attempts() int {
	if !g.sent {
		return 0
	}
	return 1 + g.retries
}

// fail returns err as the *Error of this document.
func (g *getter) fail(err error) *Error {
	return &Error{URL: g.target.url.String(), Hops: g.hops, Status: g.status, Attempts: g.attempts(), Err: err}
}

// isSecret reports whether a field of Request.Header is taken for a secret.
func isSecret(field string) bool { return !harmless[http.CanonicalHeaderKey(field)] }

// HasSecrets reports whether a field of Client.Header is taken for a secret. It is safe for
// concurrent use.
func (c *Client) HasSecrets() bool {
	for name := range c.Header {
		if isSecret(name) {
			return true
		}
	}
	return false
}

// harmless are the fields of Request.Header that any host may see.
var harmless = map[string]bool{
	"Accept": true, "Accept-Language": true, "Cache-Control": true, "From": true,
	"Pragma": true, "Referer": true, "User-Agent": true,
}

// ours are fields that Request.Header does not decide.
var ours = []string{
	"Accept-Encoding", "Range", "If-Range", "If-Match", "If-None-Match",
	"If-Modified-Since", "If-Unmodified-Since",
}

// header returns the header for a request to the current target.
func (g *getter) header() http.Header {
	h := make(http.Header, len(g.c.Header)+len(g.req.Header)+5)
	for _, from := range []http.Header{g.c.Header, g.req.Header} {
		for name, values := range from {
			h[http.CanonicalHeaderKey(name)] = values
		}
	}
	if g.stripped || len(g.req.Origins) > 0 && !g.policy.isNamedHost(g.target.origin) {
		maps.DeleteFunc(h, func(name string, _ []string) bool { return isSecret(name) })
	}
	for _, name := range ours {
		delete(h, name)
	}
	h.Set("Accept-Encoding", "gzip")
	if h.Get("Accept") == "" {
		h.Set("Accept", "*/*")
	}
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", g.c.userAgent())
	}
	if g.req.ETag != "" {
		h.Set("If-None-Match", g.req.ETag)
	}
	if g.req.LastModified != "" {
		h.Set("If-Modified-Since", g.req.LastModified)
	}
	if g.user != nil && !g.stripped && h.Get("Authorization") == "" {
		password, _ := g.user.Password()
		(&http.Request{Header: h}).SetBasicAuth(g.user.Username(), password)
	}
	return h
}

// encodings returns the codings of a Content-Encoding, or an ErrEncoding if one
// of them is not gzip (RFC 9110, section 8.4). What names no compression but is set
// in its place, by mistake, changes nothing.
func encodings(h http.Header) (gzips int, err error) {
	for _, field := range h.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(field, ",") {
			switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
			case "", "identity", "none", "utf-8", "utf8", "binary", "8bit", "aws-chunked":
			case "gzip", "x-gzip":
				gzips++
			default:
				return 0, &cause{kind: ErrEncoding, detail: "unknown content encoding " + clip(coding, 64)}
			}
		}
	}
	return gzips, nil
}
