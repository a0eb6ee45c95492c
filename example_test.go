package sitemap_test

import (
	"context"
	"fmt"
	"net/http"
	"testing/fstest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// Print the URLs of a site. Here the site is served from memory; use os.DirFS for one in a folder.
// Without Transport, the site is fetched over HTTP.
func Example() {
	site := http.NewFileTransportFS(fstest.MapFS{
		"robots.txt": {Data: []byte("Sitemap: https://www.example.com/index.xml\n")},
		"index.xml": {Data: []byte(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
			<sitemap><loc>https://www.example.com/pages.xml</loc></sitemap>
			<sitemap><loc>https://www.example.com/gone.xml</loc></sitemap>
		</sitemapindex>`)},
		"pages.xml": {Data: []byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
			<url><loc>https://www.example.com/</loc><lastmod>2024-05</lastmod></url>
			<url><loc>https://elsewhere.example/</loc></url>
			<url><loc>/search?q=a&page=2</loc></url>
		</urlset>`)},
	})
	c := discover.Client{Fetch: &fetch.Client{Transport: site}}
	options := &discover.Options{
		Report: func(s *discover.Sitemap, p sitemap.Problem) {
			fmt.Printf("%s, %v\n", s.Loc, p)
		},
	}
	for u, err := range c.URLs(context.Background(), "https://www.example.com/", options) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(u.Loc, u.Trust)
	}
	// Output:
	// https://www.example.com/ robots
	// https://www.example.com/pages.xml, line 3, column 4: untrusted_loc: the sitemap may not list "https://elsewhere.example/"
	// https://www.example.com/pages.xml, line 4, column 25: raw_ampersand: an ampersand that is not escaped: "&page=2"
	// https://www.example.com/pages.xml, line 4, column 9: relative_loc: "/search?q=a&page=2" is a relative URL
	// https://www.example.com/search?q=a&page=2 robots
	// discover: 1 sitemap could not be read: https://www.example.com/gone.xml: status 404 Not Found
}

// Loc is a location as it is listed. URL returns the form that a request needs.
func ExampleEntry_URL() {
	e := sitemap.Entry{Loc: "https://Bücher.example/50%/straße?q=ü"}
	u, err := e.URL()
	fmt.Println(u, err)
	// Output: https://xn--bcher-kva.example/50%25/stra%C3%9Fe?q=%C3%BC <nil>
}

// URLs that are written differently are equal in their normal form.
func ExampleEntry_Normalized() {
	for _, loc := range []string{"https://example.com/~user", "HTTPS://Example.com:443/a/../%7Euser"} {
		fmt.Println(sitemap.Entry{Loc: loc}.Normalized())
	}
	// Output:
	// https://example.com/~user
	// https://example.com/~user
}

// A Time is as exact as it was listed.
func ExampleTime() {
	t, _ := sitemap.ParseTime("2024-05")
	fmt.Println(t, t.Start().Format("2006-01-02"), t.End().Format("2006-01-02"))
	// Output: 2024-05 2024-05-01 2024-06-01
}
