package main

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap/examples/internal/site"
)

func TestLinks(t *testing.T) {
	s := site.New(t, site.Pages())
	base, err := url.Parse(s.URL + "/sitemap.xml")
	if err != nil {
		t.Fatal(err)
	}
	document := "<urlset>\n<url><loc>/a</loc></url>\n<url><loc>" + s.URL + "/gone</loc></url>\n" +
		"<url><loc>mailto:a@example.com</loc></url>\n</urlset>"
	var got []string
	for _, l := range links([]byte(document), base) {
		got = append(got, l.check(t.Context(), http.DefaultClient))
	}
	t.Logf("%q", got)
	want := []string{
		"line 2: " + s.URL + "/a 200 OK",
		"line 3: " + s.URL + "/gone 404 Not Found",
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("%q lacks %q", got, line)
		}
	}
}
