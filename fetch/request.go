package fetch

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// A getter gets one document: it sends one request a hop.
type getter struct {
	c        *Client
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

// isHarmless holds the fields that any host may see.
var isHarmless = map[string]bool{
	"Accept": true, "Accept-Language": true, "Cache-Control": true, "From": true,
	"Pragma": true, "Referer": true, "User-Agent": true,
}

// header returns the header for a request to the current target.
func (g *getter) header() http.Header {
	h := make(http.Header, len(g.c.Header)+len(g.x.req.Header)+5)
	for _, from := range []http.Header{g.c.Header, g.x.req.Header} {
		for name, values := range from {
			h[http.CanonicalHeaderKey(name)] = values
		}
	}
	isTrusted := !g.stripped && g.policy.isNamed(g.target.origin)
	maps.DeleteFunc(h, func(name string, _ []string) bool {
		isOurs := name == "Range" || strings.HasPrefix(name, "If-")
		return isOurs || !isTrusted && !isHarmless[name]
	})
	h.Set("Accept-Encoding", "gzip")
	if h.Get("Accept") == "" {
		h.Set("Accept", "*/*")
	}
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", g.c.userAgent())
	}
	if g.isConditional() {
		tag := g.x.req.ETag
		if plain, ok := strings.CutSuffix(tag, `-gzip"`); ok {
			tag += ", " + plain + `"` // Apache compares with that of the file, without its suffix
		}
		setField(h, "If-None-Match", tag)
		setField(h, "If-Modified-Since", g.x.req.LastModified)
	}
	if g.user != nil && !g.stripped && h.Get("Authorization") == "" {
		password, _ := g.user.Password()
		(&http.Request{Header: h}).SetBasicAuth(g.user.Username(), password)
	}
	return h
}

// isValid reports whether every field of h is valid in HTTP.
func isValid(h http.Header) bool {
	for name, values := range h {
		for _, v := range values {
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(v) {
				return false
			}
		}
	}
	return true
}

func setField(h http.Header, name, value string) {
	if value != "" {
		h[name] = []string{value}
	}
}

// isConditional reports whether the validators of the request belong to the current hop.
func (g *getter) isConditional() bool {
	if g.x.req.ETag == "" && g.x.req.LastModified == "" {
		return false
	}
	of, _, err := parseTarget(cmp.Or(g.x.req.Validators.URL, g.x.req.URL))
	return err == nil && of.text == g.target.text
}
