// Package sitemap holds the types that all packages of this module share. An [Entry] is one URL
// that a sitemap lists, a [Problem] is a defect of a document, and a [ParseError] says why reading
// a document ended. The other packages do the work:
//
//   - Package discover finds the sitemaps of a site and yields the URLs in them, each with the
//     reason why the sitemap may list it.
//   - Package fetch gets one document over HTTP, with retries, limits and a check of the addresses
//     that it connects to.
//   - Package parse reads a document of any format. Packages feed and text read those formats
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
// If you already have the bytes of a document, call parse.Entries. For those of a robots.txt, call
// robots.Parse.
//
// # Terminology
//
// A document is one file of one [Format]. A sitemap is a document that lists URLs, or its location;
// a sitemap index lists sitemaps. An entry is a <url>, a <sitemap>, an <item>, an Atom <entry> or a
// line of text. Its location, Loc, is the URL of a page or, in an index, of a sitemap. A site is
// the URL that a user names; its host includes a port other than the default one of the scheme. A
// robots.txt or an index refers to the sitemaps that it names.
//
// The verbs are to parse (turn bytes into entries), to fetch (get bytes over HTTP), to discover
// (find the sitemaps of a site) and to walk (follow its indexes).
//
// # Formats
//
// The format of a document depends on its content, never on its name or media type:
//
//   - [URLSet] and [SitemapIndex]: the urlset and sitemapindex of sitemaps.org, with Google's
//     extensions for images, videos, news, alternates (hreflang), mobile pages and PageMap.
//   - [RSS]: 0.9x, 1.0 and 2.0. An item is a page: its link, else its guid.
//   - [Atom]: 0.3 and 1.0. An entry is a page: its alternate link, else its id.
//   - [Text]: one URL per line.
//
// A document may be compressed with gzip, in up to two layers, and may have any encoding of the
// WHATWG Encoding standard. The encoding is that of the byte order mark, else of the Content-Type
// unless the bytes contradict it, else of the XML declaration. Otherwise a document that is valid
// UTF-8 is UTF-8, and any other is windows-1252.
//
// # Leniency
//
// One bad entry never costs another entry, and one bad document never costs another document. If a
// field cannot be read, only the field is dropped; if a location cannot be read, only its entry is.
// Documents are read despite raw ampersands, undeclared entities and prefixes, missing and crossed
// end tags, control characters, and bytes of another encoding. Relative locations, dates in a dozen
// other notations, URLs without a <loc> around them and lines of junk are accepted as well.
//
// Nothing is invented: there is no default priority or frequency, no date for an ambiguous one, and
// no URL that was cut by the end of the document. A [Time] has the precision with which it was
// listed. Loc is the location as listed, made absolute; [Entry.URL] returns the form to request.
//
// Everything that was dropped, repaired or assumed is passed to [Options.Report] as a [Problem]
// with a [Code], a [Severity] and a [Position]. Of extensions, only losses are reported.
//
// # Errors
//
// Entries and URLs are sequences (iter.Seq2) that yield at most one error, as the last element,
// after everything that could be read. A loop that returns at the first error therefore loses
// nothing.
//
//   - A defect of one entry is a [Problem], never an error.
//   - A document that cannot be read, or not to its end, ends its sequence with a [*ParseError] or
//     with the error of its reader. A walk reports such an error when it happens and goes on. Its
//     last element is then a *discover.WalkError.
//   - The place of an error is in a field, for [errors.As]. Its cause is a sentinel, for
//     [errors.Is]: [ErrNotSitemap], [ErrTruncated], [ErrTooLarge] and others.
//
// No error and no log line contains a user name or password of a URL.
//
// # Trust
//
// Anybody can list anybody's URLs. So a walk reports for each URL why the document may list it: the
// robots.txt of the URL's host names the document or an index above it, or the URL is at or below
// the directory of the document, or the caller named the document. All other URLs are dropped and
// reported, unless discover.Options.MinTrust says otherwise. The rules are those of sitemaps.org;
// package discover/trust implements them as functions of plain values.
//
// # Limits
//
// Memory does not grow with the document. A document that exceeds the limits of the protocol
// (50,000 entries, 52,428,800 bytes, 2,048 characters per location) is reported and still read. At
// [Limits], by default ten times those of the protocol, reading ends with a typed error after all
// entries so far. Everything else that could grow without end, such as a tag, a line, the nesting
// or the extensions of an entry, has a fixed bound, which the documentation of its package states.
//
// # Specifications
//
//   - sitemaps.org, version 0.9: the protocol, with its sections on robots.txt, location and
//     cross-submission.
//   - Google: sitemap-image 1.1, sitemap-video 1.1, sitemap-news 0.9, PageMap.
//   - RSS 2.0 and RDF Site Summary 1.0; RFC 4287 (Atom 1.0) and Atom 0.3.
//   - W3C NOTE-datetime; RFC 822 and RFC 5322 for the dates of RSS.
//   - RFC 9309 (robots.txt), RFC 9110 (HTTP), RFC 1952 (gzip).
//   - RFC 3986 and RFC 3987 (URLs and IRIs), UTS 46 (internationalized hosts).
//   - XML 1.0, Namespaces in XML 1.0, WHATWG Encoding.
package sitemap
