package discover

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
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
	if d := f.delays["example.com"]; d != MaxCrawlDelay || l.err != nil {
		t.Errorf("delay %v, %v", d, l.err)
	}
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

// TestCrawlDelayStopsNothing: a robots.txt that does not answer holds up a walk of named
// sitemaps once, and fails it no more than one that is broken.
func TestCrawlDelayStopsNothing(t *testing.T) {
	for name, robots := range map[string]http.HandlerFunc{
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
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
		w.handle(host+"/robots.txt", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
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
		walk.heedDelay(fmt.Sprintf("https://host%d.test/s.xml", i))
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
