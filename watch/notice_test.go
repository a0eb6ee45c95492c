package watch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/watch"
)

const day = 24 * time.Hour

// TestFailing: a document that fails three times in a row is failing, once, until it can be read.
func TestFailing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		web.serve("a", urlset("1"))
		web.serve("b", urlset("2"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.fail("a", 404)
		want(t, "one document", run(t, w, 3*day), "failing a")
		web.serve("a", urlset("1", "3"))
		want(t, "again", run(t, w, 3*day), "recovered a", "added 3")
		web.fail("a", 404)
		web.fail("b", 404)
		want(t, "both", run(t, w, 3*day), "failing")
		web.serve("a", urlset("1", "3"))
		web.serve("b", urlset("2"))
		want(t, "both again", run(t, w, 3*day), "recovered")
		web.fail("robots.txt", 503)
		want(t, "robots.txt", run(t, w, 3*day), "failing")
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		want(t, "robots.txt again", run(t, w, 3*day), "recovered")
	})
}

// TestDocuments_NotFound: as long as no document was found, Documents says why.
func TestDocuments_NotFound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.fail("robots.txt", 503)
		w := web.watcher()
		check := func(when, wanted string) {
			t.Helper()
			got := ""
			for d, err := range w.Documents("a.test") {
				got += fmt.Sprint(d.Sitemap, " ", err)
			}
			if got != wanted {
				t.Errorf("%s: %q, want %q", when, got, wanted)
			}
		}
		check("before", "")
		want(t, "down", once(t, w))
		check("down", " discover: robots.txt unreachable: https://a.test/robots.txt: "+
			"status 503 Service Unavailable (after 3 attempts)")
		web.serve("robots.txt", "Sitemap: /a")
		web.serve("a", urlset("1"))
		time.Sleep(time.Hour)
		want(t, "up", once(t, w))
		check("up", "https://a.test/a <nil>")
		web.fail("robots.txt", 503)
		time.Sleep(25 * time.Hour)
		want(t, "down again", once(t, w))
		check("down again", "https://a.test/a <nil>")
	})
}

// A site that asks for a password has no sitemap, and Documents names its answer.
func TestDocuments_Unauthorized(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.fail("robots.txt", 401)
		w := web.watcher()
		want(t, "locked", once(t, w))
		for _, err := range w.Documents("a.test") {
			const answer = ": fetch: https://a.test/robots.txt: status 401 Unauthorized"
			if err == nil || !strings.HasSuffix(err.Error(), answer) {
				t.Errorf("%v, want one that ends with %q", err, answer)
			}
		}
	})
}

// TestFailing_Third: the third failed request in a row is reported, not the second or the fourth.
func TestFailing_Third(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
		web.serve("a", urlset("1"))
		web.serve("b", urlset("2"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.fail("a", 404)
		before := web.requests["https://a.test/a"]
		var got []string
		for hour := 0; len(got) == 0 && hour < 24*7; hour++ {
			got = once(t, w)
			time.Sleep(time.Hour)
		}
		want(t, "a week", got, "failing a")
		if n := web.requests["https://a.test/a"] - before; n != 3 {
			t.Errorf("reported after %d requests", n)
		}
	})
}

// TestQuiet: a site that published every day and stops is quiet, once, until it goes on.
func TestQuiet(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		pages := []string{"0|2026-05-31"}
		w := web.watcher()
		publish := func() (got []string) {
			pages = append(pages, fmt.Sprintf("%d|%s", len(pages), time.Now().Format(time.RFC3339)))
			web.serve("s", urlset(pages...))
			return run(t, w, day)
		}
		web.serve("s", urlset(pages...))
		want(t, "first", once(t, w))
		for i := range 10 {
			want(t, "published", publish(), fmt.Sprintf("added %d", i+1))
		}
		want(t, "a week", run(t, w, 6*day))
		want(t, "a month", run(t, w, 24*day), "quiet s")
		want(t, "it goes on", append(publish(), run(t, w, day)...), "added 11")
	})
}

// TestShrunk: a document that has lost more than half of its URLs has shrunk.
func TestShrunk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		list := func(n int) (pages []string) {
			for i := range n {
				pages = append(pages, fmt.Sprint(i))
			}
			return pages
		}
		web.serve("s", urlset(list(100)...))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.serve("s", urlset(list(50)...))
		if got := run(t, w, 2*day); len(got) != 50 {
			t.Errorf("half is left: %d events", len(got))
		}
		web.serve("s", urlset(list(120)...))
		run(t, w, 2*day)
		web.serve("s", urlset(list(59)...))
		got := run(t, w, 2*day)
		if len(got) != 62 || !slices.Contains(got, "shrunk s") {
			t.Errorf("less than half is left: %d events", len(got))
		}
	})
}

// TestRecovered_Shrunk: a document that returns with few of its URLs recovers once, and is not said
// to be failing again, if the loop breaks off at the event after that.
func TestRecovered_Shrunk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		var pages []string
		for i := range 100 {
			pages = append(pages, fmt.Sprint(i))
		}
		web.serve("robots.txt", "Sitemap: /s\nSitemap: /other")
		web.serve("s", urlset(pages...))
		web.serve("other", urlset(pages[10:]...))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.fail("s", 404)
		want(t, "down", run(t, w, 3*day), "failing s")
		web.serve("s", urlset(pages[:10]...))
		var got []string
		for len(got) < 2 {
			for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, short(e)); e.Kind == watch.Shrunk {
					break
				}
			}
			time.Sleep(time.Hour)
		}
		want(t, "up", append(got, run(t, w, day)...), "recovered s", "shrunk s", "shrunk s")
	})
}

// TestFuture: a lastmod in the future counts as none until its time has come, also if the document
// does not change then.
func TestFuture(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1|2026-05-01"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.serve("s", urlset("1|2026-06-05T12:00:00Z"))
		want(t, "in the future", run(t, w, 3*day))
		want(t, "then", run(t, w, 6*day), "modified 1")
	})
}

// TestFuture_Slow: a page that is published while the server takes its time is not in the future.
func TestFuture_Slow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1|2026-05-01"))
		w := web.watcher()
		want(t, "first", once(t, w))
		published := ""
		web.pages["https://a.test/s"] = func() string {
			if published == "" {
				time.Sleep(time.Minute)
				published = time.Now().UTC().Format(time.RFC3339)
			}
			return urlset("1|2026-05-01", "2|"+published)
		}
		want(t, "then", run(t, w, 9*day), "added 2")
	})
}

// TestOutage: a site that is down for a day has failed and recovered, once, and lost nothing.
func TestOutage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		paths := []string{"robots.txt", "i", "0", "1", "2"}
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("0", "1", "2"))
		for _, path := range paths[2:] {
			web.serve(path, urlset(path+"/1", path+"/2"))
		}
		w := web.watcher()
		want(t, "first", append(once(t, w), run(t, w, 2*day)...))
		for _, path := range paths {
			web.fail(path, 503)
		}
		want(t, "down", run(t, w, 2*day), "failing")
		for _, path := range paths {
			delete(web.status, "https://a.test/"+path)
		}
		web.serve("1", urlset("1/1", "1/2", "1/3"))
		want(t, "up", run(t, w, 2*day), "recovered", "added 1/3")
	})
}

// TestIndexFails: an index that stood for its children and cannot be read does not hide what
// changes in them.
func TestIndexFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		var pages []string
		publish := func() {
			now := time.Now().UTC().Format(time.RFC3339)
			pages = append(pages, fmt.Sprintf("%d|%s", len(pages), now))
			web.serve("s", urlset(pages...))
			web.serve("i", index("s|"+now))
		}
		publish()
		w := web.watcher()
		want(t, "first", once(t, w))
		for i := range 10 {
			publish()
			want(t, "published", run(t, w, day), fmt.Sprintf("added %d", i+1))
		}
		publish()
		web.fail("i", 500)
		want(t, "the index fails", run(t, w, 2*day), "failing i", "added 11")
	})
}

// TestIndexBreaksOff: an index that stood for its children and breaks off does not lose the
// lastmods that were read until then.
func TestIndexBreaksOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		var pages []string
		publish := func() (list string) {
			now := time.Now().UTC().Format(time.RFC3339)
			pages = append(pages, fmt.Sprintf("%d|%s", len(pages), now))
			web.serve("s", urlset(pages...))
			return index("s|" + now)
		}
		w := web.watcher()
		for range 20 {
			web.serve("i", publish())
			run(t, w, day)
		}
		web.serve("i", publish())
		for !slices.Contains(once(t, w), "added 20") {
			time.Sleep(10 * time.Minute)
		}
		time.Sleep(time.Minute)
		list := publish()
		web.serve("i", list[:len(list)-10])
		var got []string
		for asked := web.requests["https://a.test/i"]; web.requests["https://a.test/i"] == asked; {
			got = append(got, once(t, w)...)
			time.Sleep(10 * time.Minute)
		}
		web.serve("i", list)
		want(t, "then", append(got, run(t, w, day)...), "added 21")
	})
}

// TestIndexBroken: an index that could never be read to its end hides no sitemap, of its own or
// not.
func TestIndexBroken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i\nSitemap: /j")
		web.serve("i", index("a"))
		web.serve("j", strings.TrimSuffix(index("b"), "</sitemapindex>"))
		web.serve("a", urlset("1"))
		web.serve("b", urlset("2"))
		w := web.watcher()
		want(t, "first", run(t, w, 3*day), "failing j")
		web.serve("a", urlset("1", "3"))
		web.serve("b", urlset("2", "4"))
		web.serve("d", urlset("5"))
		web.serve("i", index("a", "d"))
		want(t, "then", run(t, w, 6*day), "added 3", "added 4", "added 5", "sitemap_added d")
	})
}

// TestUntrusted_Unchanged: a page that a document may not list is no change whenever it is read.
func TestUntrusted_Unchanged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: https://a.test/s")
		readings := 0
		web.pages["https://a.test/s"] = func() string {
			readings++ // so that no answer is 304
			pages := strings.ReplaceAll(urlset("1", "2"), "a.test/2", "b.test/2")
			return fmt.Sprintf("%s<!-- %d -->", pages, readings)
		}
		w := web.watcher()
		want(t, "unchanged", run(t, w, 30*day))
		for d, err := range w.Documents("a.test") {
			if err != nil || d.Rate > 0.1 || !d.Changed.IsZero() {
				t.Errorf("%+v, %v", d, err)
			}
		}
	})
}
