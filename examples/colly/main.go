// Command colly visits the pages that the sitemaps of a site list, and prints their titles.
//
//	go run ./colly example.com
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/gocolly/colly/v2"

	"github.com/seed-322c453a/sitemap/discover"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: colly SITE")
	}
	client := &discover.Client{}
	err := visit(context.Background(), client, colly.NewCollector(), os.Args[1], os.Stdout)
	if err != nil {
		log.Fatal(err)
	}
}

// visit feeds a collector with the pages of a site.
func visit(
	ctx context.Context, client *discover.Client, c *colly.Collector, site string, out io.Writer,
) error {
	c.OnHTML("title", func(e *colly.HTMLElement) {
		fmt.Fprintf(out, "%s: %s\n", e.Request.URL, e.Text)
	})
	for page, err := range client.URLs(ctx, site, nil) {
		if err != nil {
			return err // the sitemaps that could not be read; everything else has been visited
		}
		u, err := page.URL() // the form that a request needs
		if err != nil {
			continue
		}
		if err := c.Visit(u.String()); err != nil {
			fmt.Fprintf(out, "%s: %v\n", page.Loc, err)
		}
	}
	return nil
}
