package batch

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/metrics"
)

// counters are the metrics of a command, for --metrics.
type counters struct {
	registry *prometheus.Registry

	// Tasks.
	domains, documents, urls prometheus.Counter
	failed                   *prometheus.CounterVec // by cause
	walking                  prometheus.Gauge
	seconds                  prometheus.Histogram
	retried, back, lost      prometheus.Counter
	// Requests that were answered, by status.
	requests *prometheus.CounterVec
	// Lists.
	put, bad prometheus.Counter
	// Pages that were emitted, by the answer.
	emitted *prometheus.CounterVec
}

func newCounters() *counters {
	m := &counters{registry: prometheus.NewRegistry()}
	register := promauto.With(m.registry)
	counter := func(name, help string) prometheus.Counter {
		return register.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	vector := func(name, help, label string) *prometheus.CounterVec {
		o := prometheus.CounterOpts{Name: name, Help: help}
		return register.NewCounterVec(o, []string{label})
	}
	m.domains = counter("sitemap_domains_total", "Domains that this process has done.")
	m.documents = counter("sitemap_documents_total", "Sitemaps that were read.")
	m.urls = counter("sitemap_urls_total", "URLs that were found.")
	m.failed = vector("sitemap_domains_failed_total",
		"Domains with read errors, by the first cause.", "cause")
	m.walking = register.NewGauge(prometheus.GaugeOpts{
		Name: "sitemap_domains_walking", Help: "Domains that this process walks now.",
	})
	m.seconds = register.NewHistogram(prometheus.HistogramOpts{
		Name: "sitemap_domain_seconds", Help: "Time from taking a domain to its end.",
		Buckets: []float64{.1, .5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 4 * 3600},
	})
	m.retried = counter("sitemap_domains_retried_total",
		"Domains that a worker took again: another one died or handed them back.")
	m.back = counter("sitemap_domains_handed_back_total",
		"Domains that this process has handed back.")
	m.lost = counter("sitemap_leases_lost_total",
		"Domains whose lease ended while they were walked.")
	m.requests = vector("sitemap_requests_total", "Requests that were answered, by status.", "code")
	m.put = counter("sitemap_domains_put_total", "Domains that were put into the queue.")
	m.bad = counter("sitemap_bad_lines_total", "Lines of the list that are no targets.")
	m.emitted = vector("sitemap_pages_emitted_total", "Pages that a frontier answered.", "answer")
	m.registry.MustRegister(collectors.NewGoCollector())
	return m
}

// count counts the requests of a transport.
func (m *counters) count(rt http.RoundTripper) http.RoundTripper {
	return promhttp.InstrumentRoundTripperCounter(m.requests, rt)
}

// done counts a task.
func (m *counters) done(c batch.Counts) {
	m.domains.Inc()
	m.documents.Add(float64(c.Documents))
	m.urls.Add(float64(c.URLs))
	if c.Failed > 0 {
		m.failed.WithLabelValues(string(c.Cause)).Inc()
	}
}

// serve serves metrics and health at an address until stop is called. The process is ready while
// its queue answers.
func (m *counters) serve(address string, q *queue) (stop func(), err error) {
	stop, err = metrics.Serve(address, m.registry, q.ready)
	if err == nil && q.left != nil && address != "" {
		m.gauge("sitemap_domains_waiting", "Domains that wait in the queue.", q, false)
		m.gauge("sitemap_domains_leased", "Domains that are with workers.", q, true)
	}
	return stop, err
}

// gauge registers how many domains wait or are leased. It is -1 while the queue does not answer.
func (m *counters) gauge(name, help string, q *queue, leased bool) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
		func() float64 {
			waiting, with, err := q.left()
			switch {
			case err != nil:
				return -1
			case leased:
				return float64(with)
			}
			return float64(waiting)
		}))
}

// A measuredQueue counts how leases end.
type measuredQueue struct {
	batch.Queue
	metrics *counters
}

func (q measuredQueue) Take(ctx context.Context) (batch.Lease, error) {
	l, err := q.Queue.Take(ctx)
	if err != nil {
		return nil, err
	}
	q.metrics.walking.Inc()
	if l.Task().Attempts > 0 {
		q.metrics.retried.Inc()
	}
	return measuredLease{l, q.metrics, time.Now()}, nil
}

type measuredLease struct {
	batch.Lease
	metrics *counters
	taken   time.Time
}

func (l measuredLease) Done(ctx context.Context) error {
	l.metrics.seconds.Observe(time.Since(l.taken).Seconds())
	return l.ended(l.Lease.Done(ctx))
}

func (l measuredLease) Later(ctx context.Context, delay time.Duration) error {
	l.metrics.back.Inc()
	return l.ended(l.Lease.Later(ctx, delay))
}

// ended counts the end of a walk, whose lease may have expired before.
func (l measuredLease) ended(err error) error {
	l.metrics.walking.Dec()
	if errors.Is(err, batch.ErrStale) {
		l.metrics.lost.Inc()
	}
	return err
}
