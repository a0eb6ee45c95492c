package watch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/watch"
)

// A full Store cannot make anything durable.
type full struct{ discover.Store }

var errFull = errors.New("full")

func (full) Sync() error { return errFull }

// TestSyncFails: a watch ends at once, with the error of a Store that makes nothing durable.
func TestSyncFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1"))
		w := web.watcher()
		w.Store, w.Initial = full{w.Store}, true
		began := time.Now()
		var got error
		for _, err := range w.Events(t.Context(), slices.Values([]string{"a.test"})) {
			got = err
		}
		if wait := time.Since(began); got != errFull || wait > time.Second {
			t.Errorf("%v after %v", got, wait)
		}
	})
}

// TestDurable: after a kill, nothing comes again that was taken 200 ms before, also if the loop is
// busy with the next event, or the site with its Crawl-delay.
func TestDurable(t *testing.T) {
	for _, test := range []struct {
		loop, crawl time.Duration // the time that they take
		want        string
	}{
		{time.Second, 0, "added 1, added 2, added 2, added 3, added 3, added 4"},
		{0, 10 * time.Second, "added 1, added 2, added 3, added 4"},
	} {
		bubble(t, func(t *testing.T) {
			web := newWeb()
			web.serve("robots.txt", fmt.Sprintf(
				"User-agent: *\nCrawl-delay: %d\nSitemap: /a\nSitemap: /b", test.crawl/time.Second))
			web.serve("a", urlset("1", "2"))
			web.serve("b", urlset("3", "4"))
			w := web.watcher()
			w.Initial = true
			store := &mortal{Store: w.Store, pending: map[string][]byte{}}
			w.Store = store
			var got []string
			for range 3 {
				ctx, cancel := context.WithCancel(t.Context())
				store.left = math.MaxInt
				time.AfterFunc((test.crawl+test.loop)*3/2, func() { // while it is busy
					store.mu.Lock()
					store.left = -1
					store.mu.Unlock()
					cancel()
				})
				for e, err := range w.Once(ctx, slices.Values([]string{"a.test"})) {
					if err == nil {
						got = append(got, short(e))
						time.Sleep(test.loop)
					}
				}
				cancel()
				clear(store.pending)
			}
			if strings.Join(got, ", ") != test.want {
				t.Errorf("%v, %v: %s; want %s", test.loop, test.crawl, strings.Join(got, ", "), test.want)
			}
		})
	}
}

// TestRecovered_Killed: that a document has recovered has the same ID if it is said again after a
// kill, also some turns later.
func TestRecovered_Killed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		web.serve("a", urlset("1"))
		web.serve("b", urlset("2"))
		w := web.watcher()
		store := &mortal{Store: w.Store, pending: map[string][]byte{}, left: math.MaxInt}
		w.Store = store
		want(t, "first", once(t, w))
		web.fail("a", 404)
		want(t, "down", run(t, w, 3*day), "failing a")
		web.serve("a", urlset("1"))
		ids := map[string]bool{}
		recover := func() {
			for n := len(ids); len(ids) == n; time.Sleep(time.Hour) {
				clear(store.pending)
				for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
					if err != nil || e.Kind != watch.Recovered {
						t.Errorf("%s, %v", short(e), err)
					}
					if ids[e.ID] {
						return
					}
					ids[e.ID] = true
				}
			}
		}
		store.left = -1 // it is killed
		recover()
		store.left = math.MaxInt
		web.fail("robots.txt", 503)
		time.Sleep(25 * time.Hour)
		clear(store.pending)
		want(t, "robots.txt is down", once(t, w))
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		time.Sleep(time.Hour)
		recover()
		if len(ids) != 1 {
			t.Errorf("%d IDs", len(ids))
		}
	})
}

// TestSitemapRemoved_Killed: that a sitemap was removed has the same ID if it is said again after a
// kill, also if the sitemap was requested before.
func TestSitemapRemoved_Killed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("a", "b"))
		web.serve("a", urlset("1"))
		web.serve("b", urlset("2|2026-05-29", "3|2026-05-30", "4|2026-05-31"))
		w := web.watcher()
		store := &mortal{Store: w.Store, pending: map[string][]byte{}, left: math.MaxInt}
		w.Store = store
		want(t, "first", append(once(t, w), run(t, w, day)...))
		time.Sleep(day)
		web.serve("i", index("a"))
		store.left = -1 // it is killed
		ids := map[string]bool{}
		asked := web.requests["https://a.test/b"]
		for range 3 {
			clear(store.pending)
			for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
				if err == nil && e.Kind == watch.SitemapRemoved {
					ids[e.ID] = true
				}
			}
			time.Sleep(time.Hour)
		}
		if asked = web.requests["https://a.test/b"] - asked; len(ids) != 1 || asked != 3 {
			t.Errorf("%d IDs, %d requests", len(ids), asked)
		}
	})
}

// TestSitemapRemoved_Broken: it has another ID each time that the sitemap is removed, also if every
// loop breaks off.
func TestSitemapRemoved_Broken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("a", "b"))
		web.serve("a", urlset("1"))
		web.serve("b", urlset("2"))
		w := web.watcher()
		want(t, "first", run(t, w, day))
		ids := map[string]bool{}
		for i := range 3 {
			web.serve("i", index([]string{"a", "b"}[:1+i%2]...))
			if i == 1 {
				web.serve("b", urlset("3"))
			}
			time.Sleep(day)
			isSaid := false
			for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
				if err != nil || isSaid {
					break
				}
				isSaid = e.Sitemap == "https://a.test/b" && e.URL.Loc == ""
				if e.Kind == watch.SitemapRemoved {
					ids[e.ID] = true
				}
			}
		}
		if len(ids) != 2 {
			t.Errorf("%d IDs of two removals", len(ids))
		}
	})
}

// TestAdded_Killed: that a page was added has the same ID if it is said again after a kill, also if
// its lastmod has moved on by then.
func TestAdded_Killed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a")
		web.pages["https://a.test/a"] = func() string {
			return urlset("1", "2|"+time.Now().Format(time.RFC3339))
		}
		w := web.watcher()
		w.Initial = true
		store := &mortal{Store: w.Store, pending: map[string][]byte{}, left: -1}
		w.Store = store
		ids := map[string]bool{}
		for range 3 {
			clear(store.pending)
			for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
				if err == nil {
					ids[e.ID] = true
				}
			}
			time.Sleep(time.Hour)
		}
		if len(ids) != 2 {
			t.Errorf("%d IDs of two pages", len(ids))
		}
	})
}

// TestAdded_KilledAndDown: so it has if robots.txt failed in between, on whatever day.
func TestAdded_KilledAndDown(t *testing.T) {
	for down := range 30 {
		bubble(t, func(t *testing.T) {
			web := newWeb()
			web.serve("robots.txt", "Sitemap: /a")
			web.serve("a", urlset("1"))
			w := web.watcher()
			store := &mortal{Store: w.Store, pending: map[string][]byte{}, left: math.MaxInt}
			w.Store = store
			want(t, "first", once(t, w))
			time.Sleep(time.Duration(down) * day)
			want(t, "later", once(t, w))
			web.serve("a", urlset("1", "2"))
			time.Sleep(2 * day)
			ids := map[string]bool{}
			note := func() {
				for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
					if err == nil && e.Kind == watch.Added {
						ids[e.ID] = true
					}
				}
			}
			store.left = -1 // it is killed
			note()
			clear(store.pending)
			store.left = math.MaxInt
			w.Client = web.watcher().Client // which has no robots.txt
			web.fail("robots.txt", 503)
			want(t, "down", once(t, w))
			web.serve("robots.txt", "Sitemap: /a")
			time.Sleep(time.Hour)
			note()
			if len(ids) != 1 {
				t.Errorf("day %d: %d IDs", down, len(ids))
			}
		})
	}
}
