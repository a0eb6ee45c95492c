package fetch

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// A mapper is a RoundTripper that requests URLs as [Client.Map] says. The layers above it see the
// public URLs only.
type mapper struct {
	next  http.RoundTripper
	rules []mapRule // the longest first
}

// A mapRule replaces one prefix of URLs by another.
type mapRule struct{ from, to prefix }

// A prefix is an origin and a path without a slash at its end.
type prefix struct {
	origin location.Origin
	path   string
}

// newMapper returns a mapper, or the error of m.
func newMapper(next http.RoundTripper, m map[string]string) (*mapper, error) {
	p := &mapper{next: next}
	for from, to := range m {
		var rule mapRule
		var err error
		if rule.from, err = parsePrefix(from); err == nil {
			rule.to, err = parsePrefix(to)
		}
		if err != nil {
			return nil, err
		}
		p.rules = append(p.rules, rule)
	}
	slices.SortFunc(p.rules, func(a, b mapRule) int {
		return cmp.Compare(len(b.from.path), len(a.from.path))
	})
	return p, nil
}

func parsePrefix(s string) (prefix, error) {
	t, user, err := parseTarget(s)
	switch {
	case err != nil:
		return prefix{}, &cause{kind: ErrRequest, detail: "bad Map", err: err}
	case user != nil || strings.ContainsAny(s, "?#"):
		return prefix{}, &cause{
			kind: ErrRequest, detail: "bad Map: want URLs without credentials, query and fragment",
		}
	}
	return prefix{t.origin, strings.TrimRight(t.url.EscapedPath(), "/")}, nil
}

// replace returns u with the prefix to instead of p, or nil if u does not have p.
func (p prefix) replace(u *url.URL, to prefix) *url.URL {
	rest, ok := strings.CutPrefix(u.EscapedPath(), p.path)
	o, err := location.OriginOf(u)
	if !ok || err != nil || o != p.origin || rest != "" && rest[0] != '/' {
		return nil
	}
	v := *u
	v.Scheme, v.Host, v.RawPath = to.origin.Scheme, to.origin.Host, to.path+rest
	v.Path, _ = url.PathUnescape(v.RawPath) // both parts are escaped paths
	return &v
}

// RoundTrip requests the mapped URL, and maps the redirects of its server back.
func (m *mapper) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	x.mapped = ""
	for _, rule := range m.rules {
		u := rule.from.replace(req.URL, rule.to)
		if u == nil {
			continue
		}
		x.mapped = u.Host
		req = req.Clone(req.Context())
		req.URL, req.Host = u, ""
		resp, err := m.next.RoundTrip(req)
		if err == nil && resp != nil && resp.Header.Get("Location") != "" {
			m.restore(resp.Header, u, append([]mapRule{rule}, m.rules...))
		}
		return resp, err
	}
	return m.next.RoundTrip(req)
}

// restore resolves the Location of a response from u, and maps it back to a public URL if a rule
// leads there.
func (m *mapper) restore(h http.Header, u *url.URL, rules []mapRule) {
	ref, err := u.Parse(strings.TrimSpace(h.Get("Location")))
	if err != nil {
		return // reported above
	}
	for _, rule := range rules {
		if public := rule.to.replace(ref, rule.from); public != nil {
			ref = public
			break
		}
	}
	h.Set("Location", ref.String())
}
