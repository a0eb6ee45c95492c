package discover

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// answersAfter serves text after a while.
func (w *web) answersAfter(d time.Duration, url, text string) {
	w.handle(url, func(rw http.ResponseWriter, _ *http.Request) {
		time.Sleep(d)
		rw.Write([]byte(text))
	})
}

// unlimited returns a Client that only its Concurrency bounds.
func (w *web) unlimited() *Client {
	return &Client{Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}
}

const latency = 50 * time.Millisecond

// serveIndexes serves an index of so many indexes of so many sitemaps, each answered after
// latency, but the first index after first. The indexes are so many bytes larger than need be.
func (w *web) serveIndexes(site string, indexes, each int, first time.Duration, larger int) {
	var top []string
	for i := range indexes {
		var locs []string
		for j := range each {
			loc := fmt.Sprintf("%s/%d/%d", site, i, j)
			locs = append(locs, loc+".xml")
			w.answersAfter(latency, loc+".xml", urlset(loc))
		}
		loc, after := fmt.Sprintf("%s/%d.xml", site, i), latency
		if i == 0 {
			after = first
		}
		top = append(top, loc)
		w.answersAfter(after, loc, index(locs...)+strings.Repeat(" ", larger))
	}
	w.answersAfter(latency, site+"/index.xml", index(top...))
}

// TestNestedIndexesAreWalkedInTime: what is fetched ahead of other indexes takes no place of the
// children of the one whose turn it is.
func TestNestedIndexesAreWalkedInTime(t *testing.T) {
	for name, test := range map[string]struct {
		indexes, each int
		first         time.Duration
		larger        int
	}{
		"small": {60, 64, latency, 0},
		"large": {60, 64, latency, 1_000_000},
		"late":  {300, 16, 2 * time.Second, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.serveIndexes("https://example.com", test.indexes, test.each, test.first, test.larger)
			begun := time.Now()
			l := walkFrom(w.unlimited(), named("https://example.com/index.xml"), Options{})
			took := time.Since(begun)
			documents := test.indexes * (test.each + 1)
			ideal := test.first + time.Duration(documents/DefaultConcurrency)*latency
			if took > ideal*115/100 || len(l.urls) != test.indexes*test.each || l.err != nil {
				t.Errorf("%s: %d URLs, %v, in %v, ideal %v", name, len(l.urls), l.err, took, ideal)
			}
		})
	}
}

// TestSlowBodies: documents of which only the header comes soon cost a walk no more than their
// share of its requests at once.
func TestSlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const documents, slow = 1000, 2 * time.Second
		w := newWeb()
		var locs []string
		for i := range documents {
			loc := fmt.Sprintf("https://example.com/%d", i)
			locs = append(locs, loc+".xml")
			w.answersAfter(latency, loc+".xml", urlset(loc))
			if i%10 == 9 {
				w.handle(loc+".xml", func(rw http.ResponseWriter, _ *http.Request) {
					rw.Header().Set("X-Slow", slow.String())
					rw.Write([]byte(urlset(loc)))
				})
			}
		}
		w.serve("https://example.com/index.xml", index(locs...))
		c := &Client{Fetcher: &fetch.Client{Transport: w, Limiter: &fetch.HostLimiter{PerHost: 16}}}
		begun := time.Now()
		l := walkFrom(c, named("https://example.com/index.xml"), Options{})
		ideal := (documents*9/10*latency + documents/10*slow) / DefaultConcurrency
		if took := time.Since(begun); took > ideal*115/100 || len(l.urls) != documents || l.err != nil {
			t.Errorf("%d URLs, %v, in %v, ideal %v", len(l.urls), l.err, took, ideal)
		}
	})
}

// TestPausedWalkHoldsNobodyUp: a walk whose caller pauses, with very many documents fetched ahead,
// takes little from others of its Client.
func TestPausedWalkHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.serveIndexes("https://example.com", 400, 1, 2*time.Second, 0)
		w.serveIndexes("https://example.org", 1, 400, latency, 0)
		c := w.unlimited()
		for _, err := range c.Walk(t.Context(), named("https://example.com/index.xml"), nil) {
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			l := walkFrom(c, named("https://example.org/index.xml"), Options{})
			if took, ideal := time.Since(begun), 400/DefaultConcurrency*latency; len(l.urls) != 400 || took > ideal*115/100 {
				t.Errorf("%d URLs in %v, ideal %v", len(l.urls), took, ideal)
			}
			break
		}
	})
}

// TestSmallIndexesAreWalkedInTime: very many small indexes keep the network as busy as a large one.
func TestSmallIndexesAreWalkedInTime(t *testing.T) {
	for name, test := range map[string]struct {
		indexes, each int
		most          float64 // times the ideal
	}{
		"of four":    {1000, 4, 1.15},
		"of one":     {1000, 1, 1.15},
		"of hundred": {20, 100, 1.1},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.serveIndexes("https://example.com", test.indexes, test.each, latency, 0)
			c, begun := w.unlimited(), time.Now()
			l := walkFrom(c, named("https://example.com/index.xml"), Options{})
			took := time.Since(begun)
			ideal := time.Duration(test.indexes*(test.each+1)/DefaultConcurrency) * latency
			if took.Seconds() > test.most*ideal.Seconds() || len(l.urls) != test.indexes*test.each || l.err != nil {
				t.Errorf("%s: %d URLs, %v, in %v, ideal %v", name, len(l.urls), l.err, took, ideal)
			}
			for loc, n := range w.count {
				if n != 1 {
					t.Errorf("%s: %s was asked for %d times", name, loc, n)
				}
			}
			if w.open.Load() != 0 || c.ahead.used != 0 {
				t.Errorf("%s: %d bodies left open, %d bytes of the budget", name, w.open.Load(), c.ahead.used)
			}
		})
	}
}

// TestHintsThatDoNotHold: what was fetched for an index ahead of its turn is given up when it turns
// out that nothing of it is wanted, and what is left out is not asked for.
func TestHintsThatDoNotHold(t *testing.T) {
	for name, test := range map[string]struct {
		o       Options
		alias   bool // each index but the first is known by the time of its turn
		indexes int  // that are read
		most    int  // requests
	}{
		"all":      {Options{}, false, 20, 1 + 20*5},
		"follow":   {Options{Follow: func(s *Sitemap) bool { return !strings.HasSuffix(s.Loc, "/3.xml") }}, false, 19, 1 + 19*4},
		"aliases":  {Options{}, true, 1, 1 + 2*20 + 4},
		"sitemaps": {Options{MaxSitemaps: 11}, false, 2, 11 + 2*DefaultConcurrency},
		"depth":    {Options{MaxDepth: 1}, false, 0, 1 + 20},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.serveIndexes("https://example.com", 20, 4, latency, 0)
			if test.alias {
				for i := 1; i < 20; i++ {
					loc := fmt.Sprintf("https://example.com/%d.xml", i)
					w.redirect(loc, "https://example.com/0.xml")
				}
			}
			c := w.unlimited()
			l := walkFrom(c, named("https://example.com/index.xml"), test.o)
			requests := -w.hits("https://example.com/robots.txt")
			for _, n := range w.count {
				requests += n
			}
			want := 4 * test.indexes
			if name == "follow" {
				want -= test.indexes
			}
			if len(l.urls) != want || requests > test.most {
				t.Errorf("%s: %d URLs, want %d, with %d requests", name, len(l.urls), want, requests)
			}
			if w.open.Load() != 0 || c.ahead.used != 0 {
				t.Errorf("%s: %d bodies left open, %d bytes of the budget", name, w.open.Load(), c.ahead.used)
			}
		})
	}
}

// TestHintOfKnownIndex: the children of an index that is known by another URL are not fetched twice.
func TestHintOfKnownIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.serveIndexes("https://example.com/a", 6, 1, latency, 0)
		kids := []string{"https://example.com/a/index.xml", "http://example.com/index.xml"}
		for i := range 40 {
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			kids = append(kids, loc)
			w.answersAfter(latency, loc, urlset(loc+"/p"))
		}
		w.redirect("http://example.com/index.xml", "https://example.com/index.xml")
		w.answersAfter(latency, "https://example.com/index.xml", index(kids...))
		c := w.unlimited()
		c.Concurrency = 4
		l := walkFrom(c, named("https://example.com/index.xml"), Options{})
		for loc, n := range w.count {
			if n > 1 && loc != "https://example.com/index.xml" {
				t.Errorf("%s was asked for %d times", loc, n)
			}
		}
		if len(l.urls) != 46 || l.err != nil {
			t.Errorf("%d URLs, %v", len(l.urls), l.err)
		}
	})
}

// TestLookAtHint: a child of a hint whose host became full just now is the next to be looked at.
func TestLookAtHint(t *testing.T) {
	var f frontier
	index := &record{hint: true}
	h := &hint{index: index, children: []child{{loc: "https://example.com/1.xml"}, {loc: "https://example.com/2.xml"}}}
	f.push(&frame{hints: []*hint{h}})
	free := func(string) bool { return false }
	for i, want := range []string{"https://example.com/1.xml", "https://example.com/1.xml", "https://example.com/1.xml", "https://example.com/2.xml"} {
		l := f.upcoming(free, 10)
		if l == nil || l.child().loc != want || l.index() != index {
			t.Fatalf("%+v, want %s", l, want)
		}
		switch i {
		case 0:
			l.delay()
		case 1:
			l.undo()
		}
	}
	if l := f.upcoming(free, 10); l != nil {
		t.Errorf("one more: %+v", l)
	}
}

// TestLeftOutForAnother: a document that is left out where one index lists it is still fetched ahead
// for another that does.
func TestLeftOutForAnother(t *testing.T) {
	for _, concurrency := range []int{1, 4, 16} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			x := "https://example.com/x.xml"
			w.answersAfter(latency, x, urlset("https://example.com/x"))
			w.answersAfter(5*latency, "https://example.com/in.xml", index(x+"|2010-01-01"))
			w.serve("https://example.com/index.xml", index("https://example.com/in.xml", x))
			c := &Client{Concurrency: concurrency, Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}
			l := walkFrom(c, named("https://example.com/index.xml"), Options{Since: time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)})
			if n := w.hits(x); n != 1 || len(l.urls) != 1 || l.err != nil || c.ahead.used != 0 {
				t.Errorf("%d at once: asked for %d times, %v, %v", concurrency, n, l.urls, l.err)
			}
		})
	}
}
