package audit

import "github.com/seed-322c453a/sitemap"

// fieldRules are about the values of an entry, except its location.
var fieldRules = []Rule{
	{
		Code:     sitemap.BadChangeFreq,
		Severity: failure,
		Summary:  "a changefreq that is not one of the seven values",
		Why: "The schema refuses the document, and readers ignore the value. " +
			"Google ignores every changefreq.",
		Fix: "Write always, hourly, daily, weekly, monthly, yearly or never, " +
			"or leave the changefreq out.",
		Source: protocolTags,
	},
	{
		Code:     sitemap.BadExtension,
		Severity: warning,
		Summary:  "an incomplete or invalid record for an image, a video, news or a link",
		Why: "The record is left out, so the engine does not learn of the image, " +
			"video or link.",
		Fix: "Add what the record lacks or correct its value, " +
			"as the documentation of the extension defines it.",
		Source: googleImages + `; "News sitemaps"; "Video sitemaps and alternatives"`,
	},
	{
		Code:     sitemap.BadFeedDate,
		Severity: failure,
		Summary:  "a date of a feed that is neither of RFC 822 nor of RFC 3339",
		Why:      "Search engines do not learn when the page changed.",
		Fix: "In RSS write Mon, 23 Nov 2026 12:00:00 GMT, in Atom 2026-11-23T12:00:00Z, " +
			"or leave the date out.",
		Source: "RFC 822, section 5; RFC 3339, section 5.6",
	},
	{
		Code:     sitemap.BadLastMod,
		Severity: failure,
		Summary:  "a lastmod that is not a W3C date",
		Why: "Search Console reports an invalid date. " +
			"Search engines do not learn when the page changed.",
		Fix: "Write the date as 2026-11-23, or with time and zone as 2026-11-23T12:00:00+00:00, " +
			"or leave the lastmod out.",
		Source: w3cDates,
	},
	{
		Code:     sitemap.BadPriority,
		Severity: failure,
		Summary:  "a priority that is not a number from 0 to 1",
		Why: "The schema refuses the document, and readers ignore the value. " +
			"Google ignores every priority.",
		Fix:    "Write a decimal number from 0.0 to 1.0, or leave the priority out.",
		Source: protocolTags,
	},
	{
		Code:     sitemap.ExtensionNamespace,
		Severity: failure,
		Summary:  "an extension in another namespace than the documented one",
		Why: "Search engines know images, videos, news and alternates by their namespaces, " +
			"and ignore them in others.",
		Fix: "Declare the namespace exactly: http://www.google.com/schemas/sitemap-image/1.1, " +
			"sitemap-video/1.1 or sitemap-news/0.9, or http://www.w3.org/1999/xhtml.",
		Source: googleImages + `; "News sitemaps"; "Video sitemaps and alternatives"`,
	},
	{
		Code:     sitemap.ImplausibleLastMod,
		Severity: warning,
		Summary:  "a date that is too unlikely to be meant",
		Why: "Search engines stop trusting the dates of a site that are wrong. " +
			"It is often the zero date of a programming language.",
		Fix:    "Write the date of the last change, or leave the lastmod out where none is known.",
		Source: googleBuild,
	},
	{
		Code:     sitemap.IndexLastModOld,
		Severity: warning,
		Summary:  "a lastmod of an index that is before one of a page in the sitemap",
		Why: "Search engines go by the lastmod of the index and do not fetch the sitemap, " +
			"so they miss the pages that have changed.",
		Fix: "Write the lastmod of a sitemap when it is written: the latest of its pages, or later. " +
			"Or leave it out.",
		Source: protocolIndex,
	},
	{
		Code:     sitemap.StoreFormat,
		Severity: info,
		Summary:  "what a Store remembers was written by another version of this program",
		Why:      "It counts as absent, so pages that were seen before are new.",
		Fix:      "Nothing is to be done: it is written again.",
		Source:   "package discover",
	},
	{
		Code:     sitemap.NonstandardChangeFreq,
		Severity: failure,
		Summary:  "a changefreq in the wrong letter case or with white space around it",
		Why:      "The schema refuses the document, and strict readers ignore the value.",
		Fix:      "Write it in lower case without white space: <changefreq>daily</changefreq>.",
		Source:   protocolSchema,
	},
	{
		Code:     sitemap.NonstandardLastMod,
		Severity: failure,
		Summary:  "a date in another form than that of the format",
		Why: "Search Console reports an invalid date. " +
			"Readers guess what it means, or ignore it.",
		Fix: "Write it as 2026-11-23, or with time and zone as 2026-11-23T12:00:00+00:00. " +
			"In RSS write Mon, 23 Nov 2026 12:00:00 GMT.",
		Source: w3cDates,
	},
	{
		Code:     sitemap.NonstandardPriority,
		Severity: failure,
		Summary:  "a priority that is not plain decimal, or has white space that XML does not know",
		Why:      "The schema refuses the document, and strict readers ignore the value.",
		Fix:      "Write digits and a point: 0.8, not 0,8 or 8e-1.",
		Source:   protocolSchema,
	},
	{
		Code:     sitemap.NonstandardRel,
		Severity: info,
		Summary:  "a link relation in the wrong letter case",
		Why:      "It is read. Readers that compare letter by letter miss the link.",
		Fix:      `Write it in lower case: rel="alternate".`,
		Source:   "RFC 4287, section 4.2.7.2",
	},
	{
		Code:     sitemap.ZoneAssumed,
		Severity: info,
		Summary:  "a date and time without a known zone",
		Why: "UTC is assumed here, other readers may assume another zone. " +
			"The change then seems to be some hours earlier or later.",
		Fix:    "Add the zone: 2026-11-23T12:00:00+01:00, or Z for UTC.",
		Source: `W3C, "Date and Time Formats"`,
	},
}
