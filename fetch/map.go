package fetch

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// A mapper is a RoundTripper that requests URLs from where Client.Map says. Above it, all URLs are
// those before.
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

// apply returns u with the prefix to instead of from, or nil if u does not have it.
func (from prefix) apply(u *url.URL, to prefix) *url.URL {
	rest, ok := strings.CutPrefix(u.EscapedPath(), from.path)
	if o, err := location.OriginOf(u); !ok || err != nil || o != from.origin ||
		rest != "" && rest[0] != '/' {
		return nil
	}
	path, err := url.PathUnescape(to.path + rest)
	if err != nil {
		return nil
	}
	v := *u
	v.Scheme, v.Host, v.Path, v.RawPath = to.origin.Scheme, to.origin.Host, path, to.path+rest
	return &v
}

// RoundTrip requests the URL that stands for the request's. A redirect to a URL that stands for
// another leads to that one.
func (m *mapper) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	x.mapped = ""
	for i, rule := range m.rules {
		u := rule.from.apply(req.URL, rule.to)
		if u == nil {
			continue
		}
		x.mapped = u.Host
		req = req.Clone(req.Context())
		req.URL, req.Host = u, ""
		resp, err := m.next.RoundTrip(req)
		if err == nil && resp != nil && resp.Header.Get("Location") != "" {
			m.restore(resp.Header, u, append([]mapRule{m.rules[i]}, m.rules...))
		}
		return resp, err
	}
	return m.next.RoundTrip(req)
}

// restore makes the Location of an answer from u absolute, and one that a rule leads to the URL
// that it stands for.
func (m *mapper) restore(h http.Header, u *url.URL, rules []mapRule) {
	ref, err := u.Parse(strings.TrimSpace(h.Get("Location")))
	if err != nil {
		return // reported above
	}
	for _, rule := range rules {
		if public := rule.to.apply(ref, rule.from); public != nil {
			ref = public
			break
		}
	}
	h.Set("Location", ref.String())
}
