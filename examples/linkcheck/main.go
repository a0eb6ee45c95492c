// Command linkcheck lists the pages of a sitemap that do not answer. A link checker has fetched the
// document itself, and gives its bytes and its URL to package parse.
//
//	go run ./linkcheck https://example.com/sitemap.xml
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: linkcheck SITEMAP")
	}
	resp, err := http.Get(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	document, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range links(document, resp.Request.URL) {
		fmt.Println(l.check(context.Background(), http.DefaultClient))
	}
}

// A link is a location with its place in the document, or a problem at that place.
type link struct {
	line   int
	url    *url.URL
	defect string
}

// links returns the locations and the defects of a document, as far as it can be read. A base lets
// it resolve relative locations.
func links(document []byte, base *url.URL) (found []link) {
	o := &sitemap.Options{Base: base, Report: func(p sitemap.Problem) {
		found = append(found, link{line: p.Pos.Line, defect: fmt.Sprintf("%s: %q", p.Code, p.Text)})
	}}
	for e, err := range parse.Entries(bytes.NewReader(document), o) {
		if err != nil {
			return append(found, link{defect: err.Error()})
		}
		if u, err := e.URL(); err == nil {
			found = append(found, link{line: e.Pos.Line, url: u})
		}
	}
	return found
}

// check requests the location and returns a line of the report.
func (l link) check(ctx context.Context, c *http.Client) string {
	if l.url == nil {
		return fmt.Sprintf("line %d: %s", l.line, l.defect)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, l.url.String(), nil)
	if err != nil {
		return fmt.Sprintf("line %d: %v", l.line, err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return fmt.Sprintf("line %d: %v", l.line, err)
	}
	resp.Body.Close()
	return fmt.Sprintf("line %d: %s %s", l.line, l.url, resp.Status)
}
