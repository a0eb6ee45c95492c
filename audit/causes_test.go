package audit_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
)

// Each row is what stands in a urlset, and its findings: one for each defect.
func TestDocument_OneFindingEach(t *testing.T) {
	for body, want := range map[string]string{
		"<generator>x</generator>":             "unknown_element error",
		"<generator>\n x y\n</generator>":      "unknown_element error",
		"<g>a</g><g>b</g>":                     "unknown_element error, stray_text warning",
		"<generator/>x":                        "unknown_element error, stray_text warning",
		"<generator>x</generator>y":            "unknown_element error, stray_text warning",
		"x":                                    "stray_text warning",
		"<!-- -->x":                            "stray_text warning",
		"<url>x<loc>" + home + "2</loc></url>": "stray_text warning",
	} {
		wantSaid(t, urlsetStart+body+"<url><loc>"+home+"</loc></url>"+urlsetEnd, want)
	}
}

// An alternate without a complete URL is one finding: it may be the one that is missed.
func TestDocument_IncompleteAlternates(t *testing.T) {
	page := func(loc string, hrefs ...string) string {
		text := "<url><loc>" + home + loc + "</loc>"
		for i, href := range hrefs {
			text += `<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="` +
				[]string{"en", "de"}[i] + `" href="` + href + `"/>`
		}
		return text + "</url>"
	}
	for href, want := range map[string]string{
		"/de":        "hreflang_relative error",
		"":           "hreflang_missing_href error",
		home + "de":  "",
		home + "de2": "hreflang_no_return warning",
	} {
		text := urlsetStart + page("en", home+"en", href) + page("de", home+"en", home+"de") + urlsetEnd
		found, err := collect(audit.Document(source("s.xml", []byte(text)), &audit.Options{Time: testTime}))
		if got := said(found); got != want || err != nil {
			t.Errorf("%q: %s, want %s, %v", href, got, want, err)
		}
	}
}

// Three countries are not three languages.
func TestDocument_Languages(t *testing.T) {
	for codes, want := range map[string]string{
		"en-US en-GB en-AU en": "",
		"en-US de-DE fr":       "x_default_missing info",
		"en-US de-DE de-AT":    "",
	} {
		text := "<url><loc>" + home + "0</loc>"
		for i, code := range strings.Fields(codes) {
			text += fmt.Sprintf(`<xhtml:link rel="alternate" hreflang="%s" href="%s%d"/>`, code, home, i)
		}
		wantSaid(t, urlsetStart+text+"</url>"+urlsetEnd, want)
	}
}

// ASCII is UTF-8, if all bytes are ASCII.
func TestDocument_DeclaredASCII(t *testing.T) {
	const start = `<?xml version='1.0' encoding='us-ascii'?>` + "\n" + urlsetStart
	wantSaid(t, start+"<url><loc>"+home+"</loc></url>"+urlsetEnd, "")
	wantSaid(t, start+"<!-- \xe9 --><url><loc>"+home+"</loc></url>"+urlsetEnd, "encoding_fallback warning, not_utf8 error")
}

// A finding about the whole document has a place, and the URL of no entry.
func TestDocument_AboutNoEntry(t *testing.T) {
	xml, lines := wholeURLSet(home, home+"2"), home+"\n"+home+"2\n"
	for text, want := range map[string]string{
		string(packed(packed([]byte(xml)))):    "double_gzip error",
		string(packed([]byte(lines))) + "junk": "gzip_trailing_junk warning",
		lines + "# \xe9\n":                     "junk_line error, encoding_fallback warning, not_utf8 error",
	} {
		found, err := collect(audit.Document(source("s", []byte(text)), &audit.Options{Time: testTime}))
		if got := said(found); got != want || err != nil {
			t.Errorf("%q: %s, want %s, %v", text, got, want, err)
		}
		for _, f := range found {
			if f.Loc != "" || f.Column == 0 {
				t.Errorf("%s at column %d, about %q", f.Code, f.Column, f.Loc)
			}
		}
	}
}

// The fix is one for the format, and for the host.
func TestDocument_Fixes(t *testing.T) {
	base, _ := url.Parse(home)
	for text, want := range map[string]string{
		"<rss version='2.0'><channel><item><title>a</title></item></channel></rss>":                                           "Add a link to the item: <link>",
		"<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>a</title><id>urn:a</id></entry></feed>":                      `Add a link to the entry: <link rel="alternate"`,
		"<feed><entry><id>" + home + "</id><link href='" + home + "'/></entry></feed>":                                        `Declare the namespace in the root: <feed`,
		"<feed xmlns='urn:a'><entry><id>" + home + "</id><link href='" + home + "'/></entry></feed>":                          `Declare the namespace in the root: <feed`,
		"<rss xmlns='urn:a'><channel><item><link>" + home + "</link></item></channel></rss>":                                  "Write the root without a namespace",
		home + "\n" + home + "?a=1&amp;b=2\n":                                                                                 "Write & for &amp;",
		"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>" + home + "</loc></url></sitemapindex>": "Correct the name of the root",
		home + "\n" + home + "\xe9\n":                              "Save the document in UTF-8, and remove",
		indexOf(home+"a.xml", "http://localhost:8080/b.xml"):       "Configure the public URL",
		indexOf(home+"a.xml", "https://www.example.net/other.xml"): "Add a Sitemap line for the index",
	} {
		src := source("s", []byte(text))
		src.Base = base
		o := &audit.Options{Time: testTime, Disable: []sitemap.Code{audit.UnescapedLoc}}
		found, err := collect(audit.Document(src, o))
		n := 1
		if strings.Contains(text, "\xe9") {
			n = 2 // an encoding_fallback and a not_utf8
		}
		if len(found) != n || err != nil {
			t.Errorf("%q: %d findings, %v", text, len(found), err)
		}
		for _, f := range found {
			if !strings.HasPrefix(f.Fix, want) {
				t.Errorf("%q: %s: %s", text, f.Code, f.Fix)
			}
		}
	}
}

// The fix for text that is no location says what is wrong with it.
func TestDocument_BogusFixes(t *testing.T) {
	for loc, want := range map[string]string{
		"null":                       "Leave entries without a URL out.",
		"{{ site.url }}//a":          "Leave entries without a URL out.",
		home + "null":                "Leave entries without a URL out.",
		home + home:                  "Write one URL:",
		home + home[:22] + home:      "Write one URL:",
		"ttps://www.example.com/":    "Write only the URL,",
		"https//www.example.com/":    "Write only the URL,",
		"https:/www.example.com/":    "Write only the URL,",
		"“" + home + "”":             "Write only the URL,",
		"\u200bhttps://example.com/": "Remove what precedes the URL.",
	} {
		found, err := collect(audit.Document(source("s.xml", []byte(wholeURLSet(loc))), nil))
		if len(found) != 1 || !strings.HasPrefix(found[0].Fix, want) || err != nil {
			t.Errorf("%q: %+v, %v", loc, found, err)
		}
	}
}

// A finding in a line of a robots.txt stands at its start.
func TestRobots_Columns(t *testing.T) {
	text := []byte("User-agent: *\nDisallow: a\n  Sitemap: /s.xml\nSite-map: " + home + "a.xml\n")
	found, err := collect(audit.Robots(source("robots.txt", text), nil))
	if got := said(found); got != "nonstandard_rule warning, relative_loc error, nonstandard_key warning" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	found2, _ := auditSite(t, siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml"}), audit.Options{})
	if got := said(found2); got != "sitemap_status error" {
		t.Errorf("%s", got)
	}
	for _, f := range append(found, found2...) {
		if f.Pos.Line == 0 || f.Column != 1 {
			t.Errorf("%s at %d:%d", f.Code, f.Pos.Line, f.Column)
		}
	}
}

// A server that does not speak TLS has the fix for that.
func TestSite_NoTLS(t *testing.T) {
	for _, err := range []error{tls.RecordHeaderError{Msg: "not TLS"}, tls.AlertError(40)} {
		found, _ := auditSite(t, failing{siteOf(nil), "/robots.txt", err}, audit.Options{})
		if len(found) != 1 || !strings.HasPrefix(found[0].Fix, "Let the server speak TLS") {
			t.Errorf("%v: %+v", err, found)
		}
	}
}

// The fix for a robots.txt fits its status. A server that is down answers like a bot protection.
func TestSite_RobotsFixes(t *testing.T) {
	refused := siteOf(map[string]string{"robots.txt": "403 no", "sitemap.xml": wholeURLSet(home)})
	found, err := auditSite(t, refused, audit.Options{})
	if len(found) != 1 || !strings.HasPrefix(found[0].Fix, "Let this client in:") || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
	for status, fix := range map[string]string{
		"403": "Let this client in:", "500": "Answer /robots.txt", "503": "If the server is down, bring it back.",
	} {
		found, _ := auditSite(t, siteOf(map[string]string{"robots.txt": status + " no"}), audit.Options{})
		if len(found) != 1 || !strings.HasPrefix(found[0].Fix, fix) {
			t.Errorf("%s: %+v", status, found)
		}
	}
}

// A robots.txt that cannot be fetched is a finding, once, for named sitemaps as for a site.
func TestSitemaps_RobotsUnreachable(t *testing.T) {
	for _, status := range []string{"429", "500", "503"} {
		w := siteOf(map[string]string{"robots.txt": status + " no", "a.xml": wholeURLSet(home + "1"), "b.xml": wholeURLSet(home + "2")})
		found, err := collect(audit.Sitemaps(t.Context(), client(w),
			[]*discover.Sitemap{{Loc: home + "a.xml"}, {Loc: home + "b.xml"}}, nil))
		if got := said(found); got != "robots_unreachable error" || err != nil {
			t.Errorf("%s: %s, %v", status, got, err)
		}
	}
}

// A sitemap that leads to one that robots.txt names is named. Else the URL to name is that one.
func TestSitemaps_RedirectInRobots(t *testing.T) {
	o := &audit.Options{Only: []sitemap.Code{audit.NotInRobots, sitemap.UntrustedLoc}}
	for record, want := range map[string]string{
		"Sitemap: " + home + "a/s.xml": "", "Sitemap: " + home + "old.xml": "",
		"": "Move the sitemap to the top of the site, or name it in robots.txt." +
			"Add this line to robots.txt: Sitemap: " + home + "a/s.xml",
	} {
		w := siteOf(map[string]string{"robots.txt": record, "a/s.xml": wholeURLSet(home + "1")})
		w[home+"old.xml"] = section{"301", http.Header{"Location": {"/a/s.xml"}}, nil}
		fix := ""
		for f := range audit.Sitemaps(t.Context(), client(w), []*discover.Sitemap{{Loc: home + "old.xml"}}, o) {
			fix += f.Fix
		}
		if fix != want {
			t.Errorf("%q: %q", record, fix)
		}
	}
}

// The fix for a page fits its status and that of its target.
func TestSite_PageFixes(t *testing.T) {
	for _, test := range []struct {
		page section
		fix  string
	}{
		{section{status: "401"}, "Check that crawlers are let in without a login."},
		{section{status: "429"}, "Let this client in:"},
		{section{"202", http.Header{"X-Amzn-Waf-Action": {"challenge"}}, nil}, "Let this client in:"},
		{section{"301", http.Header{"Location": {"/gone"}}, nil}, "Remove the page from the sitemap, or restore it."},
		{section{"301", http.Header{"Location": {"/2"}}, nil}, "List the final URL in its place."},
	} {
		w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml", "s.xml": wholeURLSet(home + "1"), "2": "page"})
		w[home+"1"] = test.page
		found, err := auditSite(t, w, audit.Options{Pages: -1})
		if len(found) != 1 || !strings.HasPrefix(found[0].Fix, test.fix) || err != nil {
			t.Errorf("%+v: %+v, %v", test.page, found, err)
		}
	}
}

// A page is requested as it is listed, not in the normal form of its URL.
func TestSite_PageAsListed(t *testing.T) {
	w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml", "s.xml": wholeURLSet(home + "%7ea/%c3%a9"),
		"%7ea/%c3%a9": "page"})
	if found, err := auditSite(t, w, audit.Options{Pages: -1}); len(found) > 0 || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
}

// A page with a path that is part of its markup is compared as well, but not the home page.
func TestSite_SoftNotFoundOfShortPath(t *testing.T) {
	blank := section{"200", http.Header{"Content-Type": {"text/html"}}, []byte("<html><body>Nothing here</body></html>")}
	w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "s.xml", "s.xml": wholeURLSet(home, home+"b")})
	w["*"] = blank
	found, err := auditSite(t, w, audit.Options{Pages: -1})
	if got := said(found); got != "page_soft_404 warning" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// mergeEntries are two entries without a defect.
const mergeEntries = `<url>
<loc>` + home + `a</loc>
<lastmod>2026-11-01</lastmod>
<changefreq>daily</changefreq>
<priority>0.8</priority>
</url>
<url>
<loc>` + home + `b</loc>
<lastmod>2026-11-02</lastmod>
<video:video xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
<video:thumbnail_loc>` + home + `b.jpg</video:thumbnail_loc>
<video:title>B</video:title>
<video:description>B</video:description>
<video:content_loc>` + home + `b.mp4</video:content_loc>
</video:video>
</url>
`

// Each row is a change to mergeEntries, as what stands in place of what, and its findings. Several
// tags may be left alone by one that is missing or misspelt.
func TestDocument_OneCause(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"<url>\n<loc>" + home + "a", "<url>\n<url>\n<loc>" + home + "a", "mismatched_tag error"},
		{"</url>\n<url>", "<url>", "mismatched_tag error"},
		{"</url>\n<url>", "<url><loc>" + home + "c</loc></url></url><url>", "mismatched_tag error"},
		{"<url>\n", "", "mismatched_tag error"},
		{"<url>", "<url", "mismatched_tag error"},
		{"<url>", "< url>", "mismatched_tag error"},
		{"<url>", "url>", "mismatched_tag error"},
		{"<url>", "<URL>", "mismatched_tag error"},
		{"<url>", "<x:url>", "undeclared_prefix error, mismatched_tag error"},
		{"</url>", "</urlx>", "mismatched_tag error"},
		{"</url>", "/url>", "mismatched_tag error"},
		{"<loc>", "<loc", "mismatched_tag error"},
		{"<loc>", "loc>", "mismatched_tag error"},
		{"<loc>", "", "mismatched_tag error"},
		{"<loc>", "<loc><loc>", "mismatched_tag error"},
		{"<loc>", "<locx>", "mismatched_tag error"},
		{"<loc>", "<x:loc>", "undeclared_prefix error, mismatched_tag error"},
		{"<loc>", "<loc/>", "mismatched_tag error"},
		{"<loc>", "<loc><!-- ", "mismatched_tag error"},
		{"</loc>", "<loc>", "mismatched_tag error"},
		{"</loc>", "</lo>", "mismatched_tag error"},
		{"</loc>", "</>", "mismatched_tag error"},
		{"<lastmod>", "<lastmod", "mismatched_tag error"},
		{"<lastmod>", "lastmod>", "mismatched_tag error"},
		{"<lastmod>", "", "mismatched_tag error"},
		{"<lastmod>", "<lastmod><lastmod>", "mismatched_tag error"},
		{"</lastmod>", "<lastmod>", "mismatched_tag error"},
		{"</lastmod>", "< /lastmod>", "mismatched_tag error"},
		{"</changefreq>", "", "mismatched_tag error"},
		{"<video:title>", "", "mismatched_tag error"},
		{"<video:title>", "<video:title", "mismatched_tag error"},
		{"<video:title>", "<video:titlex>", "mismatched_tag error"},
		{"</video:video>", "</video>", "mismatched_tag error"},
	} {
		if wantSaid(t, urlsetStart+replace(t, test.old, test.new)+urlsetEnd, test.want); t.Failed() {
			t.Fatalf("%q", test.new)
		}
	}
}

// Each row is two changes to mergeEntries. A tag hides no value, and nothing of another entry.
func TestDocument_TwoCauses(t *testing.T) {
	for _, test := range []struct{ old, new, old2, new2, want string }{
		{"</lastmod>", "</lastmodx>", "0.8", "1.5", "mismatched_tag error, bad_priority error"},
		{"</loc>", "</locx>", "daily", "dayly", "mismatched_tag error, bad_changefreq error"},
		{home + "a", "/a", "</lastmod>", "", "relative_loc error, mismatched_tag error"},
		{"</url>\n<url>", "<url>", "<loc>" + home + "b</loc>", "", "mismatched_tag error, missing_loc error"},
		{"</lastmod>", "</lastmodx>", "<loc>" + home + "b</loc>", "", "mismatched_tag error, missing_loc error"},
		{"</lastmod>", "</x>", "</video:title>", "</x>", "mismatched_tag error, mismatched_tag error"},
		{"<loc>" + home + "a</loc>", "", "</url>\n<url>", "</url>\n<url ", "missing_loc error, mismatched_tag error"},
	} {
		text := replace(t, test.old, test.new)
		wantSaid(t, urlsetStart+strings.Replace(text, test.old2, test.new2, 1)+urlsetEnd, test.want)
	}
}

// A finding tells whether an entry was dropped because of its consequences.
func TestDocument_OneCause_Dropped(t *testing.T) {
	text := urlsetStart + replace(t, "<loc>", "< loc>") + urlsetEnd
	if found := wantSaid(t, text, "mismatched_tag error"); !found[0].Dropped {
		t.Errorf("%+v", found)
	}
}

func replace(t *testing.T, old, with string) string {
	t.Helper()
	if !strings.Contains(mergeEntries, old) {
		t.Fatalf("no %q", old)
	}
	return strings.Replace(mergeEntries, old, with, 1)
}

// A guessed encoding is reported in one way, however the document is wrong and wherever that shows.
func TestDocument_GuessedEncoding(t *testing.T) {
	urls := strings.Repeat("<url><loc>"+home+"</loc></url>\n", 40_000)
	for _, text := range []string{
		urlsetStart + "<url><loc>" + home + "\xe9</loc></url>" + urlsetEnd,
		"<?xml version='1.0' encoding='utf-16'?>" + urlsetStart + "<url><loc>" + home + "\xe9</loc></url>" + urlsetEnd,
		"<?xml version='1.0' encoding='us-ascii'?>" + urlsetStart + urls + "<!-- \xe9 -->" + urlsetEnd,
	} {
		o := &audit.Options{Only: []sitemap.Code{audit.NotUTF8, sitemap.EncodingFallback}, Disable: []sitemap.Code{audit.NotUTF8}}
		found, err := collect(audit.Document(source("s.xml", []byte(text)), o))
		if got := said(found); got != "encoding_fallback warning" || found[0].Column != 1 || err != nil {
			t.Errorf("%.60q: %s, %v", text, got, err)
		}
	}
}
