package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/engines/frontier"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A work is one run of the command work.
type work struct {
	operation
	dir, userAgent  string
	changed, follow bool
	walks, workers  int
	grace, siteTime time.Duration
	transport       http.RoundTripper
}

func workCommand(transport http.RoundTripper) *cobra.Command {
	w := &work{transport: transport}
	cmd := document(&cobra.Command{Use: "work -o DIR", Args: w.check, RunE: w.work})
	w.operation.add(cmd)
	f := cmd.Flags()
	f.StringVarP(&w.dir, "output", "o", "", "write to `DIR`")
	f.BoolVar(&w.changed, "changed", false,
		"write only pages that are new or modified since DIR was written last")
	f.BoolVar(&w.follow, "follow", false, "when the frontier has nothing left, wait for more")
	f.IntVar(&w.walks, "walks", 8, "walk `N` domains at once")
	f.IntVar(&w.workers, "workers", 1,
		"there are `N` workers: each sends only 8/N requests at once to one address, at least 1")
	f.DurationVar(&w.grace, "grace", 20*time.Second,
		"`TIME` for domains under way to end when interrupted")
	f.DurationVar(&w.siteTime, "site-time", 0,
		"longest `TIME` for one site or sitemap; what came is written")
	f.StringVarP(&w.userAgent, "user-agent", "A", "",
		"User-Agent `TEXT` with a way to reach you; its first word is looked up in robots.txt")
	return cmd
}

// check reports values that have no meaning.
func (w *work) check(_ *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("%q: the sites come from the frontier", args[0])
	case w.dir == "":
		return errors.New("--output: want a folder")
	case w.walks < 1 || w.workers < 1 || w.grace < 0 || w.siteTime < 0:
		return errors.New("--walks, --workers, --grace, --site-time: want a positive number")
	}
	return nil
}

// work walks until the frontier is empty or the command is interrupted.
func (w *work) work(cmd *cobra.Command, _ []string) error {
	domains := &count{name: "domains", help: "Domains walked."}
	pages := &count{name: "pages", help: "Pages written."}
	sitemaps := &count{name: "sitemaps", help: "Sitemaps read."}
	failures := &count{name: "failures", help: "Sites and sitemaps that could not be read."}
	stop, err := w.start(cmd, domains, pages, sitemaps, failures)
	if err != nil {
		return err
	}
	defer stop()
	queue := &frontier.Queue{Conn: w.conn, Crawl: w.crawl, Run: w.run}
	if !w.follow {
		queue.End(cmd.Context())
	}
	folder, err := batch.OpenFolder(w.dir)
	if err != nil {
		return err
	}
	worker := &batch.Worker{
		Client: w.client(), Options: discover.Options{OnlyChanged: w.changed},
		Queue: queue, States: folder, Sink: folder,
		Parallel: w.walks, SiteTime: w.siteTime, Grace: w.grace,
		Done: func(_ batch.Task, c batch.Counts) {
			domains.Add(1)
			pages.Add(c.URLs)
			sitemaps.Add(c.Documents)
			failures.Add(c.Failed)
		},
	}
	defer context.AfterFunc(cmd.Context(), func() {
		fmt.Fprintf(w.stderr, "domains under way have %v to end\n", w.grace)
	})()
	return worker.Run(cmd.Context())
}

// client returns the client of all walks.
func (w *work) client() *discover.Client {
	product, _, _ := strings.Cut(strings.TrimSpace(w.userAgent), " ")
	product, _, _ = strings.Cut(product, "/")
	return &discover.Client{Fetch: &fetch.Client{
		Transport:   w.transport,
		UserAgent:   w.userAgent,
		RobotsAgent: product,
		Limiter:     &fetch.HostLimiter{Total: max(16, w.walks), PerAddress: max(1, 8/w.workers)},
	}}
}
