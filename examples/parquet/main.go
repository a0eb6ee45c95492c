// Command parquet writes the pages of a list of sites to a Parquet file.
//
//	go run ./parquet sites.txt pages.parquet
package main

import (
	"bufio"
	"context"
	"log"
	"os"
	"sync"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-322c453a/sitemap/discover"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: parquet LIST FILE")
	}
	list, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer list.Close()
	var sites []string
	for lines := bufio.NewScanner(list); lines.Scan(); {
		sites = append(sites, lines.Text())
	}
	out, err := os.Create(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	w := parquet.NewGenericWriter[row](out)
	walk(context.Background(), &discover.Client{}, sites, w)
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	if err := out.Close(); err != nil {
		log.Fatal(err)
	}
}

// A row is a page.
type row struct {
	Site    string     `parquet:"site,dict"`
	Loc     string     `parquet:"loc"`
	LastMod *time.Time `parquet:"lastmod,optional,timestamp(millisecond)"`
	Images  []string   `parquet:"images,list"`
}

// walk writes the pages of all sites, sixteen of them at once. One client serves all walks.
func walk(ctx context.Context, c *discover.Client, sites []string, w *parquet.GenericWriter[row]) {
	var wg sync.WaitGroup
	var mu sync.Mutex // held to write
	slots := make(chan struct{}, 16)
	for _, site := range sites {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			for page, err := range c.URLs(ctx, site, nil) {
				if err != nil {
					log.Print(err)
					continue
				}
				mu.Lock()
				_, err := w.Write([]row{rowOf(site, &page)})
				mu.Unlock()
				if err != nil {
					log.Print(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func rowOf(site string, page *discover.URL) row {
	r := row{Site: site, Loc: page.Loc}
	if !page.LastMod.IsZero() {
		r.LastMod = new(page.LastMod.Start())
	}
	if page.Extensions != nil {
		for _, image := range page.Extensions.Images {
			r.Images = append(r.Images, image.Loc)
		}
	}
	return r
}
