package watch_test

import (
	"slices"
	"testing"
	"time"
)

// TestRemoved_Late: a page that returns and vanishes again is removed with another ID, also if its
// first removal took weeks.
func TestRemoved_Late(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		web.serve("b", urlset("3"))
		w := web.watcher()
		ids := map[string]bool{}
		var got []string
		for _, pages := range [][]string{{"1", "2"}, {"1"}, {"1", "2"}, {"1"}} {
			web.serve("a", urlset(pages...))
			if len(ids) == 0 && len(pages) == 1 {
				web.fail("b", 404)
				want(t, "it waits for b", run(t, w, 29*day), "failing b")
				web.serve("b", urlset("3"))
			}
			got = append(got, follow(t, w, ids, 24, 5*time.Hour)...)
		}
		want(t, "all", got, "recovered b", "removed 2", "added 2", "removed 2")
	})
}

// TestRemoved_Pause: a page that returns during a pause of the watch is added with another ID, also
// if the site cannot be reached at first.
func TestRemoved_Pause(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a")
		web.serve("a", urlset("1"))
		w := web.watcher()
		want(t, "first", run(t, w, 4*day))
		ids := map[string]bool{}
		web.serve("a", urlset("1", "2"))
		want(t, "added", follow(t, w, ids, 24, 2*time.Hour), "added 2")
		web.serve("a", urlset("1"))
		want(t, "removed", follow(t, w, ids, 24, 2*time.Hour), "removed 2")
		time.Sleep(31 * day)
		web.serve("a", urlset("1", "2"))
		web.fail("robots.txt", 503)
		want(t, "not reached", once(t, w))
		time.Sleep(time.Hour)
		web.serve("robots.txt", "Sitemap: /a")
		want(t, "again", follow(t, w, ids, 24, 2*time.Hour), "added 2")
	})
}

// TestRemoved_Broken: a page of a sitemap that is listed again is removed again, also if the loop
// breaks off before all pages of the sitemap are added.
func TestRemoved_Broken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("a", "b"))
		web.serve("a", urlset("1"))
		web.serve("b", urlset("2", "3"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.serve("i", index("a"))
		want(t, "dropped", run(t, w, 3*day), "sitemap_removed b", "removed 2", "removed 3")
		web.serve("i", index("a", "b"))
		time.Sleep(day)
		for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
			if err != nil {
				t.Error(err)
			}
			if short(e) == "added 3" {
				break
			}
		}
		web.serve("b", urlset("3"))
		want(t, "later", run(t, w, 3*day), "added 3", "removed 2")
	})
}

// TestRemoved_LostPause: a sitemap that was failing before a pause of the watch is read again before
// a page that moved to it is removed.
func TestRemoved_LostPause(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web, w := watchTwo(t)
		web.fail("b", 404)
		web.serve("a", urlset("1"))
		want(t, "before the pause", run(t, w, 5*day), "failing b")
		time.Sleep(31 * day)
		web.serve("b", urlset("2", "3"))
		want(t, "after the pause", run(t, w, 5*day), "recovered b")
	})
}

// TestRemoved_LostOutage: a sitemap has failed for 30 days also if robots.txt failed meanwhile.
func TestRemoved_LostOutage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web, w := watchTwo(t)
		web.fail("b", 404)
		web.serve("a", urlset("1"))
		want(t, "lost", run(t, w, 20*day), "failing b")
		web.fail("robots.txt", 503)
		want(t, "outage", run(t, w, 2*day), "failing")
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		want(t, "after it", run(t, w, 14*day), "recovered", "removed 2")
	})
}
