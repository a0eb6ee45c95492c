// Package trust decides which URLs a sitemap may list.
//
// The protocol's own example has three hosts that keep their sitemaps on a fourth one
// (sitemaps.org, "Sitemaps & Cross Submits"):
//
//	host             its sitemap
//	www.host1.com    http://www.sitemaphost.com/sitemap-host1.xml
//	www.host2.com    http://www.sitemaphost.com/sitemap-host2.xml
//	www.host3.com    http://www.sitemaphost.com/sitemap-host3.xml
//
// A sitemap lists URLs of its own host only, so none of these may list URLs of host1, host2 or
// host3 by itself. But http://www.host1.com/robots.txt holds this line:
//
//	Sitemap: http://www.sitemaphost.com/sitemap-host1.xml
//
// With it, the owner of www.host1.com vouches for sitemap-host1.xml, which may then list URLs
// of www.host1.com, and still none of www.host2.com. In this package:
//
//	robots := trust.Grants(trust.FromRobots, "http://www.host1.com/robots.txt", nil, nil)
//	const loc = "http://www.sitemaphost.com/sitemap-host1.xml"
//	scope := trust.Grants(trust.FromRobots, loc, nil, robots)
//	level, _ := scope.Judge("http://www.host1.com/page") // Robots
//	level, _ = scope.Judge("http://www.host2.com/page")  // Untrusted
//
// A [Grant] lets a document list the URLs of one host at or below one directory. A [Scope] is all
// grants of a document, as [Grants] makes them: those of the robots.txt or the sitemap index that
// names it, of the place it was served from, and of the caller who names it. A document inherits
// the scope of the index that lists it. [Scope.Judge] returns the [Level] of a URL.
//
// All of this is plain values and functions of them: nothing is fetched, and grants and scopes can
// be compared, copied and stored as JSON.
//
// The files, each building on those before it:
//
//	level.go    Level
//	grant.go    Grant
//	scope.go    Scope and its verdicts
//	source.go   Grants: the scope of a document, by what named it
package trust
