package discover

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/seed-322c453a/sitemap/fetch"
)

// TestKnownPathMissed: known paths that fail for now, before the one that is found, are told
// as documents are; unless the walk came to them, and but for those that have no sitemap.
func TestKnownPathMissed(t *testing.T) {
	const first, second, third = "https://example.com/sitemap.xml", "https://example.com/sitemap_index.xml", "https://example.com/wp-sitemap.xml"
	cut := func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("X-Cut", "1") }
	asked := 0
	failOnce := func(rw http.ResponseWriter, r *http.Request) {
		if asked++; asked == 1 {
			cut(rw, r)
		} else {
			rw.Write([]byte(urlset("https://example.com/1")))
		}
	}
	for _, tt := range []struct {
		name  string
		first http.HandlerFunc
		third string
		want  error // of the walk, once
	}{
		{"429", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(429) }, urlset("https://example.com/1"), fetch.ErrStatus},
		{"500", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(500) }, urlset("https://example.com/1"), fetch.ErrStatus},
		{"no response", func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("X-Error", "reset") }, urlset("https://example.com/1"), fetch.ErrConnect},
		{"no answer", hang, urlset("https://example.com/1"), fetch.ErrTimeout},
		{"cut", cut, urlset("https://example.com/1"), fetch.ErrBody},
		{"403", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(403) }, urlset("https://example.com/1"), nil},
		{"soft 404", func(rw http.ResponseWriter, _ *http.Request) { rw.Write([]byte("<html>")) }, urlset("https://example.com/1"), nil},
		{"listed", cut, index(first), fetch.ErrBody},
		{"listed and read", failOnce, index(first), nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.handle(first, tt.first)
			w.serve(third, tt.third)
			l := walkSite(w.client(), "example.com", Options{})
			if !errors.Is(l.err, tt.want) {
				t.Fatalf("%s: %v, want %v", tt.name, l.err, tt.want)
			}
			var we *WalkError
			if tt.want != nil && (!errors.As(l.err, &we) || we.Failed != 1 || l.sums[first].Err == nil) {
				t.Errorf("%s: %v, documents %v", tt.name, l.err, l.done)
			}
			if l.sums[third].Err != nil || l.sums[second].URL != "" {
				t.Errorf("%s: documents %v", tt.name, l.done)
			}
			if n := w.open.Load(); n != 0 {
				t.Errorf("%s: %d bodies left open", tt.name, n)
			}
		})
	}
}
