package discover

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStateListedTwice: a document that is listed with several lastmods is not left out because
// one of them has not moved.
func TestStateListedTwice(t *testing.T) {
	const e = "https://example.com"
	for name, first := range map[string]string{"by two indexes": "/p.xml", "by a URL that redirects there": "/alias.xml"} {
		w := newWeb()
		w.serve(e+"/robots.txt", "Sitemap: "+e+"/old.xml\nSitemap: "+e+"/new.xml\n")
		w.redirect(e+"/alias.xml", e+"/p.xml")
		kids := []string{e + first + "|2020-01-01"}
		for i := range agreements {
			kid := fmt.Sprintf("%s/%d.xml", e, i)
			w.tagged(kid, urlset(kid+"/p"))
			kids = append(kids, kid+"|2020-01-01")
		}
		w.serve(e+"/old.xml", index(kids...))
		walk := stateWalks(t, w, e)
		for i := range 5 {
			version := fmt.Sprint(e, "/v", i/2)
			w.tagged(e+"/p.xml", urlset(version))
			w.serve(e+"/new.xml", index(fmt.Sprintf("%s/p.xml|2024-01-%02d", e, i/2+1)))
			if l := walk(1); strings.Contains(strings.Join(l.locs(), " "), version) != (i%2 == 0) {
				t.Errorf("%s, walk %d: %q", name, i, l.locs())
			}
		}
	}
}

// TestStateAfterFailure: what was read before a failure and has not changed since does not come
// again, nor is it sent.
func TestStateAfterFailure(t *testing.T) {
	const e = "https://example.com"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/i.xml\n")
	walk := stateWalks(t, w, e)
	for i, want := range []struct{ urls, of304 int }{{2, 0}, {0, 0}, {0, 0}, {0, 3}, {1, 2}} {
		w.tagged(e+"/1.xml", urlset(e+"/1"))
		w.tagged(e+"/2.xml", urlset(fmt.Sprint(e, "/2/", i/4)))
		w.tagged(e+"/i.xml", index(e+"/1.xml", e+"/2.xml"))
		if i == 1 || i == 2 {
			w.status(e+"/i.xml", http.StatusNotFound)
			w.status(e+"/1.xml", http.StatusNotFound)
		}
		l := walk(1)
		of304 := 0
		for _, sum := range l.sums {
			if sum.NotModified {
				of304++
			}
		}
		if len(l.urls) != want.urls || of304 != want.of304 {
			t.Errorf("walk %d: %q, %d documents have not changed, want %d URLs and %d", i, l.urls, of304, want.urls, want.of304)
		}
	}
}

// TestStateOfTwoSites: a document that two sites have, under different grants, comes to each of
// them once.
func TestStateOfTwoSites(t *testing.T) {
	const shared = "https://cdn.test/m/s.xml"
	sites := []string{"https://a.example", "https://b.example"}
	w := newWeb()
	for _, site := range sites {
		w.serve(site+"/robots.txt", "Sitemap: "+shared+"\n")
	}
	path := filepath.Join(t.TempDir(), "state")
	for i, version := range []string{"1", "1", "1", "2", "2"} {
		w.tagged(shared, urlset(sites[0]+"/"+version, sites[1]+"/"+version))
		s := openState(t, path)
		for _, site := range sites {
			var want []string
			if i == 0 || i == 3 {
				want = []string{site + "/" + version}
			}
			l := walkSite(w.client(), site, Options{State: s})
			equal(t, fmt.Sprintf("walk %d of %s", i, site), l.locs(), want)
		}
		s.Close()
	}
}

// TestStateSignedURLs: a redirect to a URL whose query is another each time leads to the same
// document, but one to another path does not, nor where only a date tells what has changed.
func TestStateSignedURLs(t *testing.T) {
	const e = "https://example.com"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/s.xml\n")
	walk := stateWalks(t, w, e)
	dated := false
	for i, target := range []string{"/a.xml?key=1", "/a.xml?key=2", "/b.xml?key=3", "/b.xml?key=4", "/b.xml?key=5"} {
		dated = i > 2
		w.redirect(e+"/s.xml", e+target)
		w.handle(e+target, func(rw http.ResponseWriter, r *http.Request) {
			field, condition, value := "ETag", "If-None-Match", `"1"`
			if dated {
				field, condition, value = "Last-Modified", "If-Modified-Since", "Mon, 06 May 2024 07:08:09 GMT"
			}
			rw.Header().Set(field, value)
			if r.Header.Get(condition) == value {
				rw.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(rw, urlset(e+target[:2]))
		})
		if l := walk(1); len(l.urls) != []int{1, 0, 1, 1, 1}[i] {
			t.Errorf("by %s: %q", target, l.urls)
		}
	}
}

// TestStateLongValidators: what a server may send as a validator without an end is not kept.
func TestStateLongValidators(t *testing.T) {
	const e = "https://example.com"
	w := newWeb()
	w.handle(e+"/s.xml", func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			t.Error("asked with a validator")
		}
		rw.Header().Set("ETag", `"`+strings.Repeat("x", 100<<10)+`"`)
		fmt.Fprint(rw, urlset(e+"/1"))
	})
	s := openState(t, filepath.Join(t.TempDir(), "state"))
	defer s.Close()
	for range 2 {
		if l := walkFrom(w.client(), named(e+"/s.xml"), Options{State: s}); l.err != nil || len(l.urls) != 1 {
			t.Errorf("%q, %v", l.urls, l.err)
		}
	}
	if tag := s.entries[e+"/s.xml"].ETag; tag != "" {
		t.Errorf("%d bytes of an ETag are kept", len(tag))
	}
}

// TestStateHeldBackUnverified: a host that begins to vouch for a document has it asked for no
// earlier than its server wants.
func TestStateHeldBackUnverified(t *testing.T) {
	const e, other = "https://example.com", "https://b.example.com"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/s.xml\n")
	w.tagged(e+"/s.xml", urlset(e+"/1", other+"/2"))
	walk := stateWalks(t, w, e)
	walk(1)
	w.handle(e+"/s.xml", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Retry-After", "86400")
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	walk(1)
	w.serve(other+"/robots.txt", "Sitemap: "+e+"/s.xml\n")
	n := w.hits(e + "/s.xml")
	if walk(1); w.hits(e+"/s.xml") != n {
		t.Error("it was asked for")
	}
}

// TestStateLongIndex: an index as large as may be kept, which failed since, makes no line of the
// journal that cannot be read.
func TestStateLongIndex(t *testing.T) {
	const e = "https://example.com"
	w := newWeb()
	var kids []string
	for i := range 1_400 {
		kids = append(kids, fmt.Sprintf("%s/%d?%s", e, i, strings.Repeat(`"`, 7_900)))
	}
	path := filepath.Join(t.TempDir(), "state")
	for i, text := range []string{index(kids...), index(kids...)[:11_000_000], index(kids...)} {
		w.serve(e+"/i.xml", text)
		s := openState(t, path)
		if i > 0 && s.damaged > 0 {
			t.Errorf("walk %d: the State is damaged", i)
		}
		walkFrom(w.client(), named(e+"/i.xml"), Options{State: s, Follow: func(*Sitemap) bool { return false }})
		s.Close()
	}
}

// TestStateKnowsWhatFailed: a State finds what failed in a walk without looking through all that it
// has, as it stands now.
func TestStateKnowsWhatFailed(t *testing.T) {
	s := openState(t, filepath.Join(t.TempDir(), "state"))
	defer s.Abandon()
	bad := failure{Err: "busy"}
	for _, test := range []struct {
		put  entry
		want string // by walk
	}{
		{entry{URL: "b", Run: 1, failure: bad}, "map[1:[b]]"},
		{entry{URL: "a", Run: 1, failure: bad}, "map[1:[a b]]"},
		{entry{URL: "a", Run: 2, Also: []int{1}, failure: bad}, "map[1:[a b] 2:[a]]"},
		{entry{URL: "b", Run: 2}, "map[1:[a] 2:[a]]"},
		{entry{URL: "a", Run: 2, Also: []int{1}}, "map[]"},
	} {
		s.put(&test.put)
		got := map[int][]string{}
		for run, failed := range s.failing {
			for e := range failed {
				got[run] = append(got[run], e.URL)
			}
			slices.Sort(got[run])
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("after %+v: %v, want %s", test.put, got, test.want)
		}
	}
}
