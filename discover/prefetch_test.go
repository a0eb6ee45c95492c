package discover

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// TestWalkConcurrency: no more requests at once than Concurrency, and as many
// where there is work for them; and no more than that ahead of a caller that
// pauses.
func TestWalkConcurrency(t *testing.T) {
	for _, concurrency := range []int{1, 3, 16, math.MaxInt} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			var locs []string
			for i := range 200 {
				loc := fmt.Sprintf("https://example.com/%d.xml", i)
				locs = append(locs, loc)
				w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
					time.Sleep(50 * time.Millisecond)
					rw.Write([]byte(urlset(fmt.Sprintf("https://example.com/page%d", i))))
				})
			}
			w.serve("https://example.com/index.xml", index(locs...))
			c := &Client{Concurrency: concurrency, Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}
			begun := time.Now()
			n := 0
			for _, err := range c.Walk(t.Context(), named("https://example.com/index.xml"), nil) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n == 1 {
					time.Sleep(time.Hour)
					synctest.Wait()
					if len(w.order)-2 > 2*min(concurrency, 200) {
						t.Errorf("concurrency %d: %d documents ahead of a pause", concurrency, len(w.order)-2)
					}
				}
			}
			took := time.Since(begun) - time.Hour
			ideal := 200 * 50 * time.Millisecond / time.Duration(min(concurrency, 200))
			if took > ideal*115/100 {
				t.Errorf("concurrency %d: took %v, ideal %v", concurrency, took, ideal)
			}
			if most := w.most.Load(); most > int64(concurrency) {
				t.Errorf("concurrency %d: %d at once", concurrency, most)
			}
			if n != 200 {
				t.Errorf("%d URLs", n)
			}
		})
	}
}

type unlimited struct{}

func (unlimited) Acquire(context.Context, *url.URL) (func(int, time.Duration), error) {
	return nil, nil
}

// TestWalkSlowTenth: documents that are slow cost the walk no more than their
// share of the requests at once.
func TestWalkSlowTenth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		var locs []string
		for i := range 1000 {
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			locs = append(locs, loc)
			wait := 50 * time.Millisecond
			if i%10 == 9 {
				wait = 2 * time.Second
			}
			w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
				time.Sleep(wait)
				rw.Write([]byte(urlset("https://example.com/page")))
			})
		}
		w.serve("https://example.com/index.xml", index(locs...))
		c := &Client{Concurrency: 16, Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}
		begun := time.Now()
		l := walkFrom(c, named("https://example.com/index.xml"), Options{})
		ideal := (900*50*time.Millisecond + 100*2*time.Second) / 16
		// In document order the last slow one is begun after 14.4 s, and ends alone:
		// none who does not know beforehand which are slow is done before 16.4 s.
		if took := time.Since(begun); took > ideal*108/100 {
			t.Errorf("took %v, ideal %v", took, ideal)
		}
		if len(l.urls) != 1000 {
			t.Errorf("%d URLs", len(l.urls))
		}
	})
}

// TestWalkLooksBeyondNestedIndexes: small indexes one after the other keep as
// many requests going as one large one.
func TestWalkLooksBeyondNestedIndexes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		slow := func(text string) http.HandlerFunc {
			return func(rw http.ResponseWriter, _ *http.Request) {
				time.Sleep(50 * time.Millisecond)
				rw.Write([]byte(text))
			}
		}
		var indexes, want []string
		for i := range 40 {
			var kids []string
			for j := range 4 {
				loc := fmt.Sprintf("https://example.com/%d-%d.xml", i, j)
				kids = append(kids, loc)
				page := fmt.Sprintf("https://example.com/%d/%d", i, j)
				want = append(want, page)
				w.handle(loc, slow(urlset(page)))
			}
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			indexes = append(indexes, loc)
			w.handle(loc, slow(index(kids...)))
		}
		w.serve("https://example.com/index.xml", index(indexes...))
		c := &Client{Concurrency: 8, Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}
		begun := time.Now()
		l := walkFrom(c, named("https://example.com/index.xml"), Options{})
		equal(t, "urls", l.locs(), want)
		// 200 documents; in a walk that stopped at each index they would take 40 times
		// two waits, 4 s.
		if took := time.Since(begun); took > 2500*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

// TestPrefetchedAliases: a document that was fetched ahead and turns out to be
// known by then under another URL gives its place back.
func TestPrefetchedAliases(t *testing.T) {
	w := newWeb()
	var locs []string
	for i := range 60 {
		alias, loc := fmt.Sprintf("https://example.com/alias%d", i), fmt.Sprintf("https://example.com/%d.xml", i)
		locs = append(locs, alias, loc)
		w.redirect(alias, loc)
		w.serve(loc, urlset(fmt.Sprintf("https://example.com/page%d", i)))
	}
	w.serve("https://example.com/index.xml", index(locs...))
	c := &Client{Concurrency: 2, Fetcher: w.fetcher()}
	most := int64(0)
	n := 0
	for _, err := range c.Walk(t.Context(), named("https://example.com/index.xml"), nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		most = max(most, w.open.Load())
	}
	if n != 60 || w.open.Load() != 0 || most > 2*stretch {
		t.Errorf("%d URLs, %d bodies left open, at most %d", n, w.open.Load(), most)
	}
	if c.ahead.used != 0 {
		t.Errorf("%d bytes of the budget are not given back", c.ahead.used)
	}
}

// TestPrefetchedHeaders: what servers send beside what is wanted of a header is not kept while
// documents wait for their turn.
func TestPrefetchedHeaders(t *testing.T) {
	w := newWeb()
	w.handle("https://example.com/s.xml", func(rw http.ResponseWriter, _ *http.Request) {
		for i := range 100 {
			rw.Header().Set(fmt.Sprint("X-", i), "x")
		}
		rw.Header().Set("Content-Type", "text/html")
		rw.Write([]byte(urlset("https://example.com/")))
	})
	c := w.client()
	c.init()
	walk := newWalk(t.Context(), c, &Options{}, nil)
	defer walk.close()
	s := &child{loc: "https://example.com/s.xml", sm: &Sitemap{}}
	walk.decide(s, nil)
	walk.start(s, nil, true)
	f := walk.await(s.key)
	if f.err != nil || len(f.doc.Header) != 1 || f.doc.Header.Get("Content-Type") != "text/html" {
		t.Errorf("header %v, %v", f.doc.Header, f.err)
	}
}

// TestUnreadBodiesHoldNobodyUp: documents that were fetched ahead, and are more than is read
// ahead of all of them, take no request from those whose turn it is.
func TestUnreadBodiesHoldNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		var indexes []string
		for i := range 40 {
			loc := fmt.Sprintf("https://example.com/i/%d.xml", i)
			indexes = append(indexes, loc)
			child := fmt.Sprintf("https://example.com/s/%d.xml", i)
			w.serve(loc, index(child)+strings.Repeat(" ", 1<<20))
			w.serve(child, urlset(fmt.Sprintf("https://example.com/%d", i)))
		}
		w.serve("https://example.com/index.xml", index(indexes...))
		c := &Client{Fetcher: &fetch.Client{Transport: w}}
		begun := time.Now()
		l := walkFrom(c, named("https://example.com/index.xml"), Options{})
		if took := time.Since(begun); len(l.urls) != 40 || l.err != nil || took > 0 {
			t.Errorf("%d URLs, %v, after %v of waiting", len(l.urls), l.err, took)
		}
	})
}
