package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/engines/jetstream"
	"github.com/seed-322c453a/sitemap/fetch"
)

// workFlags are the flags of work.
type workFlags struct {
	brokerFlags
	walks        int
	workers      int
	changed      bool
	userAgent    string
	robotsAgent  string
	allowPrivate bool
	limit        time.Duration
	grace        time.Duration
	metrics      string
	quiet        bool
}

func workCommand() *cobra.Command {
	w := &workFlags{}
	cmd := &cobra.Command{
		Use:   "work [flags]",
		Short: "Walk domains from the broker, until the run is over.",
		Long: `Walk domains from the broker, until the run is over.

A worker takes a domain, walks its sites, writes its part and saves its state,
and only then takes the next one. A domain is with one worker at a time. If a
worker dies, others walk its domains after a minute. On SIGTERM, walks have the
time of --grace to end; those that need longer are handed back.

Hosts in other domains, such as those of a CDN, are limited for each worker by
itself. Say with --workers how many there are: the limit of an address, 8
requests at once, is divided by that.

With --metrics, Prometheus finds metrics at /metrics, and /healthz answers 200
while the broker is connected.`,
		Example: `  sitemap-jetstream work -o parts/ --walks 64 --metrics :9090
  sitemap-jetstream work -o parts/ --embedded`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return w.work(cmd) },
	}
	w.brokerFlags.add(cmd)
	f := cmd.Flags()
	f.IntVar(&w.walks, "walks", 16, "walk `N` domains at once")
	f.IntVar(&w.workers, "workers", 1, "`N` workers share the run")
	f.BoolVar(&w.changed, "changed", false,
		"write only pages that are new or modified since the state of the domain was saved")
	f.StringVarP(&w.userAgent, "user-agent", "A", "", "User-Agent `TEXT` with a way to reach you")
	f.StringVar(&w.robotsAgent, "robots-agent", "", "product `TOKEN` to look up in robots.txt")
	f.BoolVar(&w.allowPrivate, "allow-private", false, "allow addresses that are not public, and every port")
	f.DurationVar(&w.limit, "site-time", 0, "longest `TIME` for one target; what came is in the part")
	f.DurationVar(&w.grace, "grace", 20*time.Second, "`TIME` for walks to end after SIGTERM")
	f.StringVar(&w.metrics, "metrics", "", "serve metrics and /healthz at `ADDRESS`, such as :9090")
	f.BoolVarP(&w.quiet, "quiet", "q", false, "do not report progress")
	return cmd
}

func (w *workFlags) work(cmd *cobra.Command) error {
	ctx := cmd.Context()
	if w.walks < 1 || w.workers < 1 {
		return errors.New("--walks, --workers: want a positive number")
	}
	c, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	states, err := jetstream.OpenStates(ctx, c.nc, w.options())
	if err != nil {
		return err
	}
	m := newMetrics(c)
	if w.metrics != "" {
		stop, err := m.serve(w.metrics)
		if err != nil {
			return err
		}
		defer stop()
	}
	worker := &batch.Worker{
		Client: &discover.Client{Fetch: &fetch.Client{
			UserAgent: w.userAgent, RobotsAgent: w.robotsAgent, AllowPrivateNetworks: w.allowPrivate,
			Limiter: &fetch.HostLimiter{Total: 2 * w.walks, PerAddress: max(1, 8/w.workers)},
		}},
		Queue: c.queue, Sink: c.folder, States: states, Parallel: w.walks,
		Options:  discover.Options{OnlyChanged: w.changed},
		SiteTime: w.limit, Grace: w.grace, Done: m.done,
	}
	if !w.quiet {
		defer m.report(ctx, cmd.ErrOrStderr())()
	}
	err = worker.Run(ctx)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return errors.New("interrupted; what was not done is on the broker")
	}
	return err
}

// report prints a line now and then, and a last one when the function that it returns is called.
func (m *metrics) report(ctx context.Context, out io.Writer) func() {
	begun, ended := time.Now(), make(chan struct{})
	line := func() {
		elapsed := time.Since(begun).Seconds()
		fmt.Fprintf(out, "sitemap-jetstream: %d domains, %d failed, %d URLs, %.1f domains/s\n",
			m.tasks.Load(), m.failed.Load(), m.urls.Load(), float64(m.tasks.Load())/elapsed)
	}
	go func() {
		for {
			select {
			case <-time.After(10 * time.Second):
				line()
			case <-ended:
				return
			}
		}
	}()
	return func() {
		close(ended)
		line()
	}
}
