package discover

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

var (
	manyHosts = flag.Int("hosts", 4_000, "how many hosts one Client walks in TestClientIsBounded")
	fanOut    = flag.Int("fanout", 3, "how many indexes of 50,000 children TestFanOutIsBounded walks")
)

// endless is a Fetcher of a web without end: each document is what page gives.
type endless struct {
	page func(u *url.URL) io.Reader
	gets atomic.Int64
}

func (e *endless) Get(ctx context.Context, req fetch.Request) (*fetch.Document, error) {
	e.gets.Add(1)
	u, err := url.Parse(req.URL)
	if err != nil {
		return nil, &fetch.Error{URL: req.URL, Err: err}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := e.page(u)
	if r == nil {
		return nil, &fetch.Error{URL: req.URL, Status: 404, Attempts: 1, Err: fetch.ErrStatus}
	}
	return &fetch.Document{URL: u, Status: 200, Attempts: 1, Header: http.Header{}, Body: io.NopCloser(r)}, nil
}

// RoundTrip makes it the Transport of a fetch.Client.
func (e *endless) RoundTrip(r *http.Request) (*http.Response, error) {
	e.gets.Add(1)
	return &http.Response{
		StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: -1,
		Body: io.NopCloser(e.page(r.URL)), Request: r,
	}, nil
}

// peak returns the most memory that the process had from the system while f ran,
// as far as a sample every 20 ms shows, less what it had before.
func peak(f func()) uint64 {
	debug.FreeOSMemory()
	before := inUse()
	var most atomic.Uint64
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				most.Store(max(most.Load(), inUse()))
			}
		}
	}()
	f()
	close(done)
	<-ended
	return max(most.Load(), before) - before
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapIdle
}

// An indexReader is an index of n children, made as it is read.
type indexReader struct {
	base string
	n, i int
	rest []byte
}

func (r *indexReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		switch {
		case r.i == 0:
			r.rest = []byte(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		case r.i <= r.n:
			r.rest = fmt.Appendf(r.rest[:0], "<sitemap><loc>%s%d.xml</loc></sitemap>\n", r.base, r.i)
		case r.i == r.n+1:
			r.rest = []byte("</sitemapindex>")
		default:
			return 0, io.EOF
		}
		r.i++
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestFanOutIsBounded: an index of 50,000 indexes of 50,000 indexes and so on
// ends at the walk's limits, in little memory.
func TestFanOutIsBounded(t *testing.T) {
	for _, long := range []int{0, 4_000} {
		children := 50_000 / (1 + long/1_000)
		web := &endless{page: func(u *url.URL) io.Reader {
			return &indexReader{base: fmt.Sprintf("https://example.com/%s%x-", strings.Repeat("x", long), fnvOf(u.Path)), n: children}
		}}
		c := &Client{Fetcher: web}
		var err error
		n := peak(func() {
			for _, e := range c.Walk(t.Context(), named("https://example.com/index.xml"), &Options{MaxSitemaps: *fanOut}) {
				err = e
			}
		})
		var we *WalkError
		if !errors.As(err, &we) || !errors.Is(err, ErrLimit) {
			t.Fatalf("error %v", err)
		}
		if n > 64<<20 {
			t.Errorf("locations of %d bytes more: %d MiB of memory", long, n>>20)
		}
		// A few more may have been fetched ahead, for their turn that never came.
		if gets := web.gets.Load(); gets > int64(*fanOut+DefaultMaxDepth*DefaultConcurrency) {
			t.Errorf("%d documents were fetched", gets)
		}
	}
}

func fnvOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// TestFrontierIsBounded: with the default limits, too, only so much is kept of
// what is to be walked, and what is lost is told.
func TestFrontierIsBounded(t *testing.T) {
	f := frontier{max: frontierRoom(DefaultMaxSitemaps), letGo: func(*record, *child) {}}
	for range 10 {
		fr := &frame{}
		for i := range 50_000 {
			f.list(fr, child{loc: fmt.Sprintf("https://example.com/sitemaps/%020d.xml", i)})
		}
		f.push(fr)
	}
	if f.cost > f.max || f.lost == 0 {
		t.Errorf("cost %d of %d, %d lost", f.cost, f.max, f.lost)
	}
	if left := f.left(); left+f.lost != 500_000 || left < 2*DefaultMaxSitemaps {
		t.Errorf("%d left, %d lost", left, f.lost)
	}
	for {
		if _, _, ok := f.pop(func(*record) {}); !ok {
			break
		}
	}
	if f.cost != 0 {
		t.Errorf("at the end the cost is %d", f.cost)
	}
}

// TestFrontierDropsWhatIsFetched: what was fetched ahead for a document that is let go does not
// stay until the walk ends.
func TestFrontierDropsWhatIsFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const e = "https://example.com"
		w := newWeb()
		kids := []string{e + "/1.xml", e + "/2.xml", e + "/3.xml"}
		w.answersAfter(time.Second, e+"/i.xml", index(kids...))
		for _, loc := range append(kids, e+"/last.xml") {
			w.serve(loc, urlset(loc+"/p"))
		}
		l, c := &log{}, w.client()
		c.init()
		walk := newWalk(t.Context(), c, l.options(Options{}), func(u URL, err error) bool {
			l.take(u, err)
			return true
		})
		defer walk.close()
		walk.frontier.max = 3*childCost + 4*len(kids[0])
		walk.run(named(e+"/i.xml", e+"/last.xml"))
		if len(l.urls) != 3 || !errors.Is(l.err, ErrLimit) || w.hits(e+"/last.xml") != 1 {
			t.Errorf("%q, %v, asked %d times for what was let go", l.urls, l.err, w.hits(e+"/last.xml"))
		}
		if n := len(walk.ahead.started); n > 0 {
			t.Errorf("%d documents are still fetched ahead", n)
		}
	})
}

// TestClientIsBounded: a Client that walks very many hosts keeps little memory of
// them: of robots.txt files, of what its limiter knows of hosts and addresses.
func TestClientIsBounded(t *testing.T) {
	web := &endless{page: func(u *url.URL) io.Reader {
		if u.Path == "/robots.txt" {
			return strings.NewReader("User-agent: *\nDisallow: /x\nSitemap: https://" + u.Host + "/s.xml\n" + strings.Repeat("# filler\n", 20))
		}
		return strings.NewReader(urlset("https://" + u.Host + "/page"))
	}}
	limiter := &fetch.HostLimiter{Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
		h := fnvOf(host)
		return []netip.Addr{netip.AddrFrom4([4]byte{11, byte(h >> 16), byte(h >> 8), byte(h)})}, nil
	}}
	c := &Client{Fetcher: &fetch.Client{Transport: web, Limiter: limiter}}
	urls := 0
	n := peak(func() {
		for i := range *manyHosts {
			for _, err := range c.URLs(t.Context(), fmt.Sprintf("https://host%d.test", i), nil) {
				if err != nil {
					t.Fatal(err)
				}
				urls++
			}
		}
	})
	if urls != *manyHosts {
		t.Errorf("%d URLs of %d hosts", urls, *manyHosts)
	}
	t.Logf("%d hosts: %d MiB of memory", *manyHosts, n>>20)
	if n > 200<<20 {
		t.Errorf("%d MiB of memory", n>>20)
	}
	if c.robots.size > robotsRoom {
		t.Errorf("the cache of robots.txt files holds %d bytes", c.robots.size)
	}
}

// A mover redirects all but indexes to where they have a long query.
type mover struct{ Fetcher }

func (m mover) Get(ctx context.Context, req fetch.Request) (*fetch.Document, error) {
	doc, err := m.Fetcher.Get(ctx, req)
	if err == nil && strings.HasPrefix(doc.URL.Path, "/u/") {
		doc.Hops = []fetch.Hop{{URL: req.URL, Status: http.StatusFound}}
		doc.URL, _ = url.Parse(req.URL + "?" + strings.Repeat("q", 7_600))
	}
	return doc, err
}

// TestGraphIsBounded: of documents that were read only so much is kept, however long their
// locations are, those of their directories and pages, and those that redirects lead to.
func TestGraphIsBounded(t *testing.T) {
	const documents, room = 10_000, 40 << 20
	const www, cdn, blog = "https://www.example.com", "https://cdn.example.net", "https://blog.example.com"
	long := strings.Repeat("d", 7_600) + "/"
	site := func(dir, page string) *endless {
		return &endless{page: func(u *url.URL) io.Reader {
			switch {
			case u.Path == "/robots.txt":
				return strings.NewReader("Sitemap: " + cdn + "/top/index.xml\n")
			case u.Path == "/top/index.xml":
				return &indexReader{base: cdn + "/i/", n: documents / 100}
			case strings.HasPrefix(u.Path, "/i/"):
				return &indexReader{base: cdn + "/u" + u.Path + dir, n: 99}
			}
			return strings.NewReader(urlset(page))
		}}
	}
	for name, f := range map[string]Fetcher{
		"directories": site(long, www+"/page"),
		"redirects":   mover{site("/", www+"/page")},
		"pages":       site("/", blog+"/"+long),
	} {
		seed := &Sitemap{Loc: cdn + "/top/index.xml", RobotsURL: www + "/robots.txt", Scope: Scope{RobotsGrants(www + "/robots.txt")}}
		c, before, urls := &Client{Fetcher: f}, live(), 0
		for _, err := range c.Walk(t.Context(), []*Sitemap{seed}, nil) {
			if err != nil {
				t.Fatal(name, err)
			}
			if urls++; urls == documents/100*99 {
				if more := live() - before; more > room {
					t.Errorf("%s: %d MiB are kept", name, more>>20)
				}
			}
		}
		if urls != documents/100*99 {
			t.Errorf("%s: %d URLs", name, urls)
		}
	}
}

// live returns the memory of what is in use.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestEndlessChains: indexes that list ever new indexes, robots.txt files that
// name very many: each ends.
func TestEndlessChains(t *testing.T) {
	n := 0
	web := &endless{page: func(u *url.URL) io.Reader {
		n++
		switch {
		case u.Path == "/robots.txt":
			return strings.NewReader(strings.Repeat(fmt.Sprintf("Sitemap: /%d.xml\n", n), 100_000))
		default:
			return strings.NewReader(index(fmt.Sprintf("https://%s/%d.xml", u.Host, n), u.String()))
		}
	}}
	l := walkSite(&Client{Fetcher: web, Concurrency: 1}, "https://example.com", Options{})
	var le *LimitError
	if !errors.As(l.err, &le) || le.What != "depth" || len(l.done) != 11 {
		t.Errorf("%d documents, %v", len(l.done), l.err)
	}
}
