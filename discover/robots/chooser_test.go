package robots_test

import (
	"strings"
	"testing"
	"time"
)

// TestRobots_Groups is the test table of temoto/robotstxt, which chooses the group of a crawler
// and holds its Crawl-delay. Each line that it fails a whole file for, or reads in another way than
// RFC 9309, has a row.
func TestRobots_Groups(t *testing.T) {
	for _, tt := range []struct {
		text    string
		allowed bool // whether foobot may fetch /sitemap.xml
		delay   time.Duration
	}{
		{"", true, 0},
		{"Sitemap: https://a.test/1\n", true, 0},
		// RFC 9309, section 2.2.1: the group of the product token, in any case, or else that of
		// "*".
		{"User-agent: foobot\nDisallow: /\n", false, 0},
		{"USER-AGENT: FooBot\nDISALLOW: /\n", false, 0},
		{"Useragent: foobot/1.0 (example)\nDisallow: /\n", false, 0},
		{"User-agent: *\nDisallow: /\n\nUser-agent: foobot\nDisallow: /x\n", true, 0},
		{"User-agent: foobot\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n", true, 0},
		{"User-agent: badbot\nDisallow: /\n", true, 0},
		{"User-agent: foo\nDisallow: /\n", true, 0},       // no prefix of a name counts
		{"User-agent: foobot2\nDisallow: /\n", true, 0},   // nor a longer name
		{"User-agent: f\nDisallow: /\n", true, 0},         //
		{"User-agent: foobot,x\nDisallow: /\n", false, 0}, // text after a name is ignored
		// Section 2.2.1: groups of one name count together.
		{
			"User-agent: foobot\nDisallow: /sitemap\nUser-agent: x\nDisallow: /\n" +
				"User-agent: foobot\nAllow: /sitemap.xml\n",
			true, 0,
		},
		{
			"User-agent: *\nAllow: /sitemap\nUser-agent: x\nDisallow: /\nUser-agent: *\n" +
				"Disallow: /sitemap.xml\n",
			false, 0,
		},
		// Section 2.1: a group begins with one or more User-agent lines. Section 2.2.4: records
		// other than rules do not end these.
		{"User-agent: badbot\nUser-agent: foobot\n\n# comment\nDisallow: /\n", false, 0},
		{
			"User-agent: badbot\nSitemap: https://a.test/1\nUser-agent: foobot\nDisallow: /\n",
			false, 0,
		},
		{"User-agent: foobot\nHost: a.test\nDisallow: /\n", false, 0},
		{"User-agent: badbot\nHost: a.test\nUser-agent: foobot\nDisallow: /\n", false, 0},
		{"User-agent: *\nCrawl-delay: soon\nUser-agent: badbot\nDisallow: /\n", false, 0},
		{
			"User-agent: foobot\nCrawl-delay: 5\n\nUser-agent: badbot\nDisallow: /\n", false,
			5 * time.Second,
		},
		{
			"User-agent: badbot\nCrawl-delay: 5\nUser-agent: foobot\nDisallow: /\n", false, 0,
		},
		{"User-agent: *\nDisallow: /\n\nUser-agent: foobot\n", true, 0},
		{"User-agent: foobot\nDisallow: /x\nUser-agent: badbot\nDisallow: /\n", true, 0},
		{"User-agent: foobot\nUser-agent: foobot\nUser-agent: foobot\nDisallow: /\n", false, 0},
		// A rule that says nothing ends the names of its group all the same.
		{"User-agent: *\nDisallow:\n\nUser-agent: badbot\nDisallow: /\n", true, 0},
		{"User-agent: foobot\nDisallow:\n\nUser-agent: *\nDisallow: /\n", true, 0},
		{"User-agent: *\nAllow:\nUser-agent: badbot\nDisallow: /\n", true, 0},
		{"User-agent: *\nDisallow:\nDisallow: /\n", false, 0},
		// Lines that the library fails on.
		{"Disallow: /\nUser-agent: badbot\nDisallow: /x\n", true, 0},
		{"Disallow:\nAllow: /x\nCrawl-delay: 1\nUser-agent: *\nDisallow: /\n", false, 0},
		{"User-agent: *\nCrawl-delay: soon\nDisallow: /\n", false, 0},
		{"User-agent: *\nCrawl-delay: -1\nDisallow: /\n", false, 0},
		{"User-agent: *\nCrawl-delay: NaN\nDisallow: /\n", false, 0},
		{"User-agent:\nDisallow: /\n", true, 0},
		{"User-agent: /\nDisallow: /\n", true, 0},
		{"User-agent: Ünbot\nUser-agent: *\nDisallow: /\n", false, 0},
		{"User-agent: \xff\xfe\nDisallow: /\n", true, 0},
		{"User-agent: a:b\nUser-agent: *\nDisallow: /\n", false, 0},
		{"User-agent: *\nDisallow: /*[a\\\n", true, 0},
		{"User-agent: *\nDisallow: " + strings.Repeat("/*", 20_000) + "\nDisallow: /\n", false, 0},
		// Crawl-delay.
		{"User-agent: *\nCrawl-delay: 2.5\n", true, 2500 * time.Millisecond},
		{"User-agent: *\nCrawldelay: 3\n", true, 3 * time.Second},
		{"User-agent: *\nCrawl-delay: 1,5 seconds\n", true, 1500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: 1e9\n", true, 24 * time.Hour},
		{"User-agent: *\nCrawl-delay: Inf\n", true, 24 * time.Hour},
		{"User-agent: *\nCrawl-delay: 0.0000001\n", true, 100 * time.Nanosecond},
		{
			"User-agent: *\nCrawl-delay: 2\nCrawl-delay: 7\nCrawl-delay: soon\n", true,
			7 * time.Second,
		},
		{"User-agent: *\nCrawl-delay: 5\n\nUser-agent: foobot\nDisallow: /x\n", true, 0},
		{"User-agent: *\nDisallow: /x\n\nUser-agent: badbot\nCrawl-delay: 3\n", true, 0},
		{
			"User-agent: badbot\nUser-agent: *\nCrawl-delay: 2\nUser-agent: other\n" +
				"Crawl-delay: 3\n",
			true, 2 * time.Second,
		},
		{
			"User-agent: foobot\nCrawl-delay: 2\nUser-agent: *\nDisallow: /\nUser-agent: foobot\n" +
				"Disallow: /x\n",
			false, 2 * time.Second,
		},
		{
			"User-agent: *\nCrawl-delay: 5\nUser-agent: badbot\nUser-agent: *\nDisallow: /\n",
			false, 5 * time.Second,
		},
		{
			"User-agent: badbot\nDisallow: /x\nCrawl-delay: 5\nUser-agent: foobot\n" +
				"Disallow: /y\nCrawl-delay: 7\n",
			true, 7 * time.Second,
		},
		{"Crawl-delay: 5\nUser-agent: foobot\nDisallow: /x\n", true, 0},
		{
			"User-agent: badbot\nCrawl-delay: 1\n\nUser-agent: *\nCrawl-delay: 0.2\n\n" +
				"User-agent: other\nDisallow: /sitemap\n",
			false, 200 * time.Millisecond,
		},
	} {
		r := parse(t, tt.text)
		for _, agent := range []string{"foobot", "FooBot/2.0", " foobot (x)"} {
			u := mustURL(t, "https://www.example.com/sitemap.xml")
			if got := r.Allowed(agent, u); got != tt.allowed {
				t.Errorf("%.80q: Allowed(%q) = %v", tt.text, agent, got)
			}
			if got := r.CrawlDelay(agent); got != tt.delay {
				t.Errorf("%.80q: CrawlDelay(%q) = %v, want %v", tt.text, agent, got, tt.delay)
			}
		}
	}
}

// TestRobots_GroupOfOneLetter: the library takes a name of one letter for no better than "*".
func TestRobots_GroupOfOneLetter(t *testing.T) {
	r := parse(t, "User-agent: a\nDisallow: /x\nCrawl-delay: 1.5\n\nUser-agent: *\nDisallow: /\n")
	for path, want := range map[string]bool{"/y": true, "/x": false} {
		if got := r.Allowed("a", mustURL(t, "https://www.example.com"+path)); got != want {
			t.Errorf("Allowed(%q) = %v", path, got)
		}
	}
	if got := r.CrawlDelay("A/1"); got != 1500*time.Millisecond {
		t.Errorf("CrawlDelay = %v", got)
	}
	for _, agent := range []string{"*", "", "other"} {
		if r.Allowed(agent, mustURL(t, "https://www.example.com/y")) {
			t.Errorf("%q is not of the group of all", agent)
		}
	}
}
