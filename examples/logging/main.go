// Command logging walks a site and logs each request with slog. A RoundTripper of its own counts
// the responses by status.
//
//	go run ./logging example.com
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"sync"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: logging SITE")
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	counter := &counter{next: fetch.NewTransport(), statuses: map[int]int{}}
	client := &fetch.Client{Logger: logger, Transport: counter}
	pages, err := count(context.Background(), client, os.Args[1])
	fmt.Println(pages, "pages; responses by status:", counter.statuses)
	if err != nil {
		log.Fatal(err)
	}
}

// count returns the number of pages of a site.
func count(ctx context.Context, client *fetch.Client, site string) (pages int, err error) {
	c := discover.Client{Fetch: client}
	for _, err := range c.URLs(ctx, site, nil) {
		if err != nil {
			return pages, err
		}
		pages++
	}
	return pages, nil
}

// A counter is a RoundTripper that counts responses by status. It passes requests on.
type counter struct {
	next http.RoundTripper

	mu       sync.Mutex
	statuses map[int]int
}

func (c *counter) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(req)
	if err == nil {
		c.mu.Lock()
		c.statuses[resp.StatusCode]++
		c.mu.Unlock()
	}
	return resp, err
}
