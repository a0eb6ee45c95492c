package parse_test

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

func ExampleEntries() {
	doc := `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://www.example.com/</loc><lastmod>2024-05-06</lastmod></url>
  <url><loc>/list?a=1&b=2</loc><priority>0,8</priority>
  <url><lastmod>2024</lastmod></url>
  <url><loc>https://www.example.com/caf%C3%A9</loc></url>
</urlset>`
	base, _ := url.Parse("https://www.example.com/sitemap.xml")
	options := &sitemap.Options{
		Base: base,
		Report: func(p sitemap.Problem) {
			fmt.Printf("line %d: %v: %v\n", p.Pos.Line, p.Severity(), p.Code)
		},
	}
	for e, err := range parse.Entries(strings.NewReader(doc), options) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(e.Loc)
	}
	// Output:
	// https://www.example.com/
	// line 4: error: raw_ampersand
	// line 4: error: relative_loc
	// line 4: error: nonstandard_priority
	// line 5: error: mismatched_tag
	// https://www.example.com/list?a=1&b=2
	// line 5: error: missing_loc
	// https://www.example.com/caf%C3%A9
}

func ExampleNewReader() {
	d, err := parse.NewReader(strings.NewReader("<html><title>Not found</title></html>"), nil)
	fmt.Println(d, err)

	d, err = parse.NewReader(strings.NewReader("https://www.example.com/a\nhttps://www.example.com/b\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	n := 0
	for range d.Entries() {
		n++
	}
	fmt.Println(d.Format(), n, d.Summary().Encoding)
	// Output:
	// <nil> sitemap: line 1: not a sitemap: an HTML page
	// text 2 utf-8
}
