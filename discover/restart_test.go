package discover

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// TestBrokenBodiesAreFetchedAgainInTime: documents that break off before their turn have their
// other tries before it, too.
func TestBrokenBodiesAreFetchedAgainInTime(t *testing.T) {
	for name, test := range map[string]struct {
		every int // of documents, one in so many breaks off at first
		most  time.Duration
	}{
		"all":   {1, 10 * time.Second},
		"tenth": {10, 4 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			const documents = 320 // in 1 s
			w := newWeb()
			var locs []string
			for i := range documents {
				loc := fmt.Sprintf("https://example.com/%d", i)
				locs = append(locs, loc+".xml")
				whole := urlset(loc+"/a", loc+"/b")
				if i%test.every > 0 {
					w.answersAfter(latency, loc+".xml", whole)
					continue
				}
				w.handle(loc+".xml", func(rw http.ResponseWriter, _ *http.Request) {
					time.Sleep(latency)
					text := whole
					if w.hits(loc+".xml") == 1 {
						rw.Header().Set("X-Cut", "1")
						text = whole[:len(whole)/2]
					}
					rw.Write([]byte(text))
				})
			}
			w.serve("https://example.com/index.xml", index(locs...))
			begun := time.Now()
			l := walkFrom(w.unlimited(), named("https://example.com/index.xml"), Options{})
			took := time.Since(begun)
			// The first may be read as it comes, and then stands as it is.
			if n := len(l.urls); n < 2*documents-1 || n == 2*documents && l.err != nil || took > test.most {
				t.Errorf("%s: %d URLs, %v, in %v", name, n, l.err, took)
			}
		})
	}
}

// TestBrokenBodiesAreKept: of what came of a document before its turn the most is read, and each
// fetch is counted once.
func TestBrokenBodiesAreKept(t *testing.T) {
	const loc = "https://example.com/b"
	// More than documents are expected to have.
	whole := strings.Replace(urlset(loc+"/1", loc+"/2", loc+"/3"), "<url>", strings.Repeat(" ", 2*minExpected)+"<url>", 1)
	cut := func(entries int) string {
		return strings.Join(strings.SplitAfter(whole, "</url>")[:entries], "") + "…"
	}
	for name, test := range map[string]struct {
		turns    []any
		entries  int
		failed   bool
		requests int
	}{
		"whole at last":  {[]any{cut(1), cut(2), whole}, 3, false, 3},
		"whole then":     {[]any{cut(2), whole}, 3, false, 2},
		"less":           {[]any{cut(2), cut(1), cut(1)}, 2, true, 3},
		"more":           {[]any{cut(1), cut(1), cut(2)}, 2, true, 3},
		"nothing":        {[]any{cut(2), cut(0), cut(0)}, 2, true, 3},
		"gone":           {[]any{cut(2), 404}, 2, true, 2},
		"nothing, gone":  {[]any{"<urlset>…", 404}, 0, true, 2},
		"another's page": {[]any{cut(2), "<html><body>Log in</body></html>"}, 2, true, 2},
		"a failure":      {[]any{cut(2), 500}, 2, true, 4},
		"empty":          {[]any{"…", "…", whole}, 3, false, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.serve("https://example.com/index.xml", index("https://example.com/a.xml", loc+".xml"))
			w.answersAfter(20*time.Second, "https://example.com/a.xml", urlset("https://example.com/a"))
			w.answers(loc+".xml", test.turns...)
			c := &Client{Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}
			l := walkFrom(c, named("https://example.com/index.xml"), Options{})
			sum := l.sums[loc+".xml"]
			if n := len(l.urls) - 1; n != test.entries || int(sum.Entries) != n {
				t.Errorf("%s: %d URLs, %d entries", name, n, sum.Entries)
			}
			if failed := errors.Is(sum.Err, fetch.ErrBody) && errors.As(l.err, new(*WalkError)); failed != test.failed {
				t.Errorf("%s: errors %v, %v", name, sum.Err, l.err)
			}
			received := 0
			for i := range sum.Attempts {
				if text, ok := test.turns[min(i, len(test.turns)-1)].(string); ok {
					received += len(strings.TrimSuffix(text, "…"))
				}
			}
			if hits := w.hits(loc + ".xml"); hits != test.requests || sum.Attempts != hits || int(sum.Received) != received {
				t.Errorf("%s: %d attempts of %d, want %d, received %d of %d", name, sum.Attempts, hits, test.requests, sum.Received, received)
			}
			if n := w.open.Load(); n != 0 || c.ahead.used != 0 {
				t.Errorf("%s: %d bodies left open, %d bytes of the budget", name, n, c.ahead.used)
			}
		})
	}
}

// TestBrokenCountOnce: a document that broke off in all its tries, before its turn, is one of those
// that keep others of its host from having so many.
func TestBrokenCountOnce(t *testing.T) {
	for _, concurrency := range []int{1, 16} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.answersAfter(8*time.Second, "https://example.org/slow.xml", urlset("https://example.org/slow"))
			w.answers("https://example.com/1.xml", "<urlset>…")
			w.answers("https://example.com/2.xml", "<urlset>…")
			w.answers("https://example.com/3.xml", "<urlset>…", urlset("https://example.com/3"))
			last := w.pages["https://example.com/3.xml"]
			w.handle("https://example.com/3.xml", func(rw http.ResponseWriter, r *http.Request) {
				time.Sleep(20 * time.Second)
				last(rw, r)
			})
			c := &Client{Concurrency: concurrency, Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}
			l := walkFrom(c, named("https://example.org/slow.xml", "https://example.com/1.xml", "https://example.com/2.xml", "https://example.com/3.xml"), Options{})
			equal(t, fmt.Sprint(concurrency, " at once"), l.locs(), []string{"https://example.org/slow", "https://example.com/3"})
		})
	}
}
