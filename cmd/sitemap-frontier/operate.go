package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/seed-322c453a/sitemap/engines/frontier"
)

// An operation is the part that both commands share: where the frontier is, and how a run is
// watched.
type operation struct {
	address, crawl, run, metrics string

	conn   *grpc.ClientConn
	stderr io.Writer
	counts []*count
}

func (o *operation) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.address, "frontier", "localhost:7071", "`ADDRESS` of the frontier")
	f.StringVar(&o.crawl, "crawl", frontier.DefaultCrawl, "`ID` of the crawl in the frontier")
	f.StringVar(&o.run, "run", "1", "`NAME` of the run")
	f.StringVar(&o.metrics, "metrics", "",
		"serve metrics and health at this `ADDRESS`, such as :9090")
}

// A count is a number that a run reports: as progress, and as the metric sitemap_NAME_total.
type count struct {
	name, help string
	atomic.Int64
}

const (
	reachTime     = 10 * time.Second // to connect at first
	progressEvery = 30 * time.Second
)

// start connects to the frontier, and reports counts until stop is called.
func (o *operation) start(cmd *cobra.Command, counts ...*count) (stop func(), err error) {
	o.counts, o.stderr = counts, cmd.ErrOrStderr()
	if o.conn, err = frontier.Dial(o.address); err != nil {
		return nil, fmt.Errorf("--frontier: %w", err)
	}
	if err := o.reach(cmd.Context()); err != nil {
		o.conn.Close()
		return nil, err
	}
	server := &http.Server{Handler: o.handler(), ReadHeaderTimeout: reachTime}
	if o.metrics != "" {
		l, err := net.Listen("tcp", o.metrics)
		if err != nil {
			o.conn.Close()
			return nil, fmt.Errorf("--metrics: %w", err)
		}
		go server.Serve(l)
	}
	done, tick := make(chan struct{}), time.NewTicker(progressEvery)
	go func() {
		for {
			select {
			case <-tick.C:
				o.report()
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		server.Close()
		o.conn.Close()
		o.report()
	}, nil
}

// reach waits for the connection.
func (o *operation) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	o.conn.Connect()
	for s := o.conn.GetState(); s != connectivity.Ready; s = o.conn.GetState() {
		if !o.conn.WaitForStateChange(ctx, s) {
			return fmt.Errorf("--frontier: %s cannot be reached", o.address)
		}
	}
	return nil
}

// handler serves metrics and health.
func (o *operation) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector())
	for _, c := range o.counts {
		registry.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: "sitemap_" + c.name + "_total", Help: c.help},
			func() float64 { return float64(c.Load()) },
		))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if o.conn.GetState() == connectivity.TransientFailure {
			http.Error(w, "the frontier cannot be reached", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
	return mux
}

// report writes the counts on a line.
func (o *operation) report() {
	var said []string
	for _, c := range o.counts {
		said = append(said, fmt.Sprint(c.name, " ", c.Load()))
	}
	fmt.Fprintln(o.stderr, strings.Join(said, ", "))
}
