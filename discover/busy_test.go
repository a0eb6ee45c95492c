package discover

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// serveHosts serves so many documents of each of so many hosts, each answered after a while, and
// returns their locations, those of a host in a row.
func (w *web) serveHosts(hosts, each int, after time.Duration) (locs []string) {
	for i := range hosts {
		for j := range each {
			loc := fmt.Sprintf("https://%d.example/%d", i, j)
			locs = append(locs, loc+".xml")
			w.answersAfter(after, loc+".xml", urlset(loc))
		}
	}
	return locs
}

// TestHostsTakeNoTurns: documents of one host that wait for it hold up no others.
func TestHostsTakeNoTurns(t *testing.T) {
	for name, test := range map[string]struct {
		hosts, each int
		most        time.Duration
	}{
		// A host has a quarter of the requests at once, and the documents of two and a half are
		// within reach. The ideal is 12.5 s; one host after the other, 50 s.
		"blocks": {10, 100, 17 * time.Second},
		// Here it is 10 s, with the robots.txt of each.
		"small": {200, 3, 14 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			const after = 200 * time.Millisecond
			w := newWeb()
			locs := w.serveHosts(test.hosts, test.each, after)
			for i := range test.hosts {
				w.answersAfter(after, fmt.Sprintf("https://%d.example/robots.txt", i), "")
			}
			begun := time.Now()
			l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, named(locs...), Options{})
			if took := time.Since(begun); took > test.most || len(l.urls) != len(locs) || l.err != nil {
				t.Errorf("%s: %d URLs, %v, in %v", name, len(l.urls), l.err, took)
			}
		})
	}
}

// TestVerificationHoldsNobodyUp: while a host is asked whether it vouches, other documents are
// fetched.
func TestVerificationHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		const children, silence = 200, 3 * time.Second
		var locs []string
		for i := range children {
			loc := fmt.Sprintf("https://www.example.com/%d", i)
			locs = append(locs, loc+".xml")
			w.answersAfter(latency, loc+".xml", urlset(loc, "https://shop.example.com/"))
		}
		w.serve("https://www.example.com/index.xml", index(locs...))
		w.answersAfter(silence, "https://shop.example.com/robots.txt", "")
		begun := time.Now()
		l := walkFrom(w.unlimited(), named("https://www.example.com/index.xml"), Options{})
		// Both schemes are asked; the other one answers at once.
		if took := time.Since(begun); took > silence+4*latency || len(l.urls) != children || l.err != nil {
			t.Errorf("%d URLs, %v, in %v", len(l.urls), l.err, took)
		}
	})
}
