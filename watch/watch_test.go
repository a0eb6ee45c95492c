package watch_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test in virtual time, from noon of 1 June 2026.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)))
		test(t)
	})
}

// want compares events, in whatever order.
func want(t *testing.T, when string, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s; want %s", when, strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// TestOnce: a site publishes, changes and removes pages.
func TestOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1|2026-05-01", "2|2026-05-20", "3|2026-05-29"))
		w := web.watcher()
		want(t, "first", once(t, w))
		want(t, "again at once", once(t, w))
		web.serve("s", urlset("1|2026-05-01", "2|2026-06-01", "3|2026-05-29", "4"))
		want(t, "published", run(t, w, 2*24*time.Hour), "modified 2", "added 4")
		web.serve("s", urlset("1|2026-05-01", "2|2026-06-01", "4"))
		want(t, "gone", run(t, w, 2*24*time.Hour), "removed 3")
		web.serve("s", urlset("1|2026-05-01", "2|2026-06-01", "3|2026-05-29", "4"))
		want(t, "back", run(t, w, 2*24*time.Hour), "added 3")
	})
}
