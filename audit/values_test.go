package audit_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

// said returns the codes and severities of findings, in their order.
func said(found []audit.Finding) string {
	list := make([]string, len(found))
	for i, f := range found {
		list[i] = string(f.Code) + " " + f.Severity.String()
	}
	return strings.Join(list, ", ")
}

// wantSaid audits a document at https://www.example.com/s.xml.
func wantSaid(t *testing.T, text, want string) []audit.Finding {
	t.Helper()
	src := source("s.xml", []byte(text))
	src.Base, _ = url.Parse("https://www.example.com/s.xml")
	o := &audit.Options{Time: testTime, Disable: []sitemap.Code{audit.LastmodStale, audit.LastmodCoverage}}
	found, err := collect(audit.Document(src, o))
	if got := said(found); got != want || err != nil {
		t.Errorf("%s:\n%s\nwant\n%s, %v", text[:min(len(text), 1_000)], got, want, err)
	}
	return found
}

// Each row is a loc, and its findings.
func TestDocument_Locations(t *testing.T) {
	for loc, want := range map[string]string{
		"https://www.example.com/":                              "",
		"https://www.example.com/a-b_c.d~e/$&amp;'()*+,=:@":     "",
		"https://www.example.com/%C3%BC?a=1&amp;b=2":            "",
		"https://WWW.example.com/a":                             "",
		"https://www.example.com/ü":                             "unescaped_loc warning",
		"https://www.example.com/a|b":                           "unescaped_loc warning",
		"https://www.example.com/a^b":                           "unescaped_loc warning",
		"https://www.example.com/{a}":                           "unescaped_loc warning",
		"https://www.example.com/a[1]":                          "unescaped_loc warning",
		"https://www.example.com/a#b#c":                         "bad_loc error, fragment_in_loc warning",
		"https://www.example.com:/a":                            "bad_loc error",
		"https://www.example.com/a#b":                           "fragment_in_loc warning",
		"https://www.example.com/100%-cotton":                   "bad_escape error",
		"https://www.example.com/a%2":                           "bad_escape error",
		"https://www.example.com/a b":                           "loc_whitespace warning",
		"https://www.example.com/?a&amp;amp;b":                  "double_escaped warning",
		"https://www.example.com/?a&amp;#038;b":                 "double_escaped warning",
		"https://www.example.com/a&amp;#039;b":                  "double_escaped warning",
		"https://www.example.com/a&amp;#x2019;b#c":              "bad_loc error, double_escaped warning, fragment_in_loc warning",
		"https://www.example.com/a&#xD83D;":                     "raw_ampersand error",
		"https://www.example.com/?a&amp;#38;b=c&amp;#39;d":      "double_escaped warning, bad_loc error",
		"https://www.example.com/?a&amp;#b":                     "fragment_in_loc warning",
		"https://user:pass@www.example.com/":                    "userinfo warning",
		"https://www.example.com/?sid=1":                        "session_id warning",
		"https://www.example.com/?SID=1":                        "session_id warning",
		"https://www.example.com/?sid=":                         "",
		"https://www.example.com/?sids=1":                       "",
		"https://www.example.com/a;jsessionid=1A2B":             "session_id warning",
		"https://www.example.com/?a=1&amp;PHPSESSID=1a2b":       "session_id warning",
		"https://www.example.com/?ASPSESSIONIDQQ=1":             "session_id warning",
		"https://www.example.com/?ASPSESSIONID=1":               "",
		"https://www.example.com/?token=abc":                    "secret_in_loc warning",
		"https://www.example.com/?a=1&amp;password=b":           "secret_in_loc warning",
		"https://www.example.com/?sid=1&amp;token=abc":          "session_id warning, secret_in_loc warning",
		"https://www.example.com/?access_token=b#c":             "secret_in_loc warning, fragment_in_loc warning",
		"https://www.example.com/?key":                          "",
		"https://www.example.com/?keyboard=1":                   "",
		"https://www.example.com/sitemap-1.xml":                 "sitemap_in_urlset warning",
		"https://www.example.com/Sitemap_News.xml.gz":           "sitemap_in_urlset warning",
		"https://www.example.com/sitemap/a.xml":                 "",
		"https://www.example.com/sitemap.html":                  "",
		"www.example.com/a":                                     "scheme_assumed error",
		"//www.example.com/a":                                   "relative_loc error",
		"/a":                                                    "relative_loc error",
		"mailto:a@example.com":                                  "bad_scheme error",
		"ftp://www.example.com/a":                               "bad_scheme error",
		"None":                                                  "bogus_loc error",
		"{{ page.url }}":                                        "bogus_loc error",
		"https://www.example.com/{{ slug }}":                    "bogus_loc error",
		"https://www.example.com/{% url 'a' %}":                 "bogus_loc error",
		"https://www.example.com/&lt;?php echo $a; ?>":          "bogus_loc error",
		"https://www.example.com/wiki/%7B%7BCite%7D%7D":         "",
		"https://www.example.com/[object Object]":               "bogus_loc error",
		"https://www.example.com/%5Bobject%20Object%5D":         "bogus_loc error",
		"https://www.example.com/undefined":                     "bogus_loc error",
		"https://www.example.com/a/NaN":                         "bogus_loc error",
		"https://www.example.com/https://b.example/":            "bogus_loc error",
		"https://www.example.com//http://b.example/":            "bogus_loc error",
		"https://www.example.com/https:/b.example/":             "bogus_loc error",
		"https://www.example.comhttps://b.example/":             "bogus_loc error",
		"https://http://www.example.com/":                       "bogus_loc error",
		"":                                                      "empty_loc error",
		"https://":                                              "bad_loc error",
		"https://www.example.com:99999/":                        "bad_loc error",
		"https://www.example.com/" + strings.Repeat("a", 2_024): "",
		"https://www.example.com/" + strings.Repeat("a", 2_025): "loc_too_long error",
		"\u200bhttps://www.example.com/a":                       "bad_loc error",
		"https://www.example.com/a\u00a0":                       "loc_whitespace warning",
		"https://www.example.com/a&#8203;":                      "loc_whitespace warning",
		"https://www.example.com/a\v":                           "control_char error",
		"https://www.example.com/a&#32;":                        "",
		"https://www.example.com/a;":                            "",
	} {
		wantSaid(t, urlsetStart+"<url><loc>"+loc+"</loc></url>"+urlsetEnd, want)
	}
}

// Each row is the fields of an entry beside its loc, and its findings.
func TestDocument_Fields(t *testing.T) {
	for body, want := range map[string]string{
		"<lastmod>2026-11-01</lastmod>":                              "",
		"<lastmod>2026-11</lastmod>":                                 "",
		"<lastmod>2026</lastmod>":                                    "",
		"<lastmod>2026-11-01T10:00Z</lastmod>":                       "",
		"<lastmod>2026-11-01T10:00:00.5+02:00</lastmod>":             "",
		"<lastmod> 2026-11-01 </lastmod>":                            "nonstandard_lastmod info",
		"<lastmod>2026-11-01T10:00:00</lastmod>":                     "zone_assumed info",
		"<lastmod>2026-11-01 10:00:00Z</lastmod>":                    "nonstandard_lastmod error",
		"<lastmod>2026-11-01 10:00:00</lastmod>":                     "nonstandard_lastmod error",
		"<lastmod>Mon, 02 Nov 2026 10:00:00 GMT</lastmod>":           "nonstandard_lastmod error",
		"<lastmod>2026-11-01T10:00:00+14:00</lastmod>":               "",
		"<lastmod>2026-11-01T10:00:00+15:00</lastmod>":               "implausible_lastmod error",
		"<lastmod>1994-12-31</lastmod>":                              "implausible_lastmod warning",
		"<lastmod>1995-01-01</lastmod>":                              "",
		"<lastmod>0001-01-01T00:00:00Z</lastmod>":                    "implausible_lastmod warning",
		"<lastmod>1970-01-01</lastmod>":                              "implausible_lastmod warning",
		"<lastmod>13/45/2024</lastmod>":                              "bad_lastmod error",
		"<lastmod>2026-13-01</lastmod>":                              "bad_lastmod error",
		"<lastmod></lastmod>":                                        "bad_lastmod error",
		"<lastmod>2026-11-01</lastmod><lastmod>2026-11-02</lastmod>": "repeated_element error",
		"<changefreq>daily</changefreq>":                             "",
		"<changefreq>Daily</changefreq>":                             "nonstandard_changefreq error",
		"<changefreq> daily </changefreq>":                           "nonstandard_changefreq error",
		"<changefreq>often</changefreq>":                             "bad_changefreq error",
		"<priority>0.5</priority>":                                   "",
		"<priority>1</priority>":                                     "",
		"<priority>0.55555</priority>":                               "",
		"<priority>1.1</priority>":                                   "bad_priority error",
		"<priority>-1</priority>":                                    "bad_priority error",
		"<priority>0,8</priority>":                                   "nonstandard_priority error",
		"<priority> 0.8 </priority>":                                 "",
		"<priority>80%</priority>":                                   "bad_priority error",
		"<priority>high</priority>":                                  "bad_priority error",
		"<priority>0.5</priority><lastmod>2026-11-01</lastmod>":      "element_order info",
		"<lastmod id='1'>2026-11-01</lastmod>":                       "unknown_attribute warning",
		"<lastMod>2026-11-01</lastMod>":                              "uppercase_tag error",
		"<lastmodified>2026-11-01</lastmodified>":                    "unknown_element error",
		"<lastmodified id='1'>2026-11-01</lastmodified>":             "unknown_element error",
		"some text":                    "stray_text warning",
		"\u00a0":                       "stray_text warning",
		"<!-- a comment --><?pi?>":     "",
		"<a:b xmlns:a='urn:a'>c</a:b>": "",
		"<a:b>c</a:b>":                 "undeclared_prefix error",
	} {
		wantSaid(t, one("%s", body), want)
	}
}

// Each row is an extension of an entry, and its findings.
func TestDocument_Extensions(t *testing.T) {
	image := func(parts string) string { return "<image:image>" + parts + "</image:image>" }
	const imageLoc = "<image:loc>https://www.example.com/i.png</image:loc>"
	news := func(name, lang, date, rest string) string {
		return "<news:news><news:publication>" + name + lang + "</news:publication>" + date + rest +
			"</news:news>"
	}
	const name, lang = "<news:name>N</news:name>", "<news:language>en</news:language>"
	const date, title = "<news:publication_date>2026-11-22</news:publication_date>", "<news:title>T</news:title>"
	part := func(name, value string) string { return "<video:" + name + ">" + value + "</video:" + name + ">" }
	thumbnail, content := part("thumbnail_loc", "https://www.example.com/t"),
		part("content_loc", "https://www.example.com/v")
	videoTitle, description := part("title", "T"), part("description", "D")
	whole := thumbnail + videoTitle + description + content
	clip := func(parts string) string { return "<video:video>" + parts + "</video:video>" }
	for body, want := range map[string]string{
		image(imageLoc):                                                           "",
		image(""):                                                                 "image_missing_loc error",
		image("<image:loc></image:loc>"):                                          "image_missing_loc error",
		image("<image:loc>/i.png</image:loc>"):                                    "image_relative error",
		image(imageLoc + "<image:title>T</image:title>"):                          "deprecated_element info",
		image(imageLoc + "<image:caption>T</image:caption>"):                      "deprecated_element info",
		image(imageLoc + "<image:license>T</image:license>"):                      "deprecated_element info",
		image("<image:loc><![CDATA[https://www.example.com/i?a&b]]></image:loc>"): "",
		"<image>" + imageLoc + "</image>":                                         "extension_namespace error",

		news(name, lang, date, title):                                                        "",
		news("", lang, date, title):                                                          "news_missing_name error",
		news(name, "", date, title):                                                          "news_missing_language error",
		news(name, lang, "", title):                                                          "news_missing_publication_date error",
		news(name, lang, date, ""):                                                           "news_missing_title error",
		"<news:news>" + date + title + "</news:news>":                                        "news_missing_publication error",
		news(name, "<news:language>zh-cn</news:language>", date, title):                      "",
		news(name, "<news:language>ZH-TW</news:language>", date, title):                      "",
		news(name, "<news:language>deu</news:language>", date, title):                        "",
		news(name, "<news:language>en-us</news:language>", date, title):                      "news_bad_language error",
		news(name, "<news:language>english</news:language>", date, title):                    "news_bad_language error",
		news(name, lang, "<news:publication_date>yesterday</news:publication_date>", title):  "news_bad_date error",
		news(name, lang, "<news:publication_date>2026-11-01</news:publication_date>", title): "news_too_old warning",
		news(name, lang, "<news:publication_date>2026-12-01</news:publication_date>", title): "news_in_future error",
		news(name, lang, date, title+title):                                                  "news_repeated error",
		news(name, lang, date, title) + news(name, lang, date, title):                        "news_repeated error",
		news(name, lang, date, title+"<news:keywords>k</news:keywords>"):                     "deprecated_element info",

		clip(whole):                                "",
		clip(videoTitle + description + content):   "video_missing_thumbnail_loc error",
		clip(thumbnail + description + content):    "video_missing_title error",
		clip(thumbnail + videoTitle + content):     "video_missing_description error",
		clip(thumbnail + videoTitle + description): "video_missing_content_or_player_loc error",
		clip(thumbnail + videoTitle + description + part("player_loc", "https://www.example.com/p")): "",
		clip(whole + part("duration", "90")):                                                          "",
		clip(whole + part("duration", "1:30")):                                                        "video_bad_duration error",
		clip(whole + part("rating", "4.2")):                                                           "",
		clip(whole + part("rating", "-0.1")):                                                          "video_bad_rating error",
		clip(whole + part("rating", "NaN")):                                                           "video_bad_rating error",
		clip(whole + part("expiration_date", "2026-11-22")):                                           "video_expired warning",
		clip(whole + part("expiration_date", "2026-11-24")):                                           "",
		clip(whole + part("expiration_date", "31.12.2027")):                                           "video_bad_date warning",
		clip(whole + part("publication_date", "2026-11-01T10:00:00")):                                 "",
		clip(whole + part("publication_date", "2026-11-01 10:00:00")):                                 "video_bad_date warning",
		clip(whole + part("publication_date", "yesterday")):                                           "video_bad_date warning",
		clip(videoTitle + description + content + part("publication_date", "yesterday")):              "video_missing_thumbnail_loc error, video_bad_date warning",
		clip(whole + part("price", "1")):                                                              "deprecated_element info",
		clip(thumbnail + videoTitle + description + part("content_loc", "https://www.example.com/0")): "video_loc_is_page error",
		clip(thumbnail + videoTitle + description + part("content_loc", "ftp://www.example.com/v")):   "bad_extension warning",
		clip(part("thumbnail_loc", "ftp://www.example.com/t") + videoTitle + description + content):   "bad_extension warning",
	} {
		wantSaid(t, one("%s", body), want)
	}
}

// Each row is the alternates of the entry https://www.example.com/0, and their findings.
func TestDocument_Alternates(t *testing.T) {
	link := func(code, href string) string {
		return `<xhtml:link rel="alternate" hreflang="` + code + `" href="` + href + `"/>`
	}
	const self, other = "https://www.example.com/0", "https://www.example.com/de"
	for body, want := range map[string]string{
		link("en", self) + link("de", other):                                "",
		link("en", self) + link("x-default", other):                         "",
		link("en", self) + link("X-Default", other):                         "",
		link("en-GB", self) + link("zh-Hant-TW", other):                     "",
		link("en", self) + link("es-419", other):                            "hreflang_bad_code error",
		link("en", self) + link("en-UK", other):                             "hreflang_bad_code error",
		link("en", self) + link("de_DE", other):                             "hreflang_bad_code error",
		link("en", self) + link("de-", other):                               "hreflang_bad_code error",
		link("en", self) + link("qq", other):                                "hreflang_bad_code error",
		link("en", self) + link("de-DE-1996", other):                        "hreflang_bad_code error",
		link("en", self) + link("de", "/de"):                                "hreflang_relative error",
		link("en", self) + link("de", ""):                                   "hreflang_missing_href error",
		link("en", self) + `<xhtml:link rel="alternate" hreflang="de"/>`:    "hreflang_missing_href error",
		link("de", other):                                                   "hreflang_no_self warning",
		link("en", "/"):                                                     "hreflang_relative error",
		link("en", self) + link("de", other) + link("DE", other+"2"):        "hreflang_repeated_code warning",
		link("x-default", self) + link("x-default", other):                  "hreflang_two_x_defaults warning",
		link("en", self) + link("de", other) + link("fr", other+"2"):        "x_default_missing info",
		link("en", self) + link("de", other) + link("x-default", other+"2"): "",
		strings.Replace(link("en", self), "alternate", "Alternate", 1):      "",
		strings.Replace(link("xx-YY", "/"), "alternate", "stylesheet", 1):   "",
		strings.Replace(link("en", self), `rel="alternate"`, "", 1):         "bad_extension warning",
		strings.Replace(link("en", self), "xhtml:", "", 1):                  "extension_namespace error",
	} {
		wantSaid(t, one("%s", body), want)
	}
	for _, href := range []string{"https://WWW.Example.com:443/0", "https://www.example.com/a/../0"} {
		wantSaid(t, one("%s", link("fr", href)), "")
	}
	for _, href := range []string{"https://www.example.com/é", "https://www.example.com/%C3%A9"} {
		self := one("%s", link("fr", href))
		wantSaid(t, strings.Replace(self, "/0<", "/%c3%a9<", 1), "")
	}
}

// utf16Of returns a text of ASCII characters in UTF-16, with a byte order mark.
func utf16Of(text string) string {
	return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00"
}

// Each row is a whole document, and its findings.
func TestDocument_Schema(t *testing.T) {
	const entry, ns = "<url><loc>https://www.example.com/</loc></url>", `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
	const root, end = "<urlset " + ns + ">", "</urlset>"
	const header = `<?xml version="1.0" encoding="UTF-8"?>`
	for text, want := range map[string]string{
		header + root + entry + end:                                            "",
		"\ufeff" + header + root + entry + end:                                 "",
		strings.Replace(header, "UTF-8", "ISO-8859-1", 1) + root + entry + end: "not_utf8 error",
		strings.Replace(header, "UTF-8", "utf-16", 1) + root + entry + end:     "not_utf8 error",
		utf16Of(header + root + entry + end):                                   "not_utf8 error",
		strings.Replace(header, `"1.0"`, "1.0", 1) + root + entry + end:        "mismatched_tag error",
		strings.Replace(header, "?>", ">", 1) + root + entry + end:             "mismatched_tag error",
		strings.Replace(header, `"1.0"`, "“1.0”", 1) + root + entry + end:      "smart_quotes error",
		"\n" + header + root + entry + end:                                     "leading_whitespace error",
		"x" + root + entry + end:                                               "junk_before_root error",
		root + entry + end + "x":                                               "junk_after_root error",
		root + end:                                                             "no_entries error",
		"<!DOCTYPE urlset>" + root + entry + end:                               "doctype warning",
		"<urlset>" + entry + end:                                               "missing_namespace error",
		strings.Replace(root, "http:", "https:", 1) + entry + end:              "unknown_namespace error",
		strings.Replace(root, "0.9", "0.84", 1) + entry + end:                  "unknown_namespace error",
		strings.Replace(root, `0.9"`, `0.9/"`, 1) + entry + end:                "unknown_namespace error",
		`<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>https://www.example.com/</s:loc></s:url></s:urlset>`: "",
		entry: "missing_root error",
		strings.Replace(root, ">", ` version="1">`, 1) + entry + end:                                                                    "unknown_attribute warning",
		strings.Replace(root, ">", ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b">`, 1) + entry + end: "",
		strings.Replace(root, ">", ` schemaLocation="a b">`, 1) + entry + end:                                                           "unknown_attribute warning",
		root + entry + "\x01" + end:                        "control_char error",
		root + entry + "]]>" + end:                         "mismatched_tag error",
		root + "<a:b xmlns:a=urn:a />" + entry + end:       "mismatched_tag error",
		root + "<a:b xmlns:a='urn:a'/>" + entry + end:      "foreign_element info",
		root + "<loc>https://www.example.com/</loc>" + end: "no_entries error, misplaced_element error",
		"<x>" + root + entry + end + "</x>":                "wrapped_root error",
		root + "<url></url>" + end:                         "missing_loc error",
		root + "https://www.example.com/" + end:            "no_entries error, stray_text warning",
		root + strings.Replace(entry, "</loc>", "</loc><loc>https://www.example.com/2</loc>", 1) + end: "several_locs error",
		root + "<url><loc><b>https://www.example.com/</b></loc></url>" + end:                           "element_in_loc error",
		root + "<url><loc><a href='/'>https://www.example.com/</a></loc></url>" + end:                  "element_in_loc error",
		root + "<url><loc>https://www.example.com/?a&b</loc></url>" + end:                              "raw_ampersand error",
		root + "<url><loc>https://www.example.com/&eacute;</loc></url>" + end:                          "unescaped_loc warning, undeclared_entity error",
		root + "<url><loc>https://www.example.com/\x01</loc></url>" + end:                              "control_char error",
		root + "<url><loc>https://www.example.com/\xff</loc></url>" + end:                              "unescaped_loc warning, encoding_fallback warning, not_utf8 error",
		root + "<URL><loc>https://www.example.com/</loc></URL>" + end:                                  "uppercase_tag error",
	} {
		wantSaid(t, text, want)
	}
}
