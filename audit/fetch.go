package audit

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// The codes of documents that cannot be read.
const (
	BadGzip            sitemap.Code = "bad_gzip"
	BadRedirect        sitemap.Code = "bad_redirect"
	Empty              sitemap.Code = "empty"
	FetchFailed        sitemap.Code = "fetch_failed"
	HostDown           sitemap.Code = "host_down"
	Limit              sitemap.Code = "limit"
	NoSitemap          sitemap.Code = "no_sitemap"
	NotASite           sitemap.Code = "not_a_site"
	NotASitemap        sitemap.Code = "not_a_sitemap"
	ReadFailed         sitemap.Code = "read_failed"
	Refused            sitemap.Code = "refused"
	RobotsUnreachable  sitemap.Code = "robots_unreachable"
	SiteRefused        sitemap.Code = "site_refused"
	SitemapRedirects   sitemap.Code = "sitemap_redirects"
	SitemapStatus      sitemap.Code = "sitemap_status"
	SitemapTimeout     sitemap.Code = "sitemap_timeout"
	SitemapUnreachable sitemap.Code = "sitemap_unreachable"
	Timeout            sitemap.Code = "timeout"
	Truncated          sitemap.Code = "truncated"
	UnknownEncoding    sitemap.Code = "unknown_encoding"
)

var _ = register(
	rule(BadGzip, failure, rfcGzip, "damaged gzip data",
		"Search Console reports a compression error. The entries after the damage may be lost.",
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
	rule(NoSitemap, failure, protocolSubmit, "a site where no sitemap was found",
		"Search engines find pages by links only, so they may miss some or find them late.",
		"Add the line Sitemap: https://www.example.com/sitemap.xml to robots.txt, with the URL of "+
			"the sitemap."),
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
		"Check the name of the file, and whether you may read it. If no file of a folder names "+
			"its site, name the site yourself."),
	rule(Refused, failure, "RFC 6890", "an address, port or scheme that may not be requested",
		"The URL leads to a private network or an unusual port, or has another scheme than http "+
			"and https. Search engines cannot reach it.",
		"List public http or https URLs only. To audit a server of your own network, allow "+
			"private addresses."),
	rule(RobotsUnreachable, failure, "RFC 9309, section 2.3.1.4",
		"a robots.txt that could not be fetched",
		"Its rules are unknown, so crawlers must assume that they may fetch nothing. The site is "+
			"not crawled meanwhile.",
		"Answer /robots.txt with status 200, or with 404 if there is none, but not with 429 or "+
			"5xx."),
	rule(SiteRefused, failure, "RFC 9110, section 15.5", "a site that refused to answer",
		"Whether it has a sitemap is not known. Search engines may get another answer.",
		"Let this client in: allow its address or its user agent in the firewall or the bot "+
			"protection of the site, or audit the sitemap as a file."),
	rule(SitemapRedirects, warning, `Yandex Webmaster, "Sitemap files"`,
		"a sitemap whose location redirects",
		"Yandex asks to remove the redirect. Each hop costs a request and can fail.",
		"List the final URL in robots.txt or in the index."),
	rule(SitemapStatus, failure, searchConsole, "a sitemap that is answered with an error status",
		"Search Console reports an HTTP error, and no URL is read from it.",
		"Answer with status 200, also to crawlers. If the sitemap is gone, remove it from "+
			"robots.txt and from its index."),
	rule(SitemapTimeout, failure, searchConsole, "a sitemap that does not come in time",
		"Search engines give up as well, and read no URL or a part of them.",
		"Write the sitemap to a file ahead of time instead of at each request, or split it."),
	rule(SitemapUnreachable, failure, searchConsole, "a sitemap that cannot be fetched",
		"Search Console reports that it could not be fetched, and no URL is read from it.",
		"Check the host name, the certificate and the redirects of its URL, and whether the "+
			"server blocks crawlers."),
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

// refusals are the statuses with which a server turns this client away. AWS WAF asks for proof of a
// human with status 405, and ModSecurity turns programs away with 406.
var refusals = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed,
	http.StatusNotAcceptable, http.StatusTooManyRequests, http.StatusUnavailableForLegalReasons}

func isRefusal(status int) bool { return slices.Contains(refusals, status) }

// isTurnedAway reports whether an error is a refusal, or status 503, with which challenges come.
func isTurnedAway(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	return ok && (isRefusal(e.Status) || e.Status == http.StatusServiceUnavailable)
}

// wasRefused reports whether a site refused the requests for its sitemap.
func wasRefused(none *discover.NoSitemapError) bool {
	return slices.ContainsFunc(none.Tried,
		func(t discover.Attempt) bool { return isTurnedAway(t.Err) })
}

// letIn is the fix for a server that turns this client away.
const letIn = "Let this client in: allow its address or its user agent in the firewall or the " +
	"bot protection. Search engines may get another answer."

// failed reports a site that has no sitemap, one whose robots.txt cannot be fetched, or one that
// turned this client away.
func (s *siteJudge) failed(err error, isChallenged bool) {
	none, isNone := errors.AsType[*discover.NoSitemapError](err)
	e, isFetch := errors.AsType[*fetch.Error](err)
	switch at := (place{sitemap: s.name}); {
	case isNone && (isChallenged || wasRefused(none)):
		s.report(of(SiteRefused), place{sitemap: none.Site}, "",
			"the site could not be judged, since it refused requests; tried %s", tried(none))
	case isNone:
		s.report(of(NoSitemap), place{sitemap: none.Site}, "", "no sitemap found; tried %s",
			tried(none))
	case !isFetch || !errors.Is(err, discover.ErrUnreachable):
	case isTurnedAway(e):
		rule := of(SiteRefused)
		if e.Status == http.StatusServiceUnavailable {
			rule = rule.fixedBy("If the server is down, bring it back. If its bot protection " +
				"answers with this status, let this client in.")
		}
		s.report(rule, at, fmt.Sprint(e.Status),
			"the site could not be judged, since it refused %s with status %d", quoted(e.URL),
			e.Status)
	default:
		s.unreachable(e)
	}
}

// unreachable reports that the robots.txt of the site cannot be fetched.
func (s *siteJudge) unreachable(e *fetch.Error) {
	s.report(of(RobotsUnreachable).causedBy(e), place{sitemap: s.name}, "",
		"robots.txt unreachable: %s", strings.TrimPrefix(e.Error(), "fetch: "))
}

// tried lists the URLs where no sitemap was found, each with the reason.
func tried(none *discover.NoSitemapError) string {
	var list []string
	for _, t := range none.Tried {
		text := t.URL
		e, isFetch := errors.AsType[*fetch.Error](t.Err)
		damage, isParse := errors.AsType[*sitemap.ParseError](t.Err)
		switch {
		case isFetch && e.Status != 0:
			text += fmt.Sprintf(" (status %d)", e.Status)
		case errors.Is(t.Err, sitemap.ErrHTML):
			text += " (an HTML page)"
		case isFetch:
			text += fmt.Sprintf(" (%v)", e.Err)
		case isParse:
			text += fmt.Sprintf(" (%v)", damage.Err)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// challenges are parts of pages that ask for proof of a human.
var challenges = []string{"challenge-platform", "cf-chl", "_incapsula_", "captcha", "ddos-guard",
	"datadome", "perimeterx"}

// saysChallenge reports whether the header of a response says so.
func saysChallenge(h http.Header) bool {
	return h.Get("Cf-Mitigated") == "challenge" || h.Get("X-Amzn-Waf-Action") != ""
}

// isChallenge reports whether a response is a page that asks for proof of a human.
func isChallenge(doc *fetch.Document) bool {
	if saysChallenge(doc.Header) {
		return true
	}
	if !strings.Contains(doc.Header.Get("Content-Type"), "html") {
		return false
	}
	body := doc.Again()
	defer body.Close()
	start, _ := io.ReadAll(io.LimitReader(body, 16<<10))
	return slices.ContainsFunc(challenges, func(c string) bool {
		return strings.Contains(strings.ToLower(string(start)), c)
	})
}

// howFetched judges the response that brought a document.
func (s *siteJudge) howFetched(sm *discover.Sitemap, sum *discover.Summary, here place) {
	name := quoted(sm.Loc)
	if fe, ok := errors.AsType[*fetch.Error](sum.Err); ok {
		switch {
		case errors.Is(fe, fetch.ErrTimeout), errors.Is(fe, fetch.ErrHostDown):
			s.report(of(SitemapTimeout), here, "", "%s does not answer in time", name)
		case errors.Is(fe, fetch.ErrStatus):
			rule, format := of(SitemapStatus), "%s is answered with status %d"
			if isRefusal(fe.Status) {
				rule, format = rule.fixedBy(letIn), "%s was refused to this client with status %d"
			} else if fe.Status >= http.StatusInternalServerError {
				rule = rule.fixedBy("Look for the error in the log of the server, and answer " +
					"with status 200.")
			}
			s.report(rule, here, fmt.Sprint(fe.Status), format, name, fe.Status)
		default:
			s.report(of(SitemapUnreachable).causedBy(fe), here, "",
				"%s cannot be fetched: %v", name, fe.Err)
		}
	}
	if len(sum.Hops) > 0 && sum.FinalURL != "" {
		rule := of(SitemapRedirects)
		if sum.Format == 0 {
			rule = rule.fixedBy("Answer with the sitemap, or with status 404 if it is gone.")
		}
		s.redirects(rule, here, sm, sum.FinalURL)
	}
}

// redirectsAgain reports a sitemap that leads to one that was read.
func (s *siteJudge) redirectsAgain(here place, sm *discover.Sitemap, to string) {
	rule := of(SitemapRedirects).fixedBy("Answer with a sitemap of its own, or remove its URL from " +
		"robots.txt or the index.")
	s.redirects(rule, here, sm, to)
}

func (s *siteJudge) redirects(rule Rule, here place, sm *discover.Sitemap, to string) {
	s.report(rule, here, to, "%s redirects to %s", quoted(sm.Loc), quoted(to))
}

// causedBy returns the rule with the fix for the cause of an error, if that is known.
func (r Rule) causedBy(err error) Rule {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	_, isUnverified := errors.AsType[*tls.CertificateVerificationError](err)
	_, isOfOther := errors.AsType[x509.HostnameError](err)
	_, isNoTLS := errors.AsType[tls.RecordHeaderError](err)
	_, isAlert := errors.AsType[tls.AlertError](err)
	switch {
	case isDNS && dns.IsNotFound:
		r.Fix = "Correct the host name in the URL, or add it to the DNS."
	case isUnverified || isOfOther:
		r.Fix = "Renew the certificate of the server, for this host name and with all " +
			"intermediate certificates."
	case isNoTLS || isAlert:
		r.Fix = "Let the server speak TLS 1.2 or later on this port, or correct the scheme in the URL."
	case errors.Is(err, syscall.ECONNREFUSED):
		r.Fix = "Start the server, or correct the host name and the port in the URL."
	case errors.Is(err, fetch.ErrTimeout):
		r.Fix = "Check the load of the server, and whether it blocks crawlers."
	case errors.Is(err, fetch.ErrRedirect):
		r.Fix = "Remove the redirect loop, or list the final URL."
	case errors.Is(err, fetch.ErrEncoding):
		r.Fix = of(UnknownEncoding).Fix
	case errors.Is(err, fetch.ErrBody):
		r.Fix = of(FetchFailed).Fix
	case errors.Is(err, fetch.ErrRefused):
		r.Fix = "List a public http or https URL, on the usual port. If the server is yours and " +
			"private, allow its address: --allow-private."
	}
	return r
}

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
