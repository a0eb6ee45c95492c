package watch_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
)

// TestLimits: a watched site has as many sitemaps as a walk may read, and as deep.
func TestLimits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, test := range []struct {
			options discover.Options
			want    int
		}{
			{discover.Options{}, 5}, {discover.Options{MaxSitemaps: 3}, 3}, {discover.Options{MaxSitemaps: -1}, 5},
			{discover.Options{MaxDepth: 1}, 3}, {discover.Options{MaxDepth: 2}, 5},
		} {
			web := newWeb()
			web.serve("robots.txt", "Sitemap: /i")
			web.serve("i", index("a", "j"))
			web.serve("a", urlset("1"))
			web.serve("j", index("b", "c"))
			web.serve("b", urlset("2"))
			web.serve("c", urlset("3"))
			w := web.watcher()
			w.Options = test.options
			want(t, "first", append(once(t, w), run(t, w, day)...))
			n := 0
			for _, err := range w.Documents("a.test") {
				if err != nil {
					t.Error(err)
				}
				n++
			}
			if n != test.want {
				t.Errorf("%+v: %d sitemaps, want %d", test.options, n, test.want)
			}
		}
	})
}

// TestLimits_Kept: a new sitemap that a limit excludes does not replace another one, whose pages
// would seem to be removed.
func TestLimits_Kept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("b", "c"))
		for _, name := range []string{"a", "b", "c"} {
			web.serve(name, urlset("of-"+name))
		}
		w := web.watcher()
		w.Options.MaxSitemaps = 3
		want(t, "first", once(t, w))
		web.serve("i", index("a", "b", "c"))
		want(t, "a is new", run(t, w, 6*day))
		web.serve("i", index("a", "b"))
		want(t, "c is gone", run(t, w, 6*day), "added of-a", "sitemap_added a",
			"removed of-c", "sitemap_removed c")
	})
}

// TestLimits_Lowered: a limit that is lowered removes nothing that the site lists.
func TestLimits_Lowered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("a", "j"))
		web.serve("a", urlset("1"))
		web.serve("j", index("b"))
		web.serve("b", urlset("2"))
		w := web.watcher()
		want(t, "first", once(t, w))
		w.Options.MaxSitemaps, w.Options.MaxDepth = 2, 1
		web.serve("b", urlset("2", "3"))
		web.serve("i", index("a", "j", "c"))
		want(t, "lowered", run(t, w, 6*day), "added 3")
	})
}

// TestHeld: no document is requested again before Min, its Retry-After and, after its first
// reading, its Cache-Control are over: not if an index lists a new date for it, not if its site
// recovers, and no index at the first dates in one of its sitemaps.
func TestHeld(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, held := newBusySite(3), map[string]time.Time{}
		b.layout, b.w.Min = time.DateOnly, 2*time.Hour
		b.w.Client.Fetch.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			if wait := time.Until(held[r.URL.Path]); wait > 0 {
				t.Errorf("%s is requested %v too early", r.URL.Path, wait)
			}
			isFirst := held[r.URL.Path].IsZero()
			held[r.URL.Path] = time.Now().Add(b.w.Min)
			answer, err := b.RoundTrip(r)
			switch {
			case isFirst:
				answer.Header.Set("Cache-Control", "max-age=72000")
				held[r.URL.Path] = time.Now().Add(20 * time.Hour)
			case answer.StatusCode == 503:
				answer.Header.Set("Retry-After", "21600")
				held[r.URL.Path] = time.Now().Add(6 * time.Hour)
			}
			return answer, err
		})
		b.publishDaily(t, 20, always)
		for _, path := range []string{"i", "s0", "s1", "s2"} {
			b.fail(path, 503)
		}
		run(t, b.w, 3*day)
		b.serve("i", index(b.listed...))
		run(t, b.w, day)
	})
}

// TestHeld_Unread: a document that could not be read is requested again soon, however long its
// Cache-Control calls the response fresh.
func TestHeld_Unread(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", "<html>Try again later.</html>")
		w := web.watcher()
		w.Initial = true
		w.Client.Fetch.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			answer, err := web.RoundTrip(r)
			answer.Header.Set("Cache-Control", "max-age=86400")
			return answer, err
		})
		want(t, "unread", once(t, w))
		web.serve("s", urlset("1"))
		want(t, "read", run(t, w, 6*time.Hour), "added 1")
	})
}

// TestMax: a smaller Max holds for the interval that has begun, too.
func TestMax(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.serve("s", urlset("1", "2"))
		time.Sleep(2 * time.Hour)
		w.Max = time.Hour
		want(t, "with a smaller Max", once(t, w), "added 2")
	})
}
