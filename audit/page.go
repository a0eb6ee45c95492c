package audit

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// The codes of pages.
const (
	PageCanonicalElsewhere sitemap.Code = "page_canonical_elsewhere"
	PageError              sitemap.Code = "page_error"
	PageForbidden          sitemap.Code = "page_forbidden"
	PageLastmodDiffers     sitemap.Code = "page_lastmod_differs"
	PageMetaRefresh        sitemap.Code = "page_meta_refresh"
	PageNoindex            sitemap.Code = "page_noindex"
	PageNotFound           sitemap.Code = "page_not_found"
	PageRedirects          sitemap.Code = "page_redirects"
	PageSoft404            sitemap.Code = "page_soft_404"
	PageTimeout            sitemap.Code = "page_timeout"
	PageUnavailable        sitemap.Code = "page_unavailable"
)

var _ = register(
	rule(PageCanonicalElsewhere, failure, googleCanonical,
		"a page that names another URL as its canonical one",
		"Search engines index the canonical URL. Sitemap and page contradict each other.",
		`List the canonical URL in its place, or correct the page's <link rel="canonical"> or `+
			"Link header."),
	rule(PageError, failure, googleStatus, "a page that is answered with an error",
		"Search engines crawl the site more slowly, and finally drop the page.",
		"Fix the page or the server, or remove the page from the sitemap."),
	rule(PageForbidden, failure, googleStatus, "a listed page that refused this client",
		"Search engines may get another answer. If they do not, they remove the page.",
		"Check that crawlers are let in without a login. List no pages that need one."),
	rule(PageLastmodDiffers, info, googleBuild,
		"a page whose own date of change is more than a day later than its lastmod",
		"Search engines compare the two, and ignore the lastmods of a site if they are wrong. "+
			"They may also come late to the change.",
		"Take the lastmod from the source of Last-Modified or article:modified_time."),
	rule(PageMetaRefresh, failure, google+`"Redirects and Google Search"`,
		"a page that sends its readers on by a meta refresh",
		"Google takes it for a redirect and indexes the other page.",
		"List the URL that the refresh leads to, or remove the refresh."),
	rule(PageNoindex, failure, googleRobotsMeta, "a page that is kept out of the index",
		"The sitemap asks to index the page, and the page forbids it. It is not indexed.",
		"Remove noindex from the meta robots tag or the X-Robots-Tag header, or remove the page "+
			"from the sitemap."),
	rule(PageNotFound, failure, googleStatus, "a page that is answered with status 404 or 410",
		"Search engines do not index it, and their request is wasted.",
		"Remove the page from the sitemap, or restore it."),
	rule(PageRedirects, failure, googleStatus, "a page that redirects",
		"Search engines index the target instead, and each hop costs a request.",
		"List the final URL in its place."),
	rule(PageSoft404, warning, googleStatus,
		"a page with the body that its host gives for a path that does not exist",
		"Search engines take it for a page that does not exist, and do not index it.",
		"Restore the page or remove it from the sitemap, and answer paths that do not exist with "+
			"status 404."),
	rule(PageTimeout, failure, googleStatus, "a page that is not answered in time",
		"Search engines crawl the site more slowly, and finally drop the page.",
		"Make the page faster, and check the load of the server."),
	rule(PageUnavailable, warning, googleRobotsMeta,
		"a page that asked to be removed from the results by now",
		"The date of its unavailable_after has passed, so Google does not show it.",
		"Remove the page from the sitemap, or correct the date."),
)

const pageDelay = 24 * time.Hour // how much a lastmod may differ

// A judgment collects the findings of one page.
type judgment struct {
	reporter
	judgedPage
	page   sampled
	robots *robots.File // of its host, or nil if it is not known
	isBad  bool         // it leads elsewhere or nowhere, so no other such finding is made
}

func newJudgment(o *Options, page sampled, file *robots.File) *judgment {
	j := &judgment{reporter: reporter{o: o}, page: page, robots: file}
	j.Loc = page.loc
	j.found = func(f Finding) {
		j.Found = append(j.Found, f)
		j.Codes = append(j.Codes, f.Code)
	}
	return j
}

func (j *judgment) find(rule Rule, text, format string, args ...any) {
	j.report(rule, j.page.place, text, format, args...)
}

// bad is find for a page that leads elsewhere or nowhere. Only the first of these is reported.
func (j *judgment) bad(rule Rule, text, format string, args ...any) {
	if !j.isBad {
		j.isBad = true
		j.find(rule, text, format, args...)
	}
}

// failed judges a page that could not be fetched.
func (j *judgment) failed(e *fetch.Error) {
	isGone := e.Status == http.StatusNotFound || e.Status == http.StatusGone
	if !errors.Is(e, fetch.ErrRedirect) { // the last hop is not the page
		rule := of(PageRedirects)
		if isGone {
			rule = rule.fixedBy(of(PageNotFound).Fix)
		}
		j.redirects(rule, e.Hops, e.URL)
	}
	status := fmt.Sprint(e.Status)
	switch {
	case errors.Is(e, fetch.ErrTimeout), errors.Is(e, fetch.ErrHostDown):
		j.bad(of(PageTimeout), "", "the page does not answer in time")
	case isGone:
		j.bad(of(PageNotFound), status, "the page is answered with status %d", e.Status)
	case isRefusal(e.Status):
		rule := of(PageForbidden)
		if e.Status == http.StatusTooManyRequests {
			rule = rule.fixedBy(letIn)
		}
		j.bad(rule, status, "this client was refused with status %d", e.Status)
	case errors.Is(e, fetch.ErrStatus):
		j.bad(of(PageError), status, "the page is answered with status %d", e.Status)
	default:
		j.bad(of(PageError).causedBy(e), "", "the page cannot be fetched: %v", e.Err)
	}
}

// redirects reports the redirects of a page, with each hop.
func (j *judgment) redirects(rule Rule, hops []fetch.Hop, final string) {
	if len(hops) == 0 {
		return
	}
	via := ""
	for _, h := range hops[1:] {
		via += h.URL + ", then to "
	}
	j.bad(rule, final, "the page redirects to %s", via+final)
}

// document judges a page that was fetched, of which body is the start.
func (j *judgment) document(doc *fetch.Document, body []byte) {
	if len(doc.Hops) > 0 { // what the target says is not about the page
		j.redirects(of(PageRedirects), doc.Hops, doc.URL.String())
		return
	}
	agent, h := j.o.agent(), head{}
	media, _, _ := mime.ParseMediaType(doc.Header.Get("Content-Type"))
	if strings.Contains(media, "html") {
		h = readHead(body, agent)
	}
	tags := directivesFor(doc.Header.Values("X-Robots-Tag"), agent)
	if directive := noIndex(tags); directive != "" {
		j.find(of(PageNoindex), directive,
			"the header X-Robots-Tag: %s keeps the page out of the index", directive)
	} else if directive := noIndex(h.robots); directive != "" {
		j.find(of(PageNoindex), directive,
			"the page has a meta robots tag with %s", quoted(directive))
	}
	if date := unavailableAfter(append(tags, h.robots...), j.o.now()); date != "" {
		j.find(of(PageUnavailable), date, "the page is unavailable after %s", date)
	}
	j.elsewhere(doc, &h)
	j.modified(doc.Header.Get("Last-Modified"), h.modified)
}

// elsewhere reports a page that sends search engines to another one.
func (j *judgment) elsewhere(doc *fetch.Document, h *head) {
	var urls []string // canonical ones
	add := func(base, ref string) {
		u := resolve(doc.URL, base, ref)
		same := func(have string) bool { return sameURL(have, u) }
		if u != "" && !slices.ContainsFunc(urls, same) {
			urls = append(urls, u)
		}
	}
	add("", canonicalHeader(doc.Header.Values("Link")))
	for _, ref := range h.canonicals {
		add(h.base, ref)
	}
	page, _, _ := strings.Cut(j.Loc, "#")
	switch rule := of(PageCanonicalElsewhere); {
	case len(urls) > 1:
		j.bad(rule.with(warning), strings.Join(urls, " "),
			"the page names %d different canonical URLs: %s and %s", len(urls), quoted(urls[0]),
			quoted(urls[1]))
	case len(urls) == 1 && !sameURL(urls[0], page):
		j.bad(rule, urls[0], "the page names %s as its canonical URL", quoted(urls[0]))
	}
	if u := resolve(doc.URL, h.base, h.refresh); u != "" && !sameURL(u, page) {
		j.bad(of(PageMetaRefresh), u, "a meta refresh leads to %s", quoted(u))
	}
}

// resolve returns the URL that ref is on a page with this base, without a fragment, or "". Long ones
// would take long.
func resolve(page *url.URL, base, ref string) string {
	if max(len(base), len(ref)) > location.MaxLen {
		return ""
	}
	if u, err := page.Parse(base); err == nil {
		page = u
	}
	u, err := page.Parse(ref)
	if err != nil || ref == "" {
		return ""
	}
	u.Fragment = ""
	return u.String()
}

// modified compares the page's own date of modification with its lastmod.
func (j *judgment) modified(header, meta string) {
	lastMod := j.page.lastMod
	if lastMod.IsZero() {
		return
	}
	latest := lastMod.End().Add(pageDelay)
	if t, err := http.ParseTime(header); err == nil && t.After(latest) {
		j.find(of(PageLastmodDiffers), header,
			"Last-Modified %q is later than the lastmod %q", header, lastMod)
	} else if t, err := time.Parse(time.RFC3339, meta); err == nil && t.After(latest) {
		j.find(of(PageLastmodDiffers), meta,
			"article:modified_time %q is later than the lastmod %q", meta, lastMod)
	}
}
