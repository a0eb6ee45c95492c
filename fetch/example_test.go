package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing/fstest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// A test needs no network: a folder, or a map of files, is a site.
func Example() {
	site := fstest.MapFS{"sitemap.txt": {Data: []byte("https://example.com/\n")}}
	c := fetch.Client{Transport: http.NewFileTransportFS(site)}

	doc, err := c.Get(context.Background(), fetch.Request{URL: "https://example.com/sitemap.txt"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer doc.Body.Close()
	body, err := io.ReadAll(doc.Body)
	fmt.Printf("%d %s %q %v\n", doc.Status, doc.URL, body, err)

	_, err = c.Get(context.Background(), fetch.Request{URL: "https://example.com/missing.xml"})
	fmt.Println(err)
	fmt.Println(errors.Is(err, fetch.ErrStatus))
	// Output:
	// 200 https://example.com/sitemap.txt "https://example.com/\n" <nil>
	// fetch: https://example.com/missing.xml: status 404 Not Found
	// true
}

// A second request with the validators of the first learns whether the document
// has changed.
func ExampleValidators() {
	site := fstest.MapFS{"sitemap.txt": {Data: []byte("https://example.com/\n"), ModTime: someDay}}
	c := fetch.Client{Transport: http.NewFileTransportFS(site)}

	req := fetch.Request{URL: "https://example.com/sitemap.txt"}
	for range 2 {
		doc, err := c.Get(context.Background(), req)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(doc.Status, doc.NotModified)
		doc.Body.Close()
		req.Validators = doc.Validators
	}
	// Output:
	// 200 false
	// 304 true
}

var someDay = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
