package discover_test

import (
	"errors"
	"testing"

	"github.com/seed-322c453a/sitemap/discover"
)

// TestHomePage: where robots.txt and the known paths bring nothing, the home page may name
// sitemaps.
func TestHomePage(t *testing.T) {
	const page = `<!DOCTYPE html><html><head><link rel="stylesheet" href="/s.css"><LINK REL="alternate Sitemap" HREF="/maps/gone.xml">
<link rel="sitemap" type="application/xml" href=" maps/all.xml#top "><link rel="sitemap" href="ftp://example.com/s.xml"></head><body><link rel="sitemap" href="/body.xml"></body></html>`
	w := newWeb()
	w.serve(example+"/", page)
	w.serve(example+"/maps/all.xml", urlset(example+"/maps/1", example+"/2"))
	r := w.site(t, nil, example, discover.Options{})
	equal(t, "pages", r.locs(), []string{example + "/maps/1"}) // the location of the sitemap entitles it
	found, err := w.client().Find(t.Context(), example)
	if err != nil || len(found) != 1 || found[0].Loc != example+"/maps/all.xml" {
		t.Errorf("%v, %v", found, err)
	}
	if w.hits(example+"/body.xml") > 0 {
		t.Error("a link in the body was requested")
	}
	w.forget()
	w.site(t, nil, example, discover.Options{KnownPaths: []string{}})
	equal(t, "requests without known paths", w.asked(), []string{example + "/robots.txt"})
	w.forget()
	w.serve(example+"/robots.txt", "User-agent: *\nDisallow: /$\n")
	r = w.site(t, nil, example, discover.Options{})
	if !errors.Is(r.err, discover.ErrNoSitemap) || w.hits(example+"/") > 0 {
		t.Errorf("disallowed: %v", r.err)
	}
}
