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
	Rule{Code: ChildIsFeed, Severity: warning, Source: protocolIndex,
		Summary: "an index that lists a feed",
		Why: "An index is for sitemaps. Search engines may not accept a feed there, and it has " +
			"the latest pages only.",
		Fix: "Name the feed in robots.txt, and list a sitemap of all pages in the index."},
	Rule{Code: ChildIsPage, Severity: warning, Source: protocolIndex,
		Summary: "an index that lists a page",
		Why:     "Search Console reports an unsupported format, and no URL is read from it.",
		Fix: "List the URL of a sitemap in its place, and pages in a urlset. If it was a " +
			"sitemap, check why the server sends a page."},
	Rule{Code: ChildOnOtherSite, Severity: failure, Source: protocolIndex + "; " + googleIndex,
		Summary: "an index that lists a sitemap on a host that does not vouch for it",
		Why: "An index may only list sitemaps of its own site. Search engines ignore the others " +
			"unless their host names them.",
		Fix: "Add a Sitemap line for the index to the robots.txt of that host, or move the " +
			"sitemap to the host of the index."},
	Rule{Code: sitemap.ForeignChild, Severity: warning, Source: googleIndex,
		Summary: "an index that lists a sitemap on another host",
		Why: "Search engines read it only if the site on that host allows it. Others can change " +
			"what the index lists.",
		Fix: "Move the sitemap to the host of the index, or name the index in the robots.txt of " +
			"that host."},
	Rule{Code: sitemap.IndexLastModOld, Severity: warning, Source: protocolIndex,
		Summary: "a lastmod of an index that is before one of a page in the sitemap",
		Why: "Search engines go by the lastmod of the index and do not fetch the sitemap, so " +
			"they miss the pages that have changed.",
		Fix: "Write the lastmod of a sitemap when it is written: the latest of its pages, or " +
			"later. Or leave it out."},
	Rule{Code: sitemap.LateGrant, Severity: warning, Source: protocolCross,
		Summary: "a sitemap that was read before something that entitles it to list more URLs",
		Why: "URLs that it may list may have been left out as untrusted. The same happens to a " +
			"sitemap that more than 64 places entitle.",
		Fix: "Name the sitemap, or one index above it, in robots.txt, and list it in a single " +
			"index."},
	Rule{Code: NestedIndex, Severity: failure, Source: searchConsole,
		Summary: "an index that lists an index",
		Why: "Search Console reports nested indexes. " +
			"The sitemaps of the inner one are not read.",
		Fix: "List the sitemaps of the inner index in the outer one, or name both indexes in " +
			"robots.txt."},
	Rule{Code: SitemapInUrlset, Severity: warning, Source: searchConsole,
		Summary: "a urlset that lists sitemaps",
		Why:     "Search engines take them for pages, and read none of the URLs in them.",
		Fix: "List sitemaps in a sitemapindex: <sitemapindex> and <sitemap> for <urlset> and " +
			"<url>."},
	Rule{Code: SitemapListedTwice, Severity: warning, Source: protocolIndex,
		Summary: "a sitemap that is listed twice, in one index or in two",
		Why:     "The repetition is ignored. It wastes room, and its lastmod may contradict.",
		Fix:     "Keep one of the entries."},
)
