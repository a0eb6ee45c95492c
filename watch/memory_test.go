package watch_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/watch"
)

var idleSites = flag.Int("idle", 40, "sites of the test of memory")

// TestMemory: many sites cost little memory, and little room in the Store.
func TestMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // that of other programs
	const pages = 1000
	serve := func(r *http.Request) (*http.Response, error) {
		answer := &http.Response{StatusCode: 200, Header: http.Header{"Etag": {`"1"`}}, Request: r, Body: http.NoBody}
		if r.Header.Get("If-None-Match") != "" {
			answer.StatusCode = 304
			return answer, nil
		}
		text := "Sitemap: /s"
		if r.URL.Path == "/s" {
			var b strings.Builder
			b.WriteString("<urlset>")
			for i := range pages {
				fmt.Fprintf(&b, "<url><loc>https://%s/articles/2026/%02d/the-title-of-the-article-%x</loc>"+
					"<lastmod>2026-05-%02dT%02d:00:00+00:00</lastmod></url>", r.URL.Host, i%12, i*i*7919, 1+i%28, i%24)
			}
			text = b.String() + "</urlset>"
		}
		answer.Body = io.NopCloser(strings.NewReader(text))
		return answer, nil
	}
	var names []string
	for i := range *idleSites {
		names = append(names, fmt.Sprintf("www.site%d.test", i))
	}
	path := filepath.Join(t.TempDir(), "state")
	db, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	w := &watch.Watcher{Client: &discover.Client{Fetch: &fetch.Client{Transport: roundTripper(serve)}}, Store: db}
	var before, m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := time.Now()
	for e, err := range w.Once(context.Background(), slices.Values(names)) {
		t.Fatal(e, err)
	}
	read := time.Since(begin)
	runtime.GC()
	runtime.GC() // what pools keep is freed by the second one
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(w) // as in a watch that goes on
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	perURL := float64(info.Size()) / float64(*idleSites*pages)
	t.Logf("%d sites of %d pages: read in %v, %.0f bytes a URL in the Store, heap %d KiB, from the system %d KiB",
		*idleSites, pages, read.Round(time.Millisecond), perURL, m.HeapAlloc>>10, m.Sys>>10)
	if perURL > 100 {
		t.Errorf("%.0f bytes a URL in the Store", perURL)
	}
	if perSite := (int64(m.HeapAlloc) - int64(before.HeapAlloc)) / int64(*idleSites); perSite > 64<<10 {
		t.Errorf("%d bytes of memory a site", perSite)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
