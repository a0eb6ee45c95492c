package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// These tests are of the inside, since each case would take a site and a page otherwise.

func TestReadHead(t *testing.T) {
	for page, want := range map[string]head{
		"":                                   {},
		`<link rel="canonical" href="/a">`:   {canonicals: []string{"/a"}},
		`<LINK REL="Canonical" HREF=" /a ">`: {canonicals: []string{"/a"}},
		`<link rel="stylesheet canonical" href="/a">`:                          {canonicals: []string{"/a"}},
		`<link rel="canonical" href="">`:                                       {},
		`<link rel="canonical" href="/a"><link rel="canonical" href="/a">`:     {canonicals: []string{"/a"}},
		`<link rel="canonical" href="/a"><link rel="canonical" href="/b">`:     {canonicals: []string{"/a", "/b"}},
		`<head></head><link rel="canonical" href="/a">`:                        {},
		`<head><img src="i"><link rel="canonical" href="/a">`:                  {},
		`<title>T</title></title><link rel="canonical" href="/a">`:             {canonicals: []string{"/a"}},
		`<body><link rel="canonical" href="/a">`:                               {},
		`<template><link rel="canonical" href="/a"></template>`:                {},
		`<template><template></template><base href="/a"></template>`:           {},
		`</template><base href="/a">`:                                          {base: "/a"},
		`<script>'<link rel="canonical" href="/a">'</script>`:                  {},
		`<!-- <link rel="canonical" href="/a"> -->`:                            {},
		`<noscript><meta name="robots" content="noindex"></noscript>`:          {},
		`<base href="/a"><base href="/b">`:                                     {base: "/a"},
		`<meta name="robots" content="noindex, follow">`:                       {robots: []string{"noindex, follow"}},
		`<meta name="Robots" content="noindex"/>`:                              {robots: []string{"noindex"}},
		`<meta name="robots, googlebot" content="noindex">`:                    {robots: []string{"noindex"}},
		`<meta name="bingbot,Googlebot" content="noindex">`:                    {robots: []string{"noindex"}},
		`<meta name="bingbot" content="noindex">`:                              {},
		`<meta name="robots" content="a"><meta name="googlebot" content="b">`:  {robots: []string{"a", "b"}},
		`<body><p><meta name="robots" content="noindex">`:                      {robots: []string{"noindex"}},
		`<template><meta name="robots" content="noindex"></template>`:          {},
		`<meta http-equiv="Refresh" content="0; url=/a">`:                      {refresh: "/a"},
		`<meta http-equiv="refresh" content="30">`:                             {},
		`<meta property="article:modified_time" content=" 2026-11-23T12:00Z">`: {modified: "2026-11-23T12:00Z"},
	} {
		if got := readHead([]byte(page), "Googlebot"); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

func TestReadHead_ManyCanonicals(t *testing.T) {
	var page []byte
	for i := range 10 * maxCanonicals {
		page = fmt.Appendf(page, `<link rel="canonical" href="/%d">`, i)
	}
	if got := readHead(page, "Googlebot"); len(got.canonicals) != maxCanonicals {
		t.Errorf("%d canonical URLs, want %d", len(got.canonicals), maxCanonicals)
	}
}

func TestRefreshTarget(t *testing.T) {
	for content, want := range map[string]string{
		"0; url=/a": "/a", "0;URL = /a": "/a", "5, url=/a": "/a", "0;/a": "/a", `0; url="/a" x`: "/a", "0; url='/a'": "/a",
		"0; url=/a?b=c": "/a?b=c", "0; /a?url=c": "/a?url=c", "0": "", "": "", "0;": "", "0; url=": "",
	} {
		if got := refreshTarget(content); got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}

func TestDirectives(t *testing.T) {
	for _, test := range []struct {
		fields  string // separated by |
		noIndex string
	}{
		{"noindex", "noindex"},
		{"NoIndex, nofollow", "NoIndex, nofollow"},
		{"none", "none"},
		{"nofollow|noindex", "noindex"},
		{"noindexed", ""},
		{"googlebot: noindex", "noindex"},
		{"GoogleBot: nofollow, noindex", "nofollow, noindex"},
		{"otherbot: noindex", ""},
		{"otherbot: noindex|noindex", "noindex"},
		{"max-snippet: 20, noindex", "max-snippet: 20, noindex"},
		{"unavailable_after: 2030-01-01, noindex", "unavailable_after: 2030-01-01, noindex"},
		{"noarchive, max-snippet: 20", ""},
		{"", ""},
	} {
		if got := noIndex(directivesFor(strings.Split(test.fields, "|"), "Googlebot")); got != test.noIndex {
			t.Errorf("%s: %q, want %q", test.fields, got, test.noIndex)
		}
	}
}

func TestUnavailableAfter(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for list, want := range map[string]string{
		"unavailable_after: 2026-11-22":                              "2026-11-22",
		"unavailable_after: 2026-11-23":                              "", // until the end of the day
		"unavailable_after: 2026-11-24":                              "",
		"unavailable_after: 2026-11-23T11:59:00Z":                    "2026-11-23T11:59:00Z",
		"unavailable_after: 2026-11-23T12:01:00Z":                    "",
		"noindex, Unavailable_After: 25 Jun 2010 15:00:00 PST":       "25 Jun 2010 15:00:00 PST",
		"unavailable_after: Friday, 25-Jun-10 15:00:00 PST, noindex": "Friday, 25-Jun-10 15:00:00 PST",
		"unavailable_after: 25-Aug-2011 15:00:00 EST,nofollow":       "25-Aug-2011 15:00:00 EST",
		"unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT":           "Fri, 25 Jun 2010 15:00:00 GMT",
		"unavailable_after: soon":                                    "",
		"unavailable_after":                                          "",
		"otherbot":                                                   "",
	} {
		if got := unavailableAfter([]string{"index", list}, now); got != want {
			t.Errorf("%s: %q, want %q", list, got, want)
		}
	}
}

func TestCanonicalHeader(t *testing.T) {
	for field, want := range map[string]string{
		`<https://a.example/>; rel="canonical"`:                      "https://a.example/",
		`<https://a.example/>;rel=canonical`:                         "https://a.example/",
		`<https://a.example/>; title="x"; REL="alternate Canonical"`: "https://a.example/",
		`<https://a.example/>; rel="next", </b>; rel="canonical"`:    "/b",
		`<https://a.example/a;b,c>; rel="canonical"`:                 "https://a.example/a;b,c",
		`<https://a.example/>; rel="alternate"`:                      "",
		`<https://a.example/>`:                                       "",
		`<https://a.example/`:                                        "",
		"":                                                           "",
	} {
		if got := canonicalHeader([]string{"</style.css>; rel=preload", field}); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	page, _ := url.Parse("https://www.example.com/a/b?c")
	for _, test := range []struct{ base, ref, want string }{
		{"", "", ""},
		{"", "d", "https://www.example.com/a/d"},
		{"", "/d#e", "https://www.example.com/d"},
		{"/x/", "d", "https://www.example.com/x/d"},
		{"https://cdn.example.com/y", "d", "https://cdn.example.com/d"},
		{"https://cdn.example.com/y", "//z.example/d", "https://z.example/d"},
		{"%zz", "d", "https://www.example.com/a/d"},
		{"", "http://[", ""},
		{"", strings.Repeat("d/", 5_000), ""},
		{strings.Repeat("x/", 5_000), "d", ""},
	} {
		if got := resolve(page, test.base, test.ref); got != test.want {
			t.Errorf("%q of base %q: %q, want %q", test.ref, test.base, got, test.want)
		}
	}
}

func TestIsLocalHost(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8080": true, "LOCALHOST": true, "app.localhost": true, "printer": true,
		"nas.local": true, "a.test": true, "a.internal": true, "shop.example": true, "127.0.0.1": true, "127.9.9.9:80": true,
		"10.1.2.3": true, "172.16.0.1": true, "172.32.0.1": false, "192.168.1.1": true, "169.254.1.1": true, "0.0.0.0": true,
		"[::1]": true, "[fd00::1]:80": true, "[fe80::1]": true, "[2001:4860::8888]": false, "8.8.8.8": false,
		"example.com": false, "www.example.com": false, "local.com": false, "testing.org": false, "a.test.": true, "": false,
	} {
		if got := isLocalHost(host); got != want {
			t.Errorf("%s: %t", host, got)
		}
	}
}

func TestIsStaging(t *testing.T) {
	for _, test := range []struct {
		host, main string
		want       bool
	}{
		{"staging.example.com", "www.example.com", true},
		{"dev.example.com", "example.com", true},
		{"test.example.com", "example.com", true},
		{"preview.example.com", "example.com", true},
		{"staging.example.com:8080", "example.com", true},
		{"staging.example.org", "example.com", false},
		{"staging2.example.com", "example.com", false},
		{"blog.example.com", "example.com", false},
		{"shop.vercel.app", "example.com", true},
		{"shop.vercel.app", "shop.vercel.app", false},
		{"me.github.io", "example.com", true},
		{"vercel.app.example.com", "example.com", false},
		{"example.com", "www.example.com", false},
	} {
		if got := isStaging(test.host, test.main); got != test.want {
			t.Errorf("%s beside %s: %t", test.host, test.main, got)
		}
	}
}

func TestIsHreflang(t *testing.T) {
	for code, want := range map[string]bool{
		"de": true, "DE": true, "en-GB": true, "en-gb": true, "zh-Hant": true, "zh-Hant-TW": true, "x-default": true, "X-DEFAULT": true,
		"deu": true, "": false, "de-": false, "-de": false, "de_DE": false, "en-UK": false, "en-EU": false, "es-419": false, "german": false,
		"de-DE-1996": false, "zh-Xxxx": false, "xdefault": false, "default": false, "*": false,
	} {
		if got := isHreflang(code); got != want {
			t.Errorf("%s: %t", code, got)
		}
	}
}

// The kinds of the characters in a location are found wherever they stand.
func TestClassOf(t *testing.T) {
	for n := range 40 {
		b := []byte(strings.Repeat("/ab-0.:9z", 5)[:n])
		for i := range b {
			before := b[i]
			for c := range 256 {
				b[i] = byte(c)
				want := class(0)
				for _, c := range b {
					want |= classes[c]
				}
				if bytes.Contains(b, []byte("/.")) {
					want |= isHidden
				}
				if got := classOf(string(b)); got != want || isUsual(b) && want != 0 {
					t.Errorf("%q: %b, want %b", b, got, want)
				}
			}
			b[i] = before
		}
		if !isUsual(b) && n > 8 {
			t.Errorf("%s is not usual", b)
		}
	}
}

// A location that is not changed for a comparison is normal.
func TestNormalOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []string{"http", "HTTPS", "https", "://", "example.com", "Example.com", ":443", ":80",
		"a@", "/", "/./", "/..", "/.a", "A", "?", ";", "#", "%7e", "%2F", " ", "é", "[::1]", "="}
	for range 20_000 {
		loc := "http"
		for range 1 + rng.IntN(8) {
			loc += parts[rng.IntN(len(parts))]
		}
		if got, want := normalOf(loc), (sitemap.Entry{Loc: loc}).Normalized(); got != want {
			t.Fatalf("%q: %q, want %q", loc, got, want)
		}
	}
}

// Random records of a set of locations are found again, with the line of the first of each
// spelling. Two hashes each have the same first half.
func TestOccurrences(t *testing.T) {
	var m occurrences
	first := map[[2]uint64]uint32{}
	bySum := map[uint64]uint32{}
	for i := range uint32(100_000) {
		number, exact := uint64(i*2_654_435_761>>17), i*40_503>>14&1
		sum := number/2*0x9e37_79b9<<32 | number
		_, wasSum := bySum[sum]
		line, wasExact := first[[2]uint64{sum, uint64(exact)}]
		before, isNew := m.add(sum, occurrence{exact: exact, line: i + 1})
		switch {
		case isNew == wasSum:
			t.Fatalf("%d: new %t", i, isNew)
		case wasExact && (before.exact != exact || before.line != line):
			t.Fatalf("%d: found %+v, want line %d", i, before, line)
		case wasSum && !wasExact && before.line != bySum[sum]:
			t.Fatalf("%d: found %+v, want line %d", i, before, bySum[sum])
		}
		if !wasExact {
			first[[2]uint64{sum, uint64(exact)}] = i + 1
		}
		if !wasSum {
			bySum[sum] = i + 1
		}
	}
	if len(bySum) == len(first) || len(first) == 100_000 {
		t.Fatalf("%d keys, %d spellings", len(bySum), len(first))
	}
}

// A record is read as it was written, and a damaged one is an error.
func TestRecord(t *testing.T) {
	for _, r := range []record{
		{}, {loc: "https://a.example/", kind: isNamed, other: "https://b.example/", document: 1, line: 2, column: 3, offset: 1 << 40},
		{loc: "ü", kind: isListed, records: 0xff, other: strings.Repeat("x", 3_000)},
	} {
		b, err := encodeRecord(r)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeRecord(b); got != r || err != nil {
			t.Errorf("%+v, want %+v, %v", got, r, err)
		}
		for n := range min(len(b)-len(r.other), 30) {
			if got, err := decodeRecord(b[:n]); err == nil && len(got.loc) != len(r.loc) {
				t.Errorf("%d bytes of %+v: %+v", n, r, got)
			}
		}
	}
	if _, err := decodeRecord([]byte{0, 0xff}); err == nil {
		t.Error("no error")
	}
}

// Records are sorted by location, then those that list it, name another, and are named by another.
func TestCompareRecords(t *testing.T) {
	sorted := []record{
		{loc: "a", kind: isListed, document: 0, offset: 9}, {loc: "a", kind: isListed, document: 1, offset: 3},
		{loc: "a", kind: isListed, document: 1, offset: 4}, {loc: "a", kind: isNaming, other: "x"}, {loc: "a", kind: isNaming, other: "y"},
		{loc: "a", kind: isNamed, other: "x", document: 5}, {loc: "a", kind: isNamed, other: "y", document: 0}, {loc: "b"},
	}
	for i := range sorted {
		for k := range sorted {
			if got := compareRecords(sorted[i], sorted[k]); got < 0 != (i < k) || got == 0 != (i == k) {
				t.Errorf("%d and %d: %d", i, k, got)
			}
		}
	}
}

// The fix of malformed markup is that of its kind.
func TestMalformed(t *testing.T) {
	rule := of(sitemap.MismatchedTag)
	for text, want := range map[string]string{
		"</loc>":                         rule.Fix,
		`<url a="1" b="1=1">`:            rule.Fix,
		`<urlset a="1" a="2">`:           "Write each attribute",
		`<urlset xmlns="a" xmlns = 'a'>`: "Write each attribute",
		"<a b=c>":                        "Write each attribute",
		`<?xml version="1.0"?>`:          "Write the declaration once",
		"<?XML?>":                        "Write the declaration once",
		"<!-- a":                         "End the comment",
		"<![CDATA[a]":                    "End the section",
		"]]>":                            "Write ]]&gt;",
		"< url>":                         "Write &lt;",
		"<a b=“c”>":                      of(SmartQuotes).Fix,
	} {
		if got := malformed(text).Fix; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The fix of an undeclared prefix names that prefix and its namespace.
func TestUndeclared(t *testing.T) {
	for tag, want := range map[string]string{
		"<image:image>": `xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`,
		`<urlset xmlns="http://a/" xsi:schemaLocation="http://a/ b">`:     `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`,
		`<urlset xmlns:image="http://a/" xsi:schemaLocation="http://a/ b`: "xmlns:xsi=",
		`<a:b xmlns:a="urn:a" c:d="e">`:                                   "the prefix c in",
		"<x:y>":                                                           "the prefix x in",
	} {
		if got := undeclared(tag).Fix; !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", tag, got, want)
		}
	}
}
