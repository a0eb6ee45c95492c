package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// tagged serves text with an ETag, and answers 304 to that.
func (w *web) tagged(url, text string) {
	w.handle(url, func(rw http.ResponseWriter, r *http.Request) {
		tag := fmt.Sprintf("%q", fmt.Sprint(keyOf(url+text)))
		rw.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(rw, text)
	})
}

// slow serves text after what is fetched ahead has been asked for.
func (w *web) slow(url, text string) {
	w.handle(url, func(rw http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Millisecond)
		io.WriteString(rw, text)
	})
}

// stateWalks returns a function that walks a site, each time with the State of the time before.
func stateWalks(t *testing.T, w *web, site string) func(concurrency int) *log {
	path := filepath.Join(t.TempDir(), "state")
	return func(concurrency int) *log {
		s := openState(t, path)
		defer s.Close()
		c := w.client()
		c.Concurrency = concurrency
		return walkSite(c, site, Options{State: s})
	}
}

// TestStateUnderOtherSpelling: a 304 that was asked for under one spelling of a host stands for
// nothing under another, of which the State knows nothing.
func TestStateUnderOtherSpelling(t *testing.T) {
	const e = "https://example.com"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/a.xml\n")
	w.tagged(e+"/a.xml", index(e+"/kid.xml"))
	w.serve(e+"/kid.xml", urlset(e+"/1"))
	walk := stateWalks(t, w, e)
	walk(16)
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/new.xml\nSitemap: "+e+"/a.xml\n")
	w.slow(e+"/new.xml", index("https://Example.com/a.xml"))
	for i := range 3 {
		if l := walk(16); !slices.Equal(l.locs(), []string{e + "/1"}) || l.err != nil {
			t.Errorf("walk %d: %q, %v", i+2, l.urls, l.err)
		}
	}
}

// TestStateUnderNewGrants: a document that was fetched ahead under fewer grants than it has by
// its turn is read, whatever its validators say.
func TestStateUnderNewGrants(t *testing.T) {
	const e, cdn = "https://example.com", "https://cdn.test"
	for _, concurrency := range []int{1, 16} {
		w := newWeb()
		w.serve(e+"/robots.txt", "Sitemap: "+e+"/s.xml\n")
		w.tagged(e+"/s.xml", urlset(e+"/1", cdn+"/2"))
		walk := stateWalks(t, w, e)
		walk(concurrency)
		w.serve(e+"/robots.txt", "Sitemap: "+cdn+"/i.xml\nSitemap: "+e+"/s.xml\n")
		w.slow(cdn+"/i.xml", index(e+"/s.xml"))
		if l := walk(concurrency); !slices.Contains(l.locs(), cdn+"/2") {
			t.Errorf("at concurrency %d: %q, %q", concurrency, l.urls, l.problems)
		}
	}
}

// TestStateVerification: a document is read again once the robots.txt of a host whose URLs it
// lists vouches for it, and not before.
func TestStateVerification(t *testing.T) {
	const e, shop = "https://www.example.com", "https://shop.example.com"
	for name, refuse := range map[string]func(*web){
		"broken":          func(w *web) { w.status(shop+"/robots.txt", http.StatusServiceUnavailable) },
		"silent about it": func(w *web) { w.serve(shop+"/robots.txt", "Sitemap: "+shop+"/own.xml\n") },
	} {
		for trust, robots := range map[string]string{"robots": "Sitemap: " + e + "/sitemap.xml\n", "location": ""} { // a known path
			synctest.Test(t, func(t *testing.T) {
				w := newWeb()
				w.serve(e+"/robots.txt", robots)
				w.tagged(e+"/sitemap.xml", urlset(e+"/1", shop+"/2"))
				refuse(w)
				walk := stateWalks(t, w, e)
				for i, want := range []string{e + "/1 " + trust, "", "", "", ""} {
					if i == 3 {
						w.serve(shop+"/robots.txt", "Sitemap: "+e+"/sitemap.xml\n")
						want = e + "/1 " + trust + " " + shop + "/2 verified"
					}
					if got := strings.Join(walk(16).urls, " "); got != want {
						t.Errorf("%s: walk %d: %q, want %q", name, i+1, got, want)
					}
				}
			})
		}
	}
}

// TestStateVerifiedIndex: the children of an index that a host vouched for, because of a page of
// the index itself, have that host's grant too where the index is not read again.
func TestStateVerifiedIndex(t *testing.T) {
	const e, blog, www = "https://www.example.com", "https://blog.example.com", "https://www.blog.example.com"
	site := func(vouches string, pages ...string) *web {
		w := newWeb()
		w.serve(e+"/robots.txt", "Sitemap: "+e+"/i.xml\n")
		w.serve(blog+"/robots.txt", "Sitemap: "+vouches+"\n")
		w.tagged(e+"/i.xml", strings.Replace(index(e+"/c.xml"), "</sitemapindex>", "<url><loc>"+blog+"/x</loc></url></sitemapindex>", 1))
		w.serve(e+"/c.xml", urlset(pages...))
		return w
	}
	w := site(e+"/i.xml", e+"/a", www+"/b")
	walk := stateWalks(t, w, e)
	equal(t, "first walk", walk(16).urls, []string{blog + "/x verified", e + "/a robots", www + "/b variant"})
	for range 2 {
		*w = *site(e+"/i.xml", e+"/a", www+"/b", www+"/c")
		equal(t, "walk of the children", walk(16).urls, []string{e + "/a robots", www + "/b variant", www + "/c variant"})
	}
	*w = *site(e+"/other.xml", e+"/a", www+"/b")
	equal(t, "walk without it", walk(16).urls, []string{e + "/a robots"})

	w = site(e+"/i.xml", e+"/a", www+"/b")
	out, err := stopAndResume(t, w, e, 2)
	slices.Sort(out)
	equal(t, "interrupted", slices.Compact(out), []string{blog + "/x verified", www + "/b variant", e + "/a robots"})
	if err != nil {
		t.Error(err)
	}
}

// TestStateLateGrant: a document that has not changed has its late grants all the same.
func TestStateLateGrant(t *testing.T) {
	const e, of = "https://www.example.com", "https://d.example.net"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/i1.xml\nSitemap: "+of+"/i2.xml\n")
	w.serve(e+"/i1.xml", index("https://c.example.org/map.xml"))
	w.serve(of+"/i2.xml", index("https://c.example.org/other.xml"))
	w.tagged("https://c.example.org/map.xml", urlset(of+"/page", e+"/p"))
	walk := stateWalks(t, w, e)
	walk(16)
	w.serve(of+"/i2.xml", index("https://c.example.org/map.xml"))
	for range 2 {
		if l := walk(16); !slices.ContainsFunc(l.problems, isLateGrant("https://c.example.org/map.xml", "d.example.net")) {
			t.Errorf("problems %q", l.problems)
		}
	}
}

// stopAndResume walks a site until it has yielded so many URLs, and then to its end. It returns
// what its output has then, and how the last walk ended.
func stopAndResume(t *testing.T, w *web, site string, stop int) (out []string, err error) {
	path := filepath.Join(t.TempDir(), "state")
	for run := range 2 {
		s := openState(t, path)
		offset, _, resumeErr := s.Resume("out", site)
		if resumeErr != nil {
			t.Fatal(resumeErr)
		}
		out, err = out[:offset], nil
		o := &Options{State: s, Done: func(*Sitemap, Summary) { s.Note(int64(len(out))) }}
		for u, e := range w.client().URLs(t.Context(), site, o) {
			if err = e; err != nil || run == 0 && len(out) == stop {
				break
			}
			out = append(out, u.Loc+" "+u.Trust.String())
		}
		s.Abandon()
	}
	return out, err
}

// TestResumeAlike: a walk that is interrupted anywhere yields in the end what it does
// undisturbed: also where it had tried a document under other spellings, or had asked hosts
// whether they vouch for a document.
func TestResumeAlike(t *testing.T) {
	const e, shop = "https://www.example.com", "https://shop.example.com"
	spellings := newWeb()
	spellings.serve(e+"/robots.txt", "Sitemap: "+e+"/index.xml\n")
	spellings.serve(e+"/index.xml", index(e+"/%73.xml", e+"/go", e+"/other.xml", e+"/s.xml"))
	spellings.redirect(e+"/go", e+"/s.xml")
	spellings.serve(e+"/s.xml", urlset(e+"/1"))
	spellings.serve(e+"/other.xml", urlset(e+"/2"))
	verified := newWeb()
	verified.serve(e+"/robots.txt", "Sitemap: "+e+"/first.xml\nSitemap: "+e+"/index.xml\n")
	verified.serve(shop+"/robots.txt", "Sitemap: "+e+"/first.xml\nSitemap: "+e+"/late.xml\n")
	verified.serve(e+"/first.xml", urlset(shop+"/1"))
	verified.serve(e+"/index.xml", index(e+"/late.xml", e+"/doc.xml"))
	verified.serve(e+"/late.xml", index(e+"/index.xml"))
	verified.serve(e+"/doc.xml", urlset(shop+"/2"))
	for name, w := range map[string]*web{"spellings": spellings, "verified": verified} {
		want := walkSite(w.client(), e, Options{}).urls
		if len(want) != 2 {
			t.Errorf("%s: undisturbed: %q", name, want)
		}
		for stop := range want {
			if got, _ := stopAndResume(t, w, e, stop); !slices.Equal(got, want) {
				t.Errorf("%s: stopped after %d URLs: %q, want %q", name, stop, got, want)
			}
		}
	}
}

// TestResumeTellsFailures: what could not be read before an interruption is told after it too,
// by errors that can be told apart.
func TestResumeTellsFailures(t *testing.T) {
	const e = "https://example.com"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/i.xml\n")
	w.serve(e+"/i.xml", index(e+"/gone.xml", e+"/page.html", e+"/s.xml"))
	w.status(e+"/gone.xml", http.StatusGone)
	w.serve(e+"/page.html", "\n<!DOCTYPE html><html>")
	w.serve(e+"/s.xml", urlset(e+"/1", e+"/2"))
	_, err := stopAndResume(t, w, e, 1)
	var fe *fetch.Error
	if !errors.As(err, &fe) || fe.Status != http.StatusGone || fe.URL != e+"/gone.xml" || !errors.Is(err, fetch.ErrStatus) {
		t.Errorf("of the status: %v", err)
	}
	var pe *sitemap.ParseError
	if !errors.As(err, &pe) || pe.Pos.Line != 1 || !errors.Is(err, sitemap.ErrHTML) || !errors.Is(err, sitemap.ErrNotSitemap) {
		t.Errorf("of the HTML page: %v", err)
	}
	if undisturbed := walkSite(w.client(), e, Options{}).err; fmt.Sprint(err) != fmt.Sprint(undisturbed) {
		t.Errorf("%v, want %v", err, undisturbed)
	}
	w.handle(e+"/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("X-Cut", "1")
		io.WriteString(rw, "Sitemap: "+e+"/s.xml\nSitemap: https://exa")
	})
	if _, err := stopAndResume(t, w, e, 1); !errors.Is(err, fetch.ErrBody) {
		t.Errorf("of the robots.txt that broke off: %v", err)
	}
}

// TestResumeTellsOfEndedWalks is TestResumeTellsFailures for a walk that had come to its end
// before another was interrupted.
func TestResumeTellsOfEndedWalks(t *testing.T) {
	w := newWeb()
	a, b := "https://a.test/s.xml", "https://b.test/s.xml"
	w.serve(a, index("https://a.test/missing.xml"))
	w.serve(b, urlset("https://b.test/1", "https://b.test/2"))
	path := filepath.Join(t.TempDir(), "state")
	for run := range 2 {
		s := openState(t, path)
		if _, _, err := s.Resume("out", a, b); err != nil {
			t.Fatal(err)
		}
		l := walkFrom(w.client(), named(a), Options{State: s})
		var fe *fetch.Error
		if !errors.As(l.err, &fe) || fe.Status != http.StatusNotFound {
			t.Errorf("run %d: %v", run, l.err)
		}
		for range w.client().Walk(t.Context(), named(b), &Options{State: s}) {
			break
		}
		s.Abandon()
	}
}

// TestResumeTellsAll is TestResumeTellsOfEndedWalks for what is no failure of a document that the
// State keeps as such: a limit, a known path that was missed, an index of too many children.
func TestResumeTellsAll(t *testing.T) {
	const limited, missed, wide = "https://a.example.com", "https://m.example.com", "https://w.example.com"
	w := newWeb()
	w.serve(limited+"/sitemap.xml", index(limited+"/1.xml", limited+"/2.xml"))
	w.serve(limited+"/1.xml", urlset(limited+"/p"))
	w.status(missed+"/sitemap.xml", http.StatusServiceUnavailable)
	w.serve(missed+"/sitemap_index.xml", urlset(missed+"/p", missed+"/q"))
	var kids []string
	for i := range maxKids / 2_000 {
		kids = append(kids, fmt.Sprintf("%s/%d%s", wide, i, strings.Repeat("x", 2_000)))
	}
	w.serve(wide+"/sitemap.xml", index(kids...))
	c := &Client{Fetcher: &fetch.Client{Transport: w, Retries: -1}}
	o := Options{MaxSitemaps: 2, Limits: sitemap.Limits{Entries: len(kids) - 1}, Follow: func(s *Sitemap) bool { return s.Referrer.Loc != wide+"/sitemap.xml" }}
	want := map[string]error{limited: ErrLimit, missed: fetch.ErrStatus, wide: sitemap.ErrTooManyEntries}
	path := filepath.Join(t.TempDir(), "state")
	for run := range 2 {
		s := openState(t, path)
		if _, _, err := s.Resume("out", limited, missed, wide, "https://not.begun.example"); err != nil {
			t.Fatal(err)
		}
		o.State = s
		for site, want := range want {
			l := walkSite(c, site, o)
			if !errors.Is(l.err, want) {
				t.Errorf("run %d: %s: %v, want %v", run, site, l.err, want)
			}
			if want != ErrLimit && len(l.sums) == 0 {
				t.Errorf("run %d: %s: Done was told nothing", run, site)
			}
			if run > 0 && len(l.urls) > 0 {
				t.Errorf("%s: %q again", site, l.urls)
			}
		}
		s.Abandon()
	}
	if got, err := stopAndResume(t, w, missed, 1); len(got) != 2 || !errors.Is(err, fetch.ErrStatus) {
		t.Errorf("of a walk that goes on: %q, %v", got, err)
	}
}

// TestRetellEndsWithItsContext: so does a walk that only says again what failed in it.
func TestRetellEndsWithItsContext(t *testing.T) {
	const e = "https://example.com"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/a.xml\nSitemap: "+e+"/b.xml\n")
	path := filepath.Join(t.TempDir(), "state")
	for i, want := range []error{fetch.ErrStatus, context.Canceled} {
		s := openState(t, path)
		if _, _, err := s.Resume("out", e, "https://not.begun.example"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		told := 0
		o := &Options{State: s, Done: func(*Sitemap, Summary) {
			if told++; i > 0 {
				cancel()
			}
		}}
		for _, err := range w.client().URLs(ctx, e, o) {
			if !errors.Is(err, want) || told != 2-i {
				t.Errorf("walk %d: %v, told of %d documents", i, err, told)
			}
		}
		cancel()
		s.Abandon()
	}
}

// TestQueued: how many documents are still to be walked is known also below indexes that have not
// changed, and comes to nothing.
func TestQueued(t *testing.T) {
	const e = "https://example.com"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/i.xml\n")
	w.tagged(e+"/i.xml", index(e+"/j.xml", e+"/1.xml", e+"/2.xml", e+"/1.xml"))
	w.tagged(e+"/j.xml", index(e+"/3.xml"))
	for _, name := range []string{"/1.xml", "/2.xml", "/3.xml"} {
		w.tagged(e+name, urlset(e+name+"/p"))
	}
	walk := stateWalks(t, w, e)
	for range 2 {
		l := walk(16)
		var queued []int
		for _, loc := range l.done {
			queued = append(queued, l.sums[loc].Queued)
		}
		if want := []int{4, 4, 3, 2, 1}; !slices.Equal(queued, want) { // the last is known
			t.Errorf("%q: %v, want %v", l.done, queued, want)
		}
	}
}

// TestUnverifiedOnce: an origin that does not vouch for a document is remembered once, also where
// another that does comes between.
func TestUnverifiedOnce(t *testing.T) {
	w := newWeb()
	w.serve("http://www.example.com/s.xml", urlset("http://a.example.com/1", "http://b.example.com/1", "http://a.example.com/2"))
	w.serve("http://b.example.com/robots.txt", "Sitemap: http://www.example.com/s.xml\n")
	s := openState(t, filepath.Join(t.TempDir(), "state"))
	defer s.Close()
	walkFrom(w.client(), named("http://www.example.com/s.xml"), Options{State: s})
	if got := s.entries["http://www.example.com/s.xml"].Unverified; len(got) != 1 || got[0] != "http://a.example.com" {
		t.Errorf("%q", got)
	}
}

// TestLateVerificationByAnotherOrder: what a host's robots.txt would have vouched for, had documents come in
// another order, stands under a late grant.
func TestLateVerificationByAnotherOrder(t *testing.T) {
	const e, shop = "https://www.example.com", "https://shop.example.com"
	for name, test := range map[string]struct {
		names string
		order [2]string
	}{
		"by a redirect":        {"/go", [2]string{"/s.xml", "/go"}},
		"by an index below it": {"/j.xml", [2]string{"/i.xml", "/j.xml"}},
	} {
		for _, order := range [][2]string{test.order, {test.order[1], test.order[0]}} {
			w := newWeb()
			w.serve(e+"/robots.txt", "Sitemap: "+e+order[0]+"\nSitemap: "+e+order[1]+"\n")
			w.serve(shop+"/robots.txt", "Sitemap: "+e+test.names+"\n")
			w.redirect(e+"/go", e+"/s.xml")
			w.serve(e+"/s.xml", urlset(shop+"/1"))
			w.serve(e+"/i.xml", index(e+"/j.xml", e+"/doc.xml"))
			w.serve(e+"/j.xml", index(e+"/i.xml"))
			w.serve(e+"/doc.xml", urlset(shop+"/1"))
			if l := walkSite(w.client(), e, Options{}); len(l.urls) == 0 && !l.has(t, "late_grant") || len(l.urls) > 0 && order == test.order {
				t.Errorf("%s: %q: %q, %q", name, order, l.urls, l.problems)
			}
		}
	}
}

// TestMissedPathOfAnotherWalk: that a known path failed for one walk does not have another that goes
// on forget that it has read it.
func TestMissedPathOfAnotherWalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const e = "https://example.com"
		w, busy := newWeb(), false
		w.handle(e+"/sitemap.xml", func(rw http.ResponseWriter, _ *http.Request) {
			if busy {
				rw.Header().Set("Retry-After", "3")
				rw.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			io.WriteString(rw, urlset(e+"/1"))
		})
		w.serve(e+"/b.xml", urlset(e+"/2"))
		w.serve(e+"/sitemap_index.xml", urlset(e+"/3"))
		s := openState(t, filepath.Join(t.TempDir(), "state"))
		defer s.Close()
		from := named(e+"/sitemap.xml", e+"/b.xml")
		if _, _, err := s.Resume("", nameOf(from), e); err != nil {
			t.Fatal(err)
		}
		for u := range w.client().Walk(t.Context(), from, &Options{State: s}) {
			if u.Loc == e+"/2" {
				break
			}
		}
		busy = true
		if l := walkSite(w.client(), e, Options{State: s}); !errors.Is(l.err, fetch.ErrStatus) {
			t.Errorf("the other walk: %q, %v", l.urls, l.err)
		}
		busy = false
		time.Sleep(5 * time.Second)
		if l := walkFrom(w.client(), from, Options{State: s}); len(l.urls) != 1 || l.err != nil {
			t.Errorf("goes on with %q, %v", l.urls, l.err)
		}
	})
}
