package discover

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// TestProblemsOfTheFetchThatCounts: of a document that was fetched twice, those problems are told
// that the fetch has which counts.
func TestProblemsOfTheFetchThatCounts(t *testing.T) {
	const e = "https://example.com"
	sound := urlset(e+"/1", e+"/2")
	for name, test := range map[string]struct{ first, then string }{
		"within the XML declaration": {`<?xml version="1.0" enco`, sound},
		"other problems":             {`<urlset><url><loc>mailto:a@b</loc></url><url><loc></loc></url>`, sound},
		"an index":                   {`<sitemapindex><sitemap><loc>mailto:a@b</loc></sitemap>`, index(e + "/k.xml")},
	} {
		for _, ahead := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := newWeb()
				w.answers(e+"/s.xml", test.first+"…", test.then)
				w.serve(e+"/k.xml", sound)
				w.answersAfter(time.Second, e+"/0.xml", urlset(e+"/0"))
				from := named(e + "/s.xml")
				if ahead {
					from = named(e+"/0.xml", e+"/s.xml")
				}
				l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, from, Options{})
				if len(l.problems) > 0 || len(l.sums[e+"/s.xml"].Problems) > 0 || l.err != nil || len(l.urls) != 1+len(from) {
					t.Errorf("%s, ahead %v: %q, %v, %q", name, ahead, l.problems, l.err, l.urls)
				}
			})
		}
	}
}

// TestManyProblemsOfAnIndex: problems are not kept without end until it is known that a fetch
// counts, and told once.
func TestManyProblemsOfAnIndex(t *testing.T) {
	const e, n = "https://example.com", maxHeld + 100
	text := "<sitemapindex>"
	for range n {
		text += "<sitemap><loc>mailto:a@b</loc></sitemap>"
	}
	w := newWeb()
	w.answers(e+"/i.xml", text+"…", text+"<sitemap><loc>"+e+"/s.xml</loc></sitemap><sitemap><loc>x:</loc></sitemap></sitemapindex>")
	w.serve(e+"/s.xml", urlset(e+"/1"))
	synctest.Test(t, func(t *testing.T) {
		l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, named(e+"/i.xml"), Options{})
		told := 0
		for _, p := range l.problems {
			if strings.HasPrefix(p, e+"/i.xml bad_scheme") {
				told++
			}
		}
		if told != n+1 || len(l.urls) != 1 {
			t.Errorf("%d problems told, %q", told, l.urls)
		}
	})
}

// TestPageThatBreaksOff: what is no sitemap and breaks off is fetched again, whether or not its turn
// had come.
func TestPageThatBreaksOff(t *testing.T) {
	const e = "https://example.com"
	for name, page := range map[string]string{
		"HTML": "<!DOCTYPE html><html><body>502 Bad", "JSON": `{"error": 5`, "another XML": "<error><code>", "text": "Bad gateway",
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			locs := []string{e + "/0.xml", e + "/1.xml", e + "/2.xml"}
			for _, loc := range locs {
				w.answers(loc, page+"…", urlset(loc+"/p"))
			}
			l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, named(locs...), Options{})
			if len(l.urls) != len(locs) || l.err != nil {
				t.Errorf("%s: %q, %v", name, l.urls, l.err)
			}
			for _, loc := range locs {
				if w.hits(loc) != 2 {
					t.Errorf("%s: %s was asked for %d times", name, loc, w.hits(loc))
				}
			}
		})
	}
}

// TestWholeButNotEnded: what has all come is not asked for again because its connection breaks or
// is left open.
func TestWholeButNotEnded(t *testing.T) {
	const e = "https://example.com"
	for _, how := range []string{"X-Cut", "X-Silent"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			serve := func(loc, text string) {
				w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
					rw.Header().Set(how, "1")
					rw.Write([]byte(text))
				})
			}
			serve(e+"/i.xml", index(e+"/s.xml")+"\n")
			w.serve(e+"/s.xml", urlset(e+"/1"))
			c := &Client{Fetcher: &fetch.Client{Transport: w}}
			if l := walkFrom(c, named(e+"/i.xml"), Options{}); len(l.urls) != 1 || !errors.Is(l.err, fetch.ErrBody) || w.hits(e+"/i.xml") != 1 {
				t.Errorf("%s: %q, %v, asked %d times", how, l.urls, l.err, w.hits(e+"/i.xml"))
			}
			w.answersAfter(40*time.Second, e+"/slow.xml", urlset(e+"/slow"))
			if l := walkFrom(c, named(e+"/slow.xml", e+"/i.xml"), Options{}); len(l.urls) != 2 || w.hits(e+"/i.xml") != 2 {
				t.Errorf("%s: fetched ahead: %q, %v, asked %d times", how, l.urls, l.err, w.hits(e+"/i.xml")-1)
			}
			if how == "X-Cut" {
				return // the rest of a robots.txt may have been on its way
			}
			asked := w.hits(e + "/robots.txt")
			serve(e+"/robots.txt", "Sitemap: "+e+"/s.xml\n")
			c = &Client{Fetcher: &fetch.Client{Transport: w}}
			if l := walkSite(c, e, Options{}); len(l.urls) != 1 || !errors.Is(l.err, fetch.ErrTimeout) || w.hits(e+"/robots.txt") != asked+1 {
				t.Errorf("%s: robots.txt: %q, %v, asked %d times", how, l.urls, l.err, w.hits(e+"/robots.txt"))
			}
		})
	}
}

// TestPagesLeftOpen: what is no sitemap is not waited for to break off, nor asked for again when its
// server is silent behind it.
func TestPagesLeftOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const e = "https://example.com"
		w := newWeb()
		w.status(e+"/robots.txt", http.StatusNotFound)
		locs := []string{e + "/0.xml", e + "/1.xml", e + "/2.xml"}
		for _, loc := range locs {
			w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("X-Silent", "1")
				rw.Write([]byte("<!DOCTYPE html><html>" + strings.Repeat("<p>Not found</p>\n", 5000)))
			})
		}
		begun := time.Now()
		l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, named(locs...), Options{})
		if took := time.Since(begun); took > tailTime || !errors.Is(l.err, sitemap.ErrHTML) {
			t.Errorf("%v after %v", l.err, took)
		}
		for _, loc := range locs {
			if w.hits(loc) != 1 {
				t.Errorf("%s was asked for %d times", loc, w.hits(loc))
			}
		}
	})
}

// TestPageThatBreaksOffLate: a page that breaks off a while after its header is fetched again, also
// where it is not the first fetch of the document.
func TestPageThatBreaksOffLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const e = "https://example.com"
		page := "<!DOCTYPE html><html>" + strings.Repeat("<p>oops</p>\n", 7000)
		w := newWeb()
		w.status(e+"/robots.txt", http.StatusNotFound)
		w.answersAfter(1200*time.Millisecond, e+"/0.xml", urlset(e+"/0"))
		w.handle(e+"/s.xml", func(rw http.ResponseWriter, _ *http.Request) {
			switch w.hits(e + "/s.xml") {
			case 1:
				rw.Header().Set("X-Cut", "1")
				rw.Write([]byte(page))
			case 2:
				rw.Header().Set("X-Cut", "1")
				rw.Header().Set("X-Cut-After", "400ms")
				rw.Write([]byte(page))
			default:
				rw.Write([]byte(urlset(e + "/1")))
			}
		})
		l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, named(e+"/0.xml", e+"/s.xml"), Options{})
		if len(l.urls) != 2 || l.err != nil || w.hits(e+"/s.xml") != 3 {
			t.Errorf("%q, %v, asked %d times", l.urls, l.err, w.hits(e+"/s.xml"))
		}
	})
}
