package watch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/watch"
)

// A busySite has an index of sitemaps in which pages are published.
type busySite struct {
	*web
	w      *watch.Watcher
	pages  [][]string
	listed []string // the entries of the index
	layout string   // of the lastmods in the index
	dates  string   // the layout of those of the pages, "" for none
}

// newBusySite returns a site whose index lists sitemaps with their lastmods.
func newBusySite(sitemaps int) *busySite {
	b := &busySite{
		web: newWeb(), pages: make([][]string, sitemaps), listed: make([]string, sitemaps),
		layout: time.RFC3339, dates: time.RFC3339,
	}
	b.w = b.watcher()
	b.serve("robots.txt", "Sitemap: /i")
	for i := range b.pages {
		b.publish(i, true)
	}
	return b
}

// publish adds a page to a sitemap. The index says so if it tells. It returns the event.
func (b *busySite) publish(i int, tells bool) string {
	page, now := fmt.Sprintf("%d-%d", i, len(b.pages[i])), time.Now().UTC()
	b.pages[i] = append(b.pages[i], strings.TrimSuffix(page+"|"+now.Format(b.dates), "|"))
	b.serve(b.name(i), urlset(b.pages[i]...))
	if tells {
		b.listed[i] = b.name(i) + "|" + now.Format(b.layout)
		b.serve("i", index(b.listed...))
	}
	return "added " + page
}

func (b *busySite) name(i int) string { return fmt.Sprint("s", i) }

// asked returns how often a document was requested.
func (b *busySite) asked(path string) int { return b.requests["https://a.test/"+path] }

// askedIn watches the site for a time and returns how often a document was requested.
func (b *busySite) askedIn(t *testing.T, path string, d time.Duration) int {
	before := b.asked(path)
	run(t, b.w, d)
	return b.asked(path) - before
}

// publishDaily publishes a page a day in each sitemap, at different hours, and watches the site.
func (b *busySite) publishDaily(t *testing.T, days int, tells func(i int) bool) {
	for range days {
		for i := range b.pages {
			b.publish(i, tells(i))
			for range 24 {
				once(t, b.w)
				time.Sleep(day / time.Duration(24*len(b.pages)))
			}
		}
	}
}

func always(int) bool { return true }

// until watches the site until an event.
func (b *busySite) until(t *testing.T, event string) {
	for !slices.Contains(once(t, b.w), event) {
		time.Sleep(5 * time.Minute)
	}
	time.Sleep(time.Minute)
}

// wantWithIndex checks that an event comes when the index is requested next.
func (b *busySite) wantWithIndex(t *testing.T, event string) {
	t.Helper()
	for asked := b.asked("i"); b.asked("i") == asked; {
		time.Sleep(5 * time.Minute)
		if got := once(t, b.w); b.asked("i") > asked {
			want(t, "with the index", got, event)
		}
	}
}

// TestIndexHint: what an index says has changed is requested at once, however seldom it changes by
// itself.
func TestIndexHint(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(5)
		b.publishDaily(t, 10, always)
		b.until(t, b.publish(0, true))
		b.wantWithIndex(t, b.publish(0, true))
	})
}

// TestIndexLate: an index that is late says nothing of what was found without it, and all of what
// has changed since.
func TestIndexLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(5)
		once(t, b.w)
		b.until(t, b.publish(0, false))
		b.wantWithIndex(t, b.publish(0, true))
	})
}

// TestIndexForgiven: an index that has once said nothing of a change is believed again when it has
// been right for some time.
func TestIndexForgiven(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(1)
		b.publishDaily(t, 10, always)
		if n := b.askedIn(t, "s0", 3*day); n != 0 {
			t.Errorf("%d requests while the index says that nothing has changed", n)
		}
		silent := b.publish(0, false)
		want(t, "without a word", run(t, b.w, 8*day), silent)
		if n := b.askedIn(t, "s0", day); n < 2 {
			t.Errorf("%d requests after the index was wrong", n)
		}
		b.publishDaily(t, 10, always)
		if n := b.askedIn(t, "s0", day); n < 2 {
			t.Errorf("%d requests after the index has been right ten times", n)
		}
		b.publishDaily(t, 15, always)
		if n := b.askedIn(t, "s0", 3*day); n != 0 {
			t.Errorf("%d requests after the index has been right for long", n)
		}
	})
}

// TestIndexWithoutLastMods: a sitemap that an index lists without a lastmod does not speak against
// the lastmods of the others.
func TestIndexWithoutLastMods(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(2)
		b.listed[1] = b.name(1)
		b.publishDaily(t, 10, func(i int) bool { return i == 0 })
		other := b.asked("s1")
		if n := b.askedIn(t, "s0", 3*day); n != 0 {
			t.Errorf("%d requests while the index says that nothing has changed", n)
		}
		if n := b.asked("s1") - other; n < 3 {
			t.Errorf("%d requests for the sitemap without a lastmod", n)
		}
	})
}

// TestIndexDates: a lastmod in an index that is only a date says nothing of further changes on that
// day. On other days it stands for its sitemap.
func TestIndexDates(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(1)
		b.layout = time.DateOnly
		once(t, b.w)
		for range 10 {
			time.Sleep(2 * day)
			b.until(t, b.publish(0, true))
		}
		begun := time.Now()
		b.until(t, b.publish(0, true)) // on the same day
		if wait := time.Since(begun); wait > 12*time.Hour {
			t.Errorf("the second page of a day was found after %v", wait)
		}
		run(t, b.w, 3*day)
		if n := b.askedIn(t, "s0", 3*day); n != 0 {
			t.Errorf("%d requests while the index says that nothing has changed", n)
		}
		b.until(t, b.publish(0, true))
	})
}

// TestIndexOfNow: an index whose lastmods are always the time of the request is soon requested as
// seldom as one without lastmods.
func TestIndexOfNow(t *testing.T) {
	asked := map[bool]int{}
	for _, isNow := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			b := newBusySite(3)
			b.pages = [][]string{{"1|2026-05-20"}, {"2|2026-05-10"}, {"3"}}
			for i := range b.pages {
				b.serve(b.name(i), urlset(b.pages[i]...))
			}
			b.web.pages["https://a.test/i"] = func() string {
				if !isNow {
					return index("s0", "s1", "s2")
				}
				now := time.Now().UTC().Format(time.RFC3339)
				return index("s0|"+now, "s1|"+now, "s2|"+now)
			}
			run(t, b.w, day)
			for range 14 {
				asked[isNow] += b.askedIn(t, "i", day)
			}
		})
	}
	if asked[false] < 10 || asked[true] > 3*asked[false] {
		t.Errorf("%d requests, for an index without lastmods %d", asked[true], asked[false])
	}
}

// TestIndexHint_Failing: sitemaps that an index calls changed and that cannot be read do not keep
// the index from being requested, which may name others meanwhile.
func TestIndexHint_Failing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(20)
		b.w.PerDay = 24
		run(t, b.w, 3*day)
		for i := range b.pages {
			b.publish(i, true)
			b.fail(b.name(i), 404)
		}
		run(t, b.w, 6*day)
		b.serve("new", urlset("new/1"))
		b.serve("i", index("new"))
		if got := run(t, b.w, 3*day); !slices.Contains(got, "sitemap_added new") {
			t.Errorf("three days later: %q", got)
		}
	})
}

// TestPageIsSitemap: a page is added, and removed, although an index lists its URL as a sitemap.
func TestPageIsSitemap(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /i")
		web.serve("i", index("a"))
		web.serve("a", urlset("p"))
		w := web.watcher()
		want(t, "first", once(t, w))
		web.serve("a", urlset("p", "a"))
		want(t, "it lists itself", run(t, w, 3*day), "added a")
		web.serve("a", urlset("p"))
		want(t, "it does not", run(t, w, 3*day), "removed a")
	})
}

// TestIndexMoves: a sitemap that moves to another index is not removed, nor are its pages. It is
// removed in the visit that shows that no index lists it any more.
func TestIndexMoves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /root")
		web.serve("root", index("j", "i"))
		web.serve("i", index("k", "l"))
		for _, name := range []string{"a", "b", "c", "d"} {
			web.serve(name, urlset("of-"+name))
		}
		w := web.watcher()
		home := map[string][]string{"j": {"a", "b"}, "k": {"c"}, "l": {"d"}}
		serve := func() {
			for name, list := range home {
				web.serve(name, index(list...))
			}
		}
		serve()
		want(t, "first", append(once(t, w), run(t, w, day)...))
		for _, to := range []string{"k", "l", "j", "l", "k", "j"} {
			for name, list := range home {
				home[name] = slices.DeleteFunc(list, func(child string) bool { return child == "a" })
			}
			home[to] = append(home[to], "a")
			serve()
			want(t, "it moves to "+to, run(t, w, 3*day))
		}
		home["j"] = []string{"b"}
		serve()
		var got []string
		for asked := web.requests["https://a.test/j"]; web.requests["https://a.test/j"] == asked; {
			time.Sleep(time.Hour)
			got = once(t, w)
		}
		want(t, "it is gone", got, "sitemap_removed a", "removed of-a")
	})
}

// TestRemoved_IndexAhead: a page is not removed that moves to a sitemap whose lastmod in the index
// is hours in the future, so that it does not show yet that the sitemap has changed.
func TestRemoved_IndexAhead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(2)
		for range 10 { // it is right
			b.publish(1, true)
			b.serve("i", index(b.name(0), b.listed[1]))
			run(t, b.w, day)
		}
		b.pages[1] = append(b.pages[1], b.pages[0][0])
		b.serve(b.name(1), urlset(b.pages[1]...))
		b.serve(b.name(0), urlset("other"))
		ahead := time.Now().Add(9 * time.Hour).UTC().Format(time.RFC3339)
		b.serve("i", index(b.name(0), b.name(1)+"|"+ahead))
		want(t, "a page moves", run(t, b.w, 6*day), "added other")
	})
}

// The index is busy: each time it is read, another sitemap of it has just changed.
func TestRemoved_IndexAheadBusy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBusySite(3)
		for range 10 {
			b.publish(0, true)
			b.publish(2, true)
			b.serve("i", index(b.listed[0], b.name(1), b.listed[2]))
			run(t, b.w, day)
		}
		b.pages[0] = append(b.pages[0], b.pages[1][0])
		b.serve(b.name(0), urlset(b.pages[0]...))
		b.serve(b.name(1), urlset("other"))
		ahead := time.Now().Add(30 * time.Hour).UTC().Format(time.RFC3339)
		n := 0
		b.web.pages["https://a.test/i"] = func() string {
			n++
			now := time.Now().UTC().Format(time.RFC3339)
			b.pages[2] = append(b.pages[2], fmt.Sprintf("busy%d|%s", n, now))
			body := urlset(b.pages[2]...)
			b.web.pages["https://a.test/s2"] = func() string { return body }
			return index(b.name(0)+"|"+ahead, b.name(1), b.name(2)+"|"+now)
		}
		got := slices.DeleteFunc(run(t, b.w, 6*day), func(event string) bool {
			return strings.HasPrefix(event, "added busy")
		})
		want(t, "a page moves", got, "added other")
	})
}

// TestRemoved_IndexOfPages: a page is not removed that moves to a sitemap whose lastmod in the index
// is only the latest of its pages, and so does not move with it.
func TestRemoved_IndexOfPages(t *testing.T) {
	for _, when := range []string{"sound", "left", "stale"} {
		for _, dates := range []string{time.RFC3339, time.DateOnly, ""} {
			bubble(t, func(t *testing.T) { testIndexOfPages(t, when, dates) })
		}
	}
}

// testIndexOfPages is TestRemoved_IndexOfPages. When it is left, the latest page of a sitemap leaves
// it after the index was read, but before the sitemap is; when it is stale, a sitemap shows a page
// later than the index does. Dates is the layout of the lastmods of pages.
func testIndexOfPages(t *testing.T, when, dates string) {
	b := newBusySite(2)
	b.dates = dates
	publish := func() {
		for range 10 {
			b.publish(0, true)
			b.publish(1, true)
			run(t, b.w, day)
		}
	}
	publish()
	switch when {
	case "stale":
		b.publish(1, true)
		time.Sleep(time.Minute)
		b.publish(1, true)
		b.serve(b.name(1), urlset(b.pages[1][:len(b.pages[1])-1]...))
		for asked := b.asked(b.name(1)); b.asked(b.name(1)) == asked; {
			time.Sleep(time.Hour)
			once(t, b.w)
		}
		b.serve(b.name(1), urlset(b.pages[1]...))
		publish()
	case "left":
		b.w.PerDay = 4
		b.publish(1, true)
		time.Sleep(time.Second)
		b.publish(1, true)
		for asked := b.asked("i"); b.asked("i") == asked; {
			time.Sleep(time.Hour)
			once(t, b.w)
		}
		b.pages[1] = b.pages[1][:len(b.pages[1])-1]
		b.serve(b.name(1), urlset(b.pages[1]...))
		run(t, b.w, 6*day)
		b.w.PerDay = 0
		run(t, b.w, 6*day)
	}
	b.pages[1] = append(b.pages[1], b.pages[0][0])
	b.serve(b.name(1), urlset(b.pages[1]...))
	b.pages[0][0] = "other"
	published := b.publish(0, true)
	want(t, "a page moves", run(t, b.w, 6*day), published, "added other")
}

// A page is not removed that moves to a sitemap while that moves to another index. Which of the
// indexes is read first is a matter of chance, so the test is repeated.
func TestRemoved_IntoMoving(t *testing.T) {
	for range 10 {
		bubble(t, testIntoMoving)
	}
}

func testIntoMoving(t *testing.T) {
	web := newWeb()
	web.serve("robots.txt", "Sitemap: /root")
	web.serve("root", index("j", "kkkkk"))
	now := func() string { return "|" + time.Now().UTC().Format(time.RFC3339) }
	var to, from []string
	publish := func() {
		to = append(to, fmt.Sprintf("to%d%s", len(to), now()))
		web.serve("to", urlset(to...))
		from = append(from, fmt.Sprintf("from%d%s", len(from), now()))
		web.serve("from", urlset(from...))
		web.serve("j", index("to"+now(), "from"+now()))
	}
	web.serve("d", urlset("d"))
	web.serve("kkkkk", index("d"))
	w := web.watcher()
	publish()
	once(t, w)
	for range 5 {
		time.Sleep(time.Hour)
		publish()
		run(t, w, day)
	}
	to = append(to, from[0])
	web.serve("to", urlset(to...))
	web.serve("from", urlset(append(from[1:], "new"+now())...))
	web.serve("j", index("from"+now()))
	web.serve("kkkkk", index("d", "to"+now()))
	want(t, "both move", run(t, w, 2*day), "added new")
}
