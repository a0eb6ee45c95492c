package discover

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A web is a small web of several hosts, served by an http.RoundTripper. A page
// is found under its URL; what has none is 404.
type web struct {
	mu      sync.Mutex
	pages   map[string]http.HandlerFunc
	count   map[string]int
	order   []string
	open    atomic.Int64 // bodies that were not closed
	current atomic.Int64
	most    atomic.Int64 // requests at once
}

func newWeb() *web {
	return &web{pages: map[string]http.HandlerFunc{}, count: map[string]int{}}
}

// serve serves text at url.
func (w *web) serve(url, text string) {
	w.handle(url, func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, text) })
}

func (w *web) handle(url string, h http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[url] = h
}

func (w *web) redirect(from, to string) {
	w.handle(from, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", to)
		rw.WriteHeader(http.StatusFound)
	})
}

// hang answers nothing until the request is given up.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func (w *web) status(url string, status int) {
	w.handle(url, func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(status) })
}

func (w *web) hits(url string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count[url]
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	url := r.URL.String()
	w.mu.Lock()
	h := w.pages[url]
	w.count[url]++
	w.order = append(w.order, url)
	w.mu.Unlock()
	n := w.current.Add(1)
	defer w.current.Add(-1)
	for {
		most := w.most.Load()
		if n <= most || w.most.CompareAndSwap(most, n) {
			break
		}
	}
	if h == nil {
		h = http.NotFound
	}
	rec := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		h(rec, r)
	}()
	select {
	case <-done:
	case <-r.Context().Done():
		<-done
		return nil, r.Context().Err()
	}
	if err, ok := rec.Header()["X-Error"]; ok {
		return nil, errors.New(err[0])
	}
	resp := rec.Result()
	resp.Request = r
	if rec.Header().Get("X-Cut") != "" {
		after, _ := time.ParseDuration(rec.Header().Get("X-Cut-After"))
		resp.Body = io.NopCloser(io.MultiReader(resp.Body, &slowBody{io.NopCloser(brokenReader{}), after}))
	}
	if rec.Header().Get("X-Silent") != "" {
		resp.Body = io.NopCloser(io.MultiReader(resp.Body, silentReader{r.Context()}))
	}
	if after, err := time.ParseDuration(rec.Header().Get("X-Slow")); err == nil {
		resp.Body = &slowBody{resp.Body, after}
	}
	w.open.Add(1)
	resp.Body = &countedBody{ReadCloser: resp.Body, open: &w.open}
	return resp, nil
}

// A slowBody comes after a while.
type slowBody struct {
	io.ReadCloser
	after time.Duration
}

func (b *slowBody) Read(p []byte) (int, error) {
	time.Sleep(b.after)
	b.after = 0
	return b.ReadCloser.Read(p)
}

// A silentReader says nothing until a context ends.
type silentReader struct{ ctx context.Context }

func (r silentReader) Read([]byte) (int, error) {
	<-r.ctx.Done()
	return 0, r.ctx.Err()
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

type countedBody struct {
	io.ReadCloser
	open *atomic.Int64
	once sync.Once
}

func (b *countedBody) Close() error {
	b.once.Do(func() { b.open.Add(-1) })
	return b.ReadCloser.Close()
}

// client returns a Client on the web, which never waits between retries.
func (w *web) client() *Client {
	return &Client{Fetcher: w.fetcher()}
}

func (w *web) fetcher() *fetch.Client {
	return &fetch.Client{Transport: w, Retries: -1}
}

// urlset returns a document that lists locs.
func urlset(locs ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, l := range locs {
		loc, lastmod, _ := strings.Cut(l, "|")
		fmt.Fprintf(&b, "<url><loc>%s</loc>", loc)
		if lastmod != "" {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", lastmod)
		}
		b.WriteString("</url>\n")
	}
	return b.String() + "</urlset>"
}

// index returns an index of locs, each with "|lastmod" or without.
func index(locs ...string) string {
	s := urlset(locs...)
	return strings.NewReplacer("<url>", "<sitemap>", "</url>", "</sitemap>", "urlset", "sitemapindex").Replace(s)
}

func gz(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// A log is what a walk told.
type log struct {
	urls     []string // with trust: "https://example.com/a location"
	problems []string // code and text
	done     []string
	sums     map[string]Summary
	err      error
}

func (l *log) options(o Options) *Options {
	l.sums = map[string]Summary{}
	o.Report = func(s *Sitemap, p sitemap.Problem) {
		l.problems = append(l.problems, s.Loc+" "+p.Code.String()+" "+p.Text)
	}
	o.Done = func(s *Sitemap, sum Summary) {
		l.done = append(l.done, s.Loc)
		l.sums[s.Loc] = sum
	}
	return &o
}

func (l *log) has(t *testing.T, problem string) bool {
	t.Helper()
	return slices.ContainsFunc(l.problems, func(p string) bool { return strings.Contains(p, problem) })
}

func (l *log) take(u URL, err error) {
	if err != nil {
		l.err = err
		return
	}
	l.urls = append(l.urls, u.Loc+" "+u.Trust.String())
}

// locs are the URLs without their trust.
func (l *log) locs() []string {
	var locs []string
	for _, u := range l.urls {
		loc, _, _ := strings.Cut(u, " ")
		locs = append(locs, loc)
	}
	return locs
}

func walkSite(c *Client, site string, o Options) *log {
	l := &log{}
	for u, err := range c.URLs(context.Background(), site, l.options(o)) {
		l.take(u, err)
	}
	return l
}

func walkFrom(c *Client, from []*Sitemap, o Options) *log {
	l := &log{}
	for u, err := range c.Walk(context.Background(), from, l.options(o)) {
		l.take(u, err)
	}
	return l
}

func named(locs ...string) []*Sitemap {
	var from []*Sitemap
	for _, loc := range locs {
		from = append(from, &Sitemap{Loc: loc})
	}
	return from
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
