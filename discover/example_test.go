package discover_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
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

// The sitemaps of a site, each index above what it lists.
func ExampleClient_Tree() {
	root, err := client.Tree(context.Background(), "example.com", nil)
	if err != nil {
		fmt.Println("not read:", err)
	}
	var print func(indent string, n *discover.Node)
	print = func(indent string, n *discover.Node) {
		for _, child := range n.Children {
			fmt.Println(indent+child.Sitemap.Loc, child.Summary.Format, child.Summary.Entries)
			print(indent+"  ", child)
		}
	}
	print("", root)
	// Output:
	// https://example.com/index.xml sitemapindex 1
	//   https://example.com/pages.xml urlset 2
}

// Each document is kept as it was served: robots.txt, which has no Sitemap, and all sitemaps.
func ExampleOptions_fetched() {
	archive := map[string][]byte{}
	o := &discover.Options{Fetched: func(_ *discover.Sitemap, doc *fetch.Document) {
		body := doc.Again()
		defer body.Close()
		if data, err := io.ReadAll(body); err == nil {
			archive[doc.URL.String()] = data
		}
	}}
	c := &discover.Client{Fetch: client.Fetch} // with no robots.txt in its cache
	for _, err := range c.URLs(context.Background(), "example.com", o) {
		if err != nil {
			fmt.Println("not read:", err)
		}
	}
	for _, loc := range slices.Sorted(maps.Keys(archive)) {
		fmt.Println(loc, len(archive[loc]), "bytes")
	}
	// Output:
	// https://example.com/index.xml 88 bytes
	// https://example.com/pages.xml 110 bytes
	// https://example.com/robots.txt 53 bytes
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
