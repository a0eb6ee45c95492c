package watch_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
)

// TestClock: a clock that was a year ahead, and is set right, is a clear error.
func TestClock(t *testing.T) {
	web := newWeb()
	web.serve("robots.txt", "Sitemap: /s")
	web.serve("s", urlset("1"))
	var store discover.Store
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC)))
		w := web.watcher()
		store = w.Store
		want(t, "first", once(t, w))
	})
	bubble(t, func(t *testing.T) {
		w := web.watcher()
		w.Store = store
		for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
			if err == nil || !strings.Contains(err.Error(), "the clock was ahead when a.test was read") {
				t.Errorf("%v, %v", short(e), err)
			}
		}
	})
}
