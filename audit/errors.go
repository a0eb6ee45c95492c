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
	Rule{Code: BadGzip, Severity: failure, Source: rfcGzip, Summary: "damaged gzip data",
		Why: "Search Console reports a compression error. The entries from the damage on are " +
			"lost or doubtful.",
		Fix: "Compress the document again, check it with gzip -t, and upload it in binary mode."},
	Rule{Code: BadRedirect, Severity: failure, Source: "RFC 9110, section 15.4",
		Summary: "a redirect that cannot be followed",
		Why:     "Crawlers give up after some redirects, and read nothing of the document.",
		Fix: "Let the server answer at the listed URL, or redirect once to the final one. Check " +
			"for a redirect loop."},
	Rule{Code: Empty, Severity: failure, Source: searchConsole,
		Summary: "a document without content",
		Why:     "Search engines report an empty document or a parsing error, and read no URL.",
		Fix: "Check the program that writes the document. Without any page to list, remove the " +
			"sitemap from robots.txt and from its index."},
	Rule{Code: FetchFailed, Severity: failure, Source: searchConsole,
		Summary: "a document that could not be fetched",
		Why:     "Crawlers do not get the document either, and try again later or give up.",
		Fix: "Request its URL with curl -v, and fix what this shows: the host name, the " +
			"connection, the certificate, the status, or a body that breaks off."},
	Rule{Code: HostDown, Severity: failure, Source: googleStatus,
		Summary: "a document that was not requested, because its host does not answer",
		Why: "Several requests to the host have failed before. " +
			"Crawlers then visit it less often.",
		Fix: "Check whether the server is overloaded or blocks requests, " +
			"and run the audit again."},
	Rule{Code: Limit, Severity: failure, Source: protocolIndex,
		Summary: "documents that a limit of the walk left out",
		Why:     "The audit does not cover them. Search engines have limits of their own.",
		Fix: "Raise the limit that the message names. If it is the depth, list all sitemaps in " +
			"one index."},
	Rule{Code: NotASite, Severity: failure, Source: rfcURI, Summary: "a target that is not a site",
		Why: "It is neither a host name nor an http or https URL, so nothing was requested.",
		Fix: "Name the site as example.com or https://example.com/."},
	Rule{Code: NotASitemap, Severity: failure, Source: searchConsole,
		Summary: "a document that is neither a sitemap nor a feed",
		Why: "Search Console reports an unsupported format. Often the server sends a page, such " +
			"as a login, with status 200.",
		Fix: "Serve the sitemap at this URL, with urlset or sitemapindex as its root. If it is " +
			"gone, answer with status 404 and remove it from robots.txt."},
	Rule{Code: ReadFailed, Severity: failure, Source: "the operating system",
		Summary: "a file that could not be read",
		Why:     "Nothing of it was audited after the error.",
		Fix:     "Check the name of the file and the right to read it."},
	Rule{Code: Refused, Severity: failure, Source: "RFC 6890",
		Summary: "an address, port or scheme that may not be requested",
		Why: "The URL leads to a private network or an unusual port, or has another scheme than " +
			"http and https. Search engines cannot reach it.",
		Fix: "List public http or https URLs only. To audit a server of your own network, allow " +
			"private addresses."},
	Rule{Code: Timeout, Severity: failure, Source: googleStatus,
		Summary: "a document that did not come in time",
		Why:     "Crawlers do not wait for it either, and fetch less from slow servers.",
		Fix: "Write the document to a file ahead of time instead of at each request, split a " +
			"large one, and check the load of the server."},
	Rule{Code: Truncated, Severity: failure, Source: "XML 1.0, section 2.1",
		Summary: "a document that ends too early",
		Why:     "Search engines report a parsing error, and the entries after the end are lost.",
		Fix: "Write the document to a temporary file, and put it in place when it is complete. " +
			"Look for a program that was stopped or a full disk."},
	Rule{Code: UnknownEncoding, Severity: failure, Source: "RFC 9110, sections 8.4 and 12.5.3",
		Summary: "a Content-Encoding that was not asked for",
		Why:     "The body cannot be decoded. A crawler that asks for gzip gets nothing readable.",
		Fix:     "Compress with gzip or not at all if the request accepts nothing else."},
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
