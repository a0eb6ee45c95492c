package discover

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

func TestRobotsBodyBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := smallSite()
		tries := 0
		w.handle("https://example.com/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
			if tries++; tries == 1 {
				rw.Header().Set("X-Cut", "1")
			}
			rw.Write([]byte("Sitemap: https://example.com/a.xml\n"))
		})
		c := &Client{Fetcher: &fetch.Client{Transport: w, Retries: 1}}
		found, err := c.Find(t.Context(), "https://example.com")
		if err != nil || len(found) != 1 || tries != 2 {
			t.Errorf("found %v, %v after %d tries", found, err, tries)
		}
	})
}

// TestRobotsCut: what a robots.txt named before it broke off is walked, and the break
// told; the record that was cut is not taken.
func TestRobotsCut(t *testing.T) {
	w := smallSite()
	text := "Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b"
	w.handle("https://example.com/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("X-Cut", "1")
		rw.Write([]byte(text))
	})
	c := w.client()
	for range 2 { // it is not cached
		l := walkSite(c, "https://example.com", Options{})
		equal(t, "documents", l.done, []string{"https://example.com/robots.txt", "https://example.com/a.xml"})
		if !errors.Is(l.err, fetch.ErrBody) || errors.Is(l.err, ErrUnreachable) || len(l.urls) == 0 {
			t.Errorf("%d URLs, %v", len(l.urls), l.err)
		}
		if n := l.sums["https://example.com/robots.txt"].Queued; n != 1 {
			t.Errorf("%d documents queued behind it", n)
		}
	}
	robots, err := c.Robots(t.Context(), "https://example.com")
	if robots == nil || len(robots.Sitemaps) != 1 || !errors.Is(err, fetch.ErrBody) {
		t.Errorf("robots %v, %v", robots, err)
	}
	found, err := c.Find(t.Context(), "https://example.com")
	if len(found) != 1 || !errors.Is(err, fetch.ErrBody) || w.hits("https://example.com/robots.txt") != 4 {
		t.Errorf("found %v, %v", found, err)
	}
	text = "User-agent: *\nDisallow: /x\n"
	if _, err := c.Find(t.Context(), "https://example.com"); !errors.Is(err, ErrUnreachable) {
		t.Errorf("without records: %v", err)
	}
}

// TestRobotsCutSummary: what came is told of a robots.txt that broke off, by the network or
// inside its gzip; again when its walk goes on.
func TestRobotsCutSummary(t *testing.T) {
	text := gz("Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b.xml\n" + incompressible(4_000))
	for _, tt := range []struct {
		name, cut, text string
		want            error
	}{
		{"network", "1", "Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b.xml\n", fetch.ErrBody},
		{"gzip", "", text[:len(text)/2], sitemap.ErrTruncated},
	} {
		w := smallSite()
		w.redirect("https://example.com/robots.txt", "https://example.com/old/robots.txt")
		w.handle("https://example.com/old/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X-Cut", tt.cut)
			rw.Write([]byte(tt.text))
		})
		path := filepath.Join(t.TempDir(), "state")
		state := openState(t, path)
		o := Options{State: state}
		check := func(when string, l *log) {
			t.Helper()
			sum := l.sums["https://example.com/robots.txt"]
			if !errors.Is(sum.Err, tt.want) || sum.FinalURL != "https://example.com/old/robots.txt" || sum.Status != 200 || sum.Attempts != 1 ||
				sum.Received != int64(len(tt.text)) || sum.Entries != 2 || !slices.Equal(sum.Hops, []fetch.Hop{{URL: "https://example.com/robots.txt", Status: 302}}) {
				t.Errorf("%s, %s: %+v", tt.name, when, sum)
			}
		}
		first := &log{}
		for range w.client().URLs(t.Context(), "https://example.com/", first.options(o)) {
			break
		}
		check("at first", first)
		state.Close()
		state = openState(t, path)
		o.State = state
		check("again", walkSite(w.client(), "https://example.com/", o))
		state.Close()
	}
}

// incompressible returns about n bytes of comments that gzip makes little smaller.
func incompressible(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "# %x\n", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	return b.String()
}

// TestRobotsCutByHTTP: so it is where https cannot be connected to.
func TestRobotsCutByHTTP(t *testing.T) {
	w := newWeb()
	w.handle("http://example.com/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("X-Cut", "1")
		rw.Write([]byte("Sitemap: http://example.com/a.xml\n"))
	})
	w.serve("http://example.com/a.xml", urlset("http://example.com/1"))
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	c := &Client{Fetcher: &fetch.Client{Transport: refusing{w, refused}, Retries: -1}}
	l := walkSite(c, "example.com", Options{})
	equal(t, "URLs", l.locs(), []string{"http://example.com/1"})
	if !errors.Is(l.err, fetch.ErrBody) {
		t.Error(l.err)
	}
}
