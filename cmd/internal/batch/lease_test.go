package batch

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seed-322c453a/sitemap/batch"
)

// A lossyQueue hands out one task, whose lease ends by itself.
type lossyQueue struct{ batch.Queue }

func (lossyQueue) Take(context.Context) (batch.Lease, error) { return lossyLease{}, nil }

type lossyLease struct{ batch.Lease }

func (lossyLease) Task() batch.Task                           { return batch.Task{Attempts: 1} }
func (lossyLease) Renew(context.Context) error                { return batch.ErrStale }
func (lossyLease) Later(context.Context, time.Duration) error { return batch.ErrStale }

// A lease that is lost counts once, and its domain is no longer walked. White-box: that a lease is
// lost takes longer than its time from outside.
func TestMeasuredQueue(t *testing.T) {
	m := newCounters()
	lease, err := measuredQueue{lossyQueue{}, m}.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantMetrics(t, m, "sitemap_domains_walking 1", "sitemap_domains_retried_total 1", "sitemap_leases_lost_total 0")
	for range 2 {
		if err := lease.Renew(t.Context()); !errors.Is(err, batch.ErrStale) {
			t.Errorf("Renew = %v", err)
		}
	}
	lease.Later(t.Context(), 0)
	wantMetrics(t, m, "sitemap_domains_walking 0", "sitemap_domains_handed_back_total 1", "sitemap_leases_lost_total 1")
}

func wantMetrics(t *testing.T, m *counters, lines ...string) {
	t.Helper()
	w := httptest.NewRecorder()
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	for _, line := range lines {
		if !strings.Contains(w.Body.String(), "\n"+line+"\n") {
			t.Errorf("no %q in\n%s", line, w.Body)
		}
	}
}
