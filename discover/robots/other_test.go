package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/robots"
)

// other returns the other records for an agent as "3 Key=Value; …".
func other(r *robots.File, agent string) string {
	var got []string
	for _, f := range r.Other(agent) {
		got = append(got, fmt.Sprintf("%d %s=%s", f.Line, f.Key, f.Value))
	}
	return strings.Join(got, "; ")
}

// The records of the groups of an agent, after those of no group.
func TestFile_Other(t *testing.T) {
	r := parse(t, `Host: www.example.com
Disallow: /none
User-agent: foobot
Content-Signal: search=yes, ai-train=no
User-agent: barbot
Disallow: /x
NoIndex : /y # not for long
Crawl-delay: 5
Sitemap: https://a.test/s.xml

User-agent: *
Content-Usage: ai=n
Allow: /

User-agent: foobot
DisallowAITraining: /
clean-param:	ref&id /a/b
`)
	const head = "1 Host=www.example.com; "
	const group = head + "4 Content-Signal=search=yes, ai-train=no; 7 NoIndex=/y"
	for agent, want := range map[string]string{
		"FooBot/2.0": group + "; 16 DisallowAITraining=/; 17 clean-param=ref&id /a/b",
		"barbot":     group,
		"quxbot":     head + "12 Content-Usage=ai=n",
	} {
		if got := other(r, agent); got != want {
			t.Errorf("Other(%q) = %s, want %s", agent, got, want)
		}
	}
	if got := r.Other("foobot"); len(got) > 0 {
		got[0].Value = "changed"
	}
	if got := other(r, "barbot"); got != group {
		t.Errorf("a caller changed the file: %s", got)
	}
}

func TestFile_Other_Lines(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"User-agent: *\nDisallow: /\nUseragent: x\nDisalow: /\n", ""},
		{"Empty:\n: no key\n:\nno colon\nCrawl-delay 5\nnoindex /x\n", "1 Empty="},
		{"https://www.example.com/\nSitemap https://a.test/1\n", ""}, // URLs are no records
		{"X-Sitemap: https://a.test/1\n", "1 X-Sitemap=https://a.test/1"},
		{"Note: caf\xe9 \x00b\r\rK\xff: x\rK: \u00a0v\u200b\n", "1 Note=caf\ufffd b; 4 K=v"},
		{"Sitemap\uff1ahttps://a.test/s.xml\n2nd: x\n(a): x\n", ""}, // no keys
		{
			"User-agent: * Content-Signal: search=yes Allow: /",
			"1 Content-Signal=search=yes",
		},
		{"<!doctype html>\nHost: a.test\n", ""},
	} {
		if got := other(parse(t, tt.text), "foobot"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := new(robots.File).Other("foobot"); len(got) != 0 {
		t.Errorf("the zero File has %v", got)
	}
}

func TestFile_Other_Bounds(t *testing.T) {
	long := strings.Repeat("v", 8<<10-1)
	r := parse(t, "a: "+long+"\nab: "+long+"\nUser-agent: *\n"+strings.Repeat("b: c\n", 30_000)+
		"Disallow: /\n")
	if got := r.Other("foobot"); len(got) != 1_000 || got[0].Value != long || got[1].Key != "b" {
		t.Errorf("%d records", len(got))
	}
	if r.Allowed("foobot", mustURL(t, "https://www.example.com/")) {
		t.Error("a rule after many records is lost")
	}
}
