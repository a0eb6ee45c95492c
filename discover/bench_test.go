package discover_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/parse"
)

// A loopback is a site on loopback: an index of gzip children.
type loopback struct {
	srv         *httptest.Server
	url         string
	children    int
	latency     time.Duration
	connections atomic.Int64
	bodies      [][]byte
}

func newLoopback(children, each int, latency time.Duration) *loopback {
	l := &loopback{children: children, latency: latency, bodies: loopbackBodies(each)}
	l.srv = httptest.NewUnstartedServer(l)
	l.srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			l.connections.Add(1)
		}
	}
	l.srv.Start()
	l.url = l.srv.URL
	return l
}

// loopbackBodies returns what the children of a loopback are by turns: what package
// parse is measured by first of all, in pieces.
func loopbackBodies(each int) [][]byte {
	var bodies [][]byte
	for i := range 8 {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if err := gendoc.Write(w, gendoc.URLSet, each, uint64(i)); err != nil {
			panic(err)
		}
		w.Close()
		bodies = append(bodies, b.Bytes())
	}
	return bodies
}

func (l *loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var i int
	switch {
	case r.URL.Path == "/index.xml":
		locs := make([]string, l.children)
		for i := range locs {
			locs[i] = fmt.Sprintf("%s/s/%d.xml.gz", l.url, i)
		}
		w.Write([]byte(indexOf(locs...)))
	case r.URL.Path == "/connections":
		fmt.Fprint(w, l.connections.Load())
	default:
		if _, err := fmt.Sscanf(r.URL.Path, "/s/%d.xml.gz", &i); err != nil {
			http.NotFound(w, r)
			return
		}
		time.Sleep(l.latency)
		body := l.bodies[i%len(l.bodies)]
		w.Header().Set("Content-Type", "application/gzip")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
}

func indexOf(locs ...string) string {
	return "<sitemapindex><sitemap><loc>" + strings.Join(locs, "</loc></sitemap><sitemap><loc>") +
		"</loc></sitemap></sitemapindex>"
}

// TestMain is the process of startLoopback where that asks for it. It silences what
// net/http says of its own accord.
func TestMain(m *testing.M) {
	stdlog.SetOutput(io.Discard)
	if of := os.Getenv(loopbackEnv); of != "" {
		serveLoopback(of)
		return
	}
	os.Exit(m.Run())
}

const loopbackEnv = "DISCOVER_TEST_LOOPBACK"

// serveLoopback serves a loopback until standard input ends.
func serveLoopback(of string) {
	var children, each int
	var latency time.Duration
	if _, err := fmt.Sscan(of, &children, &each, &latency); err != nil {
		panic(err)
	}
	l := newLoopback(children, each, latency)
	defer l.srv.Close()
	fmt.Println(l.url)
	io.Copy(io.Discard, os.Stdin)
}

// startLoopback serves a loopback from another process, whose CPU time is not
// ours, and returns its URL.
func startLoopback(tb testing.TB, children, each int, latency time.Duration) string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprint(loopbackEnv, "=", children, " ", each, " ", int64(latency)))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		stdin.Close()
		io.Copy(io.Discard, stdout)
		cmd.Wait()
	})
	var url string
	if _, err := fmt.Fscan(stdout, &url); err != nil {
		tb.Fatal(err)
	}
	return url
}

// loopbackClient returns a Client that sends up to n requests at once.
func loopbackClient(concurrency int) *discover.Client {
	return &discover.Client{Concurrency: concurrency, Fetch: &fetch.Client{
		AllowPrivateNetworks: true,
		Limiter:              &fetch.HostLimiter{Total: concurrency, PerHost: concurrency, PerAddress: concurrency},
	}}
}

// loopbackSeeds name the index of a loopback, which may list the URLs of
// www.example.com.
func loopbackSeeds(url string) []*discover.Sitemap {
	grants := trust.Grants(trust.FromCaller, "https://www.example.com/", nil, nil)
	return []*discover.Sitemap{{Loc: url + "/index.xml", Grants: grants}}
}

// loopbackConnections returns how many connections a loopback has seen, without
// the one that asks.
func loopbackConnections(tb testing.TB, url string) int {
	t := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: t}).Get(url + "/connections")
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	var n int
	if _, err := fmt.Fscan(resp.Body, &n); err != nil {
		tb.Fatal(err)
	}
	return n - 1
}

// BenchmarkWalk walks a site on loopback whose server is another process: an index
// of 1,000 gzip children of 1,000 URLs, each answered at once or after 50 ms. x-ideal
// is the time in terms of children / concurrency * latency.
func BenchmarkWalk(b *testing.B) {
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		for _, concurrency := range []int{1, 4, 16} {
			children := 1000
			if latency > 0 && concurrency == 1 {
				children = 100
			}
			b.Run(fmt.Sprintf("latency=%v/concurrency=%d/children=%d", latency, concurrency, children), func(b *testing.B) {
				url := startLoopback(b, children, 1000, latency)
				c := loopbackClient(concurrency)
				walk := measured(b, func() int { return walkLoopback(b, c, url) })
				for b.Loop() {
					walk()
				}
				b.ReportMetric(float64(loopbackConnections(b, url)), "connections")
				if latency > 0 {
					ideal := float64(children) / float64(concurrency) * float64(latency)
					b.ReportMetric(float64(b.Elapsed())/float64(b.N)/ideal, "x-ideal")
				}
				c.CloseIdleConnections()
			})
		}
	}
}

// BenchmarkWalkCPU reports how many times the CPU time of net/http alone a walk takes: net/http
// reads each body whole and hands it to the same parser, sixteen at once. Both are the medians of
// rounds by turns, so that what else the machine does falls on both alike.
func BenchmarkWalkCPU(b *testing.B) {
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		b.Run(fmt.Sprint("latency=", latency), func(b *testing.B) {
			url := startLoopback(b, 1000, 1000, latency)
			c := loopbackClient(16)
			defer c.CloseIdleConnections()
			var ratios []float64
			for b.Loop() {
				bare := cpuOf(func() { bareLoopback(b, url, 1000) })
				walk := cpuOf(func() { walkLoopback(b, c, url) })
				ratios = append(ratios, walk/bare)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-net/http")
		})
	}
}

// cpuOf returns the CPU time of f and of collecting its garbage.
func cpuOf(f func()) float64 {
	start := cpuTime()
	f()
	runtime.GC()
	return float64(cpuTime() - start)
}

// bareLoopback gets the children of a loopback with net/http alone, sixteen at once, and parses
// their bodies.
func bareLoopback(b *testing.B, url string, children int) {
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	defer transport.CloseIdleConnections()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(children); i = next.Add(1) {
				resp, err := (&http.Client{Transport: transport}).Get(fmt.Sprintf("%s/s/%d.xml.gz", url, i%int64(children)))
				if err != nil {
					b.Error(err)
					return
				}
				body, err := io.ReadAll(resp.Body)
				if err != nil {
					b.Error(err)
				}
				resp.Body.Close()
				for _, err := range parse.Entries(bytes.NewReader(body), nil) {
					if err != nil {
						b.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// measured returns f, which returns how many URLs it read, with its CPU time for
// each of them reported at the end of the benchmark.
func measured(b *testing.B, f func() int) func() {
	urls, cpu := 0, time.Duration(0)
	b.Cleanup(func() { b.ReportMetric(float64(cpu)/float64(urls), "cpu-ns/url") })
	return func() {
		start := cpuTime()
		urls += f()
		cpu += cpuTime() - start
	}
}

// walkLoopback walks a loopback and returns the number of URLs.
func walkLoopback(b *testing.B, c *discover.Client, url string) (urls int) {
	for _, err := range c.Walk(context.Background(), loopbackSeeds(url), nil) {
		if err != nil {
			b.Fatal(err)
		}
		urls++
	}
	return urls
}

// A walk opens no more connections to a host than it sends requests at once. On a machine so busy
// that a body waits for a second for its reader, the limiter lets another request go, so it has ten
// tries.
func TestConnectionsAreReused(t *testing.T) {
	for _, concurrency := range []int{1, 4, 16} {
		opened := int64(0)
		for range 10 {
			if opened = connections(t, concurrency); opened <= int64(concurrency) {
				break
			}
		}
		if opened > int64(concurrency) {
			t.Errorf("concurrency %d: %d connections", concurrency, opened)
		}
	}
}

// connections walks a site of 200 children and returns how many connections it
// saw.
func connections(t *testing.T, concurrency int) int64 {
	t.Helper()
	l := newLoopback(200, 5, 0)
	defer l.srv.Close()
	c := loopbackClient(concurrency)
	defer c.CloseIdleConnections()
	n := 0
	for _, err := range c.Walk(t.Context(), loopbackSeeds(l.url), nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1000 {
		t.Errorf("%d URLs", n)
	}
	return l.connections.Load()
}
