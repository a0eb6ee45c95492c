package discover_test

import (
	"context"
	"fmt"
	"net/http"
	"testing/fstest"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A site from a folder: the path of a URL is the name of a file. os.DirFS serves one from a disk.
var folder = fstest.MapFS{
	"robots.txt": text("User-agent: *\nSitemap: https://example.com/index.xml\n"),
	"index.xml":  text("<sitemapindex><sitemap><loc>https://example.com/pages.xml</loc></sitemap></sitemapindex>"),
	"pages.xml": text("<urlset><url><loc>https://example.com/</loc></url>" +
		"<url><loc>https://www.example.com/about</loc></url></urlset>"),
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

// client finds everything in the folder.
var client = &discover.Client{Fetch: &fetch.Client{Transport: http.NewFileTransportFS(folder)}}

func ExampleClient_URLs() {
	for u, err := range client.URLs(context.Background(), "example.com", nil) {
		if err != nil {
			fmt.Println("not read:", err)
			break
		}
		fmt.Println(u.Loc, u.Trust)
		fmt.Println("  ", u.Sitemap)
	}
	// Output:
	// https://example.com/ robots
	//    robots.txt of example.com, line 2 → https://example.com/index.xml → https://example.com/pages.xml
	// https://www.example.com/about variant
	//    robots.txt of example.com, line 2 → https://example.com/index.xml → https://example.com/pages.xml
}

func ExampleClient_Walk() {
	from := []*discover.Sitemap{{Loc: "https://example.com/pages.xml"}}
	o := &discover.Options{Done: func(s *discover.Sitemap, sum discover.Summary) {
		fmt.Println(s.Loc, sum.Format, sum.Entries)
	}}
	for u, err := range client.Walk(context.Background(), from, o) {
		if err != nil {
			fmt.Println("not read:", err)
			break
		}
		fmt.Println(u.Loc, u.Grant)
	}
	// Output:
	// https://example.com/ example.com/ (caller)
	// https://www.example.com/about example.com/ (caller)
	// https://example.com/pages.xml urlset 2
}

// A second walk yields what has changed since the first.
func ExampleStore() {
	var store state.Memory // or a state.File
	o := &discover.Options{Store: &store, OnlyChanged: true}
	for range 2 {
		for u, err := range client.URLs(context.Background(), "example.com", o) {
			if err != nil {
				fmt.Println("not read:", err)
				break
			}
			fmt.Println(u.Loc, u.Change)
		}
		fmt.Println("end of the walk")
	}
	// Output:
	// https://example.com/ new
	// https://www.example.com/about new
	// end of the walk
	// end of the walk
}
