package audit

// pageRules are about the pages themselves.
var pageRules = []Rule{
	{
		Code:     "page_canonical_elsewhere",
		Severity: failure,
		Summary:  "a page that names another URL as its canonical one",
		Why:      "Search engines index the canonical URL. Sitemap and page contradict each other.",
		Fix: "List the canonical URL in its place, " +
			`or correct the page's <link rel="canonical"> or Link header.`,
		Source: googleCanonical,
	},
	{
		Code:     "page_error",
		Severity: failure,
		Summary:  "a page that is answered with an error",
		Why: "Search engines crawl the site more slowly after errors of the server, " +
			"and finally drop the page from the index.",
		Fix:    "Mend the page or the server, or remove the page from the sitemap.",
		Source: googleStatus,
	},
	{
		Code:     "page_forbidden",
		Severity: failure,
		Summary:  "a page that is answered with status 401 or 403",
		Why:      "Search engines cannot read the page, and drop it from the index.",
		Fix: "Remove pages behind a login from the sitemap. " +
			"If the page is public, check whether the server blocks crawlers.",
		Source: googleStatus,
	},
	{
		Code:     "page_lastmod_differs",
		Severity: info,
		Summary:  "a page whose own date of change is more than a day later than its lastmod",
		Why: "Search engines compare the two, " +
			"and ignore the lastmods of a site if they are wrong. " +
			"They may also come late to the change.",
		Fix:    "Take the lastmod from the source of Last-Modified or article:modified_time.",
		Source: googleBuild,
	},
	{
		Code:     "page_noindex",
		Severity: failure,
		Summary:  "a page that is kept out of the index",
		Why:      "The sitemap asks to index the page, and the page forbids it. It is not indexed.",
		Fix: "Remove noindex from the meta robots tag or the X-Robots-Tag header, " +
			"or remove the page from the sitemap.",
		Source: googleRobotsMeta,
	},
	{
		Code:     "page_not_found",
		Severity: failure,
		Summary:  "a page that is answered with status 404 or 410",
		Why:      "Search engines do not index it, and their request is wasted.",
		Fix:      "Remove the page from the sitemap, or restore it.",
		Source:   googleStatus,
	},
	{
		Code:     "page_redirects",
		Severity: failure,
		Summary:  "a page that redirects",
		Why:      "Search engines index the target instead, and each hop costs a request.",
		Fix:      "List the final URL in its place.",
		Source:   googleStatus,
	},
	{
		Code:     "page_soft_404",
		Severity: warning,
		Summary:  "a page with the body that its host gives for a path that does not exist",
		Why: "Search engines take it for a page that does not exist, in spite of its status 200, " +
			"and do not index it.",
		Fix: "Restore the page or remove it from the sitemap, " +
			"and answer paths that do not exist with status 404.",
		Source: googleStatus,
	},
	{
		Code:     "page_timeout",
		Severity: failure,
		Summary:  "a page that is not answered in time",
		Why:      "Search engines crawl the site more slowly, and finally drop the page.",
		Fix:      "Make the page faster, and check the load of the server.",
		Source:   googleStatus,
	},
}
