package discover_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
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

// A walk that can be interrupted at any moment, and goes on when it is begun again: in the end
// each URL is in the file once. A later one finds the file ended, and writes what has changed
// since to another: here that is all, since these files have no validators.
func ExampleState() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for run := range 3 {
		name := filepath.Join(dir, "urls.txt")
		if run == 2 {
			name = filepath.Join(dir, "changed.txt")
		}
		err := listURLs(name, filepath.Join(dir, "state"), run == 0)
		urls, _ := os.ReadFile(name)
		fmt.Printf("run %d: %v, %d URLs in %s\n", run, err, strings.Count(string(urls), "\n"), filepath.Base(name))
	}
	// Output:
	// run 0: interrupted, 0 URLs in urls.txt
	// run 1: <nil>, 2 URLs in urls.txt
	// run 2: <nil>, 2 URLs in changed.txt
}

var errInterrupted = errors.New("interrupted")

func listURLs(name, statePath string, interrupt bool) error {
	state, err := discover.OpenState(statePath)
	if err != nil {
		return err
	}
	defer state.Abandon() // which does nothing after Close
	out, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	offset, _, err := state.Resume(name, "example.com")
	if err != nil {
		return err
	}
	if err := out.Truncate(offset); err != nil { // to 0 if nothing was interrupted
		return err
	}
	if _, err := out.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	o := &discover.Options{State: state, Done: func(*discover.Sitemap, discover.Summary) {
		if err := buffered.Flush(); err != nil {
			cancel(err) // before Done returns: the document does not count as read
			return
		}
		length, _ := out.Seek(0, io.SeekCurrent)
		state.Note(length)
	}}
	for u, err := range client(site).URLs(ctx, "example.com", o) {
		if err != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		if interrupt {
			return errInterrupted
		}
		fmt.Fprintln(buffered, u.Loc)
	}
	if err := out.Sync(); err != nil {
		return err
	}
	return state.Close() // the run is over: another begins anew
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
