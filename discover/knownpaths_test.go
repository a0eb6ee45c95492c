package discover_test

import (
	"errors"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// TestKnownPathsToo: known paths are read in addition to what robots.txt names, each document once.
// Those without a sitemap are no failures.
func TestKnownPathsToo(t *testing.T) {
	w := tree("i: s sitemap.txt", "s:, 1", "sitemap.txt:, 2", "x: y, 3", "y:, 4", "z:, 5")
	w.serve(a("robots.txt"), "User-agent: *\nDisallow: /no\nSitemap: /i")
	w.serve(a("h"), urlset(a("6")))
	w.serve(a("page"), "<!doctype html><title>Not found</title>")
	w.redirect(a("again"), a("s"))
	paths := []string{"/gone", "/page", "/x", "/sitemap.txt", "/again", "/no", "/z"}
	o := discover.Options{KnownPaths: paths, KnownPathsToo: true}
	r := w.site(t, nil, a(""), o)
	equal(t, "verdicts", r.verdicts(), []string{a("1 robots"), a("2 robots"),
		a("3 location"), a("4 location"), a("5 location")})
	if got := names(r.done); got != "i s sitemap.txt x y z" || r.err != nil {
		t.Errorf("read %s, %v", got, r.err)
	}
	if w.hits(a("no")) != 0 || w.hits(a("sitemap.txt")) != 1 {
		t.Errorf("requests %q", w.asked())
	}
	o.KnownPathsToo = false
	if r := w.site(t, nil, a(""), o); names(r.done) != "i s sitemap.txt" {
		t.Errorf("without KnownPathsToo: %s", names(r.done))
	}
	// All are read also if robots.txt names none, and so is what the home page names.
	w.serve(a("robots.txt"), "")
	w.serve(a(""), `<link rel="sitemap" href="/h">`)
	o.KnownPathsToo = true
	if r := w.site(t, nil, a(""), o); names(r.done) != "x y sitemap.txt again z h" || r.err != nil {
		t.Errorf("without robots.txt: %s, %v", names(r.done), r.err)
	}
	// One that may hold a sitemap another time is a failure; a home page is not.
	w.answer(a("gone"), answer{status: 503})
	w.answer(a(""), answer{status: 503})
	r = w.site(t, nil, a(""), o)
	var we *discover.WalkError
	if !errors.As(r.err, &we) || we.Failed != 1 || !errors.Is(r.err, fetch.ErrStatus) {
		t.Errorf("with a path that answers 503: %v", r.err)
	}
}

// TestKnownPaths_SamePage: a document that an index lists fails if it redirects to the page that a
// known path led to.
func TestKnownPaths_SamePage(t *testing.T) {
	w := tree("sitemap_index.xml: old s", "s:, 1")
	w.serve(a("page"), "<!doctype html><title>Not found</title>")
	w.redirect(a("sitemap.xml"), a("page"))
	w.redirect(a("old"), a("page"))
	r := w.site(t, nil, a(""), discover.Options{})
	if names(r.done) != "sitemap_index.xml old s" || !errors.Is(r.err, sitemap.ErrNotSitemap) {
		t.Errorf("read %s, %v", names(r.done), r.err)
	}
}
