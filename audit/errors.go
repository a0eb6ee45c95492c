package audit

import (
	"errors"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// The codes of errors, which CodeOf returns.
const (
	BadGzip         sitemap.Code = "bad_gzip"
	BadRedirect     sitemap.Code = "bad_redirect"
	Empty           sitemap.Code = "empty"
	FetchFailed     sitemap.Code = "fetch_failed"
	HostDown        sitemap.Code = "host_down"
	Limit           sitemap.Code = "limit"
	NotASite        sitemap.Code = "not_a_site"
	NotASitemap     sitemap.Code = "not_a_sitemap"
	ReadFailed      sitemap.Code = "read_failed"
	Refused         sitemap.Code = "refused"
	Timeout         sitemap.Code = "timeout"
	Truncated       sitemap.Code = "truncated"
	UnknownEncoding sitemap.Code = "unknown_encoding"
)

var _ = register(
	rule(BadGzip, failure, rfcGzip, "damaged gzip data",
		"Search Console reports a compression error. The entries from the damage on are lost or "+
			"doubtful.",
		"Compress the document again, check it with gzip -t, and upload it in binary mode."),
	rule(BadRedirect, failure, "RFC 9110, section 15.4", "a redirect that cannot be followed",
		"Crawlers give up after some redirects, and read nothing of the document.",
		"Let the server answer at the listed URL, or redirect once to the final one. Check for a "+
			"redirect loop."),
	rule(Empty, failure, searchConsole, "a document without content",
		"Search engines report an empty document or a parsing error, and read no URL.",
		"Check the program that writes the document. Without any page to list, remove the sitemap "+
			"from robots.txt and from its index."),
	rule(FetchFailed, failure, searchConsole, "a document that could not be fetched",
		"Crawlers do not get the document either, and try again later or give up.",
		"Request its URL with curl -v, and fix what this shows: the host name, the connection, "+
			"the certificate, the status, or a body that breaks off."),
	rule(HostDown, failure, googleStatus,
		"a document that was not requested, because its host does not answer",
		"Several requests to the host have failed before. Crawlers then visit it less often.",
		"Check whether the server is overloaded or blocks requests, and run the audit again."),
	rule(Limit, failure, protocolIndex, "documents that a limit of the walk left out",
		"The audit does not cover them. Search engines have limits of their own.",
		"Raise the limit that the message names. If it is the depth, list all sitemaps in one "+
			"index."),
	rule(NotASite, failure, rfcURI, "a target that is not a site",
		"It is neither a host name nor an http or https URL, so nothing was requested.",
		"Name the site as example.com or https://example.com/."),
	rule(NotASitemap, failure, searchConsole, "a document that is neither a sitemap nor a feed",
		"Search Console reports an unsupported format. Often the server sends a page, such as a "+
			"login, with status 200.",
		"Serve the sitemap at this URL, with urlset or sitemapindex as its root. If it is gone, "+
			"answer with status 404 and remove it from robots.txt."),
	rule(ReadFailed, failure, "the operating system", "a file that could not be read",
		"Nothing of it was audited after the error.",
		"Check the name of the file and the right to read it."),
	rule(Refused, failure, "RFC 6890", "an address, port or scheme that may not be requested",
		"The URL leads to a private network or an unusual port, or has another scheme than http "+
			"and https. Search engines cannot reach it.",
		"List public http or https URLs only. To audit a server of your own network, allow "+
			"private addresses."),
	rule(Timeout, failure, googleStatus, "a document that did not come in time",
		"Crawlers do not wait for it either, and fetch less from slow servers.",
		"Write the document to a file ahead of time instead of at each request, split a large "+
			"one, and check the load of the server."),
	rule(Truncated, failure, "XML 1.0, section 2.1", "a document that ends too early",
		"Search engines report a parsing error, and the entries after the end are lost.",
		"Write the document to a temporary file, and put it in place when it is complete. Look "+
			"for a program that was stopped or a full disk."),
	rule(UnknownEncoding, failure, "RFC 9110, sections 8.4 and 12.5.3",
		"a Content-Encoding that was not asked for",
		"The body cannot be decoded. A crawler that asks for gzip gets nothing readable.",
		"Compress with gzip or not at all if the request accepts nothing else."),
)

// errorCodes are the codes of errors. The first error that matches counts.
var errorCodes = []struct {
	err  error
	code sitemap.Code
}{
	{discover.ErrNoSitemap, NoSitemap}, // first: it wraps the errors of all attempts
	{sitemap.ErrTooLarge, sitemap.TooLarge},
	{sitemap.ErrTooManyEntries, sitemap.TooManyEntries},
	{fetch.ErrRefused, Refused},
	{discover.ErrUnreachable, RobotsUnreachable},
	{fetch.ErrHostDown, HostDown},
	{fetch.ErrTimeout, Timeout},
	{fetch.ErrRedirect, BadRedirect},
	{fetch.ErrEncoding, UnknownEncoding},
	{discover.ErrLimit, Limit},
	{discover.ErrSite, NotASite},
	{fetch.ErrBody, FetchFailed},
	{sitemap.ErrNotSitemap, NotASitemap},
	{sitemap.ErrEmpty, Empty},
	{sitemap.ErrTruncated, Truncated},
	{sitemap.ErrGzip, BadGzip},
}

// CodeOf returns the code of an error of a document or a walk, such as [Timeout]. For an error of
// another kind it is [ReadFailed], for nil "".
func CodeOf(err error) sitemap.Code {
	if err == nil {
		return ""
	}
	none, ok := errors.AsType[*discover.NoSitemapError](err)
	if ok && wasRefused(none) || errors.Is(err, discover.ErrUnreachable) && isTurnedAway(err) {
		return SiteRefused
	}
	for _, e := range errorCodes {
		if errors.Is(err, e.err) {
			return e.code
		}
	}
	if _, ok := errors.AsType[*fetch.Error](err); ok {
		return FetchFailed
	}
	return ReadFailed
}
