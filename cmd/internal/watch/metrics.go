package watch

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/seed-322c453a/sitemap/watch"
)

// counters are what the command counts, for --metrics.
type counters struct {
	registry *prometheus.Registry
	events   *prometheus.CounterVec
	delay    prometheus.Histogram
	w        *watch.Watcher
	sites    *sites

	mu    sync.Mutex
	at    time.Time
	known documents
}

// documents are counts of documents.
type documents struct{ all, due, overdue, failing float64 }

func newCounters(w *watch.Watcher, sites *sites) *counters {
	m := &counters{registry: prometheus.NewRegistry(), w: w, sites: sites}
	m.events = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sitemap_watch_events_total", Help: "Events, by kind."}, []string{"kind"})
	m.delay = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "sitemap_watch_delay_seconds", Help: "From the lastmod of a page to its event.",
		Buckets: []float64{60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600}})
	m.registry.MustRegister(m.events, m.delay, collectors.NewGoCollector())
	gauge := func(name, help string, of func(documents) float64) {
		o := prometheus.GaugeOpts{Name: name, Help: help}
		value := func() float64 { return of(m.documents()) }
		m.registry.MustRegister(prometheus.NewGaugeFunc(o, value))
	}
	gauge("sitemap_watch_documents", "Sitemaps that are watched.",
		func(d documents) float64 { return d.all })
	gauge("sitemap_watch_due", "Sitemaps that are due.", func(d documents) float64 { return d.due })
	gauge("sitemap_watch_overdue", "Sitemaps that have been due for an hour.",
		func(d documents) float64 { return d.overdue })
	gauge("sitemap_watch_failing", "Sitemaps that could not be read.",
		func(d documents) float64 { return d.failing })
	return m
}

// count counts an event.
func (m *counters) count(e watch.Event) {
	m.events.WithLabelValues(string(e.Kind)).Inc()
	if lastMod := e.URL.LastMod; !lastMod.IsZero() && e.Kind != watch.Removed {
		m.delay.Observe(max(0, e.Time.Sub(lastMod.Start()).Seconds()))
	}
}

// documents counts the documents of all sites, once a minute at most.
func (m *counters) documents() documents {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if now.Sub(m.at) < time.Minute {
		return m.known
	}
	m.at, m.known = now, documents{}
	for _, site := range m.sites.all() {
		for d, err := range m.w.Documents(site) {
			if err != nil {
				continue
			}
			m.known.all++
			if d.Next.Before(now) {
				m.known.due++
			}
			if d.Next.Before(now.Add(-time.Hour)) {
				m.known.overdue++
			}
			if d.Failures > 0 {
				m.known.failing++
			}
		}
	}
	return m.known
}
