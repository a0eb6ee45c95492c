package discover

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A delayFetcher notes what it is asked for and which delays it is told.
type delayFetcher struct {
	*fetch.Client
	told chan struct{} // closed by the first delay, if not nil

	mu       sync.Mutex
	delays   map[string]time.Duration // by host
	requests map[string]fetch.Request
}

func newDelayFetcher(w *web) *delayFetcher {
	return &delayFetcher{
		Client: w.fetcher(), told: make(chan struct{}),
		delays: map[string]time.Duration{}, requests: map[string]fetch.Request{},
	}
}

func (f *delayFetcher) SetDelay(u *url.URL, d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.delays) == 0 {
		close(f.told)
	}
	f.delays[u.Host] = d
}

func (f *delayFetcher) Get(ctx context.Context, req fetch.Request) (*fetch.Document, error) {
	f.mu.Lock()
	f.requests[req.URL] = req
	f.mu.Unlock()
	return f.Client.Get(ctx, req)
}

func TestCrawlDelayIsHandedOn(t *testing.T) {
	w := smallSite()
	w.serve("https://example.com/robots.txt", "User-agent: *\nCrawl-delay: 99\nSitemap: https://example.com/a.xml\n")
	f := newDelayFetcher(w)
	l := walkSite(&Client{Fetcher: f}, "https://example.com", Options{})
	if d := f.delays["example.com"]; d != 30*time.Second || l.err != nil {
		t.Errorf("delay %v, %v", d, l.err)
	}
}

// TestCrawlDelayIsTakenBack: a Crawl-delay ends when the robots.txt has none any more, while the
// longer one of both schemes is kept, and none ends that discovery did not begin.
func TestCrawlDelayIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const long, short = "User-agent: *\nCrawl-delay: 20\n", "User-agent: *\nCrawl-delay: 5\n"
		w := newWeb()
		f := newDelayFetcher(w)
		c := &Client{Fetcher: f}
		f.SetDelay(&url.URL{Host: "of-the-caller.example"}, time.Second)
		for day, step := range []struct {
			https, http string
			want        time.Duration
		}{
			{long, short, 20 * time.Second},
			{"", short, 5 * time.Second},
			{"", "", 0},
			{short, long, 20 * time.Second},
		} {
			w.serve("https://example.com/robots.txt", step.https)
			w.serve("http://example.com/robots.txt", step.http)
			w.serve("https://of-the-caller.example/robots.txt", "")
			for _, site := range []string{"https://example.com", "http://example.com", "https://of-the-caller.example"} {
				if _, err := c.Robots(t.Context(), site); err != nil {
					t.Fatal(err)
				}
			}
			if d := f.delays["example.com"]; d != step.want {
				t.Errorf("day %d: %v, want %v", day, d, step.want)
			}
			time.Sleep(robotsAge + time.Hour)
		}
		if d := f.delays["of-the-caller.example"]; d != time.Second {
			t.Errorf("of the caller: %v", d)
		}
	})
}

// TestHandedDelaysAreBounded: of very many hosts with a Crawl-delay some are forgotten, and the
// others kept to.
func TestHandedDelaysAreBounded(t *testing.T) {
	origin := func(scheme string, i int) location.Origin {
		return location.Origin{Scheme: scheme, Host: fmt.Sprintf("h%d.example", i)}
	}
	var h handedDelays
	for i := range 2 * maxHanded {
		h.note(origin("http", i), time.Second)
	}
	if len(h.of) != maxHanded {
		t.Errorf("%d are remembered", len(h.of))
	}
	h.note(origin("http", 0), 20*time.Second)
	if d, tell := h.note(origin("https", 0), 2*time.Second); d != 20*time.Second || !tell {
		t.Errorf("%v, %v, want the longer one of both schemes", d, tell)
	}
	h.note(origin("https", 0), 0)
	if d, tell := h.note(origin("http", 0), 0); d != 0 || !tell {
		t.Errorf("taken back: %v, %v", d, tell)
	}
	if d, tell := h.note(origin("http", 0), 0); d != 0 || tell {
		t.Errorf("of a host without: %v, %v", d, tell)
	}
}

// TestCrawlDelayOfCutRobots: a robots.txt that broke off is not asked for again in the same
// walk, and its Crawl-delay is kept.
func TestCrawlDelayOfCutRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.answers("https://example.com/robots.txt", "User-agent: *\nCrawl-delay: 5\nSitemap: https://example.com/1.xml\nSitemap: https://example.com/2.xml\n…")
		for i := range 3 {
			w.serve(fmt.Sprintf("https://example.com/%d.xml", i), urlset(fmt.Sprintf("https://example.com/%d", i)))
		}
		f := newDelayFetcher(w)
		l := walkSite(&Client{Fetcher: f}, "https://example.com", Options{})
		if n := w.hits("https://example.com/robots.txt"); n != 1 || len(l.urls) != 2 {
			t.Errorf("%d requests, %q", n, l.urls)
		}
		if d := f.delays["example.com"]; d != 5*time.Second {
			t.Errorf("delay %v", d)
		}
		time.Sleep(robotsAge + time.Hour)
		w.answers("https://example.com/robots.txt", "Sitemap: https://example.com/1.xml\nSitemap: https://example.com/2.xml\nUser-agent: *\n…")
		walkSite(&Client{Fetcher: f}, "https://example.com", Options{})
		if d := f.delays["example.com"]; d != 5*time.Second {
			t.Errorf("delay %v after a robots.txt that broke off before it", d)
		}
	})
}

// TestCrawlDelayOfResumedWalk: a walk that goes on after its robots.txt broke off asks for it.
func TestCrawlDelayOfResumedWalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const maps = "Sitemap: https://example.com/1.xml\nSitemap: https://example.com/2.xml\nSitemap: https://example.com/3.xml\n"
		w := newWeb()
		w.answers("https://example.com/robots.txt", maps+"User-agent: *\n…", maps+"User-agent: *\nCrawl-delay: 5\n")
		for i := range 4 {
			w.serve(fmt.Sprintf("https://example.com/%d.xml", i), urlset(fmt.Sprintf("https://example.com/%d", i)))
		}
		s := openState(t, filepath.Join(t.TempDir(), "state"))
		defer s.Close()
		for range (&Client{Fetcher: newDelayFetcher(w)}).URLs(t.Context(), "https://example.com", &Options{State: s}) {
			break
		}
		f := newDelayFetcher(w)
		walkSite(&Client{Fetcher: f}, "https://example.com", Options{State: s})
		if d := f.delays["example.com"]; d != 5*time.Second {
			t.Errorf("delay %v", d)
		}
	})
}

// TestCrawlDelayOfNamedSitemaps: where the caller names the sitemaps, the
// robots.txt of each host that more than one document is on is asked for its
// Crawl-delay, and for nothing else.
func TestCrawlDelayOfNamedSitemaps(t *testing.T) {
	w := smallSite()
	w.serve("https://example.com/robots.txt", "User-agent: *\nDisallow: /\nCrawl-delay: 3\nSitemap: https://example.com/other.xml\n")
	f := newDelayFetcher(w)
	w.handle("https://example.com/d.txt", func(rw http.ResponseWriter, _ *http.Request) {
		<-f.told
		rw.Write([]byte("https://example.com/6\n"))
	})
	l := walkFrom(&Client{Fetcher: f}, named("https://example.com/index.xml"), Options{})
	if d := f.delays["example.com"]; d != 3*time.Second {
		t.Errorf("delay %v", d)
	}
	if n := w.hits("https://example.com/robots.txt"); n != 1 || l.err != nil || len(l.urls) != 6 {
		t.Errorf("robots.txt was fetched %d times, %d URLs, %v", n, len(l.urls), l.err)
	}
	if req := f.requests["https://example.com/robots.txt"]; !slices.Equal(req.Origins, []string{"https://example.com/index.xml"}) {
		t.Errorf("its request has the origins %q", req.Origins)
	}
	w = smallSite()
	f = newDelayFetcher(w)
	walkFrom(&Client{Fetcher: f}, named("https://example.com/a.xml"), Options{})
	if n := w.hits("https://example.com/robots.txt"); n != 0 {
		t.Errorf("robots.txt was fetched %d times for one document", n)
	}
}

// TestCrawlDelayBeforeTheSecondDocument: with a Crawl-delay, no two requests to a host of named
// sitemaps are closer than that, but for the first document's and that for robots.txt.
func TestCrawlDelayBeforeTheSecondDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		var mu sync.Mutex
		var asked []time.Duration
		start := time.Now()
		var children []string
		for i := range 8 {
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			children = append(children, loc)
			w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
				mu.Lock()
				asked = append(asked, time.Since(start))
				mu.Unlock()
				time.Sleep(time.Second)
				fmt.Fprint(rw, urlset("https://example.com/"))
			})
		}
		w.handle("https://example.com/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
			time.Sleep(3 * time.Second)
			fmt.Fprint(rw, "User-agent: *\nCrawl-delay: 10\n")
		})
		w.serve("https://example.com/index.xml", index(children...))
		if l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{}); len(l.urls) != 8 || l.err != nil {
			t.Errorf("%d URLs, %v", len(l.urls), l.err)
		}
		for i := range asked {
			if i > 0 && asked[i]-asked[i-1] < 10*time.Second || asked[i] < 3*time.Second {
				t.Errorf("the documents were asked for at %v", asked)
				break
			}
		}
	})
}

// TestCrawlDelayBehindLimiter: a robots.txt for which the Limiter has no turn for long is waited
// for no less.
func TestCrawlDelayBehindLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		var children []string
		for i := range 4 {
			children = append(children, fmt.Sprintf("https://example.com/%d.xml", i))
			w.serve(children[i], urlset("https://example.com/"))
		}
		w.serve("https://example.com/robots.txt", "User-agent: *\nCrawl-delay: 12\n")
		f := w.fetcher()
		f.Limiter = &fetch.HostLimiter{HostInterval: 6 * time.Second}
		start := time.Now()
		l := walkFrom(&Client{Fetcher: f}, named(children...), Options{})
		// robots.txt at 6 s, the others 12 s apart.
		if took := time.Since(start); len(l.urls) != 4 || l.err != nil || took < 42*time.Second {
			t.Errorf("%d URLs, %v, after %v", len(l.urls), l.err, took)
		}
	})
}

// TestCrawlDelayOfRedirects: a host that documents are redirected to has its Crawl-delay kept
// too, once that is known.
func TestCrawlDelayOfRedirects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const docs = 40
		w := newWeb()
		var children []string
		for i := range docs {
			children = append(children, fmt.Sprintf("https://front.test/%d.xml", i))
			to := fmt.Sprintf("https://back.test/%d.xml", i)
			w.handle(children[i], func(rw http.ResponseWriter, _ *http.Request) {
				time.Sleep(time.Second) // so that few go before the first has come
				rw.Header().Set("Location", to)
				rw.WriteHeader(http.StatusFound)
			})
			w.serve(to, urlset("https://front.test/"))
		}
		w.serve("https://back.test/robots.txt", "User-agent: *\nCrawl-delay: 10\n")
		c := w.client()
		c.Concurrency = 4
		start := time.Now()
		l := walkFrom(c, named(children...), Options{})
		if took := time.Since(start); len(l.urls) != docs || l.err != nil || took < docs/2*10*time.Second {
			t.Errorf("%d URLs, %v, after %v", len(l.urls), l.err, took)
		}
	})
}

// TestCrawlDelayLeavesOtherWalks: a walk that waits for the turns of a host takes nothing from
// another walk of the Client.
func TestCrawlDelayLeavesOtherWalks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		for host, delay := range map[string]string{"slow.test": "Crawl-delay: 30", "fast.test": ""} {
			var children []string
			for i := range 40 {
				children = append(children, fmt.Sprintf("https://%s/%d.xml", host, i))
				w.serve(children[i], urlset("https://"+host+"/"))
			}
			w.serve("https://"+host+"/index.xml", index(children...))
			w.serve("https://"+host+"/robots.txt", "User-agent: *\n"+delay+"\nSitemap: https://"+host+"/index.xml\n")
		}
		c := w.client()
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for range c.URLs(ctx, "https://slow.test", nil) {
			}
		})
		time.Sleep(time.Minute)
		start := time.Now()
		l := walkSite(c, "https://fast.test", Options{})
		if took := time.Since(start); len(l.urls) != 40 || l.err != nil || took > time.Second {
			t.Errorf("%d URLs, %v, after %v", len(l.urls), l.err, took)
		}
		cancel()
		wg.Wait()
	})
}

// TestOneDocumentRetried: a document that is fetched again is one document: its robots.txt is
// nobody's concern.
func TestOneDocumentRetried(t *testing.T) {
	w := newWeb()
	f := w.fetcher()
	f.Retries = 2
	broken := 0
	w.handle("https://example.com/s.xml", func(rw http.ResponseWriter, _ *http.Request) {
		if broken++; broken == 1 {
			rw.Header().Set("X-Cut", "1")
			return
		}
		fmt.Fprint(rw, urlset("https://example.com/"))
	})
	l := walkFrom(&Client{Fetcher: f}, named("https://example.com/s.xml"), Options{})
	if n := w.hits("https://example.com/robots.txt"); n != 0 || broken != 2 || len(l.urls) != 1 || l.err != nil {
		t.Errorf("robots.txt was asked for %d times, the document %d times: %q, %v", n, broken, l.urls, l.err)
	}
}

// TestCrawlDelayStopsNothing: a robots.txt that does not answer holds up a walk of named
// sitemaps once, and fails it no more than one that is broken.
func TestCrawlDelayStopsNothing(t *testing.T) {
	for name, robots := range map[string]http.HandlerFunc{
		"silent": hang,
		"broken": func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusInternalServerError) },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := smallSite()
			w.handle("https://example.com/robots.txt", robots)
			start := time.Now()
			l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{})
			if took := time.Since(start); len(l.urls) != 7 || l.err != nil || took > delayTime {
				t.Errorf("%s: %d URLs, %v, after %v", name, len(l.urls), l.err, took)
			}
		})
	}
}

// silentHosts serves two documents on each of n hosts whose robots.txt does not answer, and
// returns where.
func silentHosts(w *web, n int) (docs []string) {
	for i := range n {
		host := fmt.Sprintf("https://silent%d.test", i)
		w.handle(host+"/robots.txt", hang)
		for _, name := range []string{"/a.xml", "/b.xml"} {
			w.serve(host+name, urlset(host+"/"))
			docs = append(docs, host+name)
		}
	}
	return docs
}

// TestCrawlDelayOfSilentHosts: robots.txt files that do not answer, of many hosts that an
// index lists, hold up the walk once, and leave the documents most of the requests at once.
func TestCrawlDelayOfSilentHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hosts, docs = 40, 100
		w := newWeb()
		children := silentHosts(w, hosts)
		for i := range docs {
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			w.serve(loc, urlset("https://example.com/"))
			children = append(children, loc)
		}
		w.serve("https://example.com/index.xml", index(children...))
		start := time.Now()
		l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{MinTrust: Untrusted})
		if took := time.Since(start); len(l.urls) != 2*hosts+docs || l.err != nil || took > delayTime+time.Second {
			t.Errorf("%d URLs, %v, after %v", len(l.urls), l.err, took)
		}
	})
}

// TestCrawlDelayBehindSilentHosts: hosts that do not answer keep no others from being asked.
func TestCrawlDelayBehindSilentHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silent, docs = 10, 60
		w := newWeb()
		children := silentHosts(w, silent)
		for i := range docs {
			loc := fmt.Sprintf("https://polite.test/%d.xml", i)
			w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
				time.Sleep(time.Second)
				fmt.Fprint(rw, urlset("https://polite.test/"))
			})
			children = append(children, loc)
		}
		w.serve("https://polite.test/robots.txt", "User-agent: *\nCrawl-delay: 10\n")
		w.serve("https://example.com/index.xml", index(children...))
		start := time.Now()
		l := walkFrom(w.client(), named("https://example.com/index.xml"), Options{MinTrust: Untrusted})
		// Some documents go before the delay is known: four a second, once hosts that do not
		// answer are not waited for any more.
		if took := time.Since(start); len(l.urls) != 2*silent+docs || l.err != nil || took < 2*time.Minute {
			t.Errorf("%d URLs, %v, after %v", len(l.urls), l.err, took)
		}
	})
}

// TestCrawlDelayOriginsAreBounded: of very many hosts, not all are remembered.
func TestCrawlDelayOriginsAreBounded(t *testing.T) {
	w := newWeb()
	c := w.client()
	c.init()
	walk := newWalk(t.Context(), c, &Options{}, nil)
	defer walk.close()
	for i := range 3 * maxDelayOrigins {
		walk.heedDelay(&child{loc: fmt.Sprintf("https://host%d.test/s.xml", i)})
	}
	if len(walk.delays.origins) != maxDelayOrigins || len(w.order) != 0 {
		t.Errorf("%d origins, %d requests", len(walk.delays.origins), len(w.order))
	}
}

// TestVerificationKeepsToOrigins: the robots.txt of a host that only a document
// names is asked for as such: with the caller's origins, so that no redirect leads
// to another port.
func TestVerificationKeepsToOrigins(t *testing.T) {
	w := newWeb()
	w.serve("https://www.example.com/s.xml", urlset("https://shop.example.com/1"))
	w.redirect("https://shop.example.com/robots.txt", "https://shop.example.com:8443/robots.txt")
	w.serve("https://shop.example.com:8443/robots.txt", "Sitemap: https://www.example.com/s.xml")
	f := newDelayFetcher(w)
	l := walkFrom(&Client{Fetcher: f}, named("https://www.example.com/s.xml"), Options{})
	if len(l.urls) != 0 || l.err != nil || w.hits("https://shop.example.com:8443/robots.txt") != 0 {
		t.Errorf("URLs %q, %v, port 8443 was asked %d times", l.urls, l.err, w.hits("https://shop.example.com:8443/robots.txt"))
	}
	req, ok := f.requests["https://shop.example.com/robots.txt"]
	if !ok || !slices.Equal(req.Origins, []string{"https://www.example.com/s.xml"}) {
		t.Errorf("the request %+v has other origins than the caller's", req)
	}
	if _, err := f.Get(t.Context(), fetch.Request{URL: "https://shop.example.com:8443/robots.txt", Origins: req.Origins}); !errors.Is(err, fetch.ErrRefused) {
		t.Errorf("port 8443: %v", err)
	}
}

// TestCrawlDelayInOrder: documents that waited for a Crawl-delay together are asked for in their
// order.
func TestCrawlDelayInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const e = "https://example.com"
		w := newWeb()
		var kids, asked []string
		for i := range 40 {
			loc := fmt.Sprintf("%s/%d.xml", e, i)
			kids = append(kids, loc)
			w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
				asked = append(asked, loc)
				rw.Write([]byte(urlset(loc + "/p")))
			})
		}
		w.serve(e+"/index.xml", index(kids...))
		w.answersAfter(50*time.Millisecond, e+"/robots.txt", "User-agent: *\nCrawl-delay: 0.5\n")
		walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, named(e+"/index.xml"), Options{})
		if !slices.Equal(asked, kids) {
			t.Errorf("asked for %q", asked)
		}
	})
}
