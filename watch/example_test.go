package watch_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing/fstest"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/watch"
)

// A program that runs now and then prints what has changed since its last run. A folder stands for
// the site.
func ExampleWatcher_Once() {
	files := fstest.MapFS{
		"robots.txt":  {Data: []byte("Sitemap: /sitemap.txt")},
		"sitemap.txt": {Data: []byte("https://example.com/\nhttps://example.com/news\n")},
	}
	client := &discover.Client{Fetch: &fetch.Client{Transport: http.NewFileTransportFS(files)}}
	w := watch.Watcher{Client: client, Store: &state.Memory{}, Initial: true, Min: 1, Max: 1}
	sites := slices.Values([]string{"example.com"})
	for run := range 2 {
		for e, err := range w.Once(context.Background(), sites) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(run, e.Kind, e.URL.Loc)
		}
		files["sitemap.txt"].Data = []byte("https://example.com/\nhttps://example.com/about\n")
	}
	// Output:
	// 0 added https://example.com/
	// 0 added https://example.com/news
	// 1 added https://example.com/about
	// 1 removed https://example.com/news
}

// A program that watches for ever. This one stops at a certain page.
func ExampleWatcher_Events() {
	files := fstest.MapFS{
		"robots.txt":  {Data: []byte("Sitemap: /sitemap.txt")},
		"sitemap.txt": {Data: []byte("https://example.com/\nhttps://example.com/news\n")},
	}
	client := &discover.Client{Fetch: &fetch.Client{Transport: http.NewFileTransportFS(files)}}
	w := watch.Watcher{Client: client, Store: &state.Memory{}, Initial: true}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for e, err := range w.Events(ctx, slices.Values([]string{"example.com"})) {
		if err != nil {
			fmt.Println(err) // that of ctx or of the Store
			break
		}
		fmt.Println(e.Kind, e.Site, e.URL.Loc)
		if e.URL.Loc == "https://example.com/news" {
			stop()
		}
	}
	// Output:
	// added example.com https://example.com/
	// added example.com https://example.com/news
	// context canceled
}

// The documents of a site that a Watcher knows.
func ExampleWatcher_Documents() {
	files := fstest.MapFS{
		"robots.txt":  {Data: []byte("Sitemap: /sitemap.txt")},
		"sitemap.txt": {Data: []byte("https://example.com/\nhttps://example.com/news\n")},
	}
	client := &discover.Client{Fetch: &fetch.Client{Transport: http.NewFileTransportFS(files)}}
	w := watch.Watcher{Client: client, Store: &state.Memory{}}
	for e, err := range w.Once(context.Background(), slices.Values([]string{"example.com"})) {
		fmt.Println(e, err)
	}
	for d, err := range w.Documents("example.com") {
		fmt.Println(d.Sitemap, d.Format, d.URLs, d.Failures, err)
	}
	// Output: https://example.com/sitemap.txt text 2 0 <nil>
}
