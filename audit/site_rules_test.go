package audit_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
)

// Each row is an item or entry of a feed, and its findings.
func TestDocument_Feeds(t *testing.T) {
	rss := func(item string) string {
		return `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>T</title>` + item + `</channel></rss>`
	}
	atom := func(entry string) string {
		return `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>` + entry + `</feed>`
	}
	const link, atomLink = "<link>https://www.example.com/1</link>", `<link href="https://www.example.com/1"/>`
	for text, want := range map[string]string{
		rss(""):                          "",
		rss("<item>" + link + "</item>"): "",
		rss("<item>" + link + "<pubDate>Mon, 23 Nov 2026 10:00:00 GMT</pubDate></item>"):   "",
		rss("<item>" + link + "<pubDate>Mon, 23 Nov 2026 10:00:00 +0100</pubDate></item>"): "",
		rss("<item>" + link + "<dc:date>2026-11-23T10:00:00Z</dc:date></item>"):            "",
		rss("<item>" + link + "<pubDate>never</pubDate></item>"):                           "bad_feed_date error",
		rss("<item>" + link + "<pubDate>Thu, 01 Jan 1970 00:00:00 GMT</pubDate></item>"):   "",
		rss("<item>" + link + "<custom>x</custom></item>"):                                 "",
		rss(`<item><guid isPermaLink="true">https://www.example.com/1</guid></item>`):      "guid_as_loc warning",
		rss("<item>" + link + link + "</item>"):                                            "repeated_element error",
		rss("<item><link>/1</link></item>"):                                                "relative_loc error",
		rss("<item><link>https://www.example.com/?a&b</link></item>"):                      "raw_ampersand error",
		rss("<item>" + link + "</item><item>" + link + "</item>"):                          "duplicate_loc warning",
		atom(""): "",
		atom("<entry>" + atomLink + "<updated>2026-11-23T10:00:00Z</updated></entry>"):                              "",
		atom(`<entry xml:base="https://www.example.com/a/"><link href="1"/></entry>`):                               "",
		atom("<entry>" + atomLink + "<updated>yesterday</updated></entry>"):                                         "bad_feed_date error",
		atom("<entry><id>https://www.example.com/1</id></entry>"):                                                   "id_as_loc warning",
		atom(`<entry><link rel="ALTERNATE" href="https://www.example.com/1"/></entry>`):                             "nonstandard_rel info",
		atom(`<entry><link rel="alternate" href="https://www.example.com/1"/><link rel="self" href="/2"/></entry>`): "",
	} {
		wantSaid(t, text, want)
	}
}

// Each row is the lines of a text sitemap, and their findings.
func TestDocument_Text(t *testing.T) {
	const page = "https://www.example.com/1"
	for text, want := range map[string]string{
		page:                             "",
		page + "\n\n" + page + "2\r\n":   "",
		"\ufeff" + page:                  "",
		page + "\n" + page:               "duplicate_loc warning",
		page + "\nno URL at all":         "junk_line error",
		page + "\n# a comment":           "junk_line error",
		page + "\t2026-11-01":            "line_cut error",
		page + "\n/2":                    "junk_line error",
		page + "\nwww.example.com/2":     "scheme_assumed error",
		page + "\nhttps://b.example.net": "untrusted_loc error",
		page + "?token=1":                "secret_in_loc warning",
		page + "#a":                      "fragment_in_loc warning",
		page + "ü":                       "unescaped_loc warning",
	} {
		wantSaid(t, text, want)
	}
}

// Pages of several hosts are counted, the most common first.
func TestDocument_MixedHosts(t *testing.T) {
	many := func(n int, host string) string { return strings.Repeat("https://"+host+"/ ", n) }
	for locs, want := range map[string]string{
		many(2, "a.net"):                               "",
		many(1, "a.net") + many(2, "b.net"):            "pages of 2 hosts or schemes: https://b.net (2), https://a.net (1)",
		many(2, "a.net") + many(1, "A.net"):            "",
		many(2, "a.net") + many(1, "a.net:443"):        "",
		many(2, "a.net") + "http://a.net/":             "pages of 2 hosts or schemes: https://a.net (2), http://a.net (1)",
		many(2, "a.net") + many(1, "www.a.net"):        "pages of 2 hosts or schemes: https://a.net (2), https://www.a.net (1)",
		many(1, "10.0.0.2") + many(1, "10.0.0.1"):      "pages of 2 hosts or schemes: https://10.0.0.2 (1), https://10.0.0.1 (1)",
		many(1, "localhost") + many(1, "10.0.0.1"):     "1 page on localhost, which only its own network reaches",
		many(9, "a.net") + many(1, "localhost"):        "1 page on localhost, which only its own network reaches",
		many(30, "a.net") + many(1, "dev.a.net"):       "1 page on dev.a.net, which looks like a preview of a.net",
		many(30, "a.net") + many(1, "a.vercel.app"):    "1 page on a.vercel.app, which looks like a preview of a.net",
		many(3, "a.net") + many(2, "dev.a.net"):        "pages of 2 hosts or schemes: https://a.net (3), https://dev.a.net (2)",
		many(2, "a") + many(2, "b") + many(2, "c.net"): "2 pages on a, which only its own network reaches; 2 pages on b, which only its own network reaches",
		"https://0.net/ https://1.net/ https://2.net/ https://3.net/ https://4.net/ https://5.net/ https://6.net/ https://7.net/ https://8.net/ https://9.net/ https://10.net/ https://11.net/": "pages of 12 hosts or schemes: https://0.net (1), https://1.net (1), https://2.net (1), https://3.net (1), https://4.net (1), " +
			"https://5.net (1), https://6.net (1), https://7.net (1), https://8.net (1), https://9.net (1), 2 more",
	} {
		o := &audit.Options{Only: []sitemap.Code{audit.MixedHosts, audit.LocalHost, audit.StagingHost}}
		found, _ := collect(audit.Document(source("s.xml", []byte(wholeURLSet(strings.Fields(locs)...))), o))
		var messages []string
		for _, f := range found {
			messages = append(messages, f.Message)
		}
		if got := strings.Join(messages, "; "); got != want {
			t.Errorf("%s\n%s\nwant\n%s", locs, got, want)
		}
	}
}

// No robots.txt can help a sitemap on localhost.
func TestDocument_LocalChild(t *testing.T) {
	index := indexOf("https://a.net/1.xml", "https://a.net/2.xml", "http://localhost/3.xml")
	found, _ := collect(audit.Document(source("s.xml", []byte(index)), nil))
	rule, _ := audit.RuleOf(audit.LocalHost)
	if len(found) != 1 || found[0].Code != audit.ChildOnOtherSite || found[0].Fix != rule.Fix {
		t.Errorf("%+v", found)
	}
}

// Alternates of pages in different sitemaps name each other.
func TestSite_Alternates(t *testing.T) {
	const de, en = home + "de", home + "en"
	page := func(loc string, alternates ...string) string {
		s := "<url><loc>" + loc + "</loc>"
		for _, a := range alternates {
			s += `<xhtml:link rel="alternate" hreflang="` + a[len(home):] + `" href="` + a + `"/>`
		}
		return urlsetStart + s + "</url>" + urlsetEnd
	}
	for _, test := range []struct{ a, b, want string }{
		{page(de, de, en), page(en, de, en), ""},
		{page(de, de, en), page(en), "hreflang_no_return warning"},
		{page(de, de, en), page(en, en), "hreflang_no_return warning"},
		{page(de, de, en), page(home + "other"), "alternate_not_listed info"},
		{page(de, de, "https://www.example.org/en"), page(en), ""}, // another site lists it
		{page(de), page(en), ""},
		{page(de, de, en), strings.Replace(page(en, de, en), ">"+en, ">"+home+"%65n", 1), ""},
		{page(de, de, en), strings.ReplaceAll(page(en, de, en), `"https:`, `"HTTPS:`), ""},
	} {
		w := siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "a.xml\nSitemap: " + home + "b.xml", "a.xml": test.a, "b.xml": test.b})
		found, err := auditSite(t, w, audit.Options{})
		if got := said(found); got != test.want || err != nil {
			t.Errorf("%s\n%s\n%s, want %s, %v", test.a, test.b, got, test.want, err)
		}
		if test.want == "hreflang_no_return warning" && (found[0].Loc != en || found[0].Text != de) {
			t.Errorf("%+v", found)
		}
	}
}

// A lastmod of an index that moved without a change is found in the second audit.
func TestSite_LastmodWithoutChange(t *testing.T) {
	const other = "2026-11-02"
	for _, test := range []struct {
		lastmod, text string // of the second audit
		want          bool
	}{
		{other, "1", true}, {other, "2", false}, {"2026-11-01", "1", false}, {"2026-11-01", "2", false}, {"", "1", false},
	} {
		var store state.Memory
		site := func(lastmod, page string) web {
			index := strings.Replace(indexOf(home+"s.xml"), "</sitemap>", "<lastmod>"+lastmod+"</lastmod></sitemap>", 1)
			return siteOf(map[string]string{"robots.txt": "Sitemap: " + home + "i.xml", "i.xml": index, "s.xml": wholeURLSet(home + page)})
		}
		o := audit.Options{Store: &store, Only: []sitemap.Code{audit.LastmodWithoutChange}}
		if found, err := auditSite(t, site("2026-11-01", "1"), o); len(found) > 0 || err != nil {
			t.Errorf("first: %s, %v", said(found), err)
		}
		found, err := auditSite(t, site(test.lastmod, test.text), o)
		if len(found) > 0 != test.want || err != nil {
			t.Errorf("%+v: %s, %v", test, said(found), err)
		}
	}
}

// A page that asks for proof of a human is a refusal.
func TestSite_Challenge(t *testing.T) {
	for body, want := range map[string]string{
		"<script src=/cdn-cgi/challenge-platform/x>": "site_refused error", "<div class=g-recaptcha>": "site_refused error",
		"<script src=/_Incapsula_Resource>": "site_refused error", "<h1>Welcome</h1>": "robots_html warning, no_sitemap error",
		strings.Repeat(" ", 20<<10) + "captcha": "robots_html warning, no_sitemap error",
	} {
		w := siteOf(map[string]string{})
		w[home+"robots.txt"] = section{"200", http.Header{"Content-Type": {"text/html"}}, []byte("<!DOCTYPE html>" + body)}
		found, _ := auditSite(t, w, audit.Options{})
		if got := said(found); got != want {
			t.Errorf("%.60s: %s, want %s", body, got, want)
		}
	}
	header := http.Header{"Content-Type": {"text/html"}, "X-Amzn-Waf-Action": {"challenge"}}
	found, _ := auditSite(t, web{home + "robots.txt": {"202", header, nil}}, audit.Options{})
	if got := said(found); got != "site_refused error" {
		t.Error(got)
	}
}

// An excerpt has the line around its place, and the caret stands at the place.
func TestDocument_Excerpts(t *testing.T) {
	const bad = "<lastmod>x</lastmod>"
	for _, test := range []struct{ before, after, want string }{ // | is the caret
		{"", "", "|" + bad},
		{"  \t", " ", "|" + bad + " "},
		{"<a/>", "<b/>", "<a/>|" + bad + "<b/>"},
		{strings.Repeat("a", 50), "", strings.Repeat("a", 50) + "|" + bad},
		{strings.Repeat("a", 51), "", "…" + strings.Repeat("a", 50) + "|" + bad},
		{"", strings.Repeat("b", 30), "|" + bad + strings.Repeat("b", 30)},
		{"", strings.Repeat("b", 31), "|" + bad + strings.Repeat("b", 30) + "…"},
		{strings.Repeat("é", 60), "", "…" + strings.Repeat("é", 25) + "|" + bad},
		{"", strings.Repeat("é", 40), "|" + bad + strings.Repeat("é", 15) + "…"},
	} {
		for _, end := range []string{"\n", "\r\n", "\r"} {
			text := urlsetStart + "<url>" + end + test.before + bad + test.after + end + "<loc>" + home + "</loc></url>" + urlsetEnd
			o := &audit.Options{Excerpts: true, Only: []sitemap.Code{sitemap.BadLastMod}}
			found, _ := collect(audit.Document(source("s.xml", []byte(text)), o))
			if len(found) != 1 {
				t.Fatalf("%q: %s", text, said(found))
			}
			e := found[0].Excerpt
			if got := e.Text[:e.Caret] + "|" + e.Text[e.Caret:]; got != test.want {
				t.Errorf("%q: %q, want %q", text, got, test.want)
			}
		}
	}
}

// The user name and password of a URL are in no finding.
func TestDocument_NoSecrets(t *testing.T) {
	text := wholeURLSet("https://me:secret@www.example.com/ü b", "https://me:secret@www.example.com/ü b", "https://me:secret@b.example.net/")
	for _, excerpts := range []bool{false, true} {
		found, _ := collect(audit.Document(source("https://me:secret@www.example.com/s.xml", []byte(text)), &audit.Options{Excerpts: excerpts}))
		if len(found) < 5 {
			t.Errorf("%s", said(found))
		}
		for _, f := range found {
			if s := fmt.Sprintf("%+v", f); strings.Contains(s, "secret") && f.Code != sitemap.Userinfo {
				t.Errorf("%s", s)
			}
		}
	}
}

// Each error has the code of a rule, whatever is around it.
func TestCodeOf_All(t *testing.T) {
	for _, test := range []struct {
		err  error
		want sitemap.Code
	}{
		{sitemap.ErrTooLarge, sitemap.TooLarge}, {sitemap.ErrTooManyEntries, sitemap.TooManyEntries}, {fetch.ErrRefused, audit.Refused},
		{discover.ErrUnreachable, audit.RobotsUnreachable}, {fetch.ErrHostDown, audit.HostDown}, {fetch.ErrTimeout, audit.Timeout},
		{fetch.ErrRedirect, audit.BadRedirect}, {fetch.ErrEncoding, audit.UnknownEncoding}, {discover.ErrLimit, audit.Limit},
		{discover.ErrSite, audit.NotASite}, {fetch.ErrBody, audit.FetchFailed}, {sitemap.ErrNotSitemap, audit.NotASitemap},
		{sitemap.ErrEmpty, audit.Empty}, {sitemap.ErrTruncated, audit.Truncated}, {sitemap.ErrGzip, audit.BadGzip},
		{discover.ErrNoSitemap, audit.NoSitemap}, {errors.New("permission denied"), audit.ReadFailed},
	} {
		for _, err := range []error{test.err, fmt.Errorf("a: %w", test.err), &sitemap.ParseError{Err: test.err}} {
			got := audit.CodeOf(err)
			rule, ok := audit.RuleOf(got)
			if got != test.want || !ok || rule.Severity != sitemap.SeverityError {
				t.Errorf("%v: %s, want %s", err, got, test.want)
			}
		}
	}
}

// Unwanted and unknown codes are not judged, on sites too.
func TestSite_OnlyAndDisable(t *testing.T) {
	w := siteOf(map[string]string{"robots.txt": "User-agent: *\nDisallow: /1", "sitemap.xml": wholeURLSet(home+"1", home+"1")})
	for _, test := range []struct {
		only, disable []sitemap.Code
		want          []sitemap.Code
	}{
		{nil, nil, []sitemap.Code{sitemap.DuplicateLoc, audit.NotInRobots, audit.URLDisallowed}},
		{[]sitemap.Code{audit.NotInRobots}, nil, []sitemap.Code{audit.NotInRobots}},
		{nil, []sitemap.Code{audit.NotInRobots, sitemap.DuplicateLoc}, []sitemap.Code{audit.URLDisallowed}},
		{[]sitemap.Code{audit.NotInRobots}, []sitemap.Code{audit.NotInRobots}, nil},
	} {
		found, err := auditSite(t, w, audit.Options{Only: test.only, Disable: test.disable})
		if got := codes(found); !slices.Equal(got, test.want) || err != nil {
			t.Errorf("%v, %v: %v, want %v, %v", test.only, test.disable, got, test.want, err)
		}
	}
}
