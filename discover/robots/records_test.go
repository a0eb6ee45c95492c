package robots_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap/discover/robots"
)

func TestParse_Sitemaps(t *testing.T) {
	for _, tt := range parseTests {
		t.Run(tt.name, func(t *testing.T) {
			r := parse(t, tt.text)
			if got := lines(r); !slices.Equal(got, tt.want) {
				t.Errorf("sitemaps %q, want %q", got, tt.want)
			}
			if got := codes(r); got != tt.problems {
				t.Errorf("problems %q, want %q", got, tt.problems)
			}
			bytewise := iotest.OneByteReader(strings.NewReader(tt.text))
			slow, err := robots.Parse(bytewise, mustURL(t, robotsURL))
			if err != nil || !slices.Equal(lines(slow), lines(r)) {
				t.Errorf("byte by byte: %q, %v", lines(slow), err)
			}
		})
	}
}

// parseTests are the Sitemap records of files at robotsURL.
var parseTests = []struct {
	name     string
	text     string
	want     []string
	problems string // codes, in order
}{
	{
		"protocol", "Sitemap: http://www.example.com/s.xml\n",
		[]string{"1 http://www.example.com/s.xml"}, "",
	},
	{
		"several, in any group",
		"User-agent: a\nSitemap: https://a.test/1\nDisallow: /\nUser-agent: b\n" +
			"Sitemap: https://a.test/2\n",
		[]string{"2 https://a.test/1", "5 https://a.test/2"}, "",
	},
	{
		"case of the key", "SITEMAP: https://a.test/1\nsitemap:https://a.test/2",
		[]string{"1 https://a.test/1", "2 https://a.test/2"}, "",
	},
	{"blanks", "   Sitemap :\thttps://a.test/1   \n", []string{"1 https://a.test/1"}, ""},
	{
		"comments",
		"Sitemap: https://a.test/1#frag\nSitemap: https://a.test/2 # note\n" +
			"# Sitemap: https://a.test/3\n",
		[]string{"1 https://a.test/1", "2 https://a.test/2"}, "",
	},
	{"comment before the colon", "Sitemap # : https://a.test/1", nil, ""},
	{"other spellings", "Site-map: https://a.test/1\nSitemaps: https://a.test/2\n" +
		"Sitemap-index: https://a.test/3\nSitemap_index: https://a.test/4\n" +
		"Sitemapfoo: https://a.test/5\nX-Sitemap: https://a.test/6\n" +
		"Site map: https://a.test/7\n",
		[]string{
			"1 https://a.test/1", "2 https://a.test/2", "3 https://a.test/3",
			"4 https://a.test/4"}, "nonstandard_key nonstandard_key nonstandard_key nonstandard_key",
	},
	{"no colon", "Sitemap https://a.test/1\n", []string{"1 https://a.test/1"}, "text_as_loc"},
	{
		"bare",
		"http://a.test/sitemap.xml\nhttps://a.test/Sitemap2.xml\nhttps://a.test/other.xml\n",
		[]string{"1 http://a.test/sitemap.xml", "2 https://a.test/Sitemap2.xml"},
		"text_as_loc text_as_loc",
	},
	{
		"relative", "Sitemap: /a/s.xml\nSitemap: t.xml",
		[]string{"1 https://www.example.com/a/s.xml", "2 https://www.example.com/t.xml"},
		"relative_loc relative_loc",
	},
	{
		"scheme-less", "Sitemap: www.example.com/s.xml\nSitemap: //cdn.example.com/t.xml",
		[]string{"1 https://www.example.com/s.xml", "2 https://cdn.example.com/t.xml"},
		"scheme_assumed relative_loc",
	},
	{
		"CR", "User-agent: *\rSitemap: https://a.test/1\rSitemap: https://a.test/2",
		[]string{"2 https://a.test/1", "3 https://a.test/2"}, "",
	},
	{
		"CR LF", "User-agent: *\r\nSitemap: https://a.test/1\r\n\r\nSitemap: https://a.test/2\r\n",
		[]string{"2 https://a.test/1", "4 https://a.test/2"}, "",
	},
	{"BOM", "\ufeffSitemap: https://a.test/1", []string{"1 https://a.test/1"}, ""},
	{"BOM twice", "\ufeff\ufeffSitemap: https://a.test/1", []string{"1 https://a.test/1"}, ""},
	{
		"BOM within", "User-agent: *\n\ufeffSitemap: https://a.test/1",
		[]string{"2 https://a.test/1"}, "",
	},
	{
		"UTF-16", utf16LE("Sitemap: https://a.test/1\nSitemap: https://a.test/2"),
		[]string{"1 https://a.test/1", "2 https://a.test/2"}, "",
	},
	{"gzip", gzipped("Sitemap: https://a.test/1"), []string{"1 https://a.test/1"}, ""},
	{
		"NUL inside", "Site\x00map: https://a.test/\x001", []string{"1 https://a.test/1"},
		"control_char",
	},
	{
		"NUL", "Sitemap: https://a.test/1\x00\nSitemap: https://a.test/2",
		[]string{"1 https://a.test/1", "2 https://a.test/2"}, "",
	},
	{"NBSP", "Sitemap:\u00a0https://a.test/1\u00a0\n", []string{"1 https://a.test/1"}, ""},
	{
		"vertical tab", "Sitemap:\vhttps://a.test/1\nSitemap:\fhttps://a.test/2",
		[]string{"1 https://a.test/1", "2 https://a.test/2"}, "",
	},
	{"fullwidth colon", "Sitemap\uff1a https://a.test/1", nil, ""},
	{"empty", "Sitemap:\nSitemap: \n", nil, "empty_loc empty_loc"},
	{"empty file", "", nil, ""},
	{"placeholder", "Sitemap: None\n", nil, "bogus_loc"},
	{
		"schemes",
		"Sitemap: ftp://a.test/s.xml\nSitemap: mailto:x@y\nSitemap: javascript:alert(1)\n" +
			"Sitemap: https://a.test/1",
		[]string{"4 https://a.test/1"}, "bad_scheme bad_scheme bad_scheme",
	},
	{
		"two on a line", "Sitemap: https://a.test/1 https://a.test/2\n",
		[]string{"1 https://a.test/1", "1 https://a.test/2"}, "several_locs",
	},
	{
		"two with a comma", "Sitemap: https://a.test/1,https://a.test/2, https://a.test/3?x=1,2\n",
		[]string{"1 https://a.test/1", "1 https://a.test/2", "1 https://a.test/3?x=1,2"},
		"several_locs",
	},
	{
		"quotes", "Sitemap: \"https://a.test/1\"\nSitemap: <https://a.test/2>\n",
		[]string{"1 https://a.test/1", "2 https://a.test/2"}, "line_cut line_cut",
	},
	{
		"typographic quotes", "Sitemap: “https://a.test/1”\nSitemap: «https://a.test/2»\n",
		[]string{"1 https://a.test/1", "2 https://a.test/2"}, "line_cut line_cut",
	},
	{"brackets", "Sitemap: (https://a.test/1)\nSitemap: [https://a.test/2]\n" +
		"Sitemap: {\"https://a.test/3\"}\nSitemap: (https://a.test/4), (https://a.test/5_(x))\n" +
		"Sitemap: [map](https://a.test/6)\nSitemap: url=https://a.test/7\n",
		[]string{
			"1 https://a.test/1", "2 https://a.test/2", "3 https://a.test/3", "4 https://a.test/4",
			"4 https://a.test/5_(x)", "5 https://a.test/6",
			"6 https://a.test/7"}, "line_cut line_cut line_cut several_locs line_cut line_cut",
	},
	{
		"markup",
		"Sitemap: https://a.test/1<br>\nSitemap: <a>https://a.test/2</a></p>\n" +
			"Sitemap: [https://a.test/3](https://a.test/3)\n",
		[]string{"1 https://a.test/1", "2 https://a.test/2", "3 https://a.test/3"},
		"line_cut line_cut line_cut",
	},
	{
		"lines stuck together",
		"Sitemap: https://a.test/1User-agent: *\n" +
			"Sitemap: https://a.test/2Sitemap: https://a.test/3\n",
		[]string{"1 https://a.test/1", "2 https://a.test/2", "2 https://a.test/3"},
		"line_cut several_locs",
	},
	{
		"what looks like that",
		"Sitemap: https://a.test/go?to=sitemap:\nSitemap: https://a.test/disallow:\n" +
			"Sitemap: https://a.test/s?f[x](y)=1\n",
		[]string{
			"1 https://a.test/go?to=sitemap:", "2 https://a.test/disallow:",
			"3 https://a.test/s?f[x](y)=1",
		}, "",
	},
	{
		"brackets of a URL",
		"Sitemap: https://a.test/s_(1)\nSitemap: /(s)?u=https://a.test/2\n" +
			"Sitemap: s.php;u=https://a.test/3",
		[]string{
			"1 https://a.test/s_(1)", "2 https://www.example.com/(s)?u=https://a.test/2",
		}, "relative_loc bogus_loc",
	},
	{"one line", "User-agent: * Disallow: /a Sitemap: https://a.test/1 sitemap: https://a.test/2",
		[]string{"1 https://a.test/1", "1 https://a.test/2"}, "line_cut"},
	{"one line without a sitemap", "User-agent: * Disallow: /a", nil, ""},
	{"escapes for line breaks", `User-agent: *\n# all\nSitemap: https://a.test/1\r\nSitemap: ` +
		`https://a.test/2\n`, []string{"3 https://a.test/1", "4 https://a.test/2"}, "line_cut"},
	{"a backslash in a URL", `Sitemap: https://a.test/a\new.xml`,
		[]string{`1 https://a.test/a\new.xml`}, ""},
	{"a comment on the only line", "Sitemap: https://a.test/1 # Sitemap: https://a.test/2",
		[]string{"1 https://a.test/1"}, ""},
	{"key in a line", "User-agent: *\nSitemap: https://a.test/1 Sitemap: https://a.test/2",
		[]string{"2 https://a.test/1", "2 https://a.test/2"}, "several_locs"},
	{"two with a semicolon", "Sitemap: https://a.test/1;https://a.test/2; https://a.test/3;v=1\n" +
		"Sitemap: https://a.test/4;\nSitemap: https://a.test/5|https://a.test/6\n",
		[]string{
			"1 https://a.test/1", "1 https://a.test/2", "1 https://a.test/3;v=1",
			"2 https://a.test/4", "3 https://a.test/5",
			"3 https://a.test/6"}, "several_locs line_cut several_locs",
	},
	{
		"trailing words",
		"Sitemap: https://a.test/1 (main)\nSitemap: /s.xml is here\nSitemap: see our page\n",
		[]string{"1 https://a.test/1", "2 https://www.example.com/s.xml"},
		"line_cut line_cut relative_loc junk_line",
	},
	{
		"duplicates",
		"Sitemap: https://a.test/1\nSitemap: HTTPS://A.test:443/1\nSitemap: https://a.test/1#x",
		[]string{"1 https://a.test/1", "2 HTTPS://A.test:443/1"}, "duplicate_loc",
	},
	{
		"itself", "Sitemap: https://www.example.com/robots.txt\nSitemap: /robots.txt", nil,
		"bogus_loc relative_loc bogus_loc",
	},
	{
		"not UTF-8", "Sitemap: https://a.test/caf\xe9.xml\nSitemap: https://a.test/2",
		[]string{"1 https://a.test/caf%E9.xml", "2 https://a.test/2"}, "invalid_utf8",
	},
	{"IRI", "Sitemap: https://a.test/путь.xml", []string{"1 https://a.test/путь.xml"}, ""},
	{
		"HTML", "<!DOCTYPE html><html><body>\nSitemap: https://a.test/1</body></html>", nil,
		"robots_html",
	},
	{
		"query", "Sitemap: https://a.test/index.php?option=x&view=xml&id=1",
		[]string{"1 https://a.test/index.php?option=x&view=xml&id=1"}, "",
	},
	{
		"anchor",
		"Sitemap: <a href=\"https://a.test/1\">sitemap</a>\n" +
			"Sitemap: <A class=x HREF='/2'>https://a.test/3</A>\n",
		[]string{"1 https://a.test/1", "2 https://www.example.com/2"},
		"element_in_loc element_in_loc relative_loc",
	},
	{"damaged BOM", "\xef\xbbSitemap: https://a.test/1", []string{"1 https://a.test/1"}, ""},
	{
		"no colon, other spellings",
		"Site-map https://a.test/1\nSITEMAP_INDEX\t\"https://a.test/2\"\n",
		[]string{"1 https://a.test/1", "2 https://a.test/2"}, "text_as_loc text_as_loc line_cut",
	},
	{
		"JSON", "Sitemap: [\"https://a.test/1\",\"https://a.test/2\"]\nSitemap: [\"/3\"]\n",
		[]string{"1 https://a.test/1", "1 https://a.test/2", "2 https://www.example.com/3"},
		"several_locs line_cut relative_loc",
	},
	{
		"itself by http", "Sitemap: http://www.example.com/robots.txt\nSitemap: /robots.txt?map\n",
		[]string{"2 https://www.example.com/robots.txt?map"}, "bogus_loc relative_loc",
	},
	{
		"comment in HTML", "<!-- managed by ops -->\nUser-agent: *\nSitemap: https://a.test/1\n",
		[]string{"3 https://a.test/1"}, "",
	},
	{
		"XML declaration", "<?xml version=\"1.0\"?>\nSitemap: https://a.test/1\n",
		[]string{"2 https://a.test/1"}, "",
	},
	{
		"HTML after a comment",
		"<!-- a --><!-- b -->\n<!DOCTYPE html>\nSitemap: https://a.test/1\n", nil, "robots_html",
	},
	{"XHTML", "<?xml version=\"1.0\"?><html>\nSitemap: https://a.test/1\n", nil, "robots_html"},
	// The files that temoto/robotstxt fails on.
	{
		"bad crawl delay", "User-agent: *\nCrawl-delay: soon\nSitemap: https://a.test/1",
		[]string{"3 https://a.test/1"}, "",
	},
	{
		"rule before the agent", "Disallow: /\nSitemap: https://a.test/1",
		[]string{"2 https://a.test/1"}, "",
	},
	{
		"long line",
		"User-agent: *\nDisallow: /" + strings.Repeat("x", 300_000) + "\nSitemap: https://a.test/1",
		[]string{"3 https://a.test/1"}, "",
	},
}

// TestParse_NonstandardRules: a rule that starts with neither a slash nor an asterisk matches
// nothing, and is reported. Text in it that looks like a Sitemap record names no sitemap.
func TestParse_NonstandardRules(t *testing.T) {
	const text = "User-agent: *\nDisallow: private\nAllow: Sitemap: https://a.test/s.xml\nDisallow:\nDisallow: *\n"
	f, err := robots.Parse(strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range f.Problems {
		got = append(got, fmt.Sprint(p.Code, " ", p.Pos.Line, " ", p.Field, " ", p.Text))
		if p.Dropped {
			t.Errorf("%s: dropped, but a rule is no sitemap", p.Text)
		}
	}
	want := []string{
		"nonstandard_rule 2 disallow Disallow: private",
		"nonstandard_rule 3 allow Allow: Sitemap: https://a.test/s.xml",
	}
	if !slices.Equal(got, want) || len(f.Sitemaps) > 0 {
		t.Errorf("got %q, %v\nwant %q", got, f.Sitemaps, want)
	}
}
