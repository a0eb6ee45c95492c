package robots_test

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap/discover/robots"
)

func ExampleParse() {
	const text = "User-agent: *\nDisallow: /private\n\nSitemap: http://www.example.com/sitemap.xml\n"
	base, err := url.Parse("http://www.example.com/robots.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := robots.Parse(strings.NewReader(text), base)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range r.Sitemaps {
		fmt.Println(s.Line, s.Loc)
	}
	// Output: 4 http://www.example.com/sitemap.xml
}

func ExampleFile_Allowed() {
	const text = "User-agent: *\nAllow: /page/$\nAllow: /page/1\nDisallow: /page\nCrawl-delay: 2\n"
	r, err := robots.Parse(strings.NewReader(text), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/page/", "/page/1", "/page/2", "/"} {
		fmt.Println(path, r.Allowed("ExampleBot", &url.URL{Path: path}))
	}
	fmt.Println(r.CrawlDelay("ExampleBot"))
	// Output:
	// /page/ true
	// /page/1 true
	// /page/2 false
	// / true
	// 2s
}

func ExampleFile_Other() {
	const text = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"
	r, err := robots.Parse(strings.NewReader(text), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Other("ExampleBot") {
		fmt.Println(f.Line, f.Key, f.Value)
	}
	// Output: 2 Content-Signal search=yes, ai-train=no
}

// A record that needed repair still gives its sitemap.
func ExampleFile_problems() {
	base := &url.URL{Scheme: "https", Host: "example.com", Path: "/robots.txt"}
	const text = "Sitemap https://example.com/sitemap.xml\nSitemap:\n"
	r, err := robots.Parse(strings.NewReader(text), base)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Sitemaps[0].Loc)
	for _, p := range r.Problems {
		fmt.Println(p.Pos.Line, p.Code, p.Dropped)
	}
	// Output:
	// https://example.com/sitemap.xml
	// 1 text_as_loc false
	// 2 empty_loc true
}
