package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// smallSite is a site with an index of an index, gzip, a feed and text.
func smallSite() *web {
	w := newWeb()
	w.serve("https://example.com/robots.txt", "User-agent: *\nDisallow:\nSitemap: https://example.com/index.xml\nSitemap: https://example.com/feed.rss\n")
	w.serve("https://example.com/index.xml", index("https://example.com/a.xml", "https://example.com/nested.xml", "https://example.com/d.txt"))
	w.serve("https://example.com/a.xml", urlset("https://example.com/1", "https://example.com/2"))
	w.serve("https://example.com/nested.xml", index("https://example.com/b.xml.gz", "https://example.com/c.xml"))
	w.serve("https://example.com/b.xml.gz", gz(urlset("https://example.com/3")))
	w.serve("https://example.com/c.xml", urlset("https://example.com/4", "https://example.com/5"))
	w.serve("https://example.com/d.txt", "https://example.com/6\nhttps://example.com/7\n")
	w.serve("https://example.com/feed.rss", `<rss version="2.0"><channel><item><link>https://example.com/8</link></item></channel></rss>`)
	return w
}

func smallSiteURLs() []string {
	var want []string
	for i := 1; i <= 8; i++ {
		want = append(want, fmt.Sprintf("https://example.com/%d robots", i))
	}
	return want
}

func TestURLs(t *testing.T) {
	for _, concurrency := range []int{0, 1, 2, 16} {
		w := smallSite()
		c := w.client()
		c.Concurrency = concurrency
		l := walkSite(c, "example.com", Options{})
		if l.err != nil {
			t.Errorf("concurrency %d: error %v", concurrency, l.err)
		}
		equal(t, "urls", l.urls, smallSiteURLs())
		equal(t, "documents", l.done, []string{
			"https://example.com/index.xml", "https://example.com/a.xml", "https://example.com/nested.xml",
			"https://example.com/b.xml.gz", "https://example.com/c.xml", "https://example.com/d.txt", "https://example.com/feed.rss",
		})
		for _, loc := range l.done {
			if n := w.hits(loc); n != 1 {
				t.Errorf("%s was fetched %d times", loc, n)
			}
		}
		if n := w.open.Load(); n != 0 {
			t.Errorf("%d bodies left open", n)
		}
	}
}

func TestSitemapString(t *testing.T) {
	w := smallSite()
	var got []string
	for u, err := range w.client().URLs(t.Context(), "example.com", nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, u.Sitemap.String())
		if !u.OnSite {
			t.Errorf("%s is not on site", u.Loc)
		}
	}
	want := "robots.txt of example.com, line 3 → https://example.com/index.xml → https://example.com/nested.xml → https://example.com/b.xml.gz"
	if got[2] != want {
		t.Errorf("got  %s\nwant %s", got[2], want)
	}
}

func TestWalkFailures(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/index.xml", index("https://example.com/missing.xml", "https://example.com/html.xml", "https://example.com/cut.xml", "https://example.com/good.xml"))
	w.serve("https://example.com/html.xml", "<!DOCTYPE html><html><body>Not here</body></html>")
	w.serve("https://example.com/cut.xml", strings.TrimSuffix(urlset("https://example.com/1"), "</urlset>"))
	w.serve("https://example.com/good.xml", urlset("https://example.com/2"))
	l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{})
	equal(t, "urls", l.urls, []string{"https://example.com/1 caller", "https://example.com/2 caller"})
	var we *WalkError
	if !errors.As(l.err, &we) || we.Failed != 3 || len(we.Errs) != 3 {
		t.Fatalf("error %v, want a WalkError of 3", l.err)
	}
	for _, want := range []error{fetch.ErrStatus, sitemap.ErrHTML, sitemap.ErrTruncated} {
		if !errors.Is(l.err, want) {
			t.Errorf("the error does not match %v", want)
		}
	}
	var de *DocumentError
	if !errors.As(l.err, &de) || de.Sitemap.Loc != "https://example.com/missing.xml" {
		t.Errorf("first failure is %v", de)
	}
	if s := l.sums["https://example.com/missing.xml"]; s.Status != 404 || s.Err == nil {
		t.Errorf("summary of the missing one: %+v", s)
	}
	if s := l.sums["https://example.com/cut.xml"]; s.Entries != 1 || s.Format != sitemap.URLSet || s.ByTrust[ByCaller] != 1 {
		t.Errorf("summary of the cut one: %+v", s)
	}
}

func TestWalkErrorIsBounded(t *testing.T) {
	w := newWeb()
	var locs []string
	for i := range 40 {
		locs = append(locs, fmt.Sprintf("https://example.com/%d.xml", i))
	}
	w.serve("https://example.com/index.xml", index(locs...))
	l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{MaxSitemaps: 31})
	var we *WalkError
	if !errors.As(l.err, &we) || we.Failed != 40 || len(we.Errs) != 16 {
		t.Fatalf("error %v", l.err)
	}
	var le *LimitError
	if !errors.As(l.err, &le) || !errors.Is(l.err, ErrLimit) || le.What != "sitemaps" || le.Left != 10 {
		t.Errorf("limit %+v, want 10 left out", le)
	}
}

func TestWalkEachDocumentOnce(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/index.xml", index(
		"https://example.com/index.xml",          // itself
		"https://EXAMPLE.com:443/./index.xml#x",  // itself, spelt otherwise
		"https://example.com/a.xml",              //
		"https://example.com/back.xml",           // a loop
		"https://example.com/alias.xml",          // redirects to a.xml
		"https://example.com/alias-of-later.xml", // redirects to b.xml
		"https://example.com/b.xml",
		"https://example.com/a.xml",
	))
	w.serve("https://example.com/a.xml", urlset("https://example.com/1"))
	w.serve("https://example.com/b.xml", urlset("https://example.com/2"))
	w.serve("https://example.com/back.xml", index("https://example.com/index.xml", "https://example.com/back.xml"))
	w.redirect("https://example.com/alias.xml", "https://example.com/a.xml")
	w.redirect("https://example.com/alias-of-later.xml", "https://example.com/b.xml")
	for _, concurrency := range []int{1, 16} {
		c := w.client()
		c.Concurrency = concurrency
		l := walkFrom(c, named("https://example.com/index.xml"), Options{})
		equal(t, "urls", l.urls, []string{"https://example.com/1 caller", "https://example.com/2 caller"})
		if l.err != nil {
			t.Error(l.err)
		}
		equal(t, "done", l.done, []string{"https://example.com/index.xml", "https://example.com/a.xml", "https://example.com/back.xml", "https://example.com/alias-of-later.xml"})
	}
}

func TestWalkDepth(t *testing.T) {
	w := newWeb()
	for i := range 13 {
		w.serve(fmt.Sprintf("https://example.com/i%d.xml", i), index(fmt.Sprintf("https://example.com/i%d.xml", i+1)))
	}
	w.serve("https://example.com/i10.xml", urlset("https://example.com/deep"))
	l := walkFrom(w.client(), named("https://example.com/i0.xml"), Options{})
	equal(t, "urls", l.locs(), []string{"https://example.com/deep"})
	w.serve("https://example.com/i10.xml", index("https://example.com/i11.xml"))
	l = walkFrom(w.client(), named("https://example.com/i0.xml"), Options{})
	var le *LimitError
	if !errors.As(l.err, &le) || le.What != "depth" || le.Max != 10 || le.Left != 1 {
		t.Errorf("error %v", l.err)
	}
	if w.hits("https://example.com/i11.xml") != 0 {
		t.Error("fetched below the limit of depth")
	}
	if l := walkFrom(w.client(), named("https://example.com/i0.xml"), Options{MaxDepth: -1}); len(l.done) != 14 {
		t.Errorf("without a limit: %d documents", len(l.done))
	}
}

func TestWalkForeignChildren(t *testing.T) {
	w := newWeb()
	var locs []string
	for i := range 150 {
		loc := fmt.Sprintf("https://host%d.test/s.xml", i)
		locs = append(locs, loc)
		w.serve(loc, urlset(fmt.Sprintf("https://host%d.test/page", i), "https://example.com/page"))
	}
	locs = append(locs, "https://www.example.com/own.xml")
	w.serve("https://example.com/index.xml", index(locs...))
	w.serve("https://www.example.com/own.xml", urlset("https://example.com/own"))
	l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{})
	if len(l.urls) != 201 || l.urls[200] != "https://example.com/own caller" {
		t.Errorf("%d urls, the last %s", len(l.urls), l.urls[len(l.urls)-1])
	}
	var le *LimitError
	if !errors.As(l.err, &le) || le.What != "foreign" || le.Left != 50 {
		t.Errorf("error %v", l.err)
	}
	if n := l.sums["https://example.com/index.xml"].Problems[sitemap.ForeignChild]; n != 151 {
		t.Errorf("%d foreign children reported", n)
	}
	for _, loc := range locs[MaxForeign:150] {
		if w.hits(loc) != 0 {
			t.Errorf("%s was fetched, one too many", loc)
		}
	}
}

// Foreign children are fetched ahead as others are: each of these waits for all.
func TestWalkForeignChildrenAtOnce(t *testing.T) {
	w := newWeb()
	var locs []string
	var arrived atomic.Int64
	all := make(chan struct{})
	for i := range 4 {
		loc := fmt.Sprintf("https://host%d.test/s.xml", i)
		locs = append(locs, loc)
		w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
			if arrived.Add(1) == 4 {
				close(all)
			}
			select {
			case <-all:
				io.WriteString(rw, urlset(strings.TrimSuffix(loc, "s.xml")))
			case <-time.After(10 * time.Second):
				rw.WriteHeader(http.StatusNotFound)
			}
		})
	}
	w.serve("https://example.com/index.xml", index(locs...))
	if l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{MinTrust: Untrusted}); len(l.urls) != 4 {
		t.Errorf("%d urls, %v", len(l.urls), l.err)
	}
}

func TestWalkSince(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/index.xml", index(
		"https://example.com/old.xml|2024-05", "https://example.com/new.xml|2024-06", "https://example.com/none.xml"))
	w.serve("https://example.com/old.xml", urlset("https://example.com/never"))
	w.serve("https://example.com/new.xml", urlset("https://example.com/1|2024-05-31", "https://example.com/2|2024", "https://example.com/3", "https://example.com/4|2024-05-31T12:00:00"))
	w.serve("https://example.com/none.xml", urlset("https://example.com/5|2024-06-01"))
	since := time.Date(2024, 6, 1, 0, 0, 1, 0, time.UTC)
	l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{Since: since})
	equal(t, "urls", l.locs(), []string{"https://example.com/2", "https://example.com/3", "https://example.com/4", "https://example.com/5"})
	if s := l.sums["https://example.com/old.xml"]; s.Skipped != BySince || w.hits("https://example.com/old.xml") != 0 {
		t.Errorf("old.xml: %v", s.Skipped)
	}
}

func TestWalkFollow(t *testing.T) {
	w := smallSite()
	l := walkSite(w.client(), "example.com", Options{Follow: func(s *Sitemap) bool {
		if s.Referrer == nil {
			t.Errorf("asked about %s, which no index lists", s.Loc)
		}
		return !strings.Contains(s.Loc, "nested")
	}})
	equal(t, "urls", l.locs(), []string{"https://example.com/1", "https://example.com/2", "https://example.com/6", "https://example.com/7", "https://example.com/8"})
	if s := l.sums["https://example.com/nested.xml"].Skipped; s != ByFollow {
		t.Errorf("skipped %v", s)
	}
}

// TestWalkBodyBreaks: a body that breaks before anything was yielded is fetched
// again, also one that had something; what came the last time stands as it is.
func TestWalkBodyBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		long := urlset("https://example.com/1", "https://example.com/2")
		tries := 0
		w.handle("https://example.com/early.xml", func(rw http.ResponseWriter, _ *http.Request) {
			if tries++; tries < 3 {
				rw.Header().Set("X-Cut", "1")
				rw.Write([]byte(long[:60]))
				return
			}
			rw.Write([]byte(long))
		})
		w.handle("https://example.com/late.xml", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X-Cut", "1")
			rw.Write([]byte(strings.SplitAfter(urlset("https://example.com/3", "https://example.com/4"), "</url>")[0]))
		})
		w.handle("https://example.com/index.xml", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X-Cut", "1")
			rw.Write([]byte(strings.TrimSuffix(index("https://example.com/early.xml", "https://example.com/late.xml"), "</sitemapindex>")))
		})
		c := &Client{Fetcher: &fetch.Client{Transport: w, Retries: 2}}
		l := walkFrom(c, named("https://example.com/index.xml"), Options{})
		equal(t, "urls", l.locs(), []string{"https://example.com/1", "https://example.com/2", "https://example.com/3"})
		for loc, want := range map[string]int{"early": 3, "late": 3, "index": 3} {
			if n := w.hits("https://example.com/" + loc + ".xml"); n != want {
				t.Errorf("%s was fetched %d times, want %d", loc, n, want)
			}
		}
		if !errors.Is(l.err, fetch.ErrBody) {
			t.Errorf("error %v", l.err)
		}
		if n := w.open.Load(); n != 0 {
			t.Errorf("%d bodies left open", n)
		}
	})
}

// TestWalkNeverRetries: nothing is fetched again where the Fetcher is told not to
// retry, also not behind what wraps it.
func TestWalkNeverRetries(t *testing.T) {
	type wrapper struct{ *fetch.Client }
	w := newWeb()
	cut := func(text string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X-Cut", "1")
			rw.Write([]byte(text))
		}
	}
	w.handle("https://example.com/robots.txt", cut("User-agent: *\n"))
	w.handle("https://example.com/s.xml", cut("<urlset>"))
	fetches := 0
	for _, f := range []Fetcher{w.fetcher(), &wrapper{w.fetcher()}} {
		c := &Client{Fetcher: f}
		fetches++
		if l := walkFrom(c, named("https://example.com/s.xml"), Options{}); !errors.Is(l.err, fetch.ErrBody) {
			t.Errorf("%T: error %v", f, l.err)
		}
		if _, err := c.Robots(t.Context(), "https://example.com/"); !errors.Is(err, fetch.ErrBody) {
			t.Errorf("%T: robots.txt: error %v", f, err)
		}
		for _, path := range []string{"/s.xml", "/robots.txt"} {
			if n := w.hits("https://example.com" + path); n != fetches {
				t.Errorf("%T: %s was fetched %d times, want %d", f, path, n, fetches)
			}
		}
	}
}

// goroutines waits until no more goroutines run than want, and returns how many
// do.
func goroutines(want int) int {
	for range 200 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

func TestWalkBreakLeavesNothing(t *testing.T) {
	for stop := range 9 {
		w := smallSite()
		c := w.client()
		before := runtime.NumGoroutine()
		n := 0
		for _, err := range c.URLs(t.Context(), "https://example.com", nil) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n > stop {
				break
			}
		}
		if got := goroutines(before); got > before {
			t.Errorf("break after %d: %d goroutines, %d before", stop, got, before)
		}
		if n := w.open.Load(); n != 0 {
			t.Errorf("break after %d: %d bodies left open", stop, n)
		}
	}
}

func TestWalkCancelLeavesNothing(t *testing.T) {
	for stop := range 8 {
		w := smallSite()
		c := w.client()
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		var last error
		for _, err := range c.URLs(ctx, "https://example.com", nil) {
			if last != nil {
				t.Errorf("an element after the error")
			}
			last = err
			if n++; n > stop {
				cancel()
			}
		}
		cancel()
		if !errors.Is(last, context.Canceled) || n > stop+2 {
			t.Errorf("cancelled after %d: error %v after %d elements", stop, last, n)
		}
		if got := goroutines(before); got > before {
			t.Errorf("cancelled after %d: %d goroutines, %d before", stop, got, before)
		}
		if n := w.open.Load(); n != 0 {
			t.Errorf("cancelled after %d: %d bodies left open", stop, n)
		}
	}
}

func TestWalkPanicLeavesNothing(t *testing.T) {
	for stop := range 8 {
		w := smallSite()
		c := w.client()
		before := runtime.NumGoroutine()
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic did not come through")
				}
			}()
			n := 0
			for range c.URLs(t.Context(), "https://example.com", nil) {
				if n++; n > stop {
					panic("in the loop")
				}
			}
		}()
		if got := goroutines(before); got > before {
			t.Errorf("panic after %d: %d goroutines, %d before", stop, got, before)
		}
		if n := w.open.Load(); n != 0 {
			t.Errorf("panic after %d: %d bodies left open", stop, n)
		}
	}
}

// TestReportPanicLeavesNothing: so where it is told of robots.txt, before the walk begins.
func TestReportPanicLeavesNothing(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/robots.txt", "Sitemap: ftp://example.com/map.xml\n")
	w.serve("https://example.com/sitemap.xml", urlset("https://example.com/a")+strings.Repeat(" ", 1<<20))
	before, panicked := runtime.NumGoroutine(), false
	func() {
		defer func() { panicked = recover() != nil }()
		for range w.client().URLs(t.Context(), "https://example.com", &Options{Report: func(*Sitemap, sitemap.Problem) { panic("told") }}) {
		}
	}()
	if got := goroutines(before); got > before || w.open.Load() != 0 || !panicked {
		t.Errorf("%d goroutines, %d before; %d bodies left open; panicked: %v", got, before, w.open.Load(), panicked)
	}
}

func TestWalkDoesNothingBeforeRanging(t *testing.T) {
	w := smallSite()
	_ = w.client().URLs(t.Context(), "https://example.com", nil)
	_ = w.client().Walk(t.Context(), named("https://example.com/index.xml"), nil)
	if len(w.order) != 0 {
		t.Errorf("fetched %v", w.order)
	}
}

func TestWalkSeedsStayAsTheyAre(t *testing.T) {
	w := smallSite()
	from := named("https://example.com/index.xml", "https://example.com/a.xml")
	walkFrom(w.client(), from, Options{})
	for i, want := range named("https://example.com/index.xml", "https://example.com/a.xml") {
		if from[i].Loc != want.Loc || from[i].Scope.Grants != nil || from[i].Referrer != nil {
			t.Errorf("seed %d is now %+v", i, from[i])
		}
	}
}

func TestSkipString(t *testing.T) {
	got := []string{NotSkipped.String(), BySince.String(), ByFollow.String(), ByState.String(), ByResume.String(), Skip(9).String()}
	if want := []string{"", "since", "follow", "state", "resume", "invalid"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
