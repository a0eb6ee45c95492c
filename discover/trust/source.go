package trust

import (
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

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
