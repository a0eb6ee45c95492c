package discover_test

import (
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/discover"
)

// TestNewest: the children of an index are read by their listed lastmod, the latest first; those
// without one come last, in listed order. It holds within each index, and for a 304 as well.
func TestNewest(t *testing.T) {
	w := newWeb()
	w.serve(a("robots.txt"), "Sitemap: /old\nSitemap: /i")
	w.serve(a("old"), urlset(a("old/1")))
	w.tagged(a("i"), func() string {
		return index(a("none1"), a("2023|2023"), a("j|2024-05-06"), a("late|2024-05-06T10:00:00Z"),
			a("none2"), a("same1|2022-01-01"), a("same2|2022-01-01"))
	})
	w.tagged(a("j"), func() string { return index(a("j1|2020-01-01"), a("j2|2021-01-01")) })
	for _, name := range strings.Fields("none1 2023 late none2 same1 same2 j1 j2") {
		w.serve(a(name), urlset(a(name+"/1")))
	}
	const newest = "old i late j j2 j1 2023 same1 same2 none1 none2"
	o := discover.Options{Newest: true, Store: &mapStore{}, OnlyChanged: true}
	for range 2 {
		r := w.site(t, nil, a(""), o)
		if got := names(r.done); got != newest || r.err != nil {
			t.Errorf("read %s, want %s; %v", got, newest, r.err)
		}
	}
	o = discover.Options{Newest: true, MaxSitemaps: 4}
	if r := w.site(t, nil, a(""), o); names(r.done) != "old i late j" {
		t.Errorf("the first four are %s", names(r.done))
	}
	r := w.site(t, nil, a(""), discover.Options{})
	if got := names(r.done); got != "old i none1 2023 j j1 j2 late none2 same1 same2" {
		t.Errorf("without Newest: %s", got)
	}
}
