package watch_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
)

// TestClockSetBack: a watch goes on, and removes what is gone, after a clock that was a year ahead
// is set right.
func TestClockSetBack(t *testing.T) {
	web := newWeb()
	web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
	web.serve("a", urlset("1", "2"))
	web.serve("b", urlset("3", "4"))
	var store discover.Store
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC)))
		w := web.watcher()
		store = w.Store
		want(t, "first", once(t, w))
		web.serve("b", urlset("3"))
		web.fail("a", 404)
		want(t, "a year ahead", run(t, w, 2*day), "failing a")
	})
	bubble(t, func(t *testing.T) {
		w := web.watcher()
		w.Store = store
		want(t, "set right", run(t, w, 2*day))
		web.serve("a", urlset("1", "5"))
		want(t, "then", run(t, w, 9*day), "added 5", "recovered a", "removed 2", "removed 4")
	})
}
