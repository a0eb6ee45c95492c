package discover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/faultserver"
)

var quiet = stdlog.New(io.Discard, "", 0)

// TestWalkFaults walks an index of all that a faultserver has. Each document ends
// once, with the entries before the fault, none of them twice, and an error that
// tells what it was.
func TestWalkFaults(t *testing.T) {
	faults := faultserver.New()
	var kids []string
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/index.xml" {
			io.WriteString(w, index(kids...))
			return
		}
		faults.ServeHTTP(w, r)
	}))
	srv.Config.ErrorLog = quiet
	srv.Start()
	defer srv.Close()
	defer faults.Close()
	names := faultserver.Names()
	slices.Sort(names)
	for _, name := range names {
		kids = append(kids, srv.URL+"/fault/"+name+"?n=8")
	}
	c := &Client{Concurrency: 16, Fetcher: &fetch.Client{
		AllowPrivateNetworks: true, Retries: -1, Timeout: 2 * time.Second, Limiter: unlimited{},
	}}
	g, _ := CallerGrant("http://www.example.com/")
	seeds := []*Sitemap{{Loc: srv.URL + "/index.xml", Scope: Scope{[]Grant{g}}}}
	listed, sums := map[string]map[string]int{}, map[string][]Summary{}
	o := &Options{Limits: sitemap.Limits{Bytes: 1 << 20, Entries: 1_000}, Done: func(s *Sitemap, sum Summary) {
		sums[s.Loc] = append(sums[s.Loc], sum)
	}}
	for u, err := range c.Walk(t.Context(), seeds, o) {
		if err != nil {
			var we *WalkError
			if !errors.As(err, &we) || we.Failed < 25 {
				t.Errorf("the last error is %v", err)
			}
			continue
		}
		if listed[u.Sitemap.Loc] == nil {
			listed[u.Sitemap.Loc] = map[string]int{}
		}
		if listed[u.Sitemap.Loc][u.Loc]++; listed[u.Sitemap.Loc][u.Loc] > 1 {
			t.Errorf("%s yields %s again", u.Sitemap.Loc, u.Loc)
		}
	}
	whole := 0
	for i, name := range names {
		loc := kids[i]
		if len(sums[loc]) > 1 {
			t.Errorf("%s ended %d times", name, len(sums[loc]))
		}
		for _, sum := range sums[loc] {
			var (
				fe *fetch.Error
				pe *sitemap.ParseError
			)
			if sum.Err != nil && !errors.As(sum.Err, &fe) && !errors.As(sum.Err, &pe) {
				t.Errorf("%s: error %v of no type", name, sum.Err)
			}
			if sum.Err == nil {
				whole++
				if n := len(listed[loc]); n != faultserver.Entries {
					t.Errorf("%s: %d URLs without an error", name, n)
				}
			}
		}
		switch name {
		case "reset-midway", "close-midway", "chunk-midway", "bad-chunk", "stall", "truncated-gzip", "corrupt-gzip", "partial":
			if n := len(listed[loc]); n == 0 || n >= faultserver.Entries {
				t.Errorf("%s: %d URLs, want those before the fault: %+v", name, n, sums[loc])
			}
		}
	}
	if whole == 0 {
		t.Error("no document was read to its end")
	}
}

// TestWalkSlowConsumer pauses for longer than the server waits: what was read ahead
// is not lost, and what was not is fetched again.
func TestWalkSlowConsumer(t *testing.T) {
	t.Parallel()
	const documents, entries = 6, 50_000
	filler, bodies := strings.Repeat("x", 100), map[string][]byte{}
	var srv *httptest.Server
	srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/index.xml" {
			var kids []string
			for i := range documents {
				kids = append(kids, fmt.Sprintf("%s/%d", srv.URL, i))
			}
			io.WriteString(w, index(kids...))
			return
		}
		w.Write(bodies[r.URL.Path])
	}))
	srv.Config.WriteTimeout = time.Second
	srv.Start()
	defer srv.Close()
	for i := range documents {
		// About 7 MB, which the buffers of the kernel do not hold.
		var b bytes.Buffer
		for j := range entries {
			fmt.Fprintf(&b, "%s/%d/%s/%d\n", srv.URL, i, filler, j)
		}
		bodies[fmt.Sprintf("/%d", i)] = b.Bytes()
	}
	c := &Client{Fetcher: &fetch.Client{AllowPrivateNetworks: true}}
	defer c.CloseIdleConnections()
	n := 0
	for u, err := range c.Walk(t.Context(), named(srv.URL+"/index.xml"), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%s/%d/%s/%d", srv.URL, n/entries, filler, n%entries); u.Loc != want {
			t.Fatalf("URL %d is %s, want %s", n, u.Loc, want)
		}
		if n++; n == 1 || n == 2*entries+1 {
			time.Sleep(2500 * time.Millisecond)
		}
	}
	if n != documents*entries {
		t.Errorf("%d URLs, want %d", n, documents*entries)
	}
}

// TestWalkLeavesNoConnection: however a walk ends, no connection is left but idle
// ones, and no goroutine.
func TestWalkLeavesNoConnection(t *testing.T) {
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	var srv *httptest.Server
	srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/index.xml":
			var kids []string
			for i := range 30 {
				kids = append(kids, fmt.Sprintf("%s/%d", srv.URL, i))
			}
			io.WriteString(w, index(kids...))
		case strings.HasSuffix(r.URL.Path, "7"):
			panic(http.ErrAbortHandler)
		default:
			for i := range 100_000 {
				if _, err := fmt.Fprintf(w, "%s/page%s/%d\n", srv.URL, r.URL.Path, i); err != nil {
					return
				}
			}
		}
	}))
	srv.Config.ErrorLog = quiet
	srv.Config.ConnState = func(c net.Conn, s http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if open[c] = true; s == http.StateClosed {
			delete(open, c)
		}
	}
	srv.Start()
	defer srv.Close()
	left := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(open)
	}
	before := runtime.NumGoroutine()
	for _, end := range []string{"break", "cancel", "panic", "error"} {
		c := &Client{Fetcher: &fetch.Client{AllowPrivateNetworks: true, Retries: -1}}
		ctx, cancel := context.WithCancel(t.Context())
		func() {
			defer func() {
				if r := recover(); (r != nil) != (end == "panic") {
					t.Errorf("%s: panic %v", end, r)
				}
			}()
			n := 0
			for _, err := range c.Walk(ctx, named(srv.URL+"/index.xml"), &Options{MaxSitemaps: 9}) {
				if n++; n < 150_000 || err != nil {
					continue
				}
				switch end {
				case "break":
					return
				case "cancel":
					cancel()
				case "panic":
					panic("in the loop")
				}
			}
		}()
		cancel()
		c.CloseIdleConnections()
		for deadline := time.Now().Add(10 * time.Second); left() > 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if n := left(); n > 0 {
			t.Errorf("%s: %d connections are open", end, n)
		}
		if got := goroutines(before); got > before {
			t.Errorf("%s: %d goroutines, %d before", end, got, before)
		}
	}
}

// TestWalksShareOneBudget: two walks of one Client send no more requests at once
// than one does.
func TestWalksShareOneBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		var locs []string
		for i := range 40 {
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			locs = append(locs, loc)
			w.handle(loc, func(rw http.ResponseWriter, _ *http.Request) {
				time.Sleep(50 * time.Millisecond)
				io.WriteString(rw, urlset("https://example.com/page"))
			})
		}
		w.serve("https://example.com/index.xml", index(locs...))
		c := &Client{Concurrency: 4, Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}
		var walks sync.WaitGroup
		for range 2 {
			walks.Go(func() {
				if l := walkFrom(c, named("https://example.com/index.xml"), Options{}); len(l.urls) != 40 || l.err != nil {
					t.Errorf("%d URLs, %v", len(l.urls), l.err)
				}
			})
		}
		walks.Wait()
		if most := w.most.Load(); most > 4 {
			t.Errorf("%d requests at once", most)
		}
	})
}

// A plainFetcher gets documents whatever their status.
type plainFetcher struct{ w *web }

func (f plainFetcher) Get(ctx context.Context, req fetch.Request) (*fetch.Document, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, req.URL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := f.w.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	return &fetch.Document{URL: r.URL, Status: resp.StatusCode, Body: resp.Body, Header: resp.Header}, nil
}

// TestPlainFetcher: a Fetcher need not know which statuses are failures.
func TestPlainFetcher(t *testing.T) {
	w := newWeb()
	w.handle("https://example.com/sitemap.xml", func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusNotFound)
		io.WriteString(rw, "https://example.com/not-found\n")
	})
	l := walkSite(&Client{Fetcher: plainFetcher{w}}, "https://example.com", Options{})
	var none *NoSitemapError
	if !errors.As(l.err, &none) || len(l.urls) > 0 {
		t.Errorf("URLs %q, error %v", l.urls, l.err)
	}
	w.status("https://example.com/robots.txt", http.StatusServiceUnavailable)
	l = walkSite(&Client{Fetcher: plainFetcher{w}}, "https://example.com", Options{})
	var failed *fetch.Error
	if !errors.As(l.err, &failed) || failed.Status != http.StatusServiceUnavailable || !errors.Is(l.err, fetch.ErrStatus) {
		t.Errorf("error %v", l.err)
	}
}

// TestCutUntilClose: a document whose end only that of its connection tells, and which ends too
// early, is fetched again.
func TestCutUntilClose(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		n := asked[r.URL.Path]
		mu.Unlock()
		here := "http://" + r.Host
		text := urlset(here + r.URL.Path + "/1")
		if r.URL.Path == "/i.xml" {
			text = index(here+"/a.xml", here+"/b.xml.gz", here+"/never.xml", here+"/0.xml", here+"/1.xml", here+"/5.xml", here+"/10.xml.gz")
		}
		if strings.HasSuffix(r.URL.Path, ".gz") {
			text = gz(text)
		}
		if n == 1 || r.URL.Path == "/never.xml" {
			name, _, _ := strings.Cut(r.URL.Path[1:], ".")
			at, err := strconv.Atoi(name)
			if err != nil {
				at = len(text) / 2
			}
			text = text[:at]
		}
		conn, _, _ := rw.(http.Hijacker).Hijack()
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+text)
	}))
	defer s.Close()
	c := &Client{Fetcher: &fetch.Client{AllowPrivateNetworks: true}}
	l := walkFrom(c, named(s.URL+"/i.xml"), Options{})
	equal(t, "URLs", l.locs(), []string{
		s.URL + "/a.xml/1", s.URL + "/b.xml.gz/1",
		s.URL + "/0.xml/1", s.URL + "/1.xml/1", s.URL + "/5.xml/1", s.URL + "/10.xml.gz/1",
	})
	if !errors.Is(l.err, sitemap.ErrTruncated) || asked["/i.xml"] != 2 || asked["/never.xml"] != 3 {
		t.Errorf("%v, asked %v", l.err, asked)
	}
}
