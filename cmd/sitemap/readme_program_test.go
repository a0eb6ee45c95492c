package main

import (
	"context"
	"fmt"
	"go/format"
	"log"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/parse"
)

// Each program of the README is an example here, with the output that the README shows.
func TestReadmePrograms(t *testing.T) {
	examples, err := os.ReadFile("readme_program_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks, n := readmeBlocks(t), 0
	for i, b := range blocks {
		if b.kind != "go" || i+1 == len(blocks) {
			continue
		}
		n++
		// The example walks a site of the test's, without a network.
		program := strings.Replace(b.text, "var c discover.Client",
			"c := discover.Client{Fetch: &readmeSite}", 1)
		body, err := format.Source([]byte("func _() {\n" + program + "}\n"))
		if err != nil {
			t.Fatal(err)
		}
		example := strings.TrimPrefix(strings.TrimSuffix(string(body), "}\n"), "func _() ") +
			"\t// Output:\n"
		for line := range strings.Lines(blocks[i+1].text) {
			example += "\t// " + line
		}
		if !strings.Contains(string(examples), example+"}\n") {
			t.Errorf("no example is\n%s", example)
		}
	}
	if n != 2 {
		t.Errorf("%d programs", n)
	}
}

func Example_bytes() {
	doc := strings.NewReader(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
	<url><loc>https://example.com/list?a=1&b=2</loc><lastmod>2024-05</lastmod></url>
	<url><loc>https://example.com/la`)
	for e, err := range parse.Entries(doc, nil) {
		fmt.Println(e.Loc, e.LastMod, err)
	}
	// Output:
	// https://example.com/list?a=1&b=2 2024-05 <nil>
	//   sitemap: line 3: document ends too early
}

func Example_site() {
	c := discover.Client{Fetch: &readmeSite}
	for u, err := range c.URLs(ctx, "https://example.com", nil) {
		if err != nil {
			log.Print(err) // everything that could not be read
			break
		}
		fmt.Println(u.Loc, u.LastMod, u.Trust)
	}
	// Output:
	// https://example.com/ 2024-05-06 robots
	// https://example.com/news/launch 2024-05-06T07:08:09+02:00 robots
	// https://www.example.com/about  variant
}

var (
	ctx        = context.Background()
	readmeSite = fetch.Client{Transport: http.NewFileTransportFS(fstest.MapFS{
		"robots.txt": {Data: []byte("Sitemap: https://example.com/sitemap.xml")},
		"sitemap.xml": {Data: []byte("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" +
			"<url><loc>https://example.com/</loc><lastmod>2024-05-06</lastmod></url>" +
			"<url><loc>https://example.com/news/launch</loc><lastmod>2024-05-06T07:08:09+02:00</lastmod></url>" +
			"<url><loc>https://www.example.com/about</loc></url>" +
			"<url><loc>https://example.org/</loc></url></urlset>")},
	})}
)
