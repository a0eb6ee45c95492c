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
	known [len(gauges)]float64
}

// gauges count the documents for which a function is true.
var gauges = [...]struct {
	name, help string
	counts     func(watch.Document) bool
}{
	{"sitemap_watch_documents", "Sitemaps that are watched.",
		func(watch.Document) bool { return true }},
	{"sitemap_watch_due", "Sitemaps that are due.",
		func(d watch.Document) bool { return time.Since(d.Next) > 0 }},
	{"sitemap_watch_overdue", "Sitemaps that have been due for an hour.",
		func(d watch.Document) bool { return time.Since(d.Next) > time.Hour }},
	{"sitemap_watch_failing", "Sitemaps that could not be read.",
		func(d watch.Document) bool { return d.Failures > 0 }},
}

func newCounters(w *watch.Watcher, sites *sites) *counters {
	m := &counters{registry: prometheus.NewRegistry(), w: w, sites: sites}
	m.events = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sitemap_watch_events_total", Help: "Events, by kind."}, []string{"kind"})
	m.delay = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "sitemap_watch_delay_seconds", Help: "From the lastmod of a page to its event.",
		Buckets: []float64{60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600}})
	m.registry.MustRegister(m.events, m.delay, collectors.NewGoCollector())
	for i, g := range gauges {
		m.registry.MustRegister(prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: g.name, Help: g.help},
			func() float64 { return m.documents()[i] }))
	}
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
func (m *counters) documents() [len(gauges)]float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.at) < time.Minute {
		return m.known
	}
	m.at = time.Now()
	clear(m.known[:])
	for _, site := range m.sites.all() {
		for d, err := range m.w.Documents(site) {
			for i, g := range gauges {
				if err == nil && g.counts(d) {
					m.known[i]++
				}
			}
		}
	}
	return m.known
}
