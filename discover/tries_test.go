package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A moved is an answer that redirects.
type moved string

// answers serves what a URL answers by turns, the last for good: an int is a status, a
// string a body, which breaks off at its end if that is "…".
func (w *web) answers(url string, turns ...any) {
	n := 0
	w.handle(url, func(rw http.ResponseWriter, _ *http.Request) {
		turn := turns[min(n, len(turns)-1)]
		n++
		switch turn := turn.(type) {
		case int:
			rw.WriteHeader(turn)
			return
		case moved:
			rw.Header().Set("Location", string(turn))
			rw.WriteHeader(http.StatusFound)
			return
		}
		text, cut := strings.CutSuffix(turn.(string), "…")
		if cut {
			rw.Header().Set("X-Cut", "1")
		}
		rw.Write([]byte(text))
	})
}

// retrying returns a Client that fetches again what broke off.
func (w *web) retrying() *Client {
	return &Client{Concurrency: 1, Fetcher: &fetch.Client{Transport: w, Retries: 2}}
}

// TestTriesKeepChildren: what an index listed before it broke off is walked, whatever comes
// of it when it is fetched again.
func TestTriesKeepChildren(t *testing.T) {
	const a, b, c = "https://example.com/a.xml", "https://example.com/b.xml", "https://example.com/c.xml"
	cut := func(locs ...string) string { return strings.TrimSuffix(index(locs...), "</sitemapindex>") + "…" }
	for name, turns := range map[string][]any{
		"an error":  {cut(a, b, c), 404},
		"a failure": {cut(a, b, c), 500},
		"less":      {cut(a), cut(a, b, c), cut(a, b)},
		"all":       {cut(a), index(a, b, c)},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.answers("https://example.com/index.xml", turns...)
			for _, loc := range []string{a, b, c} {
				w.serve(loc, urlset(strings.TrimSuffix(loc, ".xml")))
			}
			l := walkFrom(w.retrying(), named("https://example.com/index.xml"), Options{})
			equal(t, name, l.locs(), []string{"https://example.com/a", "https://example.com/b", "https://example.com/c"})
			sum := l.sums["https://example.com/index.xml"]
			if failed := errors.Is(sum.Err, fetch.ErrBody) && errors.As(l.err, new(*WalkError)); failed != (name != "all") {
				t.Errorf("%s: errors %v, %v", name, sum.Err, l.err)
			}
			if sum.Entries != 3 || sum.Format != sitemap.SitemapIndex || sum.Status != 200 || sum.Attempts != w.hits("https://example.com/index.xml") {
				t.Errorf("%s: summary %+v", name, sum)
			}
		})
	}
}

// TestTriesElsewhere: a document that broke off where another one is, and then came from
// somewhere else, has neither the other's place in the walk nor its grants.
func TestTriesElsewhere(t *testing.T) {
	const a, b = "https://example.com/a.xml", "https://example.org/b/b.xml"
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.serve("https://example.com/index.xml", index(a, b))
		w.answers(a, moved(b), urlset("https://example.com/a", "https://example.org/b/a"))
		w.answers(b, "<urlset>…", urlset("https://example.org/b/b"))
		l := walkFrom(w.retrying(), named("https://example.com/index.xml"), Options{})
		equal(t, "urls", l.locs(), []string{"https://example.com/a", "https://example.org/b/b"})
		if l.err != nil {
			t.Error(l.err)
		}
	})
}

// TestTriesKeepRobots: so with the records of a robots.txt.
func TestTriesKeepRobots(t *testing.T) {
	const both = "Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b.xml\nUser-agent: *\n…"
	for name, turns := range map[string][]any{
		"an error": {both, 404}, "a failure": {both, 500}, "less": {both, "Sitemap: https://example.com/a.xml\nUser…"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.answers("https://example.com/robots.txt", turns...)
			w.serve("https://example.com/a.xml", urlset("https://example.com/a"))
			w.serve("https://example.com/b.xml", urlset("https://example.com/b"))
			l := walkSite(w.retrying(), "https://example.com", Options{})
			equal(t, name, l.locs(), []string{"https://example.com/a", "https://example.com/b"})
			if sum := l.sums["https://example.com/robots.txt"]; !errors.Is(sum.Err, fetch.ErrBody) || sum.Status != 200 {
				t.Errorf("%s: summary %+v", name, sum)
			}
		})
	}
}

// TestRobotsOfAnySize: the limit of documents is not that of robots.txt.
func TestRobotsOfAnySize(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/robots.txt", strings.Repeat("# a comment\n", 1000)+"Sitemap: https://example.com/a.xml\n")
	w.serve("https://example.com/a.xml", urlset("https://example.com/a"))
	c := &Client{Fetcher: &fetch.Client{Transport: w, MaxBytes: 1000}}
	l := walkSite(c, "https://example.com", Options{Limits: sitemap.Limits{Bytes: 1000}})
	equal(t, "urls", l.locs(), []string{"https://example.com/a"})
}

// TestTriesOfKnownPath: a known path that breaks off before it can be told is asked again.
func TestTriesOfKnownPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.answers("https://example.com/sitemap.xml", `<?xml version="1.0"?>…`, urlset("https://example.com/a"))
		l := walkSite(w.retrying(), "https://example.com", Options{})
		equal(t, "urls", l.locs(), []string{"https://example.com/a"})
		sum := l.sums["https://example.com/sitemap.xml"]
		if size := int64(len(`<?xml version="1.0"?>` + urlset("https://example.com/a"))); sum.Attempts != 2 || sum.Elapsed != time.Second || sum.Received != size {
			t.Errorf("summary %+v, not of %d bytes", sum, size)
		}
	})
}

// TestSummaryOfFailures: a document that was answered with a status tells by which URL.
func TestSummaryOfFailures(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/index.xml", index("https://example.com/moved.xml", "https://example.com/lost.xml", "https://example.com/loop.xml"))
	w.redirect("https://example.com/moved.xml", "https://example.com/gone.xml")
	w.redirect("https://example.com/lost.xml", "ftp://example.com/map.xml")
	w.redirect("https://example.com/loop.xml", "https://example.com/loop.xml")
	l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{})
	for loc, want := range map[string]struct {
		final  string
		status int
	}{
		"https://example.com/moved.xml": {"https://example.com/gone.xml", http.StatusNotFound},
		"https://example.com/lost.xml":  {"", http.StatusFound}, // the target was not asked
		"https://example.com/loop.xml":  {"https://example.com/loop.xml", http.StatusFound},
	} {
		if sum := l.sums[loc]; sum.FinalURL != want.final || sum.Status != want.status || sum.Err == nil {
			t.Errorf("%s: %+v", loc, sum)
		}
	}
}

// TestTriesReportOnce: a problem is told once, however often the document is fetched.
func TestTriesReportOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.answers("https://example.com/index.xml", strings.TrimSuffix(index("ftp://example.com/x", "mailto:x"), "</sitemapindex>")+"…")
		l := walkFrom(w.retrying(), named("https://example.com/index.xml"), Options{})
		if len(l.problems) != 2 || w.hits("https://example.com/index.xml") != 3 {
			t.Errorf("%q of %d fetches", l.problems, w.hits("https://example.com/index.xml"))
		}
	})
}

// TestTriesReportAll: where a document breaks off between the problems of an entry, which do
// not come in the order of their places, none is left out.
func TestTriesReportAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		whole := index("https://other.test/a.xml|junk", "https://other.test/b.xml")
		w.answers("https://example.com/index.xml", whole[:strings.Index(whole, "junk")+len("junk</lastmod>")]+"…", whole)
		l := walkFrom(w.retrying(), named("https://example.com/index.xml"), Options{})
		for _, p := range []string{"bad_lastmod", "foreign_child https://other.test/a.xml", "foreign_child https://other.test/b.xml"} {
			if n := strings.Count(strings.Join(l.problems, "\n"), p); n != 1 {
				t.Errorf("%s: %d times in %q", p, n, l.problems)
			}
		}
	})
}

// TestTriesShareTimeout: the time for a document is for all its tries.
func TestTriesShareTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.handle("https://example.com/slow.xml", func(rw http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * time.Second)
			rw.Header().Set("X-Cut", "1")
		})
		begun := time.Now()
		c := &Client{Fetcher: &fetch.Client{Transport: w, Retries: 2, Timeout: 5 * time.Second}}
		l := walkFrom(c, named("https://example.com/slow.xml"), Options{})
		if !errors.Is(l.err, fetch.ErrTimeout) {
			t.Errorf("error %v", l.err)
		}
		if took := time.Since(begun); took > 8*time.Second { // with the pause between
			t.Errorf("took %v", took)
		}
	})
}

// A stalling transport gives bodies that never come.
type stalling struct{ *web }

func (s stalling) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.web.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusOK {
		resp.Body = stalled{resp.Body, r.Context()}
	}
	return resp, err
}

type stalled struct {
	io.Closer
	ctx context.Context
}

func (s stalled) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// TestTriesEndWithTimeout: where the time for a document is over, there is no pause before
// another try; where it is not, a body that stalls is tried again.
func TestTriesEndWithTimeout(t *testing.T) {
	const site = "https://example.com"
	for _, path := range []string{"/robots.txt", "/sitemap.xml", "/named.xml"} {
		for _, tt := range []struct {
			timeout, took time.Duration
			requests      int
		}{
			{20 * time.Second, 20 * time.Second, 1},
			{5 * time.Minute, (3*30 + 1 + 2) * time.Second, 3},
		} {
			synctest.Test(t, func(t *testing.T) {
				w := newWeb()
				w.serve(site+path, "")
				begun := time.Now()
				c := &Client{Fetcher: &fetch.Client{Transport: stalling{w}, Retries: 2, Timeout: tt.timeout}}
				if path == "/named.xml" {
					l := walkFrom(c, named(site+path), Options{})
					if !errors.Is(l.err, fetch.ErrTimeout) {
						t.Errorf("%s: %v", path, l.err)
					}
				} else if _, err := c.Find(t.Context(), site); !errors.Is(err, fetch.ErrTimeout) {
					t.Errorf("%s: %v", path, err)
				}
				if took := time.Since(begun); took != tt.took || w.hits(site+path) != tt.requests {
					t.Errorf("%s: %d requests in %v, want %d in %v", path, w.hits(site+path), took, tt.requests, tt.took)
				}
			})
		}
	}
}

// TestTriesWaitOnce: time counts once.
func TestTriesWaitOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		n := 0
		w.handle("https://example.com/slow.xml", func(rw http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * time.Second)
			if n++; n < 3 {
				rw.Header().Set("X-Cut", "1")
				return
			}
			rw.Write([]byte(urlset("https://example.com/a")))
		})
		c := &Client{Fetcher: &fetch.Client{Transport: w, Retries: 2, Timeout: 10 * time.Second}}
		l := walkFrom(c, named("https://example.com/slow.xml"), Options{})
		equal(t, "urls", l.locs(), []string{"https://example.com/a"})
		if l.err != nil {
			t.Errorf("error %v", l.err)
		}
	})
}

// TestUnreadIsNoDuplicate: a document that failed does not stand for one that answers from
// its URL later.
func TestUnreadIsNoDuplicate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.answers("https://example.com/b.xml", 503, 503, 503, urlset("https://example.com/b"))
		w.redirect("https://example.com/a.xml", "https://example.com/b.xml")
		l := walkFrom(w.retrying(), named("https://example.com/b.xml", "https://example.com/a.xml"), Options{})
		equal(t, "urls", l.locs(), []string{"https://example.com/b"})
		if len(l.done) != 2 {
			t.Errorf("ended: %q", l.done)
		}
	})
}

// TestStateOfAnotherDocument: that a document has not changed is nothing new of one that
// was not read before.
func TestStateOfAnotherDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	w := newWeb()
	for _, v := range []string{"v1", "v2"} {
		w.handle("https://example.com/"+v+".xml", func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("ETag", `"1"`)
			if r.Header.Get("If-None-Match") == `"1"` {
				rw.WriteHeader(http.StatusNotModified)
				return
			}
			rw.Write([]byte(urlset("https://example.com/" + v)))
		})
	}
	for i, want := range [][]string{{"https://example.com/v1"}, nil, {"https://example.com/v2"}, nil} {
		w.redirect("https://example.com/now.xml", fmt.Sprintf("https://example.com/v%d.xml", 1+i/2))
		state := openState(t, path)
		l := walkFrom(w.client(), named("https://example.com/now.xml"), Options{State: state})
		state.Close()
		equal(t, fmt.Sprint("walk ", i), l.locs(), want)
	}
}

// TestStateOfAnotherDocumentAtLast: also where it comes after tries that broke off.
func TestStateOfAnotherDocumentAtLast(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		n := 0
		for _, v := range []string{"v1", "v2"} {
			w.handle("https://example.com/"+v+".xml", func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("ETag", `"1"`)
				switch {
				case v == "v1" && n > 0:
					if n++; n == 3 {
						w.redirect("https://example.com/now.xml", "https://example.com/v2.xml")
					}
					rw.Header().Set("X-Cut", "1")
				case r.Header.Get("If-None-Match") == `"1"`:
					rw.WriteHeader(http.StatusNotModified)
				default:
					rw.Write([]byte(urlset("https://example.com/" + v)))
				}
			})
		}
		w.redirect("https://example.com/now.xml", "https://example.com/v1.xml")
		for i, want := range []string{"https://example.com/v1", "https://example.com/v2"} {
			n = i
			state := openState(t, path)
			l := walkFrom(w.retrying(), named("https://example.com/now.xml"), Options{State: state})
			state.Close()
			equal(t, want, l.locs(), []string{want})
		}
	})
}

// TestStateUnderOtherGrants: what was not trusted before is yielded when it is, though the
// document has not changed.
func TestStateUnderOtherGrants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	w := newWeb()
	w.handle("https://cdn.test/shared.xml", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		rw.Write([]byte(urlset("https://one.test/1", "https://two.test/2")))
	})
	for _, host := range []string{"one.test", "two.test"} {
		w.serve("https://"+host+"/robots.txt", "Sitemap: https://cdn.test/shared.xml\n")
	}
	state := openState(t, path)
	defer state.Close()
	for i, want := range []string{"https://one.test/1", "https://two.test/2"} {
		l := walkSite(w.client(), []string{"https://one.test", "https://two.test"}[i], Options{State: state})
		equal(t, want, l.locs(), []string{want})
	}
	l := walkSite(w.client(), "https://two.test", Options{State: state})
	equal(t, "again", l.locs(), nil)
}

// TestStateOfKnownPath: a site that was found by a known path is asked whether that has
// changed.
func TestStateOfKnownPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	w := newWeb()
	w.handle("https://example.com/sitemap.xml", func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-Modified-Since") != "" {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		rw.Header().Set("Last-Modified", "Mon, 06 May 2024 07:08:09 GMT")
		rw.Write([]byte(urlset("https://example.com/a")))
	})
	for i, want := range [][]string{{"https://example.com/a"}, nil, nil} {
		state := openState(t, path)
		l := walkSite(w.client(), "https://example.com", Options{State: state})
		state.Close()
		equal(t, fmt.Sprint("walk ", i), l.locs(), want)
	}
}

// TestProblemsWithoutCredentials: those of URLs in documents are nobody's to read.
func TestProblemsWithoutCredentials(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/robots.txt", "Sitemap: https://al:secret@example.com/index.xml\nSitemap: ftp://al:secret@example.com/\n")
	w.serve("https://example.com/index.xml", index("https://al:secret@example.com/a.xml", "https://al:secret@other.test/a.xml"))
	w.serve("https://example.com/a.xml", urlset("https://al:secret@example.com/a"))
	l := walkSite(w.client(), "https://example.com", Options{})
	for _, p := range l.problems {
		_, text, _ := strings.Cut(p, " ")
		if strings.Contains(text, "secret") {
			t.Errorf("problem %q", p)
		}
	}
	if !l.has(t, sitemap.Userinfo.String()+" https://example.com/a.xml") {
		t.Errorf("problems %q", l.problems)
	}
}

// TestTriesOverlap: while a document that broke off waits for its next try, others are fetched; and
// where all documents of a host break off, they do not have all their tries one after another.
func TestTriesOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		w := newWeb()
		var locs []string
		for i := range n {
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			locs = append(locs, loc)
			w.answers(loc, "…")
		}
		w.serve("https://example.com/index.xml", index(locs...))
		begun := time.Now()
		l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}, named("https://example.com/index.xml"), Options{})
		if took := time.Since(begun); took > 15*time.Second {
			t.Errorf("took %v", took)
		}
		var failed *WalkError
		if !errors.As(l.err, &failed) || failed.Failed != n {
			t.Errorf("error %v", l.err)
		}
		asked := 0
		for _, loc := range locs {
			asked += w.hits(loc)
		}
		// Beside these, three of those that were fetched ahead are fetched again.
		if asked < n+2*maxBroken || asked > n+4*maxBroken {
			t.Errorf("%d requests", asked)
		}
		if sum := l.sums[locs[0]]; sum.Attempts != 3 || sum.Elapsed < 3*time.Second {
			t.Errorf("the first: %+v", sum)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.answers("https://example.com/1.xml", "…", "…", urlset("https://example.com/1"))
		var locs []string
		for i := range 40 {
			loc := fmt.Sprintf("https://example.com/%d.xml", i+1)
			locs = append(locs, loc)
			if i > 0 {
				w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
					time.Sleep(time.Second)
					rw.Write([]byte(urlset(loc)))
				})
			}
		}
		w.serve("https://example.com/index.xml", index(locs...))
		begun := time.Now()
		l := walkFrom(&Client{Concurrency: 4, Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}, named("https://example.com/index.xml"), Options{})
		if took := time.Since(begun); len(l.urls) != 40 || took > 11*time.Second {
			t.Errorf("%d URLs, took %v", len(l.urls), took)
		}
	})
}
