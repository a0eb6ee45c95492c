// Command incremental prints the pages of a site that are new or modified since the last day on
// which it was run. A run that was stopped resumes on the same day.
//
//	go run ./incremental -state site.db example.com
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
)

func main() {
	file := flag.String("state", "sitemap.db", "the file that remembers what was read")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: incremental [-state FILE] SITE")
	}
	db, err := state.Open(*file)
	if err != nil {
		log.Fatal(err)
	}
	today := time.Now().Format(time.DateOnly)
	err = changes(context.Background(), &discover.Client{}, db, today, flag.Arg(0), os.Stdout)
	if closeErr := db.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		log.Fatal(err)
	}
}

// changes prints the pages that have changed. A run with a name that has ended prints nothing.
func changes(
	ctx context.Context, c *discover.Client, store discover.Store, run, site string, out io.Writer,
) error {
	o := &discover.Options{Store: store, OnlyChanged: true, Run: run}
	for page, err := range c.URLs(ctx, site, o) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, page.Change, page.LastMod, page.Loc)
	}
	return nil
}
