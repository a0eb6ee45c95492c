package audit

// documentRules are about one document, beyond what reading reports.
var documentRules = []Rule{
	{
		Code:     "element_order",
		Severity: info,
		Summary:  "elements of an entry in another order than the schema's",
		Why:      "A validator refuses the document, but search engines read it.",
		Fix: "Write loc, lastmod, changefreq and priority in this order, " +
			"and images and other extensions after them.",
		Source: protocolSchema,
	},
	{
		Code:     "lastmod_all_equal",
		Severity: warning,
		Summary:  "more than 20 entries that all have the same lastmod",
		Why: "It is the time when the sitemap was written rather than that of changes. " +
			"Bing and Google then ignore the lastmods of the site.",
		Fix:    "Write when the content of each page last changed, or leave the lastmod out.",
		Source: bingLastMod,
	},
	{
		Code:     "lastmod_coverage",
		Severity: info,
		Summary:  "entries without a lastmod",
		Why: "Search engines do not learn which of these pages have changed, " +
			"and have to guess.",
		Fix:    "Add a lastmod to each page for which the date of its last change is known.",
		Source: bingLastMod,
	},
	{
		Code:     "lastmod_future",
		Severity: warning,
		Summary:  "a lastmod more than a day ahead",
		Why: "No page can have changed then. " +
			"Search engines ignore the value and may distrust others.",
		Fix: "Write when the page last changed. " +
			"Check the clock, the zone and the order of day and month.",
		Source: googleBuild,
	},
	{
		Code:     "lastmod_is_fetch_time",
		Severity: warning,
		Summary:  "lastmods that are all the time of the request",
		Why: "The server writes the present time at each request. " +
			"Google then ignores the lastmods of the site.",
		Fix:    "Write when the content of each page last changed, for example from its record.",
		Source: googleBuild,
	},
	{
		Code:     "lastmod_stale",
		Severity: info,
		Summary:  "a document whose newest lastmod is older than a year",
		Why:      "Either nothing changes there, or the sitemap is not written any more.",
		Fix:      "Check that the sitemap is still updated, and that new pages come into it.",
		Source:   bingLastMod,
	},
	{
		Code:     "not_utf8",
		Severity: failure,
		Summary:  "an encoding other than UTF-8",
		Why:      "The protocol requires UTF-8. Readers of UTF-8 alone refuse the document.",
		Fix: `Save the document in UTF-8, and declare it: ` +
			`<?xml version="1.0" encoding="UTF-8"?>. ` +
			"Remove a byte order mark of UTF-16.",
		Source: protocolXML,
	},
	{
		Code:     "priority_all_equal",
		Severity: info,
		Summary:  "more than 20 entries that all have the same priority",
		Why: "Priorities only compare the pages of one site, so equal ones say nothing. " +
			"Google ignores all of them.",
		Fix:    "Leave the priority out, or give higher ones to the pages that matter most.",
		Source: protocolTags,
	},
	{
		Code:     "same_page_variants",
		Severity: warning,
		Summary:  "URLs that differ only in http or https, www, the default port or a fragment",
		Why: "They are usually one page. " +
			"Search engines crawl it several times, and choose one of the URLs.",
		Fix:    "List the canonical URL alone, for example https://www.example.com/page.",
		Source: protocolFAQ,
	},
	{
		Code:     "session_id",
		Severity: warning,
		Summary:  "a session ID in a URL",
		Why: "The page gets a new URL in each session, " +
			"so search engines crawl it again and again. " +
			"The listed session soon expires.",
		Fix:    "Remove the parameter: /page, not /page;jsessionid=1A2B or /page?PHPSESSID=1a2b.",
		Source: protocolFAQ,
	},
	{
		Code:     "unescaped_loc",
		Severity: warning,
		Summary:  "a character in a URL that must be escaped",
		Why: "The URL is invalid by RFC 3986. " +
			"Most search engines escape the character themselves, others refuse the URL.",
		Fix: "Write the character as its bytes of UTF-8 in percent signs: %C3%BC for ü. " +
			"Write a host of such letters in Punycode.",
		Source: protocolEscaping + "; RFC 3986, section 2",
	},
	{
		Code:     "unknown_attribute",
		Severity: warning,
		Summary:  "an attribute of a protocol element that the schema does not have",
		Why:      "It is ignored. A validator refuses the document.",
		Fix:      "Remove the attribute.",
		Source:   protocolSchema,
	},
}
