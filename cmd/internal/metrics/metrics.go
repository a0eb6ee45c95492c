// Package metrics serves the metrics and the health of a command.
package metrics

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Serve serves /metrics and /healthz at the address of --metrics until stop is called; at ""
// nothing. With ready it serves /readyz too. A process is healthy while it answers.
func Serve(address string, r *prometheus.Registry, ready func() bool) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz",
		func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	if ready != nil {
		mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
			if !ready() {
				http.Error(w, "the queue does not answer", http.StatusServiceUnavailable)
				return
			}
			io.WriteString(w, "ok\n")
		})
	}
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go s.Serve(l)
	return func() { s.Close() }, nil
}
