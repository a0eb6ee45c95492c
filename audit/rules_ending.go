package audit

// endingRules are the errors that end a document, or a target before its first document.
var endingRules = []Rule{
	{
		Code:     "bad_gzip",
		Severity: failure,
		Summary:  "damaged gzip data",
		Why: "Search Console reports a compression error. " +
			"The entries from the damage on are lost or doubtful.",
		Fix:    "Compress the document again, check it with gzip -t, and upload it in binary mode.",
		Source: rfcGzip,
	},
	{
		Code:     "bad_redirect",
		Severity: failure,
		Summary:  "a redirect that cannot be followed",
		Why:      "Crawlers give up after some redirects, and read nothing of the document.",
		Fix: "Let the server answer at the listed URL, or redirect once to the final one. " +
			"Check for a redirect loop.",
		Source: "RFC 9110, section 15.4",
	},
	{
		Code:     "empty",
		Severity: failure,
		Summary:  "a document without content",
		Why:      "Search engines report an empty document or a parsing error, and read no URL.",
		Fix: "Check the program that writes the document. " +
			"Without any page to list, remove the sitemap from robots.txt and from its index.",
		Source: searchConsole,
	},
	{
		Code:     "fetch_failed",
		Severity: failure,
		Summary:  "a document that could not be fetched",
		Why:      "Crawlers do not get the document either, and try again later or give up.",
		Fix: "Request its URL with curl -v, and mend what this shows: " +
			"the host name, the connection, the certificate, the status, " +
			"or a body that breaks off.",
		Source: searchConsole,
	},
	{
		Code:     "host_down",
		Severity: failure,
		Summary:  "a document that was not requested, because its host does not answer",
		Why: "Several requests to the host have failed before. " +
			"Crawlers then visit it less often.",
		Fix: "Check whether the server is overloaded or blocks requests, " +
			"and run the audit again.",
		Source: googleStatus,
	},
	{
		Code:     "limit",
		Severity: failure,
		Summary:  "documents that a limit of the walk left out",
		Why:      "The audit does not cover them. Search engines have limits of their own.",
		Fix: "Raise the limit that the message names. " +
			"If it is the depth, list all sitemaps in one index.",
		Source: protocolIndex,
	},
	{
		Code:     "not_a_site",
		Severity: failure,
		Summary:  "a target that is not a site",
		Why:      "It is neither a host name nor an http or https URL, so nothing was requested.",
		Fix:      "Name the site as example.com or https://example.com/.",
		Source:   rfcURI,
	},
	{
		Code:     "not_a_sitemap",
		Severity: failure,
		Summary:  "a document that is neither a sitemap nor a feed",
		Why: "Search Console reports an unsupported format. " +
			"Often the server sends a page, such as a login, with status 200.",
		Fix: "Serve the sitemap at this URL, with urlset or sitemapindex as its root. " +
			"If it is gone, answer with status 404 and remove it from robots.txt.",
		Source: searchConsole,
	},
	{
		Code:     "read_failed",
		Severity: failure,
		Summary:  "a file that could not be read",
		Why:      "Nothing of it was audited after the error.",
		Fix:      "Check the name of the file and the right to read it.",
		Source:   "the operating system",
	},
	{
		Code:     "refused",
		Severity: failure,
		Summary:  "an address, port or scheme that may not be requested",
		Why: "The URL leads to a private network or an unusual port, " +
			"or has another scheme than http " +
			"and https. Search engines cannot reach it.",
		Fix: "List public http or https URLs only. " +
			"To audit a server of your own network, allow private addresses.",
		Source: "RFC 6890",
	},
	{
		Code:     "robots_unreachable",
		Severity: failure,
		Summary:  "a robots.txt that could not be fetched",
		Why: "Its rules are unknown, so crawlers must assume that they may fetch nothing. " +
			"The site is not crawled meanwhile.",
		Fix: "Answer /robots.txt with status 200, or with 404 if there is none, " +
			"but not with 429 or 5xx.",
		Source: "RFC 9309, section 2.3.1.4",
	},
	{
		Code:     "timeout",
		Severity: failure,
		Summary:  "a document that did not come in time",
		Why:      "Crawlers do not wait for it either, and fetch less from slow servers.",
		Fix: "Write the document to a file ahead of time instead of at each request, " +
			"split a large one, and check the load of the server.",
		Source: googleStatus,
	},
	{
		Code:     "truncated",
		Severity: failure,
		Summary:  "a document that ends too early",
		Why:      "Search engines report a parsing error, and the entries after the end are lost.",
		Fix: "Write the document to a temporary file, and put it in place when it is complete. " +
			"Look for a program that was stopped or a full disk.",
		Source: "XML 1.0, section 2.1",
	},
	{
		Code:     "unknown_encoding",
		Severity: failure,
		Summary:  "a Content-Encoding that was not asked for",
		Why:      "The body cannot be decoded. A crawler that asks for gzip gets nothing readable.",
		Fix:      "Compress with gzip or not at all if the request accepts nothing else.",
		Source:   "RFC 9110, sections 8.4 and 12.5.3",
	},
}
