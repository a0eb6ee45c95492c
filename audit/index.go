package audit

import "github.com/seed-322c453a/sitemap"

// The codes of indexes.
const (
	ChildIsFeed        sitemap.Code = "child_is_feed"
	ChildIsPage        sitemap.Code = "child_is_page"
	ChildOnOtherSite   sitemap.Code = "child_on_other_site"
	NestedIndex        sitemap.Code = "nested_index"
	SitemapInUrlset    sitemap.Code = "sitemap_in_urlset"
	SitemapListedTwice sitemap.Code = "sitemap_listed_twice"
)

var _ = register(
	rule(ChildIsFeed, warning, protocolIndex, "an index that lists a feed",
		"Search engines may not accept a feed in an index, and it has the latest pages only.",
		"Name the feed in robots.txt, and list a sitemap of all pages in the index."),
	rule(ChildIsPage, warning, protocolIndex, "an index that lists a page",
		"Search Console reports an unsupported format, and no URL is read from it.",
		"List the URL of a sitemap in its place, and pages in a urlset. If it was a sitemap, "+
			"check why the server sends a page."),
	rule(ChildOnOtherSite, failure, protocolIndex+"; "+googleIndex,
		"an index that lists a sitemap on a host that does not vouch for it",
		"Search engines ignore sitemaps of other sites unless their host names them.",
		"Add a Sitemap line for the index to the robots.txt of that host, or move the sitemap to "+
			"the host of the index."),
	rule(sitemap.ForeignChild, warning, googleIndex,
		"an index that lists a sitemap on another host",
		"Search engines read it only if that host allows it, and others can change what it lists.",
		"Move the sitemap to the host of the index, or name the index in the robots.txt of that "+
			"host."),
	rule(sitemap.IndexLastModOld, warning, protocolIndex,
		"a lastmod of an index that is before one of a page in the sitemap",
		"Search engines go by it and do not fetch the sitemap, so they miss changed pages.",
		"Write the lastmod of a sitemap when it is written: the latest of its pages, or later. Or "+
			"leave it out."),
	rule(sitemap.LateGrant, warning, protocolCross,
		"a sitemap that was read before something that entitles it to list more URLs",
		"URLs that it may list may have been left out as untrusted. The same happens to a sitemap "+
			"that more than 64 places entitle.",
		"Name the sitemap, or one index above it, in robots.txt, and list it in a single index."),
	rule(NestedIndex, failure, searchConsole, "an index that lists an index",
		"Search Console reports nested indexes. The sitemaps of the inner one are not read.",
		"List the sitemaps of the inner index in the outer one, or name both indexes in "+
			"robots.txt."),
	rule(SitemapInUrlset, warning, searchConsole, "a urlset that lists sitemaps",
		"Search engines take them for pages, and read none of the URLs in them.",
		"List sitemaps in a sitemapindex: <sitemapindex> and <sitemap> for <urlset> and <url>."),
	rule(SitemapListedTwice, warning, protocolIndex,
		"a sitemap that is listed twice, in one index or in two",
		"The repetition is ignored. It wastes room, and its lastmod may contradict.",
		"Keep one of the entries."),
)
