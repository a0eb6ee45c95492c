package audit

import "github.com/seed-322c453a/sitemap"

// locRules are about locations, in sitemaps, feeds and robots.txt.
var locRules = []Rule{
	{
		Code:     sitemap.BadEscape,
		Severity: failure,
		Summary:  "a percent sign in a URL without two hex digits after it",
		Why: "The URL is invalid. Servers and crawlers disagree on what it means, " +
			"or refuse it.",
		Fix:    "Write %25 for a percent sign: /100%25-cotton, not /100%-cotton.",
		Source: "RFC 3986, section 2.1",
	},
	{
		Code:     sitemap.BadLoc,
		Severity: failure,
		Summary:  "a location that is not a valid URL",
		Why: "Search Console reports an invalid URL, and the entry is lost. " +
			"Most often the host is missing, or host or port are invalid.",
		Fix: "Write the complete URL with a valid host and at most a number as port: " +
			"https://www.example.com/page.",
		Source: protocolTags + "; " + rfcURI,
	},
	{
		Code:     sitemap.BadScheme,
		Severity: failure,
		Summary:  "a URL scheme other than http and https",
		Why:      "Search engines cannot fetch the URL as a page, and drop the entry.",
		Fix:      "List the page at its http or https URL, or remove the entry.",
		Source:   protocolTags,
	},
	{
		Code:     sitemap.BogusLoc,
		Severity: failure,
		Summary:  "text that was not meant as a location",
		Why:      "Search Console reports an invalid URL, and the entry is lost.",
		Fix: "Leave entries without a URL out. A None, null or {{ page.url }} shows that " +
			"a template was not filled in; in ttps:// a letter is missing.",
		Source: protocolTags,
	},
	{
		Code:     sitemap.DoubleEscaped,
		Severity: warning,
		Summary:  "a URL that is escaped twice",
		Why:      "Search engines decode it once and request a URL with &amp; in it, another page.",
		Fix:      "Escape the URL once: ?a=1&amp;b=2, not ?a=1&amp;amp;b=2.",
		Source:   protocolEscaping,
	},
	{
		Code:     sitemap.DuplicateLoc,
		Severity: warning,
		Summary:  "a URL that is listed twice in a document, or a sitemap twice in a robots.txt",
		Why:      "The repetition is ignored. It wastes room, and its other values may contradict.",
		Fix:      "Keep one entry for each URL, the one with the latest lastmod.",
		Source:   yandexErrors,
	},
	{
		Code:     sitemap.ElementInLoc,
		Severity: failure,
		Summary:  "an element inside a location",
		Why:      "The schema refuses the document. Strict readers find no URL or a part of one.",
		Fix:      "Write only the URL into loc: <loc>https://www.example.com/</loc>.",
		Source:   protocolSchema,
	},
	{
		Code:     sitemap.EmptyLoc,
		Severity: failure,
		Summary:  "an empty location",
		Why:      "Search Console reports an invalid URL, and the entry is lost.",
		Fix:      "Write the URL into it, or remove the entry.",
		Source:   protocolTags,
	},
	{
		Code:     sitemap.ForeignChild,
		Severity: warning,
		Summary:  "an index that lists a sitemap on another host",
		Why: "Search engines read it only if the site on that host allows it. " +
			"Others can change what the index lists.",
		Fix: "Move the sitemap to the host of the index, " +
			"or name the index in the robots.txt of that host.",
		Source: googleIndex,
	},
	{
		Code:     sitemap.GuidAsLoc,
		Severity: warning,
		Summary:  "an RSS item without a link, of which the guid is used",
		Why:      "Readers that want a link drop the item. A guid does not have to be a URL.",
		Fix:      "Add a link to the item: <link>https://www.example.com/page</link>.",
		Source:   rssItems,
	},
	{
		Code:     sitemap.IDAsLoc,
		Severity: warning,
		Summary:  "an Atom entry without a usable link, of which the id is used",
		Why:      "Readers that want a link drop the entry. An id does not have to be a URL.",
		Fix: `Add a link to the entry: <link rel="alternate" ` +
			`href="https://www.example.com/page"/>.`,
		Source: "RFC 4287, sections 4.1.2 and 4.2.6",
	},
	{
		Code:     sitemap.JunkLine,
		Severity: failure,
		Summary:  "a line that is not a plain URL",
		Why: "Search engines report an invalid URL for the line. " +
			"A text sitemap has URLs only.",
		Fix: "Write one absolute URL a line, without comments, quotes, titles or other columns: " +
			"https://www.example.com/page.",
		Source: protocolText,
	},
	{
		Code:     sitemap.LateGrant,
		Severity: warning,
		Summary:  "a sitemap that was read before something that entitles it to list more URLs",
		Why: "URLs that it may list may have been left out as untrusted. " +
			"The same happens to a sitemap that more than 64 places entitle.",
		Fix: "Name the sitemap, or one index above it, in robots.txt, " +
			"and list it in a single index.",
		Source: protocolCross,
	},
	{
		Code:     sitemap.LineCut,
		Severity: failure,
		Summary:  "a line that was cut at its first space or tab",
		Why:      "Search engines take the whole line for a URL and report an invalid one.",
		Fix:      "Write only the URL into the line, and spaces in it as %20.",
		Source:   protocolText,
	},
	{
		Code:     sitemap.LocTooLong,
		Severity: failure,
		Summary:  "a URL of more than 2,048 characters",
		Why: "The schema refuses the document, and search engines may drop the entry. " +
			"A URL of more than 8 KiB is always dropped here.",
		Fix:    "List the page under a shorter URL, for example without parameters for tracking.",
		Source: protocolTags,
	},
	{
		Code:     sitemap.LocWhitespace,
		Severity: warning,
		Summary:  "white space or a control character inside a URL",
		Why: "Readers cut the URL there, escape the character or remove it, " +
			"and get other pages.",
		Fix:    "Write a space in a URL as %20, and put no line break into loc.",
		Source: "RFC 3986, section 2",
	},
	{
		Code:     sitemap.MissingLoc,
		Severity: failure,
		Summary:  "an entry without a location",
		Why:      "Search Console reports a missing tag, and the entry is lost.",
		Fix:      "Add <loc>https://www.example.com/page</loc>, or remove the entry.",
		Source:   protocolTags,
	},
	{
		Code:     sitemap.NonstandardKey,
		Severity: warning,
		Summary:  "a misspelling of the key Sitemap in a robots.txt",
		Why:      "Crawlers ignore the line, and do not find the sitemap.",
		Fix:      "Write Sitemap: https://www.example.com/sitemap.xml.",
		Source:   protocolSubmit,
	},
	{
		Code:     sitemap.NonstandardRule,
		Severity: warning,
		Summary:  "a rule of a robots.txt that starts with neither a slash nor an asterisk",
		Why:      "It matches no URL: a path starts with a slash.",
		Fix:      "Write the path from its first slash on: Disallow: /private/.",
		Source:   "RFC 9309, section 2.2.2",
	},
	{
		Code:     sitemap.RelativeLoc,
		Severity: failure,
		Summary:  "a relative URL",
		Why: "Locations have to be complete: Search Console reports URLs that were not followed. " +
			"Other readers resolve the URL, each in its own way, or drop the entry.",
		Fix:    "Write the complete URL: https://www.example.com/page, not /page.",
		Source: protocolFAQ,
	},
	{
		Code:     sitemap.RobotsHTML,
		Severity: warning,
		Summary:  "HTML instead of a robots.txt",
		Why:      "Crawlers find no rules and no sitemaps in it, and so crawl everything.",
		Fix: "Serve a robots.txt as text/plain, or status 404 if there is none. " +
			"A server often sends its start page or an error page with status 200.",
		Source: "RFC 9309, section 2.3",
	},
	{
		Code:     sitemap.SchemeAssumed,
		Severity: failure,
		Summary:  "a URL without a scheme",
		Why: "Search Console reports that the URL is not allowed: " +
			"it must begin with http or https.",
		Fix:    "Write the scheme: https://www.example.com/page, not www.example.com/page.",
		Source: protocolTags,
	},
	{
		Code:     sitemap.SeveralLocs,
		Severity: failure,
		Summary:  "several locations where one belongs",
		Why:      "The schema refuses the document. Readers use the first URL, the last or no URL.",
		Fix: "Write an entry for each URL: " +
			"<url><loc>…/a</loc></url><url><loc>…/b</loc></url>.",
		Source: protocolSchema,
	},
	{
		Code:     sitemap.TextAsLoc,
		Severity: failure,
		Summary:  "a URL without the element or key that it belongs in",
		Why:      "The schema refuses the document, and readers miss the URL.",
		Fix: "Write <url><loc>https://www.example.com/</loc></url>, " +
			"and in a robots.txt Sitemap: https://www.example.com/sitemap.xml.",
		Source: protocolSchema + "; " + protocolSubmit,
	},
	{
		Code:     sitemap.UntrustedLoc,
		Severity: failure,
		Summary:  "a URL that the sitemap may not list",
		Why: "Search Console reports that the URL is not allowed, and it is left out. " +
			"Anybody could list URLs of others otherwise.",
		Fix: "Put the sitemap on the host of the URL, in its directory or above, " +
			"or name the sitemap in the robots.txt of that host.",
		Source: protocolLocation,
	},
	{
		Code:     sitemap.Userinfo,
		Severity: warning,
		Summary:  "a user name or password in a URL",
		Why: "Everybody can read it in the sitemap. " +
			"Browsers and crawlers ignore or refuse it.",
		Fix:    "Remove what stands between // and @, and change the password.",
		Source: "RFC 9110, section 4.2.4",
	},
}
