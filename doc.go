// Package sitemap holds the words that all packages of this module share: an
// Entry is what a sitemap lists, a Problem what it got wrong, a ParseError why
// reading it ended. The work is done elsewhere:
//
//   - discover goes from a site to its sitemaps to its URLs, and says of each
//     what entitles the sitemap to list it.
//   - fetch gets one document over HTTP, with retries, limits and a guard over
//     the addresses that are connected to.
//   - parse reads a document of any format; feed and text read those formats
//     alone.
//
// # Overview
//
// Most programs need one loop:
//
//	var c discover.Client
//	for u, err := range c.URLs(ctx, "https://example.com/", nil) {
//		if err != nil {
//			return err // the last element: what could not be read, after everything that could
//		}
//		fmt.Println(u.Loc)
//	}
//
// Who has the bytes of a document calls parse.Entries, who has those of a
// robots.txt discover.ParseRobots.
//
// # Terminology
//
// A document is one file of one Format. A sitemap is a document that lists URLs,
// or its location; a sitemap index lists sitemaps. An entry is a <url>, a
// <sitemap>, an <item>, an Atom <entry> or a line of text; its location, Loc, is
// what it points to: a page, or, in an index, a sitemap. A site is the URL that a
// user names; its host is the authority's host with a port that is not the
// scheme's default. A robots.txt or an index refers to the sitemaps that it names.
// To parse is to turn bytes into entries, to fetch to get bytes over HTTP, to
// discover to find the sitemaps of a site, to walk to follow its indexes.
//
// # Formats
//
// A document's content decides what it is, never its name or media type:
//
//   - URLSet and SitemapIndex: the urlset and sitemapindex of sitemaps.org, with
//     Google's extensions for images, videos, news, alternates (hreflang), mobile
//     pages and PageMap.
//   - RSS: 0.9x, 1.0 and 2.0. An item is a page: its link, else its guid.
//   - Atom: 0.3 and 1.0. An entry is a page: its alternate link, else its id.
//   - Text: one URL a line.
//
// Each may be compressed by gzip, up to two layers of it, and in any encoding of
// the WHATWG Encoding standard: as its byte order mark tells, else its Content-Type
// unless the bytes contradict that, else its XML declaration; else it is UTF-8 if
// the bytes are, and windows-1252 if not.
//
// # Leniency
//
// One bad entry never costs another, and one bad document never costs another
// document. A field that cannot be read is dropped before its entry, an entry
// before its document. Raw ampersands, undeclared entities and prefixes, missing
// and crossed end tags, control characters, bytes of another encoding, relative
// locations, dates in a dozen other notations, bare text where a <loc> should be,
// lines of junk: what can be told is read.
//
// Nothing is invented: no default priority or frequency, no date for one that is
// ambiguous, no URL that the end of the document cut. A Time knows how exact it
// was listed. Loc is what the site lists, made absolute; Entry.URL gives what can be
// requested.
//
// Whatever was dropped, repaired or assumed (of extensions, what was dropped) is told
// to Options.Report as a Problem with a Code, a Severity and a Position.
//
// # Errors
//
// Entries and URLs come as sequences (iter.Seq2) that yield at most one error, the
// last element, after everything that could be read. So a loop that returns at the
// first error loses nothing.
//
//   - A defect of one entry is a Problem, never an error.
//   - A document that cannot be read, or not to its end, ends its sequence: with a
//     *ParseError, or the error of its reader. In a walk it is told as it
//     happens, the walk goes on, and the last element is a *discover.WalkError.
//   - Where something happened is a field, for errors.As; what happened is a
//     sentinel, for errors.Is: ErrNotSitemap, ErrTruncated, ErrTooLarge, …
//
// No error and no log line holds a user name or password of a URL.
//
// # Trust
//
// Anybody can list anybody's URLs. A walk tells for each URL what entitles its
// document to list it: the robots.txt of the URL's host names the document, or an
// index above it; or the URL lies at or below the document's own directory; or the
// caller named the document. What nothing entitles is dropped and reported, unless
// discover.Options.MinTrust says otherwise. The rules are those of sitemaps.org,
// and a pure function of values: see discover.Scope.
//
// # Limits
//
// Memory does not grow with the document. The protocol's limits (50,000 entries,
// 52,428,800 bytes, 2,048 characters a location) are reported as problems and read
// on. Reading stops, with a typed error and all entries so far, at Limits, which
// are ten times the protocol's where they are not set. Whatever else could grow
// without end, such as a tag, a line, nesting, extensions of an entry, has a fixed
// bound that its package documents.
//
// # Specifications
//
//   - sitemaps.org, version 0.9: the protocol, and its sections on robots.txt,
//     location and cross-submission.
//   - Google: sitemap-image 1.1, sitemap-video 1.1, sitemap-news 0.9, PageMap.
//   - RSS 2.0 and RDF Site Summary 1.0; RFC 4287 (Atom 1.0) and Atom 0.3.
//   - W3C NOTE-datetime; RFC 822 and RFC 5322 for the dates of RSS.
//   - RFC 9309 (robots.txt), RFC 9110 (HTTP), RFC 1952 (gzip).
//   - RFC 3986 and RFC 3987 (URLs and IRIs), UTS 46 (internationalised hosts).
//   - XML 1.0, Namespaces in XML 1.0, WHATWG Encoding.
package sitemap
