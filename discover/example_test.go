package discover_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"testing/fstest"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A site in memory: the path of a URL is a file's name.
var site = fstest.MapFS{
	"robots.txt":  file("User-agent: *\nDisallow: /private\nSitemap: https://example.com/index.xml\n"),
	"index.xml":   file("<sitemapindex><sitemap><loc>https://example.com/pages.xml</loc></sitemap></sitemapindex>"),
	"pages.xml":   file("<urlset><url><loc>https://example.com/</loc></url><url><loc>https://www.example.com/about</loc></url></urlset>"),
	"sitemap.xml": file("<urlset><url><loc>https://example.com/guessed</loc></url></urlset>"),
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// client returns a Client that finds all it asks for in files.
func client(files fs.FS) *discover.Client {
	return &discover.Client{Fetcher: &fetch.Client{Transport: http.NewFileTransportFS(files)}}
}

func ExampleClient_URLs() {
	for u, err := range client(site).URLs(context.Background(), "example.com", nil) {
		if err != nil {
			fmt.Println("not read:", err)
			break
		}
		fmt.Println(u.Loc, u.Trust)
		fmt.Println("  ", u.Sitemap)
	}
	// Output:
	// https://example.com/ robots
	//    robots.txt of example.com, line 3 → https://example.com/index.xml → https://example.com/pages.xml
	// https://www.example.com/about variant
	//    robots.txt of example.com, line 3 → https://example.com/index.xml → https://example.com/pages.xml
}

func ExampleClient_Walk() {
	from := []*discover.Sitemap{{Loc: "https://example.com/sitemap.xml"}}
	for u, err := range client(site).Walk(context.Background(), from, nil) {
		if err != nil {
			fmt.Println("not read:", err)
			break
		}
		fmt.Println(u.Loc, u.Trust)
	}
	// Output: https://example.com/guessed caller
}

func ExampleParseRobots() {
	const text = "User-agent: *\nDisallow: /private\n\nSitemap: /sitemap.xml\n"
	base, _ := url.Parse("https://example.com/robots.txt")
	robots, err := discover.ParseRobots(strings.NewReader(text), base)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range robots.Sitemaps {
		fmt.Println(s.Line, s.Loc)
	}
	fmt.Println(robots.Allowed("sitemap", "https://example.com/private/x"))
	// Output:
	// 4 https://example.com/sitemap.xml
	// false
}

// The protocol's example: a sitemap on another host lists what the robots.txt
// that names it vouches for.
func ExampleScope() {
	scope := discover.Scope{Grants: discover.RobotsGrants("http://www.host1.com/robots.txt")}
	here, _ := discover.LocationGrant("http://www.sitemaphost.com/sitemap-host1.xml")
	scope = scope.With(here)
	fmt.Println(scope.Trust("http://www.host1.com/page"))
	fmt.Println(scope.Trust("http://www.host2.com/page"))
	fmt.Println(scope.Trust("http://www.sitemaphost.com/page"))
	// Output:
	// robots
	// untrusted
	// location
}
