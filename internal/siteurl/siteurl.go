// Package siteurl reads what a user names as a site.
package siteurl

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A Site is the URL of a site.
type Site struct {
	URL  *url.URL // without query, fragment and credentials
	User *url.Userinfo
	Bare bool // no scheme was named: that of URL is a guess
}

// Parse reads "example.com", "https://example.com/a/b", an internationalised host, or a host with a
// port. Its error holds no credentials.
func Parse(s string) (Site, error) {
	s = strings.TrimSpace(s)
	bare, full := IsBare(s), s
	if bare {
		full = "https://" + strings.TrimPrefix(s, "//")
	}
	if scheme := chars.SchemeOf(s); notHosts[strings.ToLower(scheme)] {
		return Site{}, fmt.Errorf("a %s: URL", scheme)
	}
	u, err := sitemap.ParseLoc(full)
	if safe := sitemap.Redact(s); safe != s && (err != nil || u.User == nil) &&
		!strings.Contains(s, `\`) { // browsers read it as a slash, so the host would differ
		return Parse(safe) // the credentials are not where a URL has them
	}
	if err != nil {
		return Site{}, err
	}
	// "http:/example.com" reads as the host "http" with an empty port.
	mistyped := bare && strings.HasSuffix(u.Host, ":") && !strings.Contains(u.Host, ".")
	mistyped = mistyped || strings.ContainsFunc(s, unicode.IsControl) // columns, or several lines
	if _, err := location.OriginOf(u); err != nil || u.Hostname() == "" || mistyped {
		return Site{}, fmt.Errorf("%q", sitemap.Redact(s))
	}
	st := Site{URL: u, User: u.User, Bare: bare}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return st, nil
}

// notHosts are the schemes after which an at sign does not follow the password of a site's user.
var notHosts = map[string]bool{
	"mailto": true, "sip": true, "sips": true, "xmpp": true, "acct": true, "news": true,
	"cid": true,
}

// IsBare reports whether a site is named without a scheme.
func IsBare(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return !ok || strings.ContainsAny(scheme, ".:/?#@")
}

// WithScheme returns the site at another scheme.
func (s Site) WithScheme(scheme string) Site {
	u := *s.URL
	u.Scheme = scheme
	s.URL = &u
	return s
}

// At returns the location of a path of the site's host, with or without a query, or "" if path
// cannot be read.
func (s Site) At(path string) string {
	ref, err := url.Parse(path)
	if err != nil || ref.Path == "" && ref.RawQuery == "" {
		return ""
	}
	if ref.Path == "" {
		ref.Path = "/"
	}
	u := &url.URL{Scheme: s.URL.Scheme, Host: s.URL.Host}
	ref = &url.URL{Path: ref.Path, RawPath: ref.RawPath, RawQuery: ref.RawQuery}
	return u.ResolveReference(ref).String()
}

// Named returns the URL of the site as the user named it, with its credentials.
func (s Site) Named() string {
	u := *s.URL
	u.User = s.User
	return u.String()
}

// Spelling returns the URL of the site without credentials and a last slash. It is the same for
// "example.com" and "https://EXAMPLE.com/".
func (s Site) Spelling() string { return strings.TrimSuffix(s.URL.String(), "/") }

// Dir returns the directory that the path of the site names: "/a/b/" for "/a/b", but "/a/" for
// "/a/index.html".
func (s Site) Dir() string {
	path := s.URL.EscapedPath()
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "/"
	}
	if last := path[i+1:]; last != "" && !strings.Contains(last, ".") {
		return path + "/"
	}
	return path[:i+1]
}

// Host returns the host of the site, normalized.
func (s Site) Host() string {
	o, _ := location.OriginOf(s.URL) // Parse has checked it
	return o.Host
}
