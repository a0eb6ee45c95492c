package discover

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

func TestParseSite(t *testing.T) {
	for in, want := range map[string]string{
		"example.com":                     "https://example.com bare",
		"  example.com/  ":                "https://example.com/ bare",
		"//example.com":                   "https://example.com bare",
		"https://example.com/a/b?c#d":     "https://example.com/a/b",
		"HTTP://Example.COM":              "http://example.com",
		"münchen.example":                 "https://xn--mnchen-3ya.example bare",
		"example.com:8080/x":              "https://example.com:8080/x bare",
		"http://user:secret@example.com/": "http://example.com/",
		"http://[::1]:8080":               "http://[::1]:8080",
		"[::1]":                           "https://[::1] bare",
		"localhost":                       "https://localhost bare",
		"example.com/?u=http://x":         "https://example.com/ bare",
		"":                                "error", "ftp://example.com": "error", "https://": "error",
		"https://exa mple.com": "error", "http://a:b:c": "error",
		"http:/example.com": "error", "https:example.com": "error", "ftp:/example.com": "error",
		"example.com:": "https://example.com: bare",
	} {
		st, err := parseSite(in)
		got := "error"
		if err == nil {
			got = st.url.String()
			if st.bare {
				got += " bare"
			}
		} else if !errors.Is(err, ErrSite) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %v", in, err)
		}
		if got != want {
			t.Errorf("parseSite(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestFindByRobots(t *testing.T) {
	w := smallSite()
	found, err := w.client().Find(t.Context(), "https://example.com/some/path?x")
	if err != nil || len(found) != 2 || found[0].Loc != "https://example.com/index.xml" || found[0].Line != 3 {
		t.Fatalf("found %v, %v", found, err)
	}
	equal(t, "requests", w.order, []string{"https://example.com/robots.txt"})
}

func TestFindReturnsTheCallersOwn(t *testing.T) {
	c := smallSite().client()
	for range 2 {
		found, err := c.Find(t.Context(), "https://example.com")
		if err != nil || found[0].Loc != "https://example.com/index.xml" {
			t.Fatalf("found %v, %v", found, err)
		}
		if found[0].Scope.Trust("https://example.com/") != ByRobots || found[0].Scope.Trust("https://added.test/") != Untrusted {
			t.Errorf("found with the grants %v", found[0].Scope.Grants)
		}
		found[0].Loc, found[0].Scope.Grants[0].Host = "changed", "changed.test"
		added := Grant{Host: "added.test", Dir: "/", By: ByCaller}
		for _, sm := range found[1:] {
			sm.Scope.Grants = append(sm.Scope.Grants[:0], added)
		}
	}
}

func TestFindByKnownPath(t *testing.T) {
	known := urlset("https://example.com/1")
	for _, tt := range []struct {
		name  string
		site  string
		serve map[string]string
		want  string // location, or "" for none
		tried int    // requests beside robots.txt
	}{
		{"first", "example.com", map[string]string{"/sitemap.xml": known}, "/sitemap.xml", 1},
		{"second, behind a soft 404", "example.com", map[string]string{"/sitemap.xml": "<html><body>Not found</body></html>", "/sitemap_index.xml": index("https://example.com/x.xml")}, "/sitemap_index.xml", 2},
		{"json and login pages", "example.com", map[string]string{"/sitemap.xml": `{"error":404}`, "/sitemap_index.xml": "<!DOCTYPE html><form>", "/wp-sitemap.xml": known}, "/wp-sitemap.xml", 3},
		{"empty bodies", "example.com", map[string]string{"/sitemap.xml": "", "/sitemap-index.xml": known}, "/sitemap-index.xml", 4},
		{"text that says not found", "example.com", map[string]string{"/sitemap.xml": "Not found\n", "/sitemap.txt": "https://example.com/1\n"}, "/sitemap.txt", 6},
		{"gzip", "example.com", map[string]string{"/sitemap.xml.gz": gz(known)}, "/sitemap.xml.gz", 5},
		{"an empty urlset is one", "example.com", map[string]string{"/sitemap.xml": urlset()}, "/sitemap.xml", 1},
		{"below the path", "https://example.com/shop", map[string]string{"/shop/sitemap_index.xml": known}, "/shop/sitemap_index.xml", 8},
		{"beside a file", "https://example.com/shop/index.html", map[string]string{"/shop/sitemap.xml": known}, "/shop/sitemap.xml", 7},
		{"nowhere", "https://example.com/shop/", nil, "", 8},
		{"nowhere at the root", "https://example.com/", nil, "", 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWeb()
			for path, text := range tt.serve {
				w.serve("https://example.com"+path, text)
			}
			found, err := w.client().Find(t.Context(), tt.site)
			switch {
			case tt.want != "":
				if err != nil || len(found) != 1 || found[0].Loc != "https://example.com"+tt.want {
					t.Errorf("found %v, %v", found, err)
				}
			default:
				var none *NoSitemapError
				if !errors.Is(err, ErrNoSitemap) || !errors.As(err, &none) || len(none.Tried) != tt.tried+1 {
					t.Errorf("error %v", err)
				}
			}
			if n := len(w.order) - 1; n != tt.tried {
				t.Errorf("%d requests %v, want %d", n, w.order, tt.tried)
			}
			if n := w.open.Load(); n != 0 {
				t.Errorf("%d bodies left open", n)
			}
		})
	}
}

// TestWhyRobotsNamesNone tells why a robots.txt led nowhere.
func TestWhyRobotsNamesNone(t *testing.T) {
	for _, tt := range []struct {
		status int
		text   string
		want   string
	}{
		{404, "", "status 404 Not Found"},
		{410, "", "status 410 Gone"},
		{401, "", "status 401 Unauthorized"},
		{403, "<html>", "status 403 Forbidden"},
		{304, "", "status 304 Not Modified"},
		{300, "", "status 300 Multiple Choices"},
		{200, "<!DOCTYPE html>", "names no sitemap: an HTML page instead of a robots.txt"},
		{200, "\ufeff \r\n", "names no sitemap: empty"},
		{204, "", "names no sitemap: empty"},
		{200, "User-agent: *\nDisallow: /x\n", "names no sitemap"},
		{200, "Sitemap:\nSitemap: /robots.txt\nSitemap: ftp://example.com/\n", "names no sitemap: its Sitemap records hold no usable URL"},
	} {
		w := newWeb()
		w.handle("https://example.com/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(tt.status)
			rw.Write([]byte(tt.text))
		})
		_, err := w.client().Find(t.Context(), "https://example.com")
		var none *NoSitemapError
		if !errors.As(err, &none) || len(none.Tried) == 0 || none.Tried[0].URL != "https://example.com/robots.txt" {
			t.Fatalf("%d %q: error %v", tt.status, tt.text, err)
		}
		got := none.Tried[0].Err
		if text := strings.TrimPrefix(got.Error(), "fetch: https://example.com/robots.txt: "); text != tt.want {
			t.Errorf("%d %q: %q, want %q", tt.status, tt.text, text, tt.want)
		}
		if errors.Is(got, fetch.ErrStatus) != (tt.status >= 300) {
			t.Errorf("%d %q: %v matches ErrStatus, or does not", tt.status, tt.text, got)
		}
	}
}

// TestKnownPathIsFetchedOnce: what was read to see that it is a sitemap is not
// fetched again.
func TestKnownPathIsFetchedOnce(t *testing.T) {
	for _, text := range []string{urlset("https://example.com/1"), gz(gz(urlset("https://example.com/1"))), "https://example.com/1\n"} {
		w := newWeb()
		w.serve("https://example.com/sitemap.xml", text)
		l := walkSite(w.client(), "https://example.com", Options{})
		equal(t, "urls", l.urls, []string{"https://example.com/1 location"})
		if n := w.hits("https://example.com/sitemap.xml"); n != 1 || l.err != nil {
			t.Errorf("fetched %d times, error %v", n, l.err)
		}
		if n := w.open.Load(); n != 0 {
			t.Errorf("%d bodies left open", n)
		}
	}
}

func TestKnownPathsHeedDisallow(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/robots.txt", "User-agent: sitemap\nDisallow: /sitemap.xml\n")
	w.serve("https://example.com/sitemap.xml", urlset("https://example.com/1"))
	w.serve("https://example.com/sitemap_index.xml", urlset("https://example.com/2"))
	l := walkSite(w.client(), "https://example.com", Options{})
	equal(t, "urls", l.locs(), []string{"https://example.com/2"})
	if w.hits("https://example.com/sitemap.xml") != 0 {
		t.Error("fetched what is disallowed")
	}
	// What robots.txt names is fetched whatever it disallows.
	w.serve("https://other.test/robots.txt", "User-agent: *\nDisallow: /\nSitemap: https://other.test/s.xml")
	w.serve("https://other.test/s.xml", urlset("https://other.test/1"))
	if l := walkSite(w.client(), "https://other.test", Options{}); len(l.urls) != 1 {
		t.Errorf("what robots.txt names: %v, %v", l.urls, l.err)
	}
}

func TestKnownPathsOption(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/mine.xml", urlset("https://example.com/1"))
	w.serve("https://example.com/sitemap.xml", urlset("https://example.com/2"))
	l := walkSite(w.client(), "https://example.com/a/", Options{KnownPaths: []string{"", "%zz", "a:b", "?map=1", "/mine.xml"}})
	equal(t, "urls", l.locs(), []string{"https://example.com/1"})
	equal(t, "requests", w.order, []string{"https://example.com/robots.txt", "https://example.com/?map=1", "https://example.com/mine.xml"})
	l = walkSite(w.client(), "https://example.com/a/", Options{KnownPaths: []string{}})
	if !errors.Is(l.err, ErrNoSitemap) {
		t.Errorf("without known paths: %v", l.err)
	}
}

func TestRobotsStatus(t *testing.T) {
	for status, want := range map[int]error{
		http.StatusForbidden: ErrNoSitemap, http.StatusNotFound: ErrNoSitemap, http.StatusGone: ErrNoSitemap,
		http.StatusTooManyRequests: ErrUnreachable, http.StatusInternalServerError: ErrUnreachable, http.StatusServiceUnavailable: ErrUnreachable,
		http.StatusNoContent: ErrNoSitemap, http.StatusProxyAuthRequired: ErrUnreachable,
	} {
		w := newWeb()
		w.status("https://example.com/robots.txt", status)
		c := w.client()
		if _, err := c.Find(t.Context(), "https://example.com"); !errors.Is(err, want) {
			t.Errorf("status %d: %v, want %v", status, err, want)
		}
		if want == ErrUnreachable {
			if l := walkSite(c, "https://example.com", Options{}); !errors.Is(l.err, want) || len(l.done) != 0 {
				t.Errorf("status %d: walked %v, %v", status, l.done, l.err)
			}
		}
	}
	w := newWeb()
	// Redirects that lead nowhere.
	for _, to := range []string{"https://example.com/robots.txt", "file:///etc/passwd", "https://example.com:8443/", "https://"} {
		w.redirect("https://example.com/robots.txt", to)
		if _, err := w.client().Find(t.Context(), "https://example.com"); !errors.Is(err, ErrNoSitemap) {
			t.Errorf("redirected to %s: %v", to, err)
		}
	}
	// Five redirects are followed (RFC 9309, section 2.3.1.2), and no more.
	for hops, want := range map[int]error{5: nil, 6: ErrNoSitemap} {
		from := "https://example.com/robots.txt"
		for i := range hops {
			to := fmt.Sprintf("https://example.com/%d", i)
			w.redirect(from, to)
			from = to
		}
		w.serve(from, "Sitemap: https://example.com/s.xml")
		if _, err := w.client().Find(t.Context(), "https://example.com"); !errors.Is(err, want) {
			t.Errorf("%d redirects: %v, want %v", hops, err, want)
		}
	}
	// A site that is not gone to is no site without a robots.txt.
	c := &Client{Fetcher: &fetch.Client{Retries: -1}}
	if _, err := c.Find(t.Context(), "http://127.0.0.1"); !errors.Is(err, ErrUnreachable) || !errors.Is(err, fetch.ErrRefused) {
		t.Errorf("loopback: %v", err)
	}
	w.serve("https://example.com/robots.txt", "<html>hello</html>")
	l := walkSite(w.client(), "https://example.com", Options{})
	if !l.has(t, "https://example.com/robots.txt robots_html") || !errors.Is(l.err, ErrNoSitemap) {
		t.Errorf("HTML: %q, %v", l.problems, l.err)
	}
}

func TestRobotsAreCachedForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := smallSite()
		c := w.client()
		for range 3 {
			if _, err := c.Robots(t.Context(), "https://example.com"); err != nil {
				t.Fatal(err)
			}
		}
		if n := w.hits("https://example.com/robots.txt"); n != 1 {
			t.Errorf("fetched %d times in a moment", n)
		}
		time.Sleep(25 * time.Hour)
		if _, err := c.Robots(t.Context(), "https://example.com"); err != nil || w.hits("https://example.com/robots.txt") != 2 {
			t.Errorf("after a day: %d times, %v", w.hits("https://example.com/robots.txt"), err)
		}
		// A failure is not remembered.
		w.status("https://down.test/robots.txt", 503)
		for range 2 {
			if _, err := c.Robots(t.Context(), "https://down.test"); !errors.Is(err, ErrUnreachable) {
				t.Error(err)
			}
		}
		if n := w.hits("https://down.test/robots.txt"); n != 2 {
			t.Errorf("an unreachable one was asked for %d times", n)
		}
	})
}

func TestRobotsCacheIsBounded(t *testing.T) {
	var c robotsCache
	big := robotsOf(t, "Sitemap: https://a.test/"+strings.Repeat("x", 5000))
	for i := range 10_000 {
		c.put(fmt.Sprintf("https://%d.test", i), big)
	}
	if c.size > robotsRoom || c.used.Len() != len(c.byAt) {
		t.Errorf("the cache holds %d bytes, %d and %d files", c.size, c.used.Len(), len(c.byAt))
	}
	if c.get("https://9999.test") == nil || c.get("https://0.test") != nil {
		t.Error("not the oldest went first")
	}
}

// refusing is a transport that cannot connect by https: for err, or, if that is nil, since
// nobody answers.
type refusing struct {
	*web
	err error
}

func (r refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" {
		return r.web.RoundTrip(req)
	}
	if r.err == nil {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return nil, r.err
}

func TestBareHost(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for _, tt := range []struct {
		name string
		site string
		err  error
		want bool // found by http
	}{
		{"refused", "example.com", refused, true},
		{"silent", "example.com", nil, true},
		{"no TLS", "example.com", tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, true},
		{"certificate", "example.com", &tls.CertificateVerificationError{Err: errors.New("expired")}, false},
		{"no such host", "example.com", &net.DNSError{Err: "no such host", Name: "example.com", IsNotFound: true}, false},
		{"https named", "https://example.com", refused, false},
		{"http named", "http://example.com", refused, true},
		{"credentials", "user:secret@example.com", refused, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.serve("http://example.com/robots.txt", "Sitemap: http://example.com/s.xml")
			w.serve("http://example.com/s.xml", urlset("http://example.com/1"))
			c := &Client{Fetcher: &fetch.Client{Transport: refusing{w, tt.err}, Timeout: 30 * time.Second}}
			l := walkSite(c, tt.site, Options{})
			if got := l.err == nil && len(l.urls) == 1; got != tt.want {
				t.Errorf("%s: %v, %v", tt.name, l.urls, l.err)
			}
			if !tt.want && !errors.Is(l.err, ErrUnreachable) {
				t.Errorf("%s: error %v", tt.name, l.err)
			}
		})
	}
}

// withSecrets returns a client whose requests carry a secret, if they are to.
func withSecrets(c *fetch.Client, secrets bool) *Client {
	if secrets {
		c.Header = http.Header{"X-Api-Key": {"secret"}}
	}
	return &Client{Fetcher: c, Concurrency: 1}
}

// TestBareHostWithSecrets: what a Fetcher adds does not go by http because https cannot be reached.
func TestBareHostWithSecrets(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for _, secrets := range []bool{true, false} {
		w := newWeb()
		w.serve("http://example.com/robots.txt", "Sitemap: http://example.com/s.xml")
		w.serve("http://example.com/s.xml", urlset("http://example.com/1"))
		c := withSecrets(&fetch.Client{Transport: refusing{w, refused}, Retries: -1}, secrets)
		l := walkSite(c, "example.com", Options{})
		if errors.Is(l.err, ErrUnreachable) != secrets || (len(w.order) == 0) != secrets {
			t.Errorf("secrets %v: requests %v, %v", secrets, w.order, l.err)
		}
	}
}

// TestBareHostOfState: a walk that was begun by http does not go on there with credentials, nor
// with secrets of the Fetcher's.
func TestBareHostOfState(t *testing.T) {
	w := newWeb()
	w.serve("http://example.com/robots.txt", "Sitemap: http://example.com/a.xml\nSitemap: http://example.com/b.xml")
	w.serve("http://example.com/a.xml", urlset("http://example.com/1", "http://example.com/2"))
	w.serve("http://example.com/b.xml", urlset("http://example.com/3"))
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	client := func(secrets bool) *Client {
		return withSecrets(&fetch.Client{Transport: refusing{w, refused}, Retries: -1}, secrets)
	}
	path := filepath.Join(t.TempDir(), "state")
	state := openState(t, path)
	for range client(false).URLs(t.Context(), "example.com", &Options{State: state}) {
		break
	}
	state.Close()
	state = openState(t, path)
	defer state.Close()
	asked := len(w.order)
	for site, secrets := range map[string]bool{"user:secret@example.com": false, "example.com": true} {
		l := walkSite(client(secrets), site, Options{State: state})
		if !errors.Is(l.err, ErrUnreachable) || len(w.order) > asked {
			t.Errorf("%s, with secrets %t: requests %v, %v", site, secrets, w.order[asked:], l.err)
		}
	}
	if l := walkSite(client(false), "example.com", Options{State: state}); l.err != nil || len(l.urls) == 0 {
		t.Errorf("without: %v, %v", l.urls, l.err)
	}
}

func TestBareHostOnLoopback(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sitemap.xml" {
			w.Write([]byte(urlset("http://" + r.Host + "/1")))
			return
		}
		http.NotFound(w, r)
	}))
	defer srv.Close()
	c := &Client{Fetcher: &fetch.Client{AllowPrivateNetworks: true}}
	l := walkSite(c, strings.TrimPrefix(srv.URL, "http://"), Options{})
	equal(t, "urls", l.urls, []string{srv.URL + "/1 location"})
	if l.err != nil {
		t.Error(l.err)
	}
	// Without leave, loopback is refused.
	l = walkSite(&Client{}, srv.URL, Options{})
	if !errors.Is(l.err, fetch.ErrRefused) {
		t.Errorf("loopback: %v", l.err)
	}
}

// TestFindEndsWithItsContext: the error is ctx's.
func TestFindEndsWithItsContext(t *testing.T) {
	w := newWeb()
	ctx, cancel := context.WithCancel(t.Context())
	w.handle("https://example.com/robots.txt", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if _, err := w.client().Find(ctx, "https://example.com"); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnreachable) {
		t.Errorf("error %v", err)
	}
}

func TestErrorsSayNoCredentials(t *testing.T) {
	for _, loc := range []string{
		"https://user:secret@example.com/s.xml", "https://user:secret@example.com:99999/s.xml",
		"https://user:secret@exa mple.com/", "https:user:secret@example.com/", `https:\\user:secret@example.com/`,
		"https:/user:secret@example.com/", "https//user:secret@example.com/", "https:///user:secret@example.com/", "htps//user:sec/secret@example.com/",
		"https://https//user:secret@example.com/", "user:secret@example.com:x/", "https/user:secret@example.com/",
	} {
		path := filepath.Join(t.TempDir(), "state")
		state := openState(t, path)
		w := newWeb()
		if _, _, err := state.Resume("", loc); err != nil {
			t.Error(err)
		}
		l, site := walkFrom(w.client(), named(loc), Options{State: state}), walkSite(w.client(), loc, Options{State: state})
		if err := state.Close(); err != nil || l.err == nil || site.err == nil {
			t.Errorf("%s: %v, %v, %v", loc, l.err, site.err, err)
		}
		journal, _ := os.ReadFile(path)
		if told := fmt.Sprint(l.err, l.urls, l.problems, l.done, l.sums, site.err, w.order, string(journal)); strings.Contains(told, "secret") {
			t.Errorf("%s: %s", loc, told)
		}
	}
}

func TestRedactText(t *testing.T) {
	long := strings.Repeat("x", 240)
	for text, want := range map[string]string{
		"http://bob:secret@a.example/x": "http://a.example/x", "//bob:secret@a.example/x": "//a.example/x", "http:/bob:secret@a.example": "http:/a.example",
		"http://bob:sec ret@a.example/": "http://a.example/", "http:/bob:se'cr\"et@a.example/ http://b.example/@jane": "http:/a.example/ http://b.example/@jane",
		"bob:secret@a.example": "a.example", "Sitemap: bob:secret@a.example/x": "Sitemap: a.example/x", "Sitemap:bob:secret@a.example/x": "a.example/x",
		"<loc>bob:secret@a.example/x</loc>": "<loc>a.example/x</loc>", "<a href='http:/bob:secret@a.example/'>": "<a href='http:/a.example/'>",
		"http://a.example/@jane http://bob:secret@b.example": "http://a.example/@jane http://b.example", "http://a.example/?q,http://bob:secret@b.example": "http://a.example/?q,http://b.example",
		long + " http://bob:secret": long + " http://", "http://a.example:b c": "http://a.example:b c",
		"https://medium.com/@jane": "https://medium.com/@jane", "http://a.example/b:c@d?e=f@g#h@i": "http://a.example/b:c@d?e=f@g#h@i",
		"jane@a.example": "jane@a.example", "write to: jane@a.example, or <jane@b.example>": "write to: jane@a.example, or <jane@b.example>",
		"mailto:jane@a.example": "mailto:jane@a.example", "http://a.example:80 jane@a.example": "http://a.example:80 jane@a.example",
		"/@jane": "/@jane", "b/@jane?c:d@e": "b/@jane?c:d@e", "": "", " @ ": " @ ",
	} {
		if got := redactText(text); got != want {
			t.Errorf("redactText(%q) = %q, want %q", text, got, want)
		}
	}
}
