package audit_test

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

const home = "https://www.example.com/"

// siteOf returns a site with these documents, by their paths. A document that starts with a number
// and a space has this status.
func siteOf(docs map[string]string) web {
	w := web{}
	for path, text := range docs {
		s := section{"200", http.Header{"Content-Type": {"text/plain"}}, []byte(text)}
		if status, rest, _ := strings.Cut(text, " "); len(status) == 3 && status[0] >= '2' && status[0] <= '5' {
			s.status, s.body = status, []byte(rest)
		}
		if strings.HasPrefix(string(s.body), "<") {
			s.header.Set("Content-Type", "application/xml")
		}
		w[home+path] = s
	}
	return w
}

// auditSite audits a site without the findings about lastmods.
func auditSite(t *testing.T, transport http.RoundTripper, o audit.Options) ([]audit.Finding, error) {
	t.Helper()
	o.Time = testTime
	o.Disable = append(o.Disable, audit.LastmodStale, audit.LastmodCoverage)
	return collect(audit.Site(t.Context(), client(transport), home, &o))
}

func wholeURLSet(locs ...string) string {
	return urlsetStart + "<url><loc>" + strings.Join(locs, "</loc></url><url><loc>") +
		"</loc></url>" + urlsetEnd
}

func indexOf(locs ...string) string {
	return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` +
		strings.Join(locs, "</loc></sitemap><sitemap><loc>") + "</loc></sitemap></sitemapindex>"
}

// Each row is a site, and its findings.
func TestSite_Verdicts(t *testing.T) {
	const named, page = "Sitemap: " + home + "s.xml", home + "1"
	const feed = "<rss version='2.0'><channel><item><link>" + page + "</link></item></channel></rss>"
	sound := wholeURLSet(page)
	withImage := strings.Replace(sound, "</loc>", "</loc>"+`<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">`+
		"<image:loc>"+home+"1.png</image:loc></image:image>", 1)
	alternates := urlsetStart + "<url><loc>" + page + "</loc>" + `<xhtml:link rel="alternate" hreflang="en" href="` + page + `"/>` +
		`<xhtml:link rel="alternate" hreflang="de" href="` + home + `de"/></url>` + urlsetEnd
	for _, test := range []struct {
		name string
		docs map[string]string
		want string
	}{
		{"sound", map[string]string{"robots.txt": named, "s.xml": sound}, ""},
		{"found by a known path", map[string]string{"robots.txt": "", "sitemap.xml": sound}, "not_in_robots warning"},
		{"no sitemap", map[string]string{"robots.txt": ""}, "no_sitemap error"},
		{"no robots.txt", map[string]string{"sitemap.xml": sound}, "not_in_robots warning"},
		{"refused", map[string]string{"robots.txt": "403 no", "sitemap.xml": "403 no"}, "site_refused error"},
		{"refused by AWS WAF", map[string]string{"robots.txt": "405 no", "sitemap.xml": "405 no"}, "site_refused error"},
		{"robots.txt refused", map[string]string{"robots.txt": "429 slowly"}, "site_refused error"},
		{"robots.txt challenged", map[string]string{"robots.txt": "503 wait"}, "site_refused error"},
		{"robots.txt fails", map[string]string{"robots.txt": "500 oh"}, "robots_unreachable error"},
		{"sitemap refused", map[string]string{"robots.txt": named, "s.xml": "403 no"}, "sitemap_status error"},
		{"sitemap missing", map[string]string{"robots.txt": named}, "sitemap_status error"},
		{"sitemap fails", map[string]string{"robots.txt": named, "s.xml": "500 oh"}, "sitemap_status error"},
		{"sitemap disallowed", map[string]string{"robots.txt": named + "\nUser-agent: *\nDisallow: /s", "s.xml": sound}, "sitemap_disallowed error"},
		{"page disallowed", map[string]string{"robots.txt": named + "\nUser-agent: Googlebot\nDisallow: /1", "s.xml": sound}, "url_disallowed error"},
		{"page disallowed to others", map[string]string{"robots.txt": named + "\nUser-agent: Otherbot\nDisallow: /1", "s.xml": sound}, ""},
		{"duplicate line", map[string]string{"robots.txt": named + "\n" + named, "s.xml": sound}, "duplicate_loc warning"},
		{"misspelt key", map[string]string{"robots.txt": named + "\nSite-map: " + home + "t.xml", "s.xml": sound, "t.xml": wholeURLSet(home + "2")}, "nonstandard_key warning"},
		{"other host", map[string]string{"robots.txt": named, "s.xml": wholeURLSet(page, "https://other.example.net/")}, "untrusted_host error"},
		{"other host that names the sitemap", map[string]string{"robots.txt": named, "s.xml": wholeURLSet(page, "https://c.example.net/1")}, "mixed_hosts warning"},
		{"several of them", map[string]string{"robots.txt": named, "s.xml": wholeURLSet(page, "https://b.example.net/", "https://a.example.net/", "https://b.example.net/2")},
			"untrusted_host error, untrusted_host error"},
		{"http beside https", map[string]string{"robots.txt": named, "s.xml": wholeURLSet(page, "http://www.example.com/2")}, "mixed_hosts warning"},
		{"other host by an index", map[string]string{"robots.txt": named, "s.xml": indexOf(home+"t.xml", "https://b.example.net/t.xml"), "t.xml": sound},
			"child_on_other_site error"},
		{"other host that names the index", map[string]string{"robots.txt": named, "s.xml": indexOf(home+"t.xml", "https://c.example.net/t.xml"), "t.xml": sound}, ""},
		{"nested index", map[string]string{"robots.txt": named, "s.xml": indexOf(home + "t.xml"), "t.xml": indexOf(home + "u.xml"), "u.xml": sound}, "nested_index error"},
		{"index of itself", map[string]string{"robots.txt": named, "s.xml": indexOf(home+"s.xml", home+"u.xml"), "u.xml": sound}, "sitemap_listed_twice warning"},
		{"child leads to the index", map[string]string{"robots.txt": named, "s.xml": indexOf(home+"u.xml", home+"again.xml"), "u.xml": sound}, "sitemap_redirects warning"},
		{"second line leads to the first", map[string]string{"robots.txt": named + "\nSitemap: " + home + "again.xml", "s.xml": sound}, "sitemap_redirects warning"},
		{"child twice", map[string]string{"robots.txt": named, "s.xml": indexOf(home+"u.xml", home+"u.xml"), "u.xml": sound}, "sitemap_listed_twice warning"},
		{"child is a page", map[string]string{"robots.txt": named, "s.xml": indexOf(home+"u.xml", home+"p"), "u.xml": sound, "p": "<!DOCTYPE html><html></html>"}, "child_is_page warning"},
		{"child is a feed", map[string]string{"robots.txt": named, "s.xml": indexOf(home + "f"), "f": feed},
			"child_is_feed warning"},
		{"child is missing", map[string]string{"robots.txt": named, "s.xml": indexOf(home+"u.xml", home+"v.xml"), "u.xml": sound}, "sitemap_status error"},
		{"alternate in a missing sitemap", map[string]string{"robots.txt": named + "\nSitemap: " + home + "t.xml", "s.xml": alternates}, "sitemap_status error"},
		{"alternate on another host of the site", map[string]string{"robots.txt": named, "s.xml": indexOf(home+"t.xml", "https://c.example.net/t.xml"),
			"t.xml": strings.Replace(alternates, home+"de", "https://c.example.net/de", 1)}, "alternate_not_listed info"},
		{"page in two sitemaps", map[string]string{"robots.txt": named + "\nSitemap: " + home + "t.xml", "s.xml": sound, "t.xml": sound}, "url_in_several_sitemaps warning"},
		{"page in a sitemap of images too", map[string]string{"robots.txt": named + "\nSitemap: " + home + "t.xml", "s.xml": sound, "t.xml": withImage}, ""},
		{"page in two sitemaps of images", map[string]string{"robots.txt": named + "\nSitemap: " + home + "t.xml", "s.xml": withImage, "t.xml": withImage}, "url_in_several_sitemaps warning"},
		{"page in a feed and a sitemap", map[string]string{"robots.txt": "Sitemap: " + home + "f\n" + named, "s.xml": sound, "f": feed}, ""},
		{"page in a sitemap and a feed", map[string]string{"robots.txt": named + "\nSitemap: " + home + "f", "s.xml": sound, "f": feed}, ""},
		{"page in a feed and two sitemaps", map[string]string{"robots.txt": "Sitemap: " + home + "f\n" + named + "\nSitemap: " + home + "t.xml", "s.xml": sound, "t.xml": sound, "f": feed},
			"url_in_several_sitemaps warning"},
	} {
		site := siteOf(test.docs)
		site[home+"again.xml"] = section{"301", http.Header{"Location": {home + "s.xml"}}, nil}
		site["https://b.example.net/t.xml"] = section{"200", nil, []byte(wholeURLSet("https://b.example.net/"))}
		site["https://c.example.net/t.xml"] = section{"200", nil, []byte(wholeURLSet("https://c.example.net/"))}
		site["https://c.example.net/robots.txt"] = section{"200", nil, []byte(named)}
		found, _ := auditSite(t, site, audit.Options{})
		if got := said(found); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		for _, f := range found {
			if f.Fix == "" || f.Message == "" || f.Sitemap == "" {
				t.Errorf("%s: %+v", test.name, f)
			}
		}
	}
}

type failing struct {
	web
	path string
	err  error
}

func (f failing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == f.path {
		return nil, f.err
	}
	return f.web.RoundTrip(r)
}

// The fix fits the cause.
func TestSite_Fixes(t *testing.T) {
	for _, test := range []struct {
		err             error
		path, code, fix string
	}{
		{&net.DNSError{IsNotFound: true}, "/robots.txt", "robots_unreachable", "Correct the host name"},
		{x509.HostnameError{Certificate: new(x509.Certificate), Host: "a"}, "/robots.txt", "robots_unreachable", "Renew the certificate"},
		{syscall.ECONNREFUSED, "/robots.txt", "robots_unreachable", "Start the server"},
		{timeoutError{errors.New("slow")}, "/robots.txt", "robots_unreachable", "Check the load"},
		{errors.New("reset"), "/robots.txt", "robots_unreachable", "Answer /robots.txt"},
		{&net.DNSError{IsNotFound: true}, "/s.xml", "sitemap_unreachable", "Correct the host name"},
		{x509.HostnameError{Certificate: new(x509.Certificate), Host: "a"}, "/s.xml", "sitemap_unreachable", "Renew the certificate"},
		{errors.New("connection refused"), "/s.xml", "sitemap_unreachable", "Check the host name"},
		{timeoutError{errors.New("slow")}, "/s.xml", "sitemap_timeout", "Write the sitemap to a file ahead of time"},
		{fetch.ErrBody, "/s.xml", "sitemap_unreachable", "Request its URL"},
	} {
		site := failing{siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml"}),
			test.path, test.err}
		found, _ := auditSite(t, site, audit.Options{})
		if len(found) != 1 || string(found[0].Code) != test.code || !strings.HasPrefix(found[0].Fix, test.fix) {
			t.Errorf("%v: %+v", test.err, found)
		}
	}
	for status, fix := range map[string]string{"403": "Let this client in", "404": "Answer with status 200", "500": "Look for the error"} {
		found, _ := auditSite(t, siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml", "s.xml": status + " "}), audit.Options{})
		if len(found) != 1 || !strings.HasPrefix(found[0].Fix, fix) || found[0].Text != status || found[0].Pos.Line != 1 {
			t.Errorf("%s: %+v", status, found)
		}
	}
	for fix, answer := range map[string]section{
		"Answer with the sitemap": {"301", http.Header{"Location": {home + "p"}}, nil},
		"Compress with gzip or":   {"200", http.Header{"Content-Encoding": {"br"}}, []byte("x")},
	} {
		site := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml", "p": "<!DOCTYPE html><html></html>"})
		site[home+"s.xml"] = answer
		found, _ := auditSite(t, site, audit.Options{})
		if len(found) != 1 || !strings.HasPrefix(found[0].Fix, fix) {
			t.Errorf("%+v", found)
		}
	}
	for text, fix := range map[string]string{
		"Sitemap: " + home + "s.xml " + home + "t.xml":                                  "Write a line for each URL: Sitemap:",
		"Sitemap: " + home + "s.xml\nSitemap: " + home + "s.xml":                        "Keep one of the lines.",
		"Sitemap: " + home + "s.xml" + strings.Repeat("\nDisallow: /very/long", 30_000): "Shorten the file,",
	} {
		found, _ := auditSite(t, siteOf(map[string]string{"robots.txt": text,
			"s.xml": wholeURLSet(home + "1"), "t.xml": wholeURLSet(home + "2")}), audit.Options{})
		if len(found) != 1 || !strings.HasPrefix(found[0].Fix, fix) {
			t.Errorf("%+v", found)
		}
	}
	found, _ := auditSite(t, siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml",
		"s.xml": indexOf(home+"s.xml", home+"u.xml"), "u.xml": wholeURLSet(home + "1")}), audit.Options{})
	if len(found) != 1 || !strings.HasPrefix(found[0].Fix, "Remove this entry") {
		t.Errorf("%+v", found)
	}
	page := "<!DOCTYPE html><html></html>"
	found, _ = auditSite(t, siteOf(map[string]string{"robots.txt": "", "sitemap.xml": page}), audit.Options{})
	if len(found) != 1 || !strings.Contains(found[0].Message, home+"sitemap.xml (an HTML page)") {
		t.Errorf("%+v", found)
	}
	rule, _ := audit.RuleOf(sitemap.BadFeedDate)
	for date, want := range map[string]string{
		"2 Nov 2026":          "nonstandard_lastmod error",
		"2026-11-02T10:00:00": "zone_assumed info",
	} {
		feed := "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='" + home + "'/><updated>" + date + "</updated></entry></feed>"
		for _, f := range wantSaid(t, feed, want) {
			if f.Fix != rule.Fix {
				t.Errorf("%+v", f)
			}
		}
	}
	found, _ = auditSite(t, siteOf(map[string]string{"robots.txt": "", "sitemap.xml": wholeURLSet(home + "1")}), audit.Options{})
	if len(found) != 1 || found[0].Fix != "Add this line to robots.txt: Sitemap: "+home+"sitemap.xml" {
		t.Errorf("%+v", found)
	}
}

// A host that does not vouch is named with how many URLs it has, and its robots.txt only if it has
// one.
func TestSite_UntrustedHosts(t *testing.T) {
	w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml",
		"s.xml": wholeURLSet(home+"1", "https://a.example.net/1", "https://a.example.net/2", "http://localhost/1")})
	w["https://a.example.net/robots.txt"] = section{"200", nil, []byte("User-agent: *")}
	found, _ := auditSite(t, w, audit.Options{Only: []sitemap.Code{audit.UntrustedHost}})
	if len(found) != 2 {
		t.Fatalf("%+v", found)
	}
	for i, want := range []struct{ message, fix string }{
		{`2 URLs on a.example.net, which does not vouch for the sitemap; the first is "https://a.example.net/1"`,
			"Remove or correct the URLs. If the host is yours, add this line to https://a.example.net/robots.txt: Sitemap: " + home + "s.xml"},
		{`1 URL on localhost, which does not vouch for the sitemap; the first is "http://localhost/1"`, "Remove or correct the URLs."},
	} {
		if found[i].Message != want.message || found[i].Fix != want.fix {
			t.Errorf("%+v", found[i])
		}
	}
}

// Each row is a page, and its findings.
func TestSite_Pages(t *testing.T) {
	htmlPage := func(head string) section {
		return section{"200", http.Header{"Content-Type": {"text/html; charset=utf-8"}},
			[]byte("<!DOCTYPE html><head>" + head + "</head>")}
	}
	with := func(status, key, value string) section {
		return section{status, http.Header{key: {value}}, []byte("page")}
	}
	for _, test := range []struct {
		name string
		page section
		want string
	}{
		{"sound", htmlPage(""), ""},
		{"not found", section{status: "404"}, "page_not_found error"},
		{"gone", section{status: "410"}, "page_not_found error"},
		{"needs a login", section{status: "401"}, "page_forbidden error"},
		{"too many requests", section{status: "429"}, "page_forbidden error"},
		{"an error", section{status: "500"}, "page_error error"},
		{"no answer", section{status: "timeout"}, "page_timeout error"},
		{"no connection", section{status: "refused"}, "page_error error"},
		{"redirect", with("301", "Location", "/2"), "page_redirects error"},
		{"redirect to nothing", with("302", "Location", "/gone"), "page_redirects error"},
		{"noindex", htmlPage("<meta name=robots content=noindex>"), "page_noindex error"},
		{"noindex for all and in a list", htmlPage("<meta name='robots, googlebot' content='nofollow, none'>"), "page_noindex error"},
		{"noindex for another", htmlPage("<meta name=otherbot content=noindex>"), ""},
		{"noindex of a template", htmlPage("<template><meta name=robots content=noindex></template>"), ""},
		{"noindex in a header", with("200", "X-Robots-Tag", "noindex"), "page_noindex error"},
		{"noindex in both", section{"200", http.Header{"Content-Type": {"text/html"}, "X-Robots-Tag": {"noindex"}},
			[]byte("<meta name=robots content=noindex>")}, "page_noindex error"},
		{"unavailable", htmlPage("<meta name=robots content='unavailable_after: 2026-01-01'>"), "page_unavailable warning"},
		{"unavailable later", htmlPage("<meta name=robots content='unavailable_after: 2027-01-01'>"), ""},
		{"unavailable to another", with("200", "X-Robots-Tag", "otherbot: unavailable_after: 2026-01-01"), ""},
		{"its own canonical URL", htmlPage("<link rel=canonical href=/1>"), ""},
		{"in another spelling", htmlPage("<link rel=canonical href=HTTPS://WWW.Example.com:443/x/../%31>"), ""},
		{"redirect to itself", with("302", "Location", "/1"), "page_error error"},
		{"with a fragment", htmlPage("<link rel=canonical href='/1#a'>"), ""},
		{"canonical elsewhere", htmlPage("<link rel=canonical href=/2>"), "page_canonical_elsewhere error"},
		{"canonical by a base", htmlPage("<base href=/a/><link rel=canonical href=1>"), "page_canonical_elsewhere error"},
		{"canonical by a base, after all", htmlPage("<base href=https://www.example.com/><link rel=canonical href=1>"), ""},
		{"canonical in a header", with("200", "Link", `</2>; rel="canonical"`), "page_canonical_elsewhere error"},
		{"several canonical URLs", htmlPage("<link rel=canonical href=/1><link rel=canonical href=/2>"), "page_canonical_elsewhere warning"},
		{"one canonical URL twice", htmlPage("<link rel=canonical href=/1><link rel=canonical href=https://www.example.com/1>"), ""},
		{"meta refresh", htmlPage("<meta http-equiv=refresh content='0; url=/2'>"), "page_meta_refresh error"},
		{"refresh of itself", htmlPage("<meta http-equiv=refresh content='60; url=/1'>"), ""},
		{"canonical and refresh", htmlPage("<link rel=canonical href=/2><meta http-equiv=refresh content='0; url=/2'>"), "page_canonical_elsewhere error"},
		{"meta tags of another type", section{"200", http.Header{"Content-Type": {"text/plain"}}, []byte("<meta name=robots content=noindex>")}, ""},
	} {
		w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml",
			"s.xml": wholeURLSet(home + "1")})
		w[home+"1"], w[home+"2"] = test.page, htmlPage("<meta name=robots content=noindex><link rel=canonical href=/3>")
		var judged []audit.PageResult
		o := audit.Options{Pages: -1, Judged: func(p audit.PageResult) { judged = append(judged, p) }}
		found, err := auditSite(t, w, o)
		if got := said(found); got != test.want || err != nil {
			t.Errorf("%s: %s, want %s, %v", test.name, got, test.want, err)
		}
		if len(judged) != 1 || judged[0].Loc != home+"1" || judged[0].Reason != "" || len(judged[0].Codes) != len(found) {
			t.Errorf("%s: judged %+v", test.name, judged)
		}
		for _, f := range found {
			if f.Loc != home+"1" || f.Sitemap != home+"s.xml" || f.Pos.Line != 1 {
				t.Errorf("%s: %+v", test.name, f)
			}
		}
	}
}

// A page is not fetched if robots.txt disallows it or cannot be read, or if it has no file.
func TestSite_PagesNotFetched(t *testing.T) {
	for _, test := range []struct {
		robots string
		files  fstest.MapFS
		want   string
	}{
		{"", nil, ""},
		{"404", nil, ""},
		{"User-agent: *\nDisallow: /1", nil, "robots.txt does not allow it, or cannot be fetched"},
		{"User-agent: Googlebot\nDisallow: /1", nil, ""}, // another agent than the one that fetches
		{"503 down", nil, "robots.txt does not allow it, or cannot be fetched"},
		{"429 slowly", nil, "robots.txt does not allow it, or cannot be fetched"},
		{"", fstest.MapFS{"2.html": {}}, "it has no file"},
		{"", fstest.MapFS{"1.html": {}}, ""},
	} {
		site := &counted{hits: map[string]int{}, web: siteOf(map[string]string{"robots.txt": test.robots, "s.xml": wholeURLSet(home + "1"), "1": "page"})}
		if test.robots == "404" {
			delete(site.web, home+"robots.txt")
		}
		var judged []audit.PageResult
		o := &audit.Options{Pages: -1, Only: []sitemap.Code{audit.PageNotFound}, Judged: func(p audit.PageResult) { judged = append(judged, p) }}
		if test.files != nil {
			o.Files = test.files
		}
		_, err := collect(audit.Sitemaps(t.Context(), client(site),
			[]*discover.Sitemap{{Loc: home + "s.xml"}}, o))
		if err != nil || len(judged) != 1 || judged[0].Reason != test.want {
			t.Errorf("%q: %+v, %v", test.robots, judged, err)
		}
		if fetched := site.hits[home+"1"] > 0; fetched != (test.want == "") {
			t.Errorf("%q: fetched %t", test.robots, fetched)
		}
	}
}

// A robots.txt that cannot be fetched is asked for once, not for each page.
func TestPages_RobotsUnreachable(t *testing.T) {
	site := &counted{hits: map[string]int{}, web: siteOf(map[string]string{"robots.txt": "503 down"})}
	src := source("s.xml", []byte(wholeURLSet(home+"1", home+"2", home+"3")))
	judged := 0
	o := &audit.Options{Pages: -1, Judged: func(audit.PageResult) { judged++ }}
	_, err := collect(audit.Pages(t.Context(), client(site), src, o))
	if err != nil || judged != 3 || site.hits[home+"robots.txt"] != 1 {
		t.Errorf("%d of 3 pages, %v: %v", judged, err, site.hits)
	}
}

// Pages judges those of one document: all, or a sample, each with its place.
func TestPages(t *testing.T) {
	w := siteOf(map[string]string{"robots.txt": "", "1": "page", "3": "page"})
	src := source("s.xml", []byte(wholeURLSet(home+"1", home+"2", home+"3", home+"2")))
	for pages, want := range map[int]int{0: 0, 1: 1, 2: 2, 3: 3, 10: 3, -1: 3} {
		judged := 0
		o := &audit.Options{Pages: pages, Disable: []sitemap.Code{sitemap.DuplicateLoc}, Judged: func(audit.PageResult) { judged++ }}
		found, err := collect(audit.Pages(t.Context(), client(w), src, o))
		if judged != want || err != nil {
			t.Errorf("%d pages: judged %d, %v", pages, judged, err)
		}
		for _, f := range found {
			if f.Code != audit.PageNotFound || f.Loc != home+"2" || f.Sitemap != "s.xml" || f.Column == 0 {
				t.Errorf("%d pages: %+v", pages, f)
			}
		}
		if want == 3 && len(found) != 1 {
			t.Errorf("%d pages: %s", pages, said(found))
		}
	}
	found, err := collect(audit.Pages(t.Context(), client(w), src, nil))
	if said(found) != "duplicate_loc warning" || err != nil {
		t.Errorf("without options: %s, %v", said(found), err)
	}
}

// A seed draws another sample, and the same one each time.
func TestOptions_Seed(t *testing.T) {
	var locs []string
	for i := range 50 {
		locs = append(locs, fmt.Sprint(home, i))
	}
	src := source("s.xml", []byte(wholeURLSet(locs...)))
	sample := func(seed uint64) (drawn []string) {
		o := &audit.Options{Pages: 5, Seed: seed, Judged: func(p audit.PageResult) { drawn = append(drawn, p.Loc) }}
		collect(audit.Pages(t.Context(), client(siteOf(map[string]string{"robots.txt": ""})), src, o))
		return drawn
	}
	for seed := range uint64(4) {
		if one, other := sample(seed), sample(seed+1); len(one) != 5 || slices.Equal(one, other) || !slices.Equal(one, sample(seed)) {
			t.Errorf("seed %d: %v, then %v", seed, one, other)
		}
	}
}

// A page belongs to a file by its path.
func TestFileOf(t *testing.T) {
	files := fstest.MapFS{"index.html": {}, "a.html": {}, "b/index.html": {}, "c": {},
		"d/e.html": {}, "f.htm": {}, "g.html": {}, "g/index.html": {}}
	for path, want := range map[string]string{
		"": "index.html", "/": "index.html", "/a": "a.html", "/a.html": "a.html", "/b": "b/index.html", "/b/": "b/index.html", "/c": "c",
		"/d/e": "d/e.html", "/d/../a": "a.html", "/../a": "a.html", "/d": "", "/f": "", "/x": "", "/a.html.html": "",
		"/g": "g.html", "/g/": "g/index.html", "/a/": "a.html", "/c/": "c",
	} {
		if got, ok := audit.FileOf(files, path); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t", path, got, ok)
		}
	}
}

// A page in the folder that no sitemap lists is reported, unless search engines ignore it.
func TestSite_PageNotListed(t *testing.T) {
	for name, want := range map[string]bool{
		"2.html": true, "a/b.htm": true, "404.html": false, "404/index.html": true, "500.html": false, "google123.html": false,
		"_part.html": false, "_static/frame.html": false, "style.css": false, "yandex_0123456789abcdef.html": false,
		"baidu_verify_codeva-0aB1.html": false, "pinterest-0ab12.html": false, "pinterest/index.html": true,
		"naver0123456789abcdef0123456789abcdef.html": false, "private/2.html": false,
	} {
		files := fstest.MapFS{"1.html": {}, name: {Data: []byte("<title>T</title>")}}
		robots := "User-agent: *\nDisallow: /private/\nSitemap: " + home + "s.xml"
		w := siteOf(map[string]string{"robots.txt": robots, "s.xml": wholeURLSet(home + "1")})
		found, _ := auditSite(t, w, audit.Options{Files: files})
		if got := said(found) == "page_not_listed warning"; got != want || !want && len(found) > 0 {
			t.Errorf("%s: %s", name, said(found))
		}
	}
	for head, want := range map[string]bool{
		"": true, "<meta name=robots content=noindex>": false, "<link rel=canonical href=/1>": false, "<link rel=canonical href=/2>": true,
		"<meta http-equiv=refresh content='0; url=/1'>": false,
	} {
		files := fstest.MapFS{"1.html": {}, "2.html": {Data: []byte(head)}}
		w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml",
			"s.xml": wholeURLSet(home + "1")})
		if found, _ := auditSite(t, w, audit.Options{Files: files}); len(found) > 0 != want {
			t.Errorf("%s: %s", head, said(found))
		}
	}
	w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml", "s.xml": wholeURLSet(home+"1", home+"1/")})
	both := audit.Options{Files: fstest.MapFS{"1.html": {}, "1/index.html": {}}, Only: []sitemap.Code{audit.PageNotListed}}
	if found, _ := auditSite(t, w, both); len(found) > 0 {
		t.Errorf("/1 and /1/: %s", said(found))
	}
	w = siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml\nSitemap: " + home + "t.xml", "s.xml": wholeURLSet(home + "1")})
	both.Files = fstest.MapFS{"1.html": {}, "2.html": {}}
	if found, _ := auditSite(t, w, both); len(found) > 0 {
		t.Errorf("with a sitemap that cannot be read: %s", said(found))
	}
}

// The name of a document and its headers say whether it is compressed.
func TestDocument_Compression(t *testing.T) {
	plain := []byte(wholeURLSet(home + "1"))
	for _, test := range []struct {
		name, contentType, encoding string
		isGzip, isWrong             bool
	}{
		{"s.xml", "", "", false, false},
		{"s.xml.gz", "", "", true, false},
		{"s.xml.gz", "", "", false, true},
		{"s.xml.GZ", "", "", false, true},
		{"s.xml.gz", "", "gzip", false, false},
		{"s.xml", "", "", true, true},
		{"s.xml", "application/gzip", "", true, false},
		{"s.xml", "application/x-gzip", "", true, false},
		{"s.xml", "", "gzip", true, false},
		{"s", "", "", true, false},
	} {
		text := plain
		if test.isGzip {
			text = packed(plain)
		}
		src := source(test.name, text)
		src.ContentType, src.Encoding = test.contentType, test.encoding
		src.Base, _ = url.Parse(home + test.name)
		found, err := collect(audit.Document(src,
			&audit.Options{Only: []sitemap.Code{audit.WrongCompression}}))
		if len(found) > 0 != test.isWrong || err != nil {
			t.Errorf("%+v: %s, %v", test, said(found), err)
		}
	}
}

// The finding names the statuses of all attempts, or what is wrong with a document.
func TestSite_TriedIsNamed(t *testing.T) {
	found, err := auditSite(t, siteOf(map[string]string{"robots.txt": "", "sitemap.txt": ""}), audit.Options{})
	if !errors.Is(err, discover.ErrNoSitemap) || len(found) != 1 {
		t.Fatalf("%s, %v", said(found), err)
	}
	for _, want := range []string{"robots.txt", "/sitemap.xml (status 404)", "/sitemap_index.xml (status 404)", "/sitemap.txt (empty document)"} {
		if !strings.Contains(found[0].Message, want) {
			t.Errorf("%s does not have %s", found[0].Message, want)
		}
	}
	if audit.CodeOf(&fetch.Error{Status: 404, Err: fetch.ErrStatus}) != audit.FetchFailed {
		t.Error("code of a status")
	}
}

// Of pages without a file, the first 10,000 wait for one that has a file, and the others are
// counted.
func TestSite_FilesMissing(t *testing.T) {
	for _, test := range []struct {
		missing int
		last    string
	}{
		{10_000, `no file for "/9999"`},
		{10_001, "no file for 1 more pages"},
	} {
		var list strings.Builder
		for i := range test.missing {
			fmt.Fprintf(&list, "%s%d\n", home, i)
		}
		w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.txt",
			"s.txt": list.String() + home + "here"})
		o := audit.Options{Files: fstest.MapFS{"here.html": {}},
			Only: []sitemap.Code{audit.PageMissingFile}}
		found, err := auditSite(t, w, o)
		if n := len(found); n != test.missing || found[n-1].Message != test.last || err != nil {
			t.Errorf("%d findings, %v", n, err)
		}
	}
}

// A transport that ends its goroutine, as that of a test that fails, does not hang the audit.
func TestSite_TransportEnds(t *testing.T) {
	w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml", "s.xml": wholeURLSet(home + "1")})
	if _, err := auditSite(t, ending{w}, audit.Options{Pages: -1}); err != nil {
		t.Error(err)
	}
}

type ending struct{ web }

func (e ending) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/1" {
		runtime.Goexit()
	}
	return e.web.RoundTrip(r)
}
