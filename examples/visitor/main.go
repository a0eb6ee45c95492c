// Command visitor prints the first pages of a site. Its function visit is the shape that crawlers
// such as katana give to a source of URLs: it does not know what happens to a page, and stops when
// its callback returns false.
//
//	go run ./visitor example.com
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/seed-322c453a/sitemap/discover"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: visitor SITE")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	left := 100
	err := visit(ctx, &discover.Client{}, os.Args[1], func(r request) bool {
		fmt.Println(r.URL)
		left--
		return left > 0
	})
	if err != nil {
		log.Fatal(err)
	}
}

// A request is a page for the crawler's queue.
type request struct {
	URL    string
	Source string // the sitemap that lists it
	Depth  int
}

// visit calls each with the pages of a site until it returns false. A site without a sitemap has no
// pages here: the crawler has other sources.
func visit(
	ctx context.Context, c *discover.Client, site string, each func(request) bool,
) error {
	for page, err := range c.URLs(ctx, site, nil) {
		if errors.Is(err, discover.ErrNoSitemap) {
			return nil
		}
		if err != nil {
			return err
		}
		if u, err := page.URL(); err == nil && !each(request{u.String(), page.Sitemap.Loc, 1}) {
			return nil
		}
	}
	return nil
}
