package discover

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// serveHosts serves so many documents of each of so many hosts, each answered after a while, and
// returns their locations, those of a host in a row.
func (w *web) serveHosts(hosts, each int, after time.Duration) (locs []string) {
	for i := range hosts {
		for j := range each {
			loc := fmt.Sprintf("https://%d.example/%d", i, j)
			locs = append(locs, loc+".xml")
			w.answersAfter(after, loc+".xml", urlset(loc))
		}
	}
	return locs
}

// TestHostsTakeNoTurns: documents of one host that wait for it hold up no others.
func TestHostsTakeNoTurns(t *testing.T) {
	for name, test := range map[string]struct {
		hosts, each int
		most        time.Duration
	}{
		// A host has a quarter of the requests at once, and the documents of two and a half are
		// within reach. The ideal is 12.5 s; one host after the other, 50 s.
		"blocks": {10, 100, 17 * time.Second},
		// Here it is 10 s, with the robots.txt of each.
		"small": {200, 3, 14 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			const after = 200 * time.Millisecond
			w := newWeb()
			locs := w.serveHosts(test.hosts, test.each, after)
			for i := range test.hosts {
				w.answersAfter(after, fmt.Sprintf("https://%d.example/robots.txt", i), "")
			}
			begun := time.Now()
			l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, named(locs...), Options{})
			if took := time.Since(begun); took > test.most || len(l.urls) != len(locs) || l.err != nil {
				t.Errorf("%s: %d URLs, %v, in %v", name, len(l.urls), l.err, took)
			}
		})
	}
}

// TestVerificationHoldsNobodyUp: while a host is asked whether it vouches, other documents are
// fetched.
func TestVerificationHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		const children, silence = 200, 3 * time.Second
		var locs []string
		for i := range children {
			loc := fmt.Sprintf("https://www.example.com/%d", i)
			locs = append(locs, loc+".xml")
			w.answersAfter(latency, loc+".xml", urlset(loc, "https://shop.example.com/"))
		}
		w.serve("https://www.example.com/index.xml", index(locs...))
		w.answersAfter(silence, "https://shop.example.com/robots.txt", "")
		begun := time.Now()
		l := walkFrom(w.unlimited(), named("https://www.example.com/index.xml"), Options{})
		// Both schemes are asked; the other one answers at once.
		if took := time.Since(begun); took > silence+4*latency || len(l.urls) != children || l.err != nil {
			t.Errorf("%d URLs, %v, in %v", len(l.urls), l.err, took)
		}
	})
}

// TestArrivalsAreNotKept: where nothing is looked into, no document is kept to be.
func TestArrivalsAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		var locs []string
		for i := range 100 {
			loc := fmt.Sprintf("https://example.com/%d", i)
			locs = append(locs, loc+".xml")
			w.answers(loc+".xml", "<urlset>…", urlset(loc))
		}
		w.answersAfter(time.Minute/4, "https://example.com/0.xml", urlset("https://example.com/0"))
		w.serve("https://example.com/index.xml", index(locs...))
		c := w.unlimited()
		c.init()
		o := &Options{Follow: func(*Sitemap) bool { return true }}
		n := 0
		walk := newWalk(t.Context(), c, o, func(URL, error) bool { n++; return true })
		defer walk.close()
		walk.run(named("https://example.com/index.xml"))
		if left := len(walk.ahead.arrivals.docs) + len(walk.ahead.brokenOff.docs); n != 100 || left > 0 {
			t.Errorf("%d URLs, %d documents kept", n, left)
		}
	})
}

// TestCrawlDelayAsSent: a request that waits for others of the Client after its host would have
// let it go keeps the Crawl-delay all the same.
func TestCrawlDelayAsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.serve("https://example.com/robots.txt", "User-agent: *\nCrawl-delay: 1\n")
		var locs []string
		var last time.Time
		for i := range 10 {
			slow, other := fmt.Sprintf("https://example.com/%d.xml", i), fmt.Sprintf("https://example.org/%d.xml", i)
			locs = append(locs, slow, other)
			w.handle(slow, func(rw http.ResponseWriter, _ *http.Request) {
				if since := time.Since(last); since < time.Second {
					t.Errorf("%s after %v", slow, since)
				}
				last = time.Now()
				rw.Write([]byte(urlset(slow)))
			})
			w.answersAfter(4*time.Second, other, urlset(other))
		}
		l := walkFrom(&Client{Concurrency: 2, Fetcher: &fetch.Client{Transport: w}}, named(locs...), Options{})
		if len(l.urls) != 20 || l.err != nil {
			t.Errorf("%d URLs, %v", len(l.urls), l.err)
		}
	})
}

// TestNoReleaseToCall: a Limiter without a release has none called, also where the walk ends before
// the request goes out.
func TestNoReleaseToCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		locs := w.serveHosts(1, 10, time.Second)
		c := w.unlimited()
		c.Concurrency = 2
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		var walks sync.WaitGroup
		for _, from := range [][]string{locs[:8], locs[8:]} {
			walks.Go(func() {
				for u, err := range c.Walk(ctx, named(from...), nil) {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%v, %v", u.Loc, err)
					}
				}
			})
		}
		walks.Wait()
	})
}

// TestRobotsIsAskedOnce: a robots.txt that is asked for a Crawl-delay is not asked a second time
// at once whether it vouches.
func TestRobotsIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const robots = "https://cdn.a.example/robots.txt"
		w := newWeb()
		w.answersAfter(time.Second, robots, "Sitemap: https://www.a.example/0.xml\n")
		w.serve("https://www.a.example/0.xml", urlset("https://cdn.a.example/p"))
		w.serve("https://cdn.a.example/1.xml", urlset("https://cdn.a.example/1"))
		w.serve("https://cdn.a.example/2.xml", urlset("https://cdn.a.example/2"))
		w.serve("https://www.a.example/index.xml", index("https://www.a.example/0.xml", "https://cdn.a.example/1.xml", "https://cdn.a.example/2.xml"))
		l := walkFrom(w.client(), named("https://www.a.example/index.xml"), Options{})
		if len(l.urls) != 3 || l.urls[0] != "https://cdn.a.example/p verified" || w.hits(robots) != 1 {
			t.Errorf("%q, %v; asked %d times", l.urls, l.err, w.hits(robots))
		}
	})
}

// TestRobotsIsSharedAsItComes: who waits for a robots.txt that another asks for gets also why it
// cannot be had, but not that the other gave up, and waits no longer than he would have for his own.
func TestRobotsIsSharedAsItComes(t *testing.T) {
	const robots = "https://b.example.com/robots.txt"
	for name, silent := range map[string]bool{"failing": false, "silent": true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.handle(robots, func(rw http.ResponseWriter, r *http.Request) {
				answers := time.After(10 * time.Second)
				if silent {
					answers = nil
				}
				select {
				case <-answers:
					rw.WriteHeader(http.StatusInternalServerError)
				case <-r.Context().Done():
				}
			})
			w.serve("https://a.example.com/s.xml", urlset("https://b.example.com/1"))
			c := w.client()
			var group sync.WaitGroup
			begun := time.Now()
			ask := func(ctx context.Context, want error) {
				if _, err := c.Robots(ctx, "https://b.example.com/"); !errors.Is(err, want) {
					t.Errorf("%s: %v, want %v", name, err, want)
				}
			}
			group.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				ask(ctx, context.DeadlineExceeded)
			})
			for range 3 {
				synctest.Wait()
				group.Go(func() { ask(t.Context(), ErrUnreachable) })
			}
			synctest.Wait()
			l := walkFrom(c, named("https://a.example.com/s.xml"), Options{})
			if took := time.Since(begun); len(l.urls) != 0 || took > verifyTime {
				t.Errorf("%s: %q after %v", name, l.urls, took)
			}
			group.Wait()
			// One may begin anew when who asked gives up: the first caller, and where it is silent the walk.
			if n := w.hits(robots); n != 2 && (!silent || n != 3) {
				t.Errorf("%s: asked %d times", name, n)
			}
		})
	}
}

// TestSilentHost: a walk waits five minutes for a host that answers nothing, however many documents
// it has, and then reads what others have.
func TestSilentHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		var locs []string
		for i := range 1000 {
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			locs = append(locs, loc)
			w.handle(loc, hang)
		}
		locs = append(locs, w.serveHosts(1, 10, latency)...)
		begun := time.Now()
		l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, named(locs...), Options{})
		silent := 0
		for _, sum := range l.sums {
			if errors.Is(sum.Err, fetch.ErrSilent) {
				silent++
			}
		}
		if took := time.Since(begun); took > 6*time.Minute || silent < 900 || len(l.urls) != 10 {
			t.Errorf("%d URLs, %d documents given up, in %v", len(l.urls), silent, took)
		}
	})
}

// TestSlowDocumentsAreNoSilence: documents that are not answered in time cost no others, as many as
// are fetched ahead.
func TestSlowDocumentsAreNoSilence(t *testing.T) {
	for _, concurrency := range []int{1, 4, 16} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			locs := w.serveHosts(1, 100, latency)
			for _, loc := range locs[10:26] {
				w.handle(loc, hang)
			}
			l := walkFrom(&Client{Concurrency: concurrency, Fetcher: &fetch.Client{Transport: w}}, named(locs...), Options{})
			if len(l.urls) != 84 {
				t.Errorf("concurrency %d: %d URLs, %v", concurrency, len(l.urls), l.err)
			}
		})
	}
}

// TestSilenceIsNotHeldBack: what a silent host cost is asked for at once in the next walk.
func TestSilenceIsNotHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		locs := w.serveHosts(1, 200, latency)
		up := w.pages
		w.pages = map[string]http.HandlerFunc{}
		for _, loc := range locs {
			w.handle(loc, hang)
		}
		path := t.TempDir() + "/state"
		for _, want := range []int{0, len(locs)} {
			state, err := OpenState(path)
			if err != nil {
				t.Fatal(err)
			}
			l := walkFrom(&Client{Fetcher: &fetch.Client{Transport: w}}, named(locs...), Options{State: state})
			if len(l.urls) != want {
				t.Errorf("%d URLs, want %d: %v", len(l.urls), want, l.err)
			}
			if err := state.Close(); err != nil {
				t.Fatal(err)
			}
			w.pages = up
		}
	})
}
