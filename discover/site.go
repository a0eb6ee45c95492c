package discover

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A site is what a user names.
type site struct {
	url  *url.URL // without query, fragment and credentials
	user *url.Userinfo
	bare bool // no scheme was named: that of url is a guess
}

// parseSite reads "example.com", "https://example.com/a/b", an internationalised host, or a host
// with a port.
func parseSite(s string) (site, error) {
	s = strings.TrimSpace(s)
	bare, full := isBare(s), s
	if bare {
		full = "https://" + strings.TrimPrefix(s, "//")
	}
	if scheme := chars.SchemeOf(s); notHosts[strings.ToLower(scheme)] {
		return site{}, fmt.Errorf("discover: %w: a %s: URL", ErrSite, scheme)
	}
	u, err := sitemap.ParseLoc(full)
	if safe := sitemap.Redact(s); safe != s && (err != nil || u.User == nil) {
		return parseSite(safe) // the credentials are not where a URL has them
	}
	if err != nil {
		return site{}, fmt.Errorf("discover: %w: %w", ErrSite, err)
	}
	// "http:/example.com" reads as the host "http" with an empty port.
	mistyped := bare && strings.HasSuffix(u.Host, ":") && !strings.Contains(u.Host, ".")
	if _, err := location.OriginOf(u); err != nil || u.Hostname() == "" || mistyped {
		return site{}, fmt.Errorf("discover: %w: %q", ErrSite, sitemap.Redact(s))
	}
	st := site{url: u, user: u.User, bare: bare}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return st, nil
}

// notHosts are the schemes after which an at sign does not follow the password of a site's user.
var notHosts = map[string]bool{
	"mailto": true, "sip": true, "sips": true, "xmpp": true, "acct": true, "news": true, "cid": true,
}

// seedSite returns the site that a seed was found for: that of the robots.txt or the home page that
// names it or the index above it, or else its own.
func seedSite(s *Sitemap) (site, error) {
	for s.Referrer != nil && s.RobotsURL == "" && s.HomeURL == "" {
		s = s.Referrer
	}
	return parseSite(cmp.Or(s.RobotsURL, s.HomeURL, s.Loc))
}

// isBare reports whether a site is named without a scheme.
func isBare(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return !ok || strings.ContainsAny(scheme, ".:/?#@")
}

// withScheme returns the site at another scheme.
func (s site) withScheme(scheme string) site {
	u := *s.url
	u.Scheme = scheme
	s.url = &u
	return s
}

// at returns the location of a path of the site's host, "" if path cannot be read.
func (s site) at(path string) string {
	ref, err := url.Parse(path)
	if err != nil || ref.Path == "" && ref.RawQuery == "" {
		return ""
	}
	if ref.Path == "" {
		ref.Path = "/"
	}
	u := &url.URL{Scheme: s.url.Scheme, Host: s.url.Host}
	ref = &url.URL{Path: ref.Path, RawPath: ref.RawPath, RawQuery: ref.RawQuery}
	return u.ResolveReference(ref).String()
}

// origin returns the site as the caller named it, with its credentials, for
// [fetch.Request.Origins].
func (s site) origin() string {
	u := *s.url
	u.User = s.user
	return u.String()
}

// dir returns the directory that the site's path names: "/a/b/" for "/a/b", but "/a/" for
// "/a/index.html".
func (s site) dir() string {
	path := s.url.EscapedPath()
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "/"
	}
	if last := path[i+1:]; last != "" && !strings.Contains(last, ".") {
		return path + "/"
	}
	return path[:i+1]
}

func (s site) host() string {
	o, _ := location.OriginOf(s.url) // parseSite has checked it
	return o.Host
}

// seedLoc returns the location of a seed, without credentials and surrounding blanks.
func seedLoc(s *Sitemap) string {
	loc := strings.TrimSpace(s.Loc)
	if !strings.Contains(loc, "@") {
		return loc
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil || u.User == nil {
		return sitemap.Redact(loc)
	}
	u.User = nil
	return u.String()
}

// registrable returns the registrable domain of a host (publicsuffix.org), or "" for an address, a
// public suffix, and a host with a port.
func registrable(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || strings.Contains(host, ":") {
		return ""
	}
	if last := domain[strings.LastIndexByte(domain, '.')+1:]; strings.Trim(last, "0123456789") == "" {
		return ""
	}
	return domain
}

// knownLocs returns the locations of the known paths, each once.
func (s site) knownLocs(o *Options) []string {
	paths := o.KnownPaths
	if paths == nil {
		paths = DefaultKnownPaths()
		if dir := s.dir(); dir != "/" {
			paths = append(paths, dir+"sitemap.xml", dir+"sitemap_index.xml")
		}
	}
	var locs []string
	for _, p := range paths {
		if loc := s.at(p); loc != "" && !slices.Contains(locs, loc) {
			locs = append(locs, loc)
		}
	}
	return locs
}

// DefaultKnownPaths returns the paths where sites usually have a sitemap. A walk tries them, in
// this order, if it finds none through robots.txt. After them it tries the first two below the path
// of the site, if it has one, and then the sitemaps that the home page names by
// <link rel="sitemap">.
func DefaultKnownPaths() []string {
	return []string{
		"/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml", "/sitemap-index.xml",
		"/sitemap.xml.gz", "/sitemap.txt",
	}
}
