package discover_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

var knownURLs = func() (urls []string) {
	for _, path := range discover.DefaultKnownPaths() {
		urls = append(urls, example+path)
	}
	return urls
}()

// TestFind_RobotsOutcomes: a robots.txt that is not available names and forbids nothing; one that
// is unreachable ends the search (RFC 9309, section 2.3.1).
func TestFind_RobotsOutcomes(t *testing.T) {
	to := func(loc string) answer { return answer{status: 301, header: []string{"Location", loc}} }
	reset := errors.New("connection reset")
	for name, tt := range map[string]struct {
		robots answer
		want   error // nil: the known paths are tried
	}{
		"404":                     {answer{status: 404}, nil},
		"401":                     {answer{status: 401}, nil},
		"410 with records":        {answer{status: 410, body: "Sitemap: " + example + "/no.xml"}, nil},
		"304 unasked":             {answer{status: 304}, nil},
		"empty":                   {answer{}, nil},
		"only rules":              {answer{body: "User-agent: *\nAllow: /"}, nil},
		"an HTML page":            {answer{body: "<!doctype html><p>Sitemap: " + example + "/no.xml"}, nil},
		"unusable records":        {answer{body: "Sitemap: ftp://example.com/s.xml"}, nil},
		"redirect to a 404":       {to(example + "/none"), nil},
		"endless redirects":       {to(example + "/robots.txt"), nil},
		"redirect to no URL":      {to("https://[::"), nil},
		"redirect to a port":      {to(example + ":8443/robots.txt"), nil},
		"redirect to ftp":         {to("ftp://example.com/robots.txt"), nil},
		"redirect to a 500":       {to(example + "/broken"), discover.ErrUnreachable},
		"unknown encoding":        {answer{header: []string{"Content-Encoding", "br"}, body: "x"}, nil},
		"500":                     {answer{status: 500}, discover.ErrUnreachable},
		"429":                     {answer{status: 429}, discover.ErrUnreachable},
		"407":                     {answer{status: 407}, discover.ErrUnreachable},
		"no connection":           {answer{err: reset}, discover.ErrUnreachable},
		"no answer":               {answer{hang: true}, discover.ErrUnreachable},
		"cut before a record":     {answer{body: "User-agent: *\n", cut: reset}, discover.ErrUnreachable},
		"a TLS certificate error": {answer{err: &tls.CertificateVerificationError{Err: reset}}, discover.ErrUnreachable},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.answer(example+"/robots.txt", tt.robots)
			w.answer(example+"/broken", answer{status: 502})
			w.serve(example+"/sitemap.txt", example+"/1\n")
			r := w.site(t, nil, example, discover.Options{})
			_, robotsErr := w.client().Robots(t.Context(), example)
			found, findErr := w.client().Find(t.Context(), example)
			for _, err := range []error{r.err, robotsErr, findErr} {
				if !errors.Is(err, tt.want) {
					t.Errorf("%s: %v, want %v", name, err, tt.want)
				}
			}
			if tt.want != nil {
				if len(r.urls)+len(found) > 0 || !strings.HasPrefix(findErr.Error(), "discover: robots.txt unreachable: "+example) {
					t.Errorf("%s: %q, %v", name, r.locs(), findErr)
				}
				return
			}
			if len(r.urls) != 1 || len(found) != 1 || found[0].Loc != example+"/sitemap.txt" || found[0].RobotsURL != "" {
				t.Errorf("%s: %q, %v", name, r.locs(), found)
			}
		})
	}
}

// TestFind_Moved: the error for a host that redirects every path to the home page of another host
// names that one.
func TestFind_Moved(t *testing.T) {
	w := newWeb()
	w.redirect(example+"/robots.txt", "https://www.example.com/")
	w.serve("https://www.example.com/", "<!doctype html><p>Welcome")
	_, err := w.client().Find(t.Context(), example)
	var none *discover.NoSitemapError
	const want = "names no sitemap: an HTML page instead of a robots.txt (redirected to https://www.example.com/)"
	if !errors.As(err, &none) || none.Tried[0].Err.Error() != want {
		t.Errorf("%v, want one that tried %q", err, want)
	}
}

// TestFind_RobotsCut: the sitemaps that a robots.txt named before it broke off are walked, and the
// error is the last element.
func TestFind_RobotsCut(t *testing.T) {
	w := newWeb()
	w.answer(example+"/robots.txt", answer{body: "Sitemap: /s.xml\n", cut: io.ErrUnexpectedEOF})
	w.serve(example+"/s.xml", urlset(example+"/1"))
	w.serve(example+"/sitemap.xml", urlset(example+"/2"))
	r := w.site(t, nil, example, discover.Options{})
	equal(t, "URLs", r.locs(), []string{example + "/1"})
	if !errors.Is(r.err, fetch.ErrBody) || r.sums[example+"/robots.txt"].Err == nil {
		t.Errorf("%v, %q", r.err, r.done)
	}
	found, err := w.client().Find(t.Context(), example)
	if len(found) != 1 || !errors.Is(err, fetch.ErrBody) {
		t.Errorf("Find: %v, %v", found, err)
	}
}

// TestFind_LongRobots: little more of a robots.txt is fetched than is read of it.
func TestFind_LongRobots(t *testing.T) {
	w := newWeb()
	w.serve(example+"/robots.txt", "Sitemap: /s.xml\n"+strings.Repeat("# long\n", 1<<20))
	w.serve(example+"/s.xml", urlset(example+"/1"))
	c, sent := w.client(), &countedBodies{web: w}
	c.Fetch.Transport = sent
	r := w.site(t, c, example, discover.Options{})
	equal(t, "URLs", r.locs(), []string{example + "/1"})
	if n := sent.n.Load(); n < robots.MaxBytes || n > 3*robots.MaxBytes {
		t.Errorf("%d bytes were sent, of which %d of robots.txt count", n, robots.MaxBytes)
	}
}

// countedBodies is a web that counts the bytes which it sends.
type countedBodies struct {
	*web
	n atomic.Int64
}

func (c *countedBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.web.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(resp.Body, c), resp.Body}
	}
	return resp, err
}

func (c *countedBodies) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// TestFind_Refused: an address that may not be requested is no missing robots.txt.
func TestFind_Refused(t *testing.T) {
	var c discover.Client
	_, err := c.Find(t.Context(), "http://127.0.0.1:1")
	if !errors.Is(err, discover.ErrUnreachable) || !errors.Is(err, fetch.ErrRefused) {
		t.Error(err)
	}
}

func TestFind_RobotsRecords(t *testing.T) {
	w := newWeb()
	w.redirect("http://example.com/robots.txt", example+"/robots.txt")
	w.serve(example+"/robots.txt",
		"# x\nsitemap: /b.xml\nUser-agent: *\nSitemap: https://cdn.test/a.xml\nSITEMAP: /b.xml\n")
	c := w.client()
	for range 2 {
		found, err := c.Find(t.Context(), "http://example.com")
		var got []string
		for _, s := range found {
			got = append(got,
				fmt.Sprint(s.Loc, " ", s.Line, " ", s.RobotsURL, " ", s.Grants, " ", s))
			s.Loc, s.Grants[0].Host = "changed", "changed" // the result is the caller's
		}
		const from, grants = "http://example.com/robots.txt", "[example.com/ (robots)]"
		equal(t, "sitemaps", got, []string{
			// Relative to where the robots.txt that speaks for the host was served.
			example + "/b.xml 2 " + from + " " + grants + " robots.txt of example.com, line 2 → " + example + "/b.xml",
			"https://cdn.test/a.xml 4 " + from + " " + grants + " robots.txt of example.com, line 4 → https://cdn.test/a.xml",
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestSite_Spellings(t *testing.T) {
	for site, want := range map[string]string{
		"example.com": example, " Example.COM/a/b?x#y ": example, "https://example.com:443/": example + ":443",
		"//example.com": example, "http://example.com": "http://example.com",
		"example.com:8443": "https://example.com:8443", "münchen.test": "https://xn--mnchen-3ya.test",
		"https://user:secret@example.com/": example, "[2001:db8::1]": "https://[2001:db8::1]",
	} {
		w := newWeb()
		if _, err := w.client().Robots(t.Context(), site); err != nil || !slices.Equal(w.asked(), []string{want + "/robots.txt"}) {
			t.Errorf("%q: %q, %v", site, w.asked(), err)
		}
	}
	for _, site := range []string{"", " ", "ftp://example.com", "http:/example.com", "https://", "/a/b", "a b.com", "https://example.com:x", "mailto:x@y", "Mailto:x@example.com", "sip:x@example.com"} {
		w := newWeb()
		_, err := w.client().Find(t.Context(), site)
		r := w.site(t, nil, site, discover.Options{})
		if !errors.Is(err, discover.ErrSite) || !errors.Is(r.err, discover.ErrSite) || len(w.asked()) > 0 {
			t.Errorf("%q: %v, %v, %q", site, err, r.err, w.asked())
		}
	}
}

// TestSite_BareHost: a host without a scheme is tried by https, then by http if https cannot be
// connected to and nothing secret would go there.
func TestSite_BareHost(t *testing.T) {
	refused := errors.New("connection refused")
	for name, tt := range map[string]struct {
		site   string
		https  answer
		header bool
		plain  bool // http is tried
	}{
		"refused":        {"example.com", answer{err: refused}, false, true},
		"handshake":      {"example.com/a", answer{err: tls.AlertError(40)}, false, true},
		"hangs":          {"example.com", answer{hang: true}, false, true},
		"certificate":    {"example.com", answer{err: &tls.CertificateVerificationError{Err: refused}}, false, false},
		"no such host":   {"example.com", answer{err: &net.DNSError{IsNotFound: true}}, false, false},
		"500":            {"example.com", answer{status: 500}, false, false},
		"404":            {"example.com", answer{status: 404}, false, false},
		"with a scheme":  {example, answer{err: refused}, false, false},
		"with a user":    {"u:p@example.com", answer{err: refused}, false, false},
		"with a header":  {"example.com", answer{err: refused}, true, false},
		"neither scheme": {"example.com:81", answer{err: refused}, false, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.answer(example+"/robots.txt", tt.https)
			w.answer("https://example.com:81/robots.txt", answer{err: refused})
			w.answer("http://example.com:81/robots.txt", answer{err: refused})
			w.serve("http://example.com/robots.txt", "Sitemap: /s.xml")
			w.serve("http://example.com/s.xml", urlset("http://example.com/1"))
			c := w.client()
			if tt.header {
				c.Fetch.Header = http.Header{"X-Key": {"1"}}
			}
			r := w.site(t, c, tt.site, discover.Options{})
			tried := slices.ContainsFunc(w.asked(), func(loc string) bool { return strings.HasPrefix(loc, "http://") })
			if tried != tt.plain {
				t.Errorf("%s: requested %q", name, w.asked())
			}
			switch {
			case name == "neither scheme":
				if !errors.Is(r.err, discover.ErrUnreachable) || !strings.Contains(r.err.Error(), "https://") {
					t.Errorf("%s: %v", name, r.err)
				}
			case tt.plain && (len(r.urls) != 1 || r.err != nil):
				t.Errorf("%s: %q, %v", name, r.locs(), r.err)
			}
		})
	}
}

// TestKnownPaths_Order: the known paths are tried in order, to the first that holds a sitemap.
func TestKnownPaths_Order(t *testing.T) {
	w := newWeb()
	all := append([]string{example + "/robots.txt"}, knownURLs...)
	all = append(all, example+"/shop/sitemap.xml", example+"/shop/sitemap_index.xml")
	last := len(all)
	all = append(all, example+"/") // the home page, which names none
	for hit := 1; hit <= last; hit++ {
		w.forget()
		if hit < last {
			w.serve(all[hit], urlset(example+"/shop/1"))
		}
		r := w.site(t, nil, example+"/shop/index.html", discover.Options{})
		requested := all[:hit+1]
		equal(t, "requests of a walk", w.asked(), requested)
		w.forget()
		found, err := w.client().Find(t.Context(), example+"/shop")
		equal(t, "requests of Find", w.asked(), requested)
		if hit < last {
			if len(r.urls) != 1 || r.err != nil || err != nil || found[0].Loc != all[hit] || len(r.done) != 1 {
				t.Errorf("%s: %q, %v, %v", all[hit], r.locs(), r.err, err)
			}
			w.answer(all[hit], answer{status: 404})
			continue
		}
		for _, err := range []error{err, r.err} {
			var none *discover.NoSitemapError
			if !errors.As(err, &none) || !errors.Is(err, discover.ErrNoSitemap) || !errors.Is(err, fetch.ErrStatus) {
				t.Fatal(err)
			}
			var tried []string
			for _, a := range none.Tried {
				tried = append(tried, a.URL)
				if a.Err == nil {
					t.Errorf("%s has no error", a.URL)
				}
			}
			equal(t, "tried", tried, all)
			if want := "discover: " + none.Site + ": no sitemap found (tried " + strings.Join(all, ", ") + ")"; err.Error() != want {
				t.Errorf("error %q", err)
			}
		}
	}
}

// TestKnownPaths_Misses: documents that are not sitemaps are skipped silently; those that may be
// one another time is a failure.
func TestKnownPaths_Misses(t *testing.T) {
	for name, tt := range map[string]struct {
		first answer
		want  error
	}{
		"404":                    {answer{status: 404}, nil},
		"403":                    {answer{status: 403}, nil},
		"soft 404":               {answer{body: "<!doctype html><title>Not found</title>"}, nil},
		"JSON":                   {answer{body: `{"error": 404}`}, nil},
		"empty":                  {answer{}, nil},
		"text without a URL":     {answer{header: []string{"Content-Type", "text/plain"}, body: "Not found.\n"}, nil},
		"redirect to a page":     {answer{status: 302, header: []string{"Location", "/404.html"}}, nil},
		"redirect without end":   {answer{status: 302, header: []string{"Location", "/sitemap.xml"}}, nil},
		"redirect to robots.txt": {answer{status: 302, header: []string{"Location", "/robots.txt"}}, nil},
		"503":                    {answer{status: 503}, fetch.ErrStatus},
		"reset":                  {answer{err: errors.New("reset")}, fetch.ErrConnect},
		"cut":                    {answer{cut: errors.New("reset")}, fetch.ErrBody},
	} {
		w := newWeb()
		w.serve(example+"/robots.txt", "User-agent: *")
		w.serve(example+"/404.html", "<!doctype html><title>Not found</title>")
		for _, loc := range knownURLs[:3] {
			w.answer(loc, tt.first)
		}
		w.serve(knownURLs[3], index(example+"/s.xml", knownURLs[0]))
		w.serve(example+"/s.xml", urlset(example+"/1"))
		r := w.site(t, nil, example, discover.Options{})
		equal(t, name, r.locs(), []string{example + "/1"})
		var we *discover.WalkError
		if !errors.Is(r.err, tt.want) || tt.want != nil && (!errors.As(r.err, &we) || we.Failed != 3) {
			t.Errorf("%s: %v", name, r.err)
		}
		if tt.want == nil && (len(r.done) != 2 || len(r.problems) > 0) {
			t.Errorf("%s: %q, %q", name, r.done, r.problems)
		}
		for loc := range w.answers {
			if n := w.hits(loc); n > 1 && !strings.HasPrefix(name, "redirect") {
				t.Errorf("%s: %s was requested %d times", name, loc, n)
			}
		}
		if found, err := w.client().Find(t.Context(), example); err != nil || found[0].Loc != knownURLs[3] {
			t.Errorf("%s: Find: %v, %v", name, found, err)
		}
	}
}

// TestKnownPaths_Disallow bars known paths only: what robots.txt names is fetched.
func TestKnownPaths_Disallow(t *testing.T) {
	w := newWeb()
	rules := "User-agent: sitemap\nDisallow: /sitemap\nUser-agent: mybot\nAllow: /\nUser-agent: *\nDisallow: /\n"
	w.serve(example+"/robots.txt", rules)
	w.serve(example+"/sitemap.xml", urlset(example+"/1"))
	r := w.site(t, nil, example, discover.Options{})
	var none *discover.NoSitemapError
	equal(t, "requests", w.asked(), []string{example + "/robots.txt", example + "/wp-sitemap.xml", example + "/"})
	if !errors.As(r.err, &none) || len(none.Tried) != 8 || !strings.Contains(none.Tried[1].Err.Error(), "disallow") {
		t.Error(r.err)
	}
	if found, err := w.client().Find(t.Context(), example); !errors.As(err, &none) || len(none.Tried) != 8 {
		t.Errorf("Find: %v, %v", found, err)
	}
	c := w.client()
	c.Fetch.RobotsAgent = "mybot"
	if r := w.site(t, c, example, discover.Options{}); len(r.urls) != 1 || r.err != nil {
		t.Errorf("another agent: %q, %v", r.locs(), r.err)
	}
	w.serve(example+"/robots.txt", rules+"Sitemap: /sitemap.xml")
	if r := w.site(t, nil, example, discover.Options{}); len(r.urls) != 1 || r.err != nil {
		t.Errorf("named: %q, %v", r.locs(), r.err)
	}
}

// TestKnownPaths_AtLast: known paths are tried also if nothing that robots.txt names can be read;
// the failures stay in the error.
func TestKnownPaths_AtLast(t *testing.T) {
	w := newWeb()
	w.serve(example+"/robots.txt", "Sitemap: /gone.xml\nSitemap: /page.html\nSitemap: /sitemap.xml")
	w.serve(example+"/page.html", "<html>")
	w.serve(example+"/sitemap_index.xml", urlset(example+"/1"))
	r := w.site(t, nil, example, discover.Options{})
	equal(t, "verdicts", r.verdicts(), []string{example + "/1 location"})
	var we *discover.WalkError
	if !errors.As(r.err, &we) || we.Failed != 3 || !strings.Contains(r.err.Error(), "/gone.xml") || w.hits(example+"/sitemap.xml") != 1 {
		t.Errorf("%v, %q", r.err, w.asked())
	}
	// One that can be read is enough, also if it is empty.
	w.serve(example+"/page.html", urlset())
	w.forget()
	r = w.site(t, nil, example, discover.Options{})
	if len(r.urls) != 0 || !errors.As(r.err, &we) || we.Failed != 2 || w.hits(example+"/sitemap_index.xml") != 0 {
		t.Errorf("%q, %v, %q", r.locs(), r.err, w.asked())
	}
	// None at all: the failures are the error.
	w.serve(example+"/page.html", "<html>")
	w.answer(example+"/sitemap_index.xml", answer{status: 404})
	if r := w.site(t, nil, example, discover.Options{}); !errors.As(r.err, &we) || we.Failed != 3 {
		t.Error(r.err)
	}
}

func TestKnownPaths_Option(t *testing.T) {
	w := newWeb()
	w.serve(example+"/map?format=xml", urlset(example+"/1"))
	r := w.site(t, nil, example+"/a/", discover.Options{KnownPaths: []string{"/x", "y/../z", "/x", "%zz", "", "/map?format=xml", "/no"}})
	equal(t, "requests", w.asked(), []string{example + "/robots.txt", example + "/x", example + "/z", example + "/map?format=xml"})
	if len(r.urls) != 1 || r.urls[0].Trust != trust.Location {
		t.Errorf("%q", r.verdicts())
	}
	w.forget()
	r = w.site(t, nil, example, discover.Options{KnownPaths: []string{}})
	if !errors.Is(r.err, discover.ErrNoSitemap) || len(w.asked()) != 1 {
		t.Errorf("no paths: %v, %q", r.err, w.asked())
	}
}

// TestRobots_Missing: a robots.txt that does not exist differs from one that names nothing.
func TestRobots_Missing(t *testing.T) {
	w := newWeb()
	w.serve("https://a.example.com/robots.txt", "")
	for site, status := range map[string]int{"a.example.com": 0, "b.example.com": http.StatusNotFound} {
		f, err := w.client().Robots(t.Context(), site)
		if err != nil {
			t.Fatal(err)
		}
		var fe *fetch.Error
		if errors.As(f.Missing, &fe) != (status != 0) || fe != nil && fe.Status != status {
			t.Errorf("%s: Missing is %v", site, f.Missing)
		}
	}
}

// TestRobots_Cached: a robots.txt is kept for a day, unless it was requested with credentials.
func TestRobots_Cached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newNews(1)
		c := w.client()
		for i, want := range []int{1, 1, 1, 2, 2} {
			if r := w.site(t, c, example, discover.Options{}); len(r.urls) != 1 || w.hits(example+"/robots.txt") != want {
				t.Errorf("after %d hours: %d requests", 9*i, w.hits(example+"/robots.txt"))
			}
			time.Sleep(9 * time.Hour)
		}
		for range 2 {
			w.site(t, c, "https://u:p@example.com", discover.Options{})
		}
		if n := w.hits(example + "/robots.txt"); n != 4 {
			t.Errorf("with credentials: %d requests", n)
		}
	})
}

// TestRobots_Named: a host that the caller has not named is not waited for as long as the site.
func TestRobots_Named(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.answer("https://slow.test/robots.txt", answer{hang: true})
		began := time.Now()
		_, err := w.client().Robots(t.Context(), "https://slow.test", example)
		if took := time.Since(began); !errors.Is(err, discover.ErrUnreachable) || took > 15*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// TestRobots_CachedWithSecrets: a robots.txt that a walk of another site asked for, without the
// header fields that are for that site alone, is not taken for what the site shows with them.
func TestRobots_CachedWithSecrets(t *testing.T) {
	w := newWeb()
	for loc, body := range map[string]string{
		"https://a.example.com/robots.txt": "Sitemap: /s.xml",
		"https://a.example.com/s.xml":      urlset("https://a.example.com/1", "https://b.example.com/1"),
		"https://b.example.com/robots.txt": "Sitemap: /s.xml",
		"https://b.example.com/s.xml":      urlset("https://b.example.com/2"),
	} {
		w.handle(loc, func(r *http.Request) answer {
			if r.Header.Get("X-Key") == "" {
				return answer{status: 401}
			}
			return answer{body: body}
		})
	}
	c := w.client()
	c.Fetch.Header = http.Header{"X-Key": {"secret"}}
	for range 2 {
		for _, want := range []string{"https://a.example.com/1", "https://b.example.com/2"} {
			if r := w.site(t, c, want, discover.Options{}); strings.Join(r.locs(), " ") != want {
				t.Errorf("%q, %v, want %q", r.locs(), r.err, want)
			}
		}
	}
	if n := w.hits("https://a.example.com/robots.txt"); n != 1 {
		t.Errorf("%d requests for the robots.txt of the site", n)
	}
}
