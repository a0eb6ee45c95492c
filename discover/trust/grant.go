package trust

import (
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A Grant entitles a document to list the URLs of a host at or below a directory. [OfRobots],
// [OfLocation] and [OfCaller] return grants in the form that [Scope.Judge] compares.
type Grant struct {
	// Scheme is "http" or "https" if a location grants, else "", which stands for both.
	Scheme string `json:"scheme,omitempty"`
	// Host is in lower-case ASCII (IDNA) without a trailing dot. It includes a port that is not
	// the default one of its scheme.
	Host string `json:"host"`
	// Dir starts and ends with a slash. "/" is the whole host.
	Dir string `json:"dir"`
	// By is the level that the grant gives.
	By Level `json:"by"`
}

// String returns the grant in the form "https://example.com/a/ (location)".
func (g Grant) String() string {
	scheme := g.Scheme
	if scheme != "" {
		scheme += "://"
	}
	return scheme + g.Host + g.Dir + " (" + g.By.String() + ")"
}

// OfRobots returns the grants of a robots.txt to the documents that it names: the whole of its
// host.
//
// Asked is the URL that was requested. Hops are the URLs that redirects led to, in order. The host
// of each of them grants, but only if the path is exactly /robots.txt and there is no query (RFC
// 9309, section 2.3). So a redirect to a file that somebody uploaded grants nothing of that file's
// host.
func OfRobots(asked string, hops ...string) []Grant {
	var scope Scope
	for _, loc := range append([]string{asked}, hops...) {
		u, err := sitemap.ParseLoc(loc)
		if err != nil || u.RequestURI() != "/robots.txt" {
			continue
		}
		if g, ok := ofHost(loc, Robots); ok {
			scope = scope.With(g)
		}
	}
	return scope
}

// OfCaller returns the grant of a caller who names the sitemap at u: the whole of its host. It
// reports false if u is no absolute http or https URL.
func OfCaller(u string) (Grant, bool) { return ofHost(u, Caller) }

func ofHost(loc string, by Level) (Grant, bool) {
	o, _, err := location.ParseOrigin(loc)
	if err != nil {
		return Grant{}, false
	}
	return Grant{Host: strings.Clone(o.Host), Dir: "/", By: by}, true
}

// OfLocation returns the grant of the place that a document was served from: the scheme, the host
// and the directory of doc (sitemaps.org, "Sitemap file location"). It reports false if doc is no
// absolute http or https URL.
//
// Some servers and browsers read an escaped slash (%2F), a backslash or an escaped one (%5C) as a
// slash. So "/a/x%2Fy/../s.xml" is in /a/ for one server and in /a/x/ for another, and a user with
// one directory of a host could choose a path that grants more than that directory. The grant is
// for the directory that lies in all others. OfLocation reports false if there is none.
//
// If redirects led to the document, doc is the last URL. The requested URL grants too only if its
// source has grants for it. Otherwise an open redirect on a host would grant that host to anyone.
func OfLocation(doc string) (Grant, bool) {
	o, path, err := location.ParseOrigin(doc)
	if err != nil {
		return Grant{}, false
	}
	dir := location.Dir(path)
	for _, r := range readings(path) {
		switch other := location.Dir(r); {
		case strings.HasPrefix(other, dir):
			dir = other
		case !strings.HasPrefix(dir, other):
			return Grant{}, false
		}
	}
	// A grant may outlive doc, whose memory it must not hold.
	return Grant{o.Scheme, strings.Clone(o.Host), strings.Clone(dir), Location}, true
}

// readings returns the other ways to read a normalized path: with escaped slashes as slashes, with
// backslashes as slashes, and with both.
func readings(path string) []string {
	if !strings.Contains(path, "%5C") && !strings.Contains(path, "%2F") {
		return nil
	}
	return []string{
		strings.ReplaceAll(path, "%5C", "/"),
		strings.ReplaceAll(path, "%2F", "/"),
		strings.NewReplacer("%5C", "/", "%2F", "/").Replace(path),
	}
}

// covers reports whether path, which is normalized, is in the directory of g by every reading.
func (g Grant) covers(path string) bool {
	outside := func(path string) bool { return !location.InDir(g.Dir, path) }
	return g.Dir == "/" || !outside(path) && !slices.ContainsFunc(readings(path), outside)
}

// isOf reports whether g is a grant of the origin o.
func (g Grant) isOf(o location.Origin) bool {
	return g.Host == o.Host && (g.Scheme == "" || g.Scheme == o.Scheme)
}

// isVariantOf reports whether the origin of g differs from o by http against https on default
// ports, by one leading "www.", or by both.
func (g Grant) isVariantOf(o location.Origin) bool {
	if g.Scheme != "" && g.Scheme != o.Scheme && hasPort(o.Host) {
		return false
	}
	return g.Host == o.Host || "www."+g.Host == o.Host || g.Host == "www."+o.Host
}

// hasPort reports whether a normalized host has a port. The colons of an IPv6 address are in
// brackets.
func hasPort(host string) bool {
	return strings.LastIndexByte(host, ':') > strings.LastIndexByte(host, ']')
}

// subsumes reports whether g covers whatever other covers, at the same level or a stronger one.
func (g Grant) subsumes(other Grant) bool {
	return g.By >= other.By && g.Host == other.Host &&
		(g.Scheme == "" || g.Scheme == other.Scheme) &&
		(g.Dir == other.Dir || location.InDir(g.Dir, other.Dir))
}
