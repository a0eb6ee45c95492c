package discover_test

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
)

// BenchmarkHostPort reports how many times the time of a walk of a host without a port one of a
// host with a port takes.
func BenchmarkHostPort(b *testing.B) {
	const children, each = 20, 10_000
	sites := []string{"https://www.example.com", "https://www.example:8443"}
	w := newWeb()
	for _, site := range sites {
		locs := numbered(site+"/%d.xml", children)
		w.serve(site+"/i.xml", index(locs...))
		for _, loc := range locs {
			w.serve(loc, urlset(numbered(site+"/catalogue/garden/a-page-%d|2024-01-01", each)...))
		}
	}
	c := w.client()
	took := [2][]time.Duration{}
	for b.Loop() {
		for i, site := range sites {
			begun, urls := time.Now(), 0
			for _, err := range c.Walk(b.Context(), seeds(site+"/i.xml"), nil) {
				if err != nil {
					b.Fatal(err)
				}
				urls++
			}
			took[i] = append(took[i], time.Since(begun))
			if urls != children*each {
				b.Fatalf("%d URLs", urls)
			}
		}
	}
	b.ReportMetric(float64(median(took[1]))/float64(median(took[0])), "x-without-port")
	b.ReportMetric(float64(median(took[0]))/children/each, "ns/url-without")
	b.ReportMetric(float64(median(took[1]))/children/each, "ns/url-with")
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkStore walks a site of 50,000 documents in a state file again, with OnlyChanged, when
// nothing has changed: by the lastmods of the index, and by 304.
func BenchmarkStore(b *testing.B) {
	const n = 50_000
	for name, lastMod := range map[string]string{"lastmod": "|2024-01-01", "304": ""} {
		b.Run(name, func(b *testing.B) {
			db, err := state.Open(filepath.Join(b.TempDir(), "state"))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			c := newWeb().client()
			list := index(numbered(example+"/%d.xml"+lastMod, n)...)
			c.Fetch.Transport = answers(func(r *http.Request) answer {
				switch {
				case r.URL.Path == "/i.xml":
					return answer{body: list}
				case r.Header.Get("If-None-Match") == `"1"`:
					return answer{status: 304}
				}
				return answer{header: []string{"ETag", `"1"`}, body: urlset(r.URL.String() + "/page")}
			})
			walk := func() (urls int) {
				o := &discover.Options{Store: db, OnlyChanged: true}
				for _, err := range c.Walk(b.Context(), seeds(example+"/i.xml"), o) {
					if err != nil {
						b.Fatal(err)
					}
					urls++
				}
				return urls
			}
			if urls := walk(); urls != n {
				b.Fatalf("%d URLs", urls)
			}
			for b.Loop() {
				if urls := walk(); urls != 0 {
					b.Fatalf("%d URLs have changed", urls)
				}
			}
		})
	}
}

// answers is a RoundTripper.
type answers func(*http.Request) answer

func (f answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a := f(r)
	h := http.Header{}
	if a.header != nil {
		h.Set(a.header[0], a.header[1])
	}
	status := max(a.status, 200)
	return &http.Response{StatusCode: status, Header: h,
		Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}

// BenchmarkMemoryStore reports what a state.Memory adds to a walk of 20 URLs.
func BenchmarkMemoryStore(b *testing.B) {
	w := newWeb()
	w.serve(example+"/robots.txt", "Sitemap: /s.xml")
	w.serve(example+"/s.xml", urlset(numbered(example+"/%d", 20)...))
	c := w.client()
	walk := func(o *discover.Options) time.Duration {
		begun := time.Now()
		for _, err := range c.URLs(b.Context(), example, o) {
			if err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(begun)
	}
	var with, without []time.Duration
	var store state.Memory
	for b.Loop() {
		without = append(without, walk(nil))
		with = append(with, walk(&discover.Options{Store: &store}))
		w.forget()
	}
	b.ReportMetric(float64(median(with)-median(without)), "ns-more")
}
