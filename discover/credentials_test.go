package discover

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// guarded is a web of which https://example.com answers user:secret only. What else
// is asked for with credentials is noted.
type guarded struct {
	*web
	mu      sync.Mutex
	leaks   []string
	refused atomic.Int64 // requests of https://example.com
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{web: newWeb()}
	t.Cleanup(func() {
		if g.leaks != nil {
			t.Errorf("credentials went to %v", g.leaks)
		}
	})
	return g
}

// serve serves text at url to whom it is for.
func (g *guarded) serve(url, text string) {
	g.guard(url, func(rw http.ResponseWriter, _ *http.Request) { rw.Write([]byte(text)) })
}

func (g *guarded) guard(url string, h http.HandlerFunc) {
	g.handle(url, func(rw http.ResponseWriter, r *http.Request) {
		user, password, sent := r.BasicAuth()
		switch own := strings.HasPrefix(strings.Replace(url, ":443/", "/", 1), "https://example.com/"); {
		case own && user+":"+password != "user:secret":
			g.refused.Add(1)
			rw.WriteHeader(http.StatusUnauthorized)
			return
		case !own && sent:
			g.mu.Lock()
			g.leaks = append(g.leaks, url)
			g.mu.Unlock()
		}
		h(rw, r)
	})
}

// site serves what a walk by way of an index meets: children of the origin itself,
// and of all kinds of others.
func (g *guarded) site(robots string) (want []string) {
	g.serve("https://example.com/robots.txt", robots)
	g.serve("https://example.com/sitemap.xml", index(
		"https://example.com/own.xml", "https://EXAMPLE.com:443/port.xml", "https://example.com/moved.xml",
		"http://example.com/plain.xml", "https://www.example.com/www.xml", "https://stranger.test/child.xml"))
	for _, loc := range []string{
		"https://example.com/own.xml", "https://example.com:443/port.xml", "https://cdn.test/moved.xml",
		"http://example.com/plain.xml", "https://www.example.com/www.xml", "https://stranger.test/child.xml",
	} {
		page := loc[:strings.LastIndexByte(loc, '/')] + "/page"
		g.serve(loc, urlset(page))
		want = append(want, page)
	}
	g.guard("https://example.com/moved.xml", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", "https://cdn.test/moved.xml")
		rw.WriteHeader(http.StatusFound)
	})
	for _, host := range []string{"http://example.com", "https://www.example.com", "https://stranger.test"} {
		g.serve(host+"/robots.txt", "")
	}
	return want
}

// TestCredentials: the credentials of what the caller names go to all of its origin,
// and to no other.
func TestCredentials(t *testing.T) {
	const records = "User-agent: *\nAllow: /\nSitemap: https://example.com/sitemap.xml\n"
	for _, tt := range []struct{ name, robots, site string }{
		{"robots.txt", records, "https://user:secret@example.com/"},
		{"known path", "", "https://user:secret@example.com"},
		{"without scheme", records, "user:secret@example.com"},
		{"sitemap", "", "https://user:secret@example.com/sitemap.xml"},
	} {
		g := newGuarded(t)
		want := g.site(tt.robots)
		walk := func(o Options) *log {
			if tt.name == "sitemap" {
				return walkFrom(g.client(), named(tt.site), o)
			}
			return walkSite(g.client(), tt.site, o)
		}
		path := filepath.Join(t.TempDir(), "state")
		state := openState(t, path)
		l := walk(Options{State: state, MinTrust: Untrusted})
		equal(t, tt.name, l.locs(), want)
		if err := state.Close(); err != nil || l.err != nil || g.refused.Load() != 0 {
			t.Errorf("%s: %v, %v, %d requests refused", tt.name, l.err, err, g.refused.Load())
		}
		journal, _ := os.ReadFile(path)
		told := fmt.Sprint(l.urls, l.problems, l.done, l.sums, string(journal))
		for _, sum := range l.sums {
			for _, by := range sum.Referrers {
				told += by.String() + by.Loc + by.RobotsURL
			}
		}
		if strings.Contains(told, "secret") || strings.Contains(told, "user:") {
			t.Errorf("%s: credentials are told: %s", tt.name, told)
		}
	}
}

// TestCredentialsOfSeeds: those of a sitemap's own URL win.
func TestCredentialsOfSeeds(t *testing.T) {
	w := newWeb()
	got := map[string]string{}
	for path, text := range map[string]string{
		"/a.xml": index("https://example.com/c.xml", "https://own:pw@example.com/d.xml"),
		"/b.xml": urlset(), "/c.xml": urlset(), "/d.xml": urlset(),
	} {
		w.handle("https://example.com"+path, func(rw http.ResponseWriter, r *http.Request) {
			user, _, _ := r.BasicAuth()
			got[path] = user
			rw.Write([]byte(text))
		})
	}
	c := &Client{Fetcher: w.fetcher(), Concurrency: 1}
	l := walkFrom(c, named("https://first:pw@example.com/a.xml", "https://second:pw@example.com/b.xml"), Options{})
	if want := "map[/a.xml:first /b.xml:second /c.xml:first /d.xml:own]"; fmt.Sprint(got) != want || l.err != nil {
		t.Errorf("sent %v, want %s, %v", got, want, l.err)
	}
}

// TestCredentialsUpgrade: credentials for http go to https of the same host as well.
func TestCredentialsUpgrade(t *testing.T) {
	g := newGuarded(t)
	g.redirect("http://example.com/robots.txt", "https://example.com/robots.txt")
	g.serve("https://example.com/robots.txt", "Sitemap: https://example.com/s.xml")
	g.serve("https://example.com/s.xml", urlset("https://example.com/1", "https://www.example.com/2"))
	g.serve("https://www.example.com/robots.txt", "")
	l := walkSite(g.client(), "http://user:secret@example.com/", Options{})
	if len(l.urls) == 0 || l.err != nil || g.refused.Load() != 0 {
		t.Errorf("%v, %v, %d requests refused", l.urls, l.err, g.refused.Load())
	}
}

// TestCredentialsResume: a walk that goes on asks with the credentials that it is
// given then; and what is cached of a robots.txt is for who may see it.
func TestCredentialsResume(t *testing.T) {
	const page = "https://example.com/page"
	g := newGuarded(t)
	g.serve("https://example.com/robots.txt", "Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b.xml\n")
	g.serve("https://example.com/a.xml", urlset(page+"1", page+"2"))
	g.serve("https://example.com/b.xml", urlset(page+"3"))
	c := g.client()
	if l := walkSite(c, "https://example.com/", Options{}); l.urls != nil || l.err == nil {
		t.Errorf("without: %v, %v", l.urls, l.err)
	}
	path := filepath.Join(t.TempDir(), "state")
	site := "https://user:secret@example.com/"
	state := openState(t, path)
	for u := range c.URLs(t.Context(), site, &Options{State: state}) {
		if u.Loc == page+"3" {
			break
		}
	}
	state.Close()
	state = openState(t, path)
	defer state.Close()
	l := walkSite(g.client(), site, Options{State: state})
	equal(t, "the rest", l.locs(), []string{page + "3"})
	if l.err != nil || l.sums["https://example.com/a.xml"].Skipped != ByResume {
		t.Errorf("%v, %+v", l.err, l.sums)
	}
}
