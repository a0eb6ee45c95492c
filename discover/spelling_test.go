package discover

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSpellings: a document that cannot be read as one index spells it is read as another
// does, and what comes of it does not depend on how many are fetched at once.
func TestSpellings(t *testing.T) {
	for _, concurrency := range []int{1, 3, 16, 64} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.handle("https://example.com/i1.xml", func(rw http.ResponseWriter, _ *http.Request) {
				time.Sleep(time.Second)
				io.WriteString(rw, index("https://example.com/%78.xml", "https://example.com/y.xml"))
			})
			children, want := []string{"https://example.com/i1.xml"}, []string{"https://example.com/y robots"}
			for i := range 40 {
				w.serve(fmt.Sprintf("https://example.com/x%d.xml", i), urlset(fmt.Sprintf("https://example.com/%d", i)))
				children = append(children, fmt.Sprintf("https://example.com/x%d.xml", i))
				want = append(want, fmt.Sprintf("https://example.com/%d robots", i))
			}
			w.serve("https://example.com/x.xml", urlset("https://example.com/x"))
			w.serve("https://example.com/y.xml", urlset("https://example.com/y"))
			children = append(children, "https://example.com/x.xml", "https://EXAMPLE.com:443/%79.xml#y", "https://example.com/./%78.xml", "https://example.com/x.xml")
			w.serve("https://example.com/root.xml", index(children...))
			w.serve("https://example.com/robots.txt", "Sitemap: https://example.com/root.xml")
			want = append(want, "https://example.com/x robots")
			c := w.client()
			c.Concurrency = concurrency
			l := walkSite(c, "https://example.com", Options{})
			if !slices.Equal(l.urls, want) {
				t.Errorf("%d at once: got %q, want %q", concurrency, l.urls, want)
			}
			if sum := l.sums["https://example.com/%78.xml"]; sum.Status != 404 {
				t.Errorf("%d at once: %+v", concurrency, sum)
			}
			if x, y := w.hits("https://example.com/x.xml"), w.hits("https://example.com/y.xml")+w.hits("https://example.com/%79.xml"); x == 0 || x > 2 || y != 1 {
				t.Errorf("%d at once: %d and %d requests", concurrency, x, y)
			}
		})
	}
}

// TestSpellingsOfHosts: what comes of a document is not what came of it as a later index spells
// its host, although that was fetched ahead.
func TestSpellingsOfHosts(t *testing.T) {
	const a = "https://a.example"
	want := []string{a + "/of-s robots", a + "/1 robots", a + "/2 robots", a + "/3 robots", a + "/4 robots"}
	for _, other := range []string{"https://a.example.", "https://u:p@a.example", "https://a.example:443", "https://A.example"} {
		for _, concurrency := range []int{1, 16} {
			synctest.Test(t, func(t *testing.T) {
				w := newWeb()
				w.serve(a+"/robots.txt", "Sitemap: "+a+"/i.xml\n")
				w.serve(a+"/i.xml", index(a+"/sub.xml", a+"/1.xml", a+"/2.xml", a+"/3.xml", a+"/4.xml", other+"/s.xml"))
				for i := range 5 {
					w.serve(fmt.Sprintf("%s/%d.xml", a, i), urlset(fmt.Sprintf("%s/%d", a, i)))
				}
				w.handle(a+"/sub.xml", func(rw http.ResponseWriter, _ *http.Request) {
					time.Sleep(time.Second)
					io.WriteString(rw, index(a+"/s.xml"))
				})
				w.serve(a+"/s.xml", urlset("/of-s"))
				c := w.client()
				c.Concurrency = concurrency
				if l := walkSite(c, a, Options{}); !slices.Equal(l.urls, want) || l.err != nil {
					t.Errorf("%s, %d at once: %q, %v", other, concurrency, l.urls, l.err)
				}
			})
		}
	}
}

// TestSpellingsThatCannotBeRead: of the spellings of a host only those are tried that a server may
// tell from others.
func TestSpellingsThatCannotBeRead(t *testing.T) {
	const a = "https://a.example"
	w := newWeb()
	w.serve(a+"/i.xml", index("https://a.example./s.xml", a+"/s.xml", "https://A.example/s.xml", a+":443/s.xml"))
	l := walkFrom(w.client(), named(a+"/i.xml"), Options{})
	equal(t, "read", l.done, []string{a + "/i.xml", "https://a.example./s.xml", a + "/s.xml"})
	w.serve(a+"/s.xml", urlset(a+"/page"))
	l = walkFrom(w.client(), named(a+"/i.xml"), Options{})
	equal(t, "urls", l.locs(), []string{a + "/page"})
}

// TestSpellingsOfInterruptedWalk: a document that could not be read before an interruption is
// read as another index spells it after it.
func TestSpellingsOfInterruptedWalk(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/robots.txt", "Sitemap: https://example.com/index.xml")
	w.serve("https://example.com/index.xml", index("https://example.com/%61.xml", "https://example.com/b.xml", "https://example.com/a.xml"))
	w.serve("https://example.com/a.xml", urlset("https://example.com/of-a"))
	w.serve("https://example.com/b.xml", urlset("https://example.com/of-b"))
	path := filepath.Join(t.TempDir(), "state")
	for _, want := range []string{"https://example.com/of-b", "https://example.com/of-a"} {
		s := openState(t, path)
		var got []string
		for u, err := range w.client().URLs(t.Context(), "https://example.com", &Options{State: s}) {
			if got = append(got, u.Loc); err == nil && u.Loc == "https://example.com/of-b" && want == u.Loc {
				break
			}
		}
		s.Abandon()
		if !slices.Contains(got, want) {
			t.Errorf("got %q, want %s too", got, want)
		}
	}
}

// TestSpellingsAreBounded: a document that cannot be read is not tried under all its spellings.
func TestSpellingsAreBounded(t *testing.T) {
	w := newWeb()
	var children []string
	for range 20 {
		children = append(children, "https://example.com/abcde.xml", "https://example.com/%61bcde.xml", "https://example.com/a%62cde.xml", "https://example.com/ab%63de.xml", "https://example.com/abc%64e.xml")
	}
	w.serve("https://example.com/index.xml", index(children...))
	l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{})
	asked := slices.DeleteFunc(w.order, func(url string) bool { return !strings.HasSuffix(url, "de.xml") })
	if len(asked) != maxSpellings {
		t.Errorf("asked for %q, %v", asked, l.err)
	}
}

// TestSpellingsOfSeeds: so is a document that robots.txt names.
func TestSpellingsOfSeeds(t *testing.T) {
	for _, first := range []string{"/%78.xml", "/a//../x.xml"} {
		w := newWeb()
		w.serve("https://example.com/robots.txt", "Sitemap: "+first+"\nSitemap: /x.xml\nSitemap: /x.xml#again\n")
		w.serve("https://example.com/x.xml", urlset("https://example.com/of-x"))
		l := walkSite(w.client(), "https://example.com", Options{})
		equal(t, first, l.locs(), []string{"https://example.com/of-x"})
		if n := w.hits("https://example.com/x.xml"); n != 1 {
			t.Errorf("%s: %d requests", first, n)
		}
	}
}
