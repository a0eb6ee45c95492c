package discover

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-322c453a/sitemap/fetch"
)

// BenchmarkState walks an index of 50,000 documents on loopback with a State: for
// the first time; again, where their lastmods tell that nothing has changed; and
// where there are no lastmods, so that each is asked for and answers 304. The State
// is opened and closed each time.
func BenchmarkState(b *testing.B) {
	const documents = 50_000
	for _, lastmod := range []string{"|2024-05-06", ""} {
		var srv *httptest.Server
		srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			tag := fmt.Sprintf("%q", r.URL.Path)
			w.Header().Set("ETag", tag)
			switch {
			case r.Header.Get("If-None-Match") == tag:
				w.WriteHeader(http.StatusNotModified)
			case r.URL.Path == "/index.xml":
				locs := make([]string, documents)
				for i := range locs {
					locs[i] = fmt.Sprintf("%s/%d.xml%s", srv.URL, i, lastmod)
				}
				w.Write([]byte(index(locs...)))
			default:
				w.Write([]byte(urlset(srv.URL + r.URL.Path + "/page")))
			}
		}))
		path := filepath.Join(b.TempDir(), "state")
		c := &Client{Concurrency: 16, Fetcher: &fetch.Client{AllowPrivateNetworks: true, Limiter: &fetch.HostLimiter{PerHost: 16, PerAddress: 16}}}
		walk := func(b *testing.B, want int, before func()) {
			for b.Loop() {
				before()
				state, err := OpenState(path)
				if err != nil {
					b.Fatal(err)
				}
				urls := 0
				for _, err := range c.Walk(b.Context(), named(srv.URL+"/index.xml"), &Options{State: state, MaxSitemaps: -1}) {
					if err != nil {
						b.Fatal(err)
					}
					urls++
				}
				if err := state.Close(); err != nil {
					b.Fatal(err)
				}
				if urls != want {
					b.Fatalf("%d URLs, want %d", urls, want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/documents, "us/document")
		}
		name := map[bool]string{true: "lastmods", false: "304"}[lastmod != ""]
		b.Run(name+"/first", func(b *testing.B) { walk(b, documents, func() { os.Remove(path) }) })
		b.Run(name+"/again", func(b *testing.B) { walk(b, 0, func() {}) })
		c.CloseIdleConnections()
		srv.Close()
	}
}
