package watch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
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

// TestUnchanged: a document that has not changed is sent once, even if it is requested often.
func TestUnchanged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1|2026-05-31", "2|2026-05-30", "3|2026-05-29"))
		run(t, web.watcher(), 2*day)
		asked, same := web.requests["https://a.test/s"], web.same["https://a.test/s"]
		if asked < 3 || same != asked-1 {
			t.Errorf("%d of %d requests answered with 304", same, asked)
		}
	})
}

// TestRefresh: after its first reading, a feed is left alone as long as it asks for, up to a day.
func TestRefresh(t *testing.T) {
	for _, test := range []struct {
		elements string
		hours    int // without a request
	}{
		{"<ttl>600</ttl>", 10},
		{"<sy:updatePeriod>weekly</sy:updatePeriod>", 24},
	} {
		bubble(t, func(t *testing.T) {
			web := newWeb()
			web.serve("robots.txt", "Sitemap: /busy\nSitemap: /calm")
			var items strings.Builder
			for i := range 20 {
				date := time.Now().Add(-time.Duration(i) * 5 * time.Minute)
				fmt.Fprintf(&items, "<item><link>https://a.test/%d</link>", i)
				fmt.Fprintf(&items, "<pubDate>%s</pubDate></item>", date.Format(time.RFC1123Z))
			}
			web.serve("busy", "<rss><channel>"+items.String()+"</channel></rss>")
			web.serve("calm", "<rss><channel>"+test.elements+items.String()+"</channel></rss>")
			w := web.watcher()
			run(t, w, time.Duration(test.hours)*time.Hour)
			calm, busy := web.requests["https://a.test/calm"], web.requests["https://a.test/busy"]
			if calm != 1 || busy < 5 {
				t.Errorf("%s: %d requests, without it %d", test.elements, calm, busy)
			}
			run(t, w, day)
			if n := web.requests["https://a.test/calm"]; n < 5 {
				t.Errorf("%s: %d requests in all", test.elements, n)
			}
		})
	}
}

// TestBreak: a loop that breaks off has not taken the last event, and all before it.
func TestBreak(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1", "2", "3", "4", "5"))
		w := web.watcher()
		w.Initial = true
		var got []string
		for range 3 {
			n := 0
			for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
				if err != nil {
					t.Error(err)
				}
				got = append(got, short(e))
				if n++; n == 3 {
					break
				}
			}
		}
		const want = "added 1, added 2, added 3, added 3, added 4, added 5, added 5"
		if strings.Join(got, ", ") != want {
			t.Errorf("got %q, want %s", got, want)
		}
	})
}

// TestEvents: the last element is the error of the context, and nothing is left running.
func TestEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1"))
		w := web.watcher()
		time.AfterFunc(2*day, func() { web.serve("s", urlset("1", "2")) })
		ctx, cancel := context.WithTimeout(t.Context(), 4*day)
		defer cancel()
		var got []string
		sites := slices.Values([]string{"a.test", "https://a.test/", "not a site"})
		for e, err := range w.Events(ctx, sites) {
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			got = append(got, short(e))
		}
		want(t, "four days", got, "failing", "added 2", context.DeadlineExceeded.Error())
		if n := web.requests["https://a.test/robots.txt"]; n > 4 {
			t.Errorf("%d requests for robots.txt: a site was watched twice", n)
		}
	})
}

// TestEvents_NoSites: a list of sites that is empty for now is watched for ever too.
func TestEvents_NoSites(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), day)
		defer cancel()
		var got error
		for _, err := range newWeb().watcher().Events(ctx, slices.Values([]string{})) {
			got = err
		}
		if !errors.Is(got, context.DeadlineExceeded) {
			t.Errorf("it ends with %v", got)
		}
	})
}

// TestNotASite: a name that is not a site is failing, once.
func TestNotASite(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWeb().watcher()
		var got []string
		for range 3 {
			for e, err := range w.Once(t.Context(), slices.Values([]string{"not a site"})) {
				if err != nil || e.Site != "not a site" || !errors.Is(e.Err, discover.ErrSite) {
					t.Errorf("%+v, %v", e, err)
				}
				got = append(got, short(e))
			}
			time.Sleep(2 * day)
		}
		want(t, "six days", got, "failing")
	})
}

// TestDamagedList: a document whose pages are missing in the Store is read again, and nothing of it
// is taken for added.
func TestDamagedList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1", "2"))
		w := web.watcher()
		want(t, "first", once(t, w))
		w.Store = lossy{w.Store}
		want(t, "damaged", run(t, w, 3*day))
		w.Store = w.Store.(lossy).Store
		web.serve("s", urlset("1", "2", "3"))
		want(t, "again", run(t, w, 3*day), "added 3")
	})
}

// TestDamagedIndex: an index whose list is missing in the Store, and that breaks off when it is read
// again, keeps the sitemaps that it listed.
func TestDamagedIndex(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("a", "j"))
		web.serve("a", urlset("1"))
		web.serve("j", index("b"))
		web.serve("b", urlset("2"))
		w := web.watcher()
		want(t, "first", once(t, w))
		store := w.Store
		for range 5 {
			w.Store = lossy{store}
			web.serve("i", strings.TrimSuffix(index("a"), "</sitemapindex>"))
			once(t, w)
			w.Store = store
			once(t, w)
			time.Sleep(day)
		}
		web.serve("i", index("a", "j"))
		web.serve("b", urlset("2", "3"))
		want(t, "then", run(t, w, 9*day), "added 3", "recovered i")
	})
}

// A lossy Store has lost the values that are no JSON: the lists of pages.
type lossy struct{ discover.Store }

func (l lossy) Get(key string) ([]byte, error) {
	value, err := l.Store.Get(key)
	if len(value) > 2 && value[2] != '{' {
		return nil, err
	}
	return value, err
}

// TestVerified: the pages of a host that verifies a document are not added again if it could not be
// asked for some time.
func TestVerified(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		other := strings.NewReplacer("a.test/b", "b.a.test/b")
		web.serve("s", other.Replace(urlset("1", "b2")))
		web.pages["https://b.a.test/robots.txt"] = func() string { return "Sitemap: https://a.test/s" }
		w := web.watcher()
		w.Initial = true
		want(t, "first", once(t, w), "added 1", "added https://b.a.test/b2")
		time.Sleep(2 * day)
		web.status["https://b.a.test/robots.txt"] = 503
		web.serve("s", other.Replace(urlset("1", "b2", "3")))
		want(t, "down", run(t, w, 2*day), "added 3")
		time.Sleep(40 * day)
		delete(web.status, "https://b.a.test/robots.txt")
		web.serve("s", other.Replace(urlset("1", "b2", "3", "4")))
		want(t, "up", run(t, w, 40*day), "added 4")
	})
}

// TestPerDay: no 24 hours have more requests than PerDay and a tenth, whatever a site does.
func TestPerDay(t *testing.T) {
	for _, perDay := range []int{8, 30, 96} {
		bubble(t, func(t *testing.T) {
			web := newWeb()
			w := web.watcher()
			w.PerDay, w.Initial = perDay, true
			var requests []time.Time
			var children []string
			count := func(path, body string) {
				web.pages["https://a.test/"+path] = func() string {
					requests = append(requests, time.Now())
					return body + fmt.Sprintf("<!-- %d -->", time.Now().Unix())
				}
			}
			count("i", index())
			web.fail("robots.txt", 503) // for a day: the first reading is late
			web.pages["https://a.test/robots.txt"] = func() string { return "Sitemap: /i" }
			for hour := range 24 * 5 {
				switch {
				case hour == 20:
					delete(web.status, "https://a.test/robots.txt")
				case hour > 30 && hour%5 == 0:
					children = append(children, fmt.Sprint(len(children)))
					for _, child := range children {
						count(child, urlset(fmt.Sprint(child, "/", hour)))
					}
					count("i", index(children...))
				}
				once(t, w)
				time.Sleep(time.Hour)
			}
			most, from := 0, 0
			for to := range requests {
				for requests[to].Sub(requests[from]) >= day {
					from++
				}
				most = max(most, to-from+1)
			}
			if 10*most > 11*perDay || 2*most < perDay {
				t.Errorf("%d requests in 24 hours, with PerDay %d", most, perDay)
			}
		})
	}
}

// TestPerDay_OnceADay: a program that runs once a day sends as many requests as PerDay allows in a
// day, in each run.
func TestPerDay_OnceADay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		w := web.watcher()
		w.PerDay, w.Initial = 20, true
		added := 0
		for n := range 10 {
			var children []string
			for child := range 30 {
				name := fmt.Sprint(child)
				children = append(children, name)
				web.serve(name, urlset(fmt.Sprint(name, "/", n)))
			}
			web.serve("i", index(children...))
			clear(web.requests)
			for _, e := range once(t, w) {
				if strings.HasPrefix(e, "added") {
					added++
				}
			}
			if requests := len(web.requests) - 1; requests > 20 {
				t.Errorf("day %d: %d requests", n, requests)
			}
			time.Sleep(day)
		}
		if added < 160 {
			t.Errorf("%d pages were added", added)
		}
	})
}

// TestPerDay_KnownPaths: nor has a site that is searched for sitemaps again and again, with retries.
func TestPerDay_KnownPaths(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "")
		for _, path := range append(discover.DefaultKnownPaths(), "/") {
			web.fail(path[1:], 500)
		}
		w := web.watcher()
		for hour := range 24 * 4 {
			if hour%24 == 0 {
				clear(web.requests)
			}
			once(t, w)
			time.Sleep(time.Hour)
			n := -web.requests["https://a.test/robots.txt"]
			for _, requests := range web.requests {
				n += requests
			}
			if n > 105 {
				t.Fatalf("%d requests in %d hours", n, hour%24+1)
			}
		}
	})
}

// TestPerDay_Search: nor has a busy site whose index fails when robots.txt no longer names it. Its
// new one is found at a known path.
func TestPerDay_Search(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web, children := newWeb(), []string{"a", "b", "c", "d", "e", "f"}
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index(children...))
		w, asked, isFound := web.watcher(), []time.Time{}, false
		w.PerDay = 24
		w.Client.Fetch.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path != "/robots.txt" {
				asked = append(asked, time.Now())
			}
			for _, name := range children {
				web.serve(name, urlset(fmt.Sprint(name, len(asked))))
			}
			return web.RoundTrip(r)
		})
		for _, end := range []time.Duration{4 * day, 4 * day} {
			ctx, cancel := context.WithTimeout(t.Context(), end)
			for e := range w.Events(ctx, slices.Values([]string{"a.test"})) {
				isFound = isFound || e.URL.Loc == "https://a.test/new"
			}
			cancel()
			web.serve("robots.txt", "")
			web.fail("i", 404)
			web.serve("sitemap.xml", urlset("new"))
		}
		if !isFound {
			t.Error("a new sitemap was not found")
		}
		for i, at := range asked {
			if i >= 26 && at.Sub(asked[i-26]) < day {
				t.Fatalf("27 requests in %v", at.Sub(asked[i-26]))
			}
		}
	})
}

// TestBounds: no interval is shorter than Min or longer than Max, also while a document fails.
func TestBounds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		var asked []time.Time
		web.pages["https://a.test/s"] = func() string {
			asked = append(asked, time.Now())
			if n := len(asked); n > 100 && n < 120 {
				return "no sitemap"
			}
			return urlset(fmt.Sprint(len(asked) / 10))
		}
		w := web.watcher()
		w.Min, w.Max = time.Hour, 2*time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), 20*day)
		defer cancel()
		for _, err := range w.Events(ctx, slices.Values([]string{"a.test"})) {
			if err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
		for i := range len(asked) - 1 {
			if d := asked[i+1].Sub(asked[i]); d < w.Min || d > w.Max+time.Second {
				t.Errorf("interval %d is %v", i, d)
			}
		}
		if len(asked) < 200 {
			t.Errorf("%d requests", len(asked))
		}
	})
}

// A puts is a Store that remembers how often the values of a Put have held a text, at most.
type puts struct {
	discover.Store
	text string
	most int
}

func (p *puts) Put(key string, value []byte) error {
	p.most = max(p.most, strings.Count(string(value), p.text))
	return p.Store.Put(key, value)
}

// TestRobots_Changing: a robots.txt that names a new sitemap each day does not make the record of
// the site grow by those that it always names.
func TestRobots_Changing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("s", urlset("1"))
		w := web.watcher()
		store := &puts{Store: w.Store, text: `"https://a.test/s"`}
		w.Store = store
		for i := range 20 {
			name := fmt.Sprint("s", i)
			web.serve(name, urlset(name))
			web.serve("robots.txt", "Sitemap: /s\nSitemap: /"+name)
			once(t, w)
			time.Sleep(25 * time.Hour)
		}
		if store.most == 0 || store.most > 2 {
			t.Errorf("a value names the sitemap %d times", store.most)
		}
	})
}

// TestRobots_Forbids: a sitemap that robots.txt does not name is left alone once it is forbidden.
func TestRobots_Forbids(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("sitemap.xml", urlset("1"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.serve("robots.txt", "User-agent: *\nDisallow: /")
		run(t, w, 2*day)
		n := web.requests["https://a.test/sitemap.xml"]
		want(t, "forbidden", run(t, w, 10*day))
		if m := web.requests["https://a.test/sitemap.xml"]; m > n {
			t.Errorf("%d requests", m-n)
		}
	})
}

// TestRobots_NamesNone: the sitemaps of a robots.txt that names none any more are watched on.
func TestRobots_NamesNone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.serve("robots.txt", "")
		want(t, "it names none", run(t, w, 3*day))
		web.serve("s", urlset("1", "2"))
		want(t, "then", run(t, w, 9*day), "added 2")
	})
}
