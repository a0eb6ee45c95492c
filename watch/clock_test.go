package watch_test

import (
	"fmt"
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
		var last error
		for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
			if last = err; err == nil {
				t.Errorf("an event: %s", short(e))
			}
		}
		if !strings.Contains(fmt.Sprint(last), "the clock is before the last reading of a.test") {
			t.Errorf("the error is %v", last)
		}
	})
}
