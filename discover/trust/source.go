package trust

import (
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A Source is the kind of thing that named a document.
type Source uint8

// The sources of documents.
const (
	// FromRobots means that a robots.txt names the document (sitemaps.org, "Specifying the Sitemap
	// location in your robots.txt file").
	FromRobots Source = iota + 1
	// FromIndex means that a sitemap index lists the document.
	FromIndex
	// FromHome means that a page links to the document. A page vouches for nothing.
	FromHome
	// FromKnownPath means that the location was chosen by convention, such as /sitemap.xml.
	FromKnownPath
	// FromCaller means that the user of this module named the document.
	FromCaller
)

// Grants returns the scope of a document. It is the one place where grants are made.
//
// By is the kind of thing that named the document, asked is the URL that was requested, and hops
// are the URLs that redirects led to, in order. Above is the scope of the robots.txt or index that
// named it, or else nil. For a robots.txt at https://www.host1.com/ that names a sitemap at
// http://www.sitemaphost.com/sitemap-host1.xml:
//
//	robots := trust.Grants(trust.FromRobots, "https://www.host1.com/robots.txt", nil, nil)
//	const loc = "http://www.sitemaphost.com/sitemap-host1.xml"
//	scope := trust.Grants(trust.FromRobots, loc, nil, robots)
//	// www.host1.com/ (robots), http://www.sitemaphost.com/ (location)
//
// The document has these grants, in this order:
//
//   - those of above, except for FromHome;
//   - if the caller names it, the whole host of asked, at level [Caller];
//   - if it was redirected, the directory of asked, but only if the caller or a known path chose it
//     or a grant of above covers it. Otherwise an open redirect on a host would grant that host to
//     anyone;
//   - the scheme, host and directory that it was served from (sitemaps.org, "Sitemap file
//     location").
//
// Nothing names a robots.txt itself: with FromRobots, no scope above and an asked URL whose path
// ends in /robots.txt, Grants returns the hosts that this file speaks for, at level [Robots]. These
// are the hosts of asked and of each hop, but only if the path is exactly /robots.txt and there is
// no query (RFC 9309, section 2.3). So a redirect to a file that somebody uploaded grants nothing
// of that file's host.
//
// Some servers and browsers read an escaped slash (%2F), a backslash or an escaped one (%5C) as a
// slash. So "/a/x%2Fy/../s.xml" is in /a/ for one server and in /a/x/ for another, and a user with
// one directory of a host could choose a path that grants more than that directory. The grant is
// for the directory that lies in all others, if there is one.
//
// A URL that is no absolute http or https URL grants nothing.
func Grants(by Source, asked string, hops []string, above Scope) Scope {
	path, _, _ := strings.Cut(asked, "?")
	if by == FromRobots && len(above) == 0 && strings.HasSuffix(path, "/robots.txt") {
		return ofRobots(append([]string{asked}, hops...))
	}
	var scope Scope
	if by != FromHome {
		scope = slices.Clip(above)
	}
	if by == FromCaller {
		scope = scope.withHost(asked, Caller)
	}
	final := asked
	if len(hops) > 0 {
		final = hops[len(hops)-1]
		if by == FromCaller || by == FromKnownPath || scope.covers(asked) {
			scope = scope.withDir(asked)
		}
	}
	return scope.withDir(final)
}

// ofRobots returns the hosts that a robots.txt speaks for. Redirects led from one of the URLs to
// the next.
func ofRobots(urls []string) Scope {
	var scope Scope
	for _, loc := range urls {
		if u, err := sitemap.ParseLoc(loc); err == nil && u.RequestURI() == "/robots.txt" {
			scope = scope.withHost(loc, Robots)
		}
	}
	return scope
}

// withHost returns the scope with the whole host of loc.
func (s Scope) withHost(loc string, by Level) Scope {
	o, _, err := location.ParseOrigin(loc)
	if err != nil {
		return s
	}
	return s.With(Grant{Host: strings.Clone(o.Host), Dir: "/", By: by})
}

// withDir returns the scope with the directory of loc.
func (s Scope) withDir(loc string) Scope {
	o, path, err := location.ParseOrigin(loc)
	if err != nil {
		return s
	}
	dir := location.Dir(path)
	for _, r := range readings(path) {
		switch other := location.Dir(r); {
		case strings.HasPrefix(other, dir):
			dir = other
		case !strings.HasPrefix(dir, other):
			return s
		}
	}
	// A grant may outlive loc, whose memory it must not hold.
	return s.With(Grant{o.Scheme, strings.Clone(o.Host), strings.Clone(dir), Location})
}
