package audit

// siteRules are about the sitemaps of a site together.
var siteRules = []Rule{
	{
		Code:     "alternate_not_listed",
		Severity: info,
		Summary:  "an alternate that no sitemap lists",
		Why: "Search engines find it by the alternates of other pages only, " +
			"and cannot see that it names them in return.",
		Fix:    "List the page as well, with the same alternates.",
		Source: googleAlternates,
	},
	{
		Code:     "child_is_feed",
		Severity: warning,
		Summary:  "an index that lists a feed",
		Why: "An index is for sitemaps. " +
			"Search engines may not accept a feed there, and it has the latest pages only.",
		Fix:    "Name the feed in robots.txt, and list a sitemap of all pages in the index.",
		Source: protocolIndex,
	},
	{
		Code:     "child_is_page",
		Severity: warning,
		Summary:  "an index that lists a page",
		Why:      "Search Console reports an unsupported format, and no URL is read from it.",
		Fix: "List the URL of a sitemap in its place, and pages in a urlset. " +
			"If it was a sitemap, check why the server sends a page.",
		Source: protocolIndex,
	},
	{
		Code:     "child_on_other_site",
		Severity: failure,
		Summary:  "an index that lists a sitemap on a host that does not vouch for it",
		Why: "An index may only list sitemaps of its own site. " +
			"Search engines ignore the others unless their host names them.",
		Fix: "Add a Sitemap line for the index to the robots.txt of that host, " +
			"or move the sitemap to the host of the index.",
		Source: protocolIndex + "; " + googleIndex,
	},
	{
		Code:     "hreflang_no_return",
		Severity: warning,
		Summary:  "a page that another names as an alternate, but that does not name it in return",
		Why:      "Google ignores alternates that do not name each other.",
		Fix:      "Give both pages the same set of alternates, each with itself.",
		Source:   googleAlternates,
	},
	{
		Code:     "lastmod_without_change",
		Severity: warning,
		Summary:  "a lastmod in an index that moved although the sitemap did not change",
		Why: "Search engines fetch the sitemap in vain. " +
			"Google ignores lastmods that turn out to be wrong.",
		Fix:    "Write when the sitemap last changed, not when it was last written.",
		Source: googleBuild,
	},
	{
		Code:     "mixed_hosts",
		Severity: warning,
		Summary:  "pages of several hosts or schemes in the sitemaps of a site",
		Why: "All URLs of a sitemap have to be on one host. " +
			"Often some are left from a move to https or to another name.",
		Fix:    "List the canonical URLs alone, and give each host a sitemap of its own.",
		Source: protocolXML,
	},
	{
		Code:     "nested_index",
		Severity: failure,
		Summary:  "an index that lists an index",
		Why: "Search Console reports nested indexes. " +
			"The sitemaps of the inner one are not read.",
		Fix: "List the sitemaps of the inner index in the outer one, " +
			"or name both indexes in robots.txt.",
		Source: searchConsole,
	},
	{
		Code:     "no_sitemap",
		Severity: failure,
		Summary:  "a site without a sitemap",
		Why: "Search engines find pages by links only, " +
			"so they may miss some or find them late.",
		Fix: "Add the line Sitemap: https://www.example.com/sitemap.xml to robots.txt, " +
			"with the URL of the sitemap.",
		Source: protocolSubmit,
	},
	{
		Code:     "not_in_robots",
		Severity: warning,
		Summary:  "a sitemap that robots.txt does not name",
		Why:      "Search engines find it only if it is submitted to each of them.",
		Fix:      "Add a line to robots.txt: Sitemap: https://www.example.com/sitemap.xml.",
		Source:   protocolSubmit,
	},
	{
		Code:     "page_missing_file",
		Severity: failure,
		Summary:  "a page that has no file in the folder of the site",
		Why: "The server will answer with status 404, " +
			"so search engines cannot index the page.",
		Fix: "Add the file, or remove the page from the sitemap. " +
			"For /a/ it is a/index.html, for /a also a.html.",
		Source: googleStatus,
	},
	{
		Code:     "sitemap_disallowed",
		Severity: failure,
		Summary:  "a sitemap that robots.txt disallows",
		Why: "The search engine does not fetch it: " +
			"Search Console reports that robots.txt blocks it.",
		Fix:    "Remove the Disallow rule, or add Allow: /sitemap.xml to the same group.",
		Source: searchConsole,
	},
	{
		Code:     "sitemap_listed_twice",
		Severity: warning,
		Summary:  "a sitemap that is listed twice, in one index or in two",
		Why:      "The repetition is ignored. It wastes room, and its lastmod may contradict.",
		Fix:      "Keep one of the entries.",
		Source:   protocolIndex,
	},
	{
		Code:     "sitemap_redirects",
		Severity: warning,
		Summary:  "a sitemap whose location redirects",
		Why: "Yandex asks to remove the redirect. " +
			"Each hop costs a request and can fail.",
		Fix:    "List the final URL in robots.txt or in the index.",
		Source: `Yandex Webmaster, "Sitemap files"`,
	},
	{
		Code:     "sitemap_status",
		Severity: failure,
		Summary:  "a sitemap that is answered with an error status",
		Why:      "Search Console reports an HTTP error, and no URL is read from it.",
		Fix: "Answer with status 200, also to crawlers. " +
			"If the sitemap is gone, remove it from robots.txt and from its index.",
		Source: searchConsole,
	},
	{
		Code:     "sitemap_timeout",
		Severity: failure,
		Summary:  "a sitemap that does not come in time",
		Why:      "Search engines give up as well, and read no URL or a part of them.",
		Fix: "Write the sitemap to a file ahead of time instead of at each request, " +
			"or split it.",
		Source: searchConsole,
	},
	{
		Code:     "sitemap_unreachable",
		Severity: failure,
		Summary:  "a sitemap that cannot be fetched",
		Why: "Search Console reports that it could not be fetched, " +
			"and no URL is read from it.",
		Fix: "Check the host name, the certificate and the redirects of its URL, " +
			"and whether the server blocks crawlers.",
		Source: searchConsole,
	},
	{
		Code:     "untrusted_host",
		Severity: failure,
		Summary:  "URLs on a host that does not vouch for the sitemap",
		Why:      "Search engines ignore them, since anybody could list URLs of others otherwise.",
		Fix: "Add a Sitemap line for this sitemap to the robots.txt of that host, " +
			"or list the URLs in a sitemap of that host.",
		Source: protocolCross,
	},
	{
		Code:     "url_disallowed",
		Severity: failure,
		Summary:  "a listed page that robots.txt disallows",
		Why: "The search engine may not crawl the page. " +
			"Search Console reports that the sitemap has URLs blocked by robots.txt.",
		Fix:    "Remove the page from the sitemap, or change the rule in robots.txt.",
		Source: searchConsole,
	},
	{
		Code:     "url_in_several_sitemaps",
		Severity: warning,
		Summary:  "a URL that several sitemaps list",
		Why:      "It wastes room, and search engines may read two lastmods that contradict.",
		Fix:      "List each URL in one sitemap.",
		Source:   protocolIndex,
	},
}
