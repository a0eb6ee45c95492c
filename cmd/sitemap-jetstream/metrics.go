package main

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seed-322c453a/sitemap/batch"
)

// A metrics counts what a worker has done.
type metrics struct {
	connection                     *connection
	registry                       *prometheus.Registry
	tasks, failed, documents, urls atomic.Int64
}

func newMetrics(c *connection) *metrics {
	m := &metrics{connection: c, registry: prometheus.NewRegistry()}
	for _, counter := range []struct {
		name, help string
		value      *atomic.Int64
	}{
		{"sitemap_domains_total", "Domains that this worker has walked.", &m.tasks},
		{"sitemap_domains_failed_total", "Domains of which something could not be read.", &m.failed},
		{"sitemap_documents_total", "Sitemaps that were read.", &m.documents},
		{"sitemap_urls_total", "URLs that were written.", &m.urls},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: counter.name, Help: counter.help},
			func() float64 { return float64(counter.value.Load()) },
		))
	}
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "sitemap_domains_waiting", Help: "Domains that wait on the broker."},
		func() float64 {
			ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
			defer stop()
			waiting, _, _ := c.queue.Left(ctx)
			return float64(waiting)
		},
	))
	return m
}

// done counts a task.
func (m *metrics) done(_ batch.Task, c batch.Counts) {
	m.tasks.Add(1)
	m.documents.Add(c.Documents)
	m.urls.Add(c.URLs)
	if c.Failed > 0 {
		m.failed.Add(1)
	}
}

// serve serves the metrics and the health answer until stop is called.
func (m *metrics) serve(address string) (stop func(), err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if !m.connection.nc.IsConnected() {
			http.Error(w, "not connected to the broker", http.StatusServiceUnavailable)
		}
	})
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go s.Serve(l)
	return func() { s.Close() }, nil
}
