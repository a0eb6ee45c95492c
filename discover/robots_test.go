package discover

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"

	"github.com/seed-322c453a/sitemap"
)

const robotsURL = "https://www.example.com/robots.txt"

func robotsOf(t *testing.T, text string) *Robots {
	t.Helper()
	base, err := url.Parse(robotsURL)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseRobots(strings.NewReader(text), base)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines returns the Sitemaps as "3 https://…".
func lines(r *Robots) []string {
	var got []string
	for _, s := range r.Sitemaps {
		got = append(got, fmt.Sprintf("%d %s", s.Line, s.Loc))
	}
	return got
}

func utf16LE(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

var robotsTests = []struct {
	name     string
	text     string
	want     []string
	problems string // codes, in order
}{
	{"protocol", "Sitemap: http://www.example.com/s.xml\n", []string{"1 http://www.example.com/s.xml"}, ""},
	{"several, in any group", "User-agent: a\nSitemap: https://a.test/1\nDisallow: /\nUser-agent: b\nSitemap: https://a.test/2\n", []string{"2 https://a.test/1", "5 https://a.test/2"}, ""},
	{"case of the key", "SITEMAP: https://a.test/1\nsitemap:https://a.test/2", []string{"1 https://a.test/1", "2 https://a.test/2"}, ""},
	{"blanks", "   Sitemap :\thttps://a.test/1   \n", []string{"1 https://a.test/1"}, ""},
	{"comments", "Sitemap: https://a.test/1#frag\nSitemap: https://a.test/2 # note\n# Sitemap: https://a.test/3\n", []string{"1 https://a.test/1", "2 https://a.test/2"}, ""},
	{"comment before the colon", "Sitemap # : https://a.test/1", nil, ""},
	{"other spellings", "Site-map: https://a.test/1\nSitemaps: https://a.test/2\nSitemap-index: https://a.test/3\nSitemap_index: https://a.test/4\nSitemapfoo: https://a.test/5\nX-Sitemap: https://a.test/6\nSite map: https://a.test/7\n",
		[]string{"1 https://a.test/1", "2 https://a.test/2", "3 https://a.test/3", "4 https://a.test/4"}, "mismatched_tag mismatched_tag mismatched_tag mismatched_tag"},
	{"no colon", "Sitemap https://a.test/1\n", []string{"1 https://a.test/1"}, "text_as_loc"},
	{"bare", "http://a.test/sitemap.xml\nhttps://a.test/Sitemap2.xml\nhttps://a.test/other.xml\n", []string{"1 http://a.test/sitemap.xml", "2 https://a.test/Sitemap2.xml"}, "text_as_loc text_as_loc"},
	{"relative", "Sitemap: /a/s.xml\nSitemap: t.xml", []string{"1 https://www.example.com/a/s.xml", "2 https://www.example.com/t.xml"}, "relative_loc relative_loc"},
	{"scheme-less", "Sitemap: www.example.com/s.xml\nSitemap: //cdn.example.com/t.xml", []string{"1 https://www.example.com/s.xml", "2 https://cdn.example.com/t.xml"}, "scheme_assumed relative_loc"},
	{"CR", "User-agent: *\rSitemap: https://a.test/1\rSitemap: https://a.test/2", []string{"2 https://a.test/1", "3 https://a.test/2"}, ""},
	{"CR LF", "User-agent: *\r\nSitemap: https://a.test/1\r\n\r\nSitemap: https://a.test/2\r\n", []string{"2 https://a.test/1", "4 https://a.test/2"}, ""},
	{"BOM", "\ufeffSitemap: https://a.test/1", []string{"1 https://a.test/1"}, ""},
	{"BOM within", "User-agent: *\n\ufeffSitemap: https://a.test/1", []string{"2 https://a.test/1"}, ""},
	{"UTF-16", utf16LE("Sitemap: https://a.test/1\nSitemap: https://a.test/2"), []string{"1 https://a.test/1", "2 https://a.test/2"}, ""},
	{"gzip", gz("Sitemap: https://a.test/1"), []string{"1 https://a.test/1"}, ""},
	{"NUL inside", "Site\x00map: https://a.test/\x001", []string{"1 https://a.test/1"}, "control_char"},
	{"NUL", "Sitemap: https://a.test/1\x00\nSitemap: https://a.test/2", []string{"1 https://a.test/1", "2 https://a.test/2"}, ""},
	{"NBSP", "Sitemap:\u00a0https://a.test/1\u00a0\n", []string{"1 https://a.test/1"}, ""},
	{"vertical tab", "Sitemap:\vhttps://a.test/1\nSitemap:\fhttps://a.test/2", []string{"1 https://a.test/1", "2 https://a.test/2"}, ""},
	{"fullwidth colon", "Sitemap\uff1a https://a.test/1", nil, ""},
	{"empty", "Sitemap:\nSitemap: \n", nil, "empty_loc empty_loc"},
	{"empty file", "", nil, ""},
	{"placeholder", "Sitemap: None\n", nil, "bogus_loc"},
	{"schemes", "Sitemap: ftp://a.test/s.xml\nSitemap: mailto:x@y\nSitemap: javascript:alert(1)\nSitemap: https://a.test/1", []string{"4 https://a.test/1"}, "bad_scheme bad_scheme bad_scheme"},
	{"two on a line", "Sitemap: https://a.test/1 https://a.test/2\n", []string{"1 https://a.test/1", "1 https://a.test/2"}, "several_locs"},
	{"two with a comma", "Sitemap: https://a.test/1,https://a.test/2, https://a.test/3?x=1,2\n", []string{"1 https://a.test/1", "1 https://a.test/2", "1 https://a.test/3?x=1,2"}, "several_locs"},
	{"quotes", "Sitemap: \"https://a.test/1\"\nSitemap: <https://a.test/2>\n", []string{"1 https://a.test/1", "2 https://a.test/2"}, "line_cut line_cut"},
	{"typographic quotes", "Sitemap: “https://a.test/1”\nSitemap: «https://a.test/2»\n", []string{"1 https://a.test/1", "2 https://a.test/2"}, "line_cut line_cut"},
	{"brackets", "Sitemap: (https://a.test/1)\nSitemap: [https://a.test/2]\nSitemap: {\"https://a.test/3\"}\nSitemap: (https://a.test/4), (https://a.test/5_(x))\nSitemap: [map](https://a.test/6)\nSitemap: url=https://a.test/7\n",
		[]string{"1 https://a.test/1", "2 https://a.test/2", "3 https://a.test/3", "4 https://a.test/4", "4 https://a.test/5_(x)", "5 https://a.test/6", "6 https://a.test/7"}, "line_cut line_cut line_cut several_locs line_cut line_cut"},
	{"markup", "Sitemap: https://a.test/1<br>\nSitemap: <a>https://a.test/2</a></p>\nSitemap: [https://a.test/3](https://a.test/3)\n", []string{"1 https://a.test/1", "2 https://a.test/2", "3 https://a.test/3"}, "line_cut line_cut line_cut"},
	{"lines stuck together", "Sitemap: https://a.test/1User-agent: *\nSitemap: https://a.test/2Sitemap: https://a.test/3\n", []string{"1 https://a.test/1", "2 https://a.test/2", "2 https://a.test/3"}, "line_cut several_locs"},
	{"what looks like that", "Sitemap: https://a.test/go?to=sitemap:\nSitemap: https://a.test/disallow:\nSitemap: https://a.test/s?f[x](y)=1\n", []string{"1 https://a.test/go?to=sitemap:", "2 https://a.test/disallow:", "3 https://a.test/s?f[x](y)=1"}, ""},
	{"brackets of a URL", "Sitemap: https://a.test/s_(1)\nSitemap: /(s)?u=https://a.test/2\nSitemap: s.php;u=https://a.test/3", []string{"1 https://a.test/s_(1)", "2 https://www.example.com/(s)?u=https://a.test/2", "3 https://www.example.com/s.php;u=https://a.test/3"}, "relative_loc relative_loc"},
	{"two with a semicolon", "Sitemap: https://a.test/1;https://a.test/2; https://a.test/3;v=1\nSitemap: https://a.test/4;\nSitemap: https://a.test/5|https://a.test/6\n",
		[]string{"1 https://a.test/1", "1 https://a.test/2", "1 https://a.test/3;v=1", "2 https://a.test/4", "3 https://a.test/5", "3 https://a.test/6"}, "several_locs line_cut several_locs"},
	{"trailing words", "Sitemap: https://a.test/1 (main)\nSitemap: /s.xml is here\nSitemap: see our page\n", []string{"1 https://a.test/1", "2 https://www.example.com/s.xml"}, "line_cut line_cut relative_loc junk_line"},
	{"duplicates", "Sitemap: https://a.test/1\nSitemap: HTTPS://A.test:443/1\nSitemap: https://a.test/1#x", []string{"1 https://a.test/1", "2 HTTPS://A.test:443/1"}, "duplicate_loc"},
	{"itself", "Sitemap: https://www.example.com/robots.txt\nSitemap: /robots.txt", nil, "bogus_loc relative_loc bogus_loc"},
	{"not UTF-8", "Sitemap: https://a.test/caf\xe9.xml\nSitemap: https://a.test/2", []string{"1 https://a.test/caf%E9.xml", "2 https://a.test/2"}, "invalid_utf8"},
	{"IRI", "Sitemap: https://a.test/путь.xml", []string{"1 https://a.test/путь.xml"}, ""},
	{"HTML", "<!DOCTYPE html><html><body>\nSitemap: https://a.test/1</body></html>", nil, "robots_html"},
	{"query", "Sitemap: https://a.test/index.php?option=x&view=xml&id=1", []string{"1 https://a.test/index.php?option=x&view=xml&id=1"}, ""},
	// What temoto/robotstxt loses a file for.
	{"bad crawl delay", "User-agent: *\nCrawl-delay: soon\nSitemap: https://a.test/1", []string{"3 https://a.test/1"}, ""},
	{"rule before the agent", "Disallow: /\nSitemap: https://a.test/1", []string{"2 https://a.test/1"}, ""},
	{"long line", "User-agent: *\nDisallow: /" + strings.Repeat("x", 300_000) + "\nSitemap: https://a.test/1", []string{"3 https://a.test/1"}, ""},
}

func TestParseRobots(t *testing.T) {
	for _, tt := range robotsTests {
		t.Run(tt.name, func(t *testing.T) {
			r := robotsOf(t, tt.text)
			equal(t, "sitemaps", lines(r), tt.want)
			var codes []string
			for _, p := range r.Problems {
				codes = append(codes, p.Code.String())
			}
			if got := strings.Join(codes, " "); got != tt.problems {
				t.Errorf("problems %q, want %q", got, tt.problems)
			}
			base, _ := url.Parse(robotsURL)
			slow, err := ParseRobots(iotest.OneByteReader(strings.NewReader(tt.text)), base)
			if err != nil || !slices.Equal(lines(slow), lines(r)) {
				t.Errorf("byte by byte: %q, %v", lines(slow), err)
			}
		})
	}
}

func TestParseRobotsGrants(t *testing.T) {
	r := robotsOf(t, "\n\nSitemap: https://cdn.test/s.xml")
	s := r.Sitemaps[0]
	want := Grant{Host: "www.example.com", Dir: "/", By: ByRobots}
	if len(s.Scope.Grants) != 1 || s.Scope.Grants[0] != want || s.RobotsURL != robotsURL || s.Line != 3 {
		t.Errorf("got %+v", s)
	}
	if got, want := s.String(), "robots.txt of www.example.com, line 3 → https://cdn.test/s.xml"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	nowhere, err := ParseRobots(strings.NewReader("Sitemap: https://cdn.test/s.xml\nSitemap: /s.xml"), nil)
	if err != nil || len(nowhere.Sitemaps) != 1 || len(nowhere.Sitemaps[0].Scope.Grants) != 0 {
		t.Errorf("without a base: %+v, %v", nowhere.Sitemaps, err)
	}
	for _, site := range []string{"https://www.example.com", "https://www.example.com/"} {
		base, _ := url.Parse(site)
		if r, _ := ParseRobots(strings.NewReader("Sitemap: /s.xml"), base); r.URL != robotsURL || len(r.Sitemaps[0].Scope.Grants) != 1 || r.Sitemaps[0].Loc != "https://www.example.com/s.xml" {
			t.Errorf("of %s: %+v", site, r.Sitemaps[0])
		}
	}
	secret, _ := url.Parse("https://user:secret@example.com/robots.txt")
	if r, _ := ParseRobots(strings.NewReader("Sitemap: /s.xml"), secret); strings.Contains(r.URL+r.Sitemaps[0].Loc+r.Sitemaps[0].RobotsURL, "secret") {
		t.Errorf("credentials in %+v", r.Sitemaps[0])
	}
}

func TestParseRobotsLimit(t *testing.T) {
	head := "Sitemap: https://a.test/1\n"
	text := head + strings.Repeat("# no\n", MaxRobots/5-10)
	text += "Sitemap: https://a.test/2?" + strings.Repeat("x", 300) + "\nSitemap: https://a.test/3\n"
	r := robotsOf(t, text)
	equal(t, "sitemaps", lines(r), []string{"1 https://a.test/1"})
	if n := len(r.Problems); n != 1 || r.Problems[0].Code != sitemap.TooLarge {
		t.Errorf("problems %v", r.Problems)
	}
	endless := io.MultiReader(strings.NewReader(head), endlessReader{})
	base, _ := url.Parse(robotsURL)
	if r, err := ParseRobots(endless, base); err != nil || len(r.Sitemaps) != 1 {
		t.Errorf("endless: %v, %v", r, err)
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestParseRobotsManyRecords(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "Sitemap: https://a.test/%d\n", i%20_000)
	}
	r := robotsOf(t, b.String())
	if n := len(r.Sitemaps); n < 15_000 || n > 20_000 {
		t.Errorf("%d sitemaps", n)
	}
	if n := len(r.Problems); n > maxRobotsProblems {
		t.Errorf("%d problems kept", n)
	}
}

func TestParseRobotsReaderFails(t *testing.T) {
	base, _ := url.Parse(robotsURL)
	failure := errors.New("line is down")
	r, err := ParseRobots(io.MultiReader(strings.NewReader("Sitemap: https://a.test/1\n"), iotest.ErrReader(failure)), base)
	if !errors.Is(err, failure) || len(r.Sitemaps) != 1 {
		t.Errorf("got %v, %v", lines(r), err)
	}
}

func TestRobotsRules(t *testing.T) {
	r := robotsOf(t, `
Disallow: /before-any-group
User-agent: other/2.1
Disallow: /other
Crawl-delay: 2.5

User-agent: *
Disallow: /private
Disallow: /*.pdf$
Disallow: /caf`+"é"+`
Allow: /private/open # but this
Crawl-delay: soon
Crawl-delay: 7

User-agent: sitemapper
User-agent: two words
Disallow: /
`)
	for _, tt := range []struct {
		agent, loc string
		want       bool
	}{
		{"sitemap", "https://www.example.com/", true},
		{"sitemap", "https://www.example.com", true},
		{"sitemap", "https://www.example.com/before-any-group", true},
		{"sitemap", "https://www.example.com/private/x", false},
		{"sitemap", "https://www.example.com/private/open", true},
		{"sitemap", "https://www.example.com/a.pdf", false},
		{"sitemap", "https://www.example.com/a.pdf?x", true},
		{"sitemap", "https://www.example.com/café", false},
		{"sitemap", "https://www.example.com/caf%C3%A9", false},
		{"sitemap", "https://www.example.com/other", true},
		{"Other/9", "https://www.example.com/other", false},
		{"OTHER", "https://www.example.com/private", true},
		{"sitemapper", "https://www.example.com/x", false},
		{"sitemapper", "https://www.example.com/robots.txt", true},
		{"two", "https://www.example.com/x", false},
		{"sitemap", "no url", false},
	} {
		if got := r.Allowed(tt.agent, tt.loc); got != tt.want {
			t.Errorf("Allowed(%q, %q) = %v", tt.agent, tt.loc, got)
		}
	}
	for agent, want := range map[string]time.Duration{"other": 2500 * time.Millisecond, "sitemap": 7 * time.Second, "sitemapper": 0} {
		if got := r.CrawlDelay(agent); got != want {
			t.Errorf("CrawlDelay(%q) = %v, want %v", agent, got, want)
		}
	}
	if r := robotsOf(t, "User-agent: a\nDisallow: /x\nCrawl-delay: 1.5\n\nUser-agent: *\nDisallow: /"); !r.Allowed("a", "/y") || r.Allowed("a", "/x") || r.CrawlDelay("A/1") != 1500*time.Millisecond {
		t.Error("a name of one letter has no group")
	}
	if (&Robots{}).Allowed("x", "https://a.test/") != true || (&Robots{}).CrawlDelay("x") != 0 {
		t.Error("a robots.txt without rules forbids")
	}
}

// rfcAllowed tells what RFC 9309, section 2.2, says of a path, for the group of agent or else
// that of "*", by regular expressions.
func rfcAllowed(rules map[string][][2]string, agent, path string) bool {
	group, ok := rules[agent]
	if !ok {
		group = rules["*"]
	}
	longest, allowed := -1, true
	for _, rule := range group {
		pattern, ends := strings.CutSuffix(rule[1], "$")
		expr := "^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
		if ends {
			expr += "$"
		}
		if n := len(rule[1]); regexp.MustCompile(expr).MatchString(path) && (n > longest || n == longest && rule[0] == "allow") {
			longest, allowed = n, rule[0] == "allow"
		}
	}
	return allowed
}

// TestRobots_AllowedByRFC compares with RFC 9309 what random rules allow.
func TestRobots_AllowedByRFC(t *testing.T) {
	patterns := []string{"/", "/a", "/a/", "/a/b", "/*", "/*b", "/a*$", "/a$", "/*/b$", "/a*b*", "/$", "/b", "/ab", "/a?x", "/*?", "*b", "*/b$", "/a.b", "/*.b$"}
	paths := []string{"/", "/a", "/a/", "/a/b", "/ab", "/b", "/a/b/c", "/a?x", "/a?y", "/c", "/aab", "/a.b", "/axb", "/b/a", "/x/a/b", "/a?"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3_000 {
		var text strings.Builder
		rules := map[string][][2]string{}
		for range 1 + rnd.IntN(3) {
			agent := []string{"*", "a", "sitemap"}[rnd.IntN(3)]
			fmt.Fprintf(&text, "User-agent: %s\n", agent)
			rules[agent] = append([][2]string{}, rules[agent]...)
			for range 1 + rnd.IntN(4) {
				rule := [2]string{[]string{"allow", "disallow"}[rnd.IntN(2)], patterns[rnd.IntN(len(patterns))]}
				fmt.Fprintf(&text, "%s: %s\n", rule[0], rule[1])
				rules[agent] = append(rules[agent], rule)
			}
		}
		robots := robotsOf(t, text.String())
		for _, agent := range []string{"sitemap", "a", "other"} {
			path := paths[rnd.IntN(len(paths))]
			if got, want := robots.Allowed(agent, path), rfcAllowed(rules, agent, path); got != want {
				t.Errorf("%q: Allowed(%q, %q) = %v, want %v", text.String(), agent, path, got, want)
			}
		}
	}
}

func BenchmarkRobots_Allowed(b *testing.B) {
	base, _ := url.Parse("https://example.com/robots.txt")
	robots, err := ParseRobots(strings.NewReader("User-agent: *\nDisallow: /private/\nDisallow: /*.pdf$\n"), base)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		robots.Allowed("sitemap", "https://example.com/a/page.html?id=7")
	}
}

// Paths are compared as RFC 9309, section 2.2.2, has it, and where two rules match as much,
// Allow wins.
func TestRobots_Paths(t *testing.T) {
	for _, tt := range []struct {
		rules, path string
		allowed     bool
	}{
		{"Disallow: /%7Ejoe/", "/~joe/", false}, {"Disallow: /~ann", "/%7eann/x", false}, {"Disallow: /é", "/%c3%a9", false}, {"Disallow: /é", "/é", false},
		{"Disallow: /a%3cd", "/a%3Cd", false}, {"Disallow: /a<d", "/a%3cd", false}, {"Disallow: /b/c%2Fd", "/b/c%2fd", false}, {"Disallow: /b/c%2Fd", "/b/c/d", true},
		{"Disallow: /100%", "/100%", false}, {"Disallow: /%4", "/%4", false}, {"Disallow: /a%2Ab", "/a*b", true}, {"Disallow: /a*b", "/axb", false},
		{"Disallow: /p\nAllow: /p", "/p", true}, {"Allow: /p\nDisallow: /p", "/p", true}, {"Disallow: /p\nAllow: /", "/p", false}, {"Disallow: /\nAllow: /p", "/p", true},
		{"Disallow: *", "/a", false}, {"Disallow: **", "/a", false}, {"Disallow: *$", "/a", false}, {"Disallow: /b$", "/a/b", true}, {"Disallow: /sitemap.xml$", "/x/sitemap.xml", true},
		{"Disallow: /b/*.xml", "/a/b/x.xml", true}, {"Allow: /\nDisallow: /*", "/a", false}, {"Disallow: /*\nAllow: /a", "/a", true}, {"Disallow: /a$b", "/a", true}, {"Disallow: /a$b", "/a$b", false},
		{"Disallow: /x?q=", "/y", true}, {"Disallow: /x?q=", "/x?q=1", false}, {"Disallow: /x", "//x", false}, {"Disallow: /x", "x", false},
	} {
		r := robotsOf(t, "User-agent: *\n"+tt.rules+"\nUser-agent: other\nAllow: /\n")
		if got := r.Allowed("sitemap", tt.path); got != tt.allowed {
			t.Errorf("%q: Allowed(%q) = %v", tt.rules, tt.path, got)
		}
		if loc := "https://www.example.com" + tt.path; strings.HasPrefix(tt.path, "/") && !strings.HasPrefix(tt.path, "//") && r.Allowed("sitemap", loc) != tt.allowed {
			t.Errorf("%q: Allowed(%q) = %v", tt.rules, loc, !tt.allowed)
		}
	}
}

// A rule that says nothing, or is left out, ends the list of its group's agents.
func TestRobots_EmptyRules(t *testing.T) {
	long := "Disallow: /" + strings.Repeat("x", maxRuleLen) + "\n"
	for _, tt := range []struct {
		text    string
		allowed bool
		delay   time.Duration
	}{
		{"User-agent: *\nDisallow:\n\nUser-agent: BadBot\nDisallow: /\n", true, 0},
		{"User-agent: sitemap\nDisallow:\n\nUser-agent: *\nDisallow: /\n", true, 0},
		{"User-agent: *\nDisallow: /\n\nUser-agent: sitemap\nDisallow:\n", true, 0},
		{"User-agent: *\nDisallow: /\n\nUser-agent: sitemap\n", true, 0},
		{"User-agent: *\nAllow:\nUser-agent: BadBot\nDisallow: /\n", true, 0},
		{"User-agent: *\n" + long + "User-agent: BadBot\nDisallow: /\n", true, 0},
		{"User-agent: *\nCrawl-delay: soon\nUser-agent: BadBot\nDisallow: /\n", true, 0},
		{"User-agent: *\nDisallow:\n\nUser-agent: SlowBot\nCrawl-delay: 3\n", true, 0},
		{"User-agent: *\nDisallow:\nCrawl-delay: 3\n", true, 3 * time.Second},
		{"User-agent: *\nDisallow:\nDisallow: /\n", false, 0},
		{"User-agent: BadBot\nUser-agent: *\nDisallow: /\n", false, 0},
		{"User-agent: s\nDisallow: /\nUser-agent: sitemapper\nDisallow: /\n", true, 0},
		{"User-agent: *\nDisallow: /sitemap.xml\nUser-agent: other\nDisallow: /x\nUser-agent: *\nAllow: /sitemap.xml\n", true, 0},
		{"User-agent: *\nDisallow: /a\n\nUser-agent: Ünbot\nDisallow: /\n", true, 0},
		{"User-agent: *\nDisallow: /a\n\nUser-agent:\nDisallow: /\n", true, 0},
		{"User-agent: Ünbot\nUser-agent: *\nDisallow: /\n", false, 0},
		{"User-agent: *\nDisallow: /a\nCrawl-delay: 2\nUser-agent: other\nCrawl-delay: 3\n", true, 2 * time.Second},
		{"User-agent: sitemap\nUser-agent: other\nDisallow: /a\nDisallow: /sitemap\nAllow: /b\n", false, 0},
		{"User-agent: BadBot\nUser-agent: *\n\nDisallow: /\n", false, 0},
		{"Disallow:\nUser-agent: *\nDisallow: /\n", false, 0},
	} {
		r := robotsOf(t, tt.text)
		if got := r.Allowed("sitemap", "https://www.example.com/sitemap.xml"); got != tt.allowed {
			t.Errorf("%.80q: Allowed = %v", tt.text, got)
		}
		if got := r.CrawlDelay("sitemap"); got != tt.delay {
			t.Errorf("%.80q: CrawlDelay = %v, want %v", tt.text, got, tt.delay)
		}
	}
}

// TestRobotsSize: what a robots.txt holds of the redirects to it counts.
func TestRobotsSize(t *testing.T) {
	for name, rules := range map[string]string{"found": "User-agent: *\n", "not found": ""} {
		w := newWeb()
		at, held := "https://example.com/robots.txt", 0
		for i := range robotsRedirects {
			to := fmt.Sprintf("https://example.com/%d?%s", i, strings.Repeat("x", 8000))
			held += len(to)
			w.redirect(at, to)
			at = to
		}
		if rules != "" {
			w.serve(at, rules)
		}
		r, err := w.client().Robots(t.Context(), "example.com")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.size() < held {
			t.Errorf("%s: size %d, though its redirects have %d bytes", name, r.size(), held)
		}
	}
}

func TestRobotsRulesAreBounded(t *testing.T) {
	r := robotsOf(t, "User-agent: *\n"+strings.Repeat("Disallow: /*a\n", 30_000)+"Disallow: /b\n")
	if r.rules.size > 16<<20 {
		t.Errorf("the rules hold %d bytes", r.rules.size)
	}
	if r.Allowed("x", "https://www.example.com/xa") || !r.Allowed("x", "https://www.example.com/c") {
		t.Error("the first rules were lost")
	}
}

func FuzzParseRobots(f *testing.F) {
	for _, tt := range robotsTests {
		if len(tt.text) < 1000 {
			f.Add([]byte(tt.text))
		}
	}
	base, _ := url.Parse(robotsURL)
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseRobots(strings.NewReader(string(text)), base)
		if err != nil && r == nil {
			t.Fatal(err)
		}
		last := 0
		for _, s := range r.Sitemaps {
			if s.Line < last {
				t.Errorf("line %d after %d", s.Line, last)
			}
			last = s.Line
			if _, err := sitemap.ParseLoc(s.Loc); err != nil {
				t.Errorf("%q: %v", s.Loc, err)
			}
		}
		r.Allowed("sitemap", robotsURL)
		if d := r.CrawlDelay("sitemap"); d < 0 {
			t.Errorf("delay %v", d)
		}
		// One more record is never lost.
		if len(text) < 1000 && !isHTML(text) && err == nil {
			more, _ := ParseRobots(strings.NewReader("Sitemap: https://first.test/s.xml\n"+string(text)), base)
			if len(more.Sitemaps) == 0 || more.Sitemaps[0].Loc != "https://first.test/s.xml" {
				t.Errorf("the first record is lost")
			}
		}
	})
}

func TestParseRobots_Oddities(t *testing.T) {
	for text, want := range map[string][]string{
		"<!-- managed by ops -->\nUser-agent: *\nSitemap: /1.xml\n": {"3 https://www.example.com/1.xml"},
		"<?xml version=\"1.0\"?>\nSitemap: /1.xml\n":                {"2 https://www.example.com/1.xml"},
		"<!-- a --><!-- b -->\n<!DOCTYPE html>\nSitemap: /1.xml\n":  nil,
		"<?xml version=\"1.0\"?><html>\nSitemap: /1.xml\n":          nil,
		`Sitemap: ["https://www.example.com/1.xml","https://www.example.com/2.xml"]`: {
			"1 https://www.example.com/1.xml", "1 https://www.example.com/2.xml",
		},
		"Sitemap: http://www.example.com/robots.txt\nSitemap: https://www.example.com/robots.txt\nSitemap: /1.xml": {"3 https://www.example.com/1.xml"},
	} {
		if got := lines(robotsOf(t, text)); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
