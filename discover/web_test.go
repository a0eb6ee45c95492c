package discover_test

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// webs multiplies the random webs of the tests that resume walks and compare runs.
var webs = flag.Uint64("webs", 0, "random webs to resume and to compare; 0 means a few")

// randomWebs returns the number of random webs to test, few unless the flag says otherwise.
func randomWebs(few uint64) uint64 {
	if *webs > 0 {
		return *webs
	}
	return few
}

// A web is an http.RoundTripper that answers for several hosts. A URL without an answer is 404.
type web struct {
	mu       sync.Mutex
	answers  map[string]func(*http.Request) answer
	requests []string // in order
	now      int      // requests under way
	most     int      // of now
	open     atomic.Int64
}

// An answer is a response, or the error instead of one.
type answer struct {
	status int           // 0 means 200
	header []string      // names and values
	body   string        //
	cut    error         // after the body, in place of io.EOF
	err    error         // in place of the response
	wait   time.Duration // before the response; for tests with a fake clock
	hang   bool          // until the request is given up
}

func newWeb() *web { return &web{answers: map[string]func(*http.Request) answer{}} }

func (w *web) handle(url string, f func(*http.Request) answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers[url] = f
}

func (w *web) answer(url string, a answer) {
	w.handle(url, func(*http.Request) answer { return a })
}

func (w *web) serve(url, body string) { w.answer(url, answer{body: body}) }

func (w *web) redirect(from, to string) {
	w.answer(from, answer{status: 302, header: []string{"Location", to}})
}

// tagged serves what body returns with an ETag, and answers 304 to it.
func (w *web) tagged(url string, body func() string) {
	w.handle(url, func(r *http.Request) answer {
		text := body()
		tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(text)))
		a := answer{header: []string{"ETag", tag}, body: text}
		if r.Header.Get("If-None-Match") == tag {
			a.status, a.body = 304, ""
		}
		return a
	})
}

// RoundTrip answers one request.
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	loc := r.URL.String()
	w.mu.Lock()
	f := w.answers[loc]
	w.requests = append(w.requests, loc)
	w.now++
	w.most = max(w.most, w.now)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.now--
		w.mu.Unlock()
	}()
	a := answer{status: 404}
	if f != nil {
		a = f(r)
	}
	if a.hang {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if a.wait > 0 {
		select {
		case <-time.After(a.wait):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	if a.status == 0 {
		a.status = 200
	}
	h := http.Header{}
	for pair := range slices.Chunk(a.header, 2) {
		h.Add(pair[0], pair[1])
	}
	w.open.Add(1)
	body := &webBody{Reader: strings.NewReader(a.body), open: &w.open}
	if a.cut != nil {
		body.Reader = io.MultiReader(body.Reader, broken{a.cut})
	}
	return &http.Response{StatusCode: a.status, Header: h, Body: body, Request: r}, nil
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

type webBody struct {
	io.Reader
	open *atomic.Int64
	once sync.Once
}

func (b *webBody) Close() error {
	b.once.Do(func() { b.open.Add(-1) })
	return nil
}

// hits returns how often a URL was requested.
func (w *web) hits(url string) (n int) {
	for _, r := range w.asked() {
		if r == url {
			n++
		}
	}
	return n
}

// asked returns the URLs that were requested, in order.
func (w *web) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.requests)
}

// forget begins to count requests again.
func (w *web) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests, w.most = nil, 0
}

// client returns a Client that sends each request once and waits for nothing.
func (w *web) client() *discover.Client {
	return &discover.Client{Fetch: &fetch.Client{Transport: w, Retries: -1, Limiter: free{}}}
}

// free is a Limiter that lets every request go.
type free struct{}

func (free) Acquire(context.Context, *url.URL) (func(int, time.Duration), error) { return nil, nil }
func (free) SetDelay(*url.URL, time.Duration)                                    {}

// urlset returns a document that lists locs, each with "|lastmod" or without.
func urlset(locs ...string) string {
	var b strings.Builder
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, l := range locs {
		loc, lastmod, _ := strings.Cut(l, "|")
		b.WriteString("<url><loc>" + loc + "</loc>")
		if lastmod != "" {
			b.WriteString("<lastmod>" + lastmod + "</lastmod>")
		}
		b.WriteString("</url>\n")
	}
	return b.String() + "</urlset>"
}

// index returns an index of locs, each with "|lastmod" or without.
func index(locs ...string) string {
	return strings.NewReplacer("<url>", "<sitemap>", "</url>", "</sitemap>", "urlset", "sitemapindex").
		Replace(urlset(locs...))
}

// mixed returns an index with pages, which come first.
func mixed(pages, children []string) string {
	p := strings.TrimSuffix(urlset(pages...), "</urlset>")
	p = p[strings.Index(p, ">")+1:]
	return strings.Replace(index(children...), ">", ">"+p, 1)
}

// A result holds everything that a walk yielded and reported.
type result struct {
	urls     []discover.URL
	problems []string // "location code text"
	done     []string // locations
	sums     map[string]discover.Summary
	err      error
}

// collect ranges over a walk of w, which begin starts with o.
func (w *web) collect(t *testing.T, o discover.Options, begin func(*discover.Options) iter.Seq2[discover.URL, error]) *result {
	t.Helper()
	r := &result{sums: map[string]discover.Summary{}}
	report, done := o.Report, o.Done
	o.Report = func(s *discover.Sitemap, p sitemap.Problem) {
		r.problems = append(r.problems, fmt.Sprint(s.Loc, " ", p.Code, " ", p.Text))
		if report != nil {
			report(s, p)
		}
	}
	o.Done = func(s *discover.Sitemap, sum discover.Summary) {
		r.done = append(r.done, s.Loc)
		r.sums[s.Loc] = sum
		if done != nil {
			done(s, sum)
		}
	}
	for u, err := range begin(&o) {
		if r.err != nil {
			t.Errorf("%q, %v after the error %v", u.Loc, err, r.err)
		}
		if r.err = err; err == nil {
			r.urls = append(r.urls, u)
		}
	}
	if n := w.open.Load(); n != 0 {
		t.Errorf("%d bodies are open after the walk", n)
	}
	return r
}

// site walks a site with c, or a new Client if c is nil.
func (w *web) site(t *testing.T, c *discover.Client, site string, o discover.Options) *result {
	t.Helper()
	if c == nil {
		c = w.client()
	}
	return w.collect(t, o, func(o *discover.Options) iter.Seq2[discover.URL, error] {
		return c.URLs(t.Context(), site, o)
	})
}

// walk walks from seeds with c, or a new Client if c is nil.
func (w *web) walk(t *testing.T, c *discover.Client, from []*discover.Sitemap, o discover.Options) *result {
	t.Helper()
	if c == nil {
		c = w.client()
	}
	return w.collect(t, o, func(o *discover.Options) iter.Seq2[discover.URL, error] {
		return c.Walk(t.Context(), from, o)
	})
}

// seeds returns sitemaps that the caller names.
func seeds(locs ...string) (from []*discover.Sitemap) {
	for _, loc := range locs {
		from = append(from, &discover.Sitemap{Loc: loc})
	}
	return from
}

func (r *result) locs() (list []string) {
	for _, u := range r.urls {
		list = append(list, u.Loc)
	}
	return list
}

// verdicts returns "location level".
func (r *result) verdicts() (list []string) {
	for _, u := range r.urls {
		list = append(list, u.Loc+" "+u.Trust.String())
	}
	return list
}

// changes returns "location change".
func (r *result) changes() (list []string) {
	for _, u := range r.urls {
		list = append(list, u.Loc+" "+string(u.Change))
	}
	return list
}

// skipped returns the documents that were not read for a reason.
func (r *result) skipped(reason discover.Skipped) (list []string) {
	for _, loc := range r.done {
		if r.sums[loc].Skipped == reason {
			list = append(list, loc)
		}
	}
	return list
}

// with returns the problems with a code.
func (r *result) with(code string) (list []string) {
	for _, p := range r.problems {
		if strings.Contains(p, " "+code+" ") {
			list = append(list, p)
		}
	}
	return list
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s",
			what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// numbered returns n locations: format with 0, 1, ...
func numbered(format string, n int) (locs []string) {
	for i := range n {
		locs = append(locs, fmt.Sprintf(format, i))
	}
	return locs
}
