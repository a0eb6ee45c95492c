package audit_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing/fstest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

func ExampleDocument() {
	const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/</loc><lastmod>13/45/2024</lastmod></url>
</urlset>`
	src := audit.Source{Name: "sitemap.xml", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
	for f, err := range audit.Document(src, nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s:%d:%d: %s: %s\n", f.Sitemap, f.Pos.Line, f.Column, f.Severity, f.Message)
	}
	// Output:
	// sitemap.xml:2:37: error: lastmod "13/45/2024" is not a W3C date
}

func ExampleSite() {
	site := http.NewFileTransportFS(fstest.MapFS{
		"robots.txt": {
			Data: []byte(
				"User-agent: *\nDisallow: /private/\nSitemap: https://example.com/s.txt\n",
			),
		},
		"s.txt": {Data: []byte("https://example.com/\nhttps://example.com/private/1\n")},
	})
	c := discover.Client{Fetch: &fetch.Client{Transport: site}}
	for f, err := range audit.Site(context.Background(), &c, "https://example.com/", nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s:%d: %s\n", f.Sitemap, f.Pos.Line, f.Message)
	}
	// Output:
	// https://example.com/s.txt:2: robots.txt disallows "https://example.com/private/1" for Googlebot
}

// The pages of a site are judged too, for one crawler, without the rules about equal dates.
func ExampleOptions() {
	site := http.NewFileTransportFS(fstest.MapFS{
		"robots.txt": {Data: []byte("Sitemap: https://example.com/s.txt\n")},
		"s.txt":      {Data: []byte("https://example.com/a.html\nhttps://example.com/b.html\n")},
		"a.html":     {Data: []byte("<title>A</title><p>A page.")},
	})
	c := discover.Client{Fetch: &fetch.Client{Transport: site}}
	o := &audit.Options{
		Agent:   "Bingbot",
		Disable: []sitemap.Code{audit.LastmodAllEqual},
		Pages:   -1, // all
		Judged:  func(p audit.PageResult) { fmt.Println(p.Loc, p.Status) },
	}
	for f, err := range audit.Site(context.Background(), &c, "https://example.com/", o) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(f.Code, f.Loc)
	}
	// Output:
	// https://example.com/a.html 200
	// page_not_found https://example.com/b.html
	// https://example.com/b.html 404
}

func ExampleRobots() {
	const text = "User-agent: *\nDisallow: /private/\nSitemap: sitemap.xml\n"
	src := audit.Source{Name: "robots.txt", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
	for f, err := range audit.Robots(src, nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s:%d: %s [%s]\n", f.Sitemap, f.Pos.Line, f.Message, f.Code)
	}
	// Output:
	// robots.txt:3: "sitemap.xml" is a relative URL [relative_loc]
}

func ExampleRuleOf() {
	r, _ := audit.RuleOf("hreflang_bad_code")
	fmt.Println(r.Severity, r.Summary)
	// Output:
	// error an hreflang that is not a language with an optional region, nor x-default
}
