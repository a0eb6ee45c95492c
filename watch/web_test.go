package watch_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/watch"
)

// A web answers requests from a function for each URL. Other URLs answer 404.
type web struct {
	mu       sync.Mutex
	pages    map[string]func() string
	status   map[string]int // instead of 200
	requests map[string]int
	same     map[string]int // of these, those answered with 304
}

func newWeb() *web {
	return &web{
		pages: map[string]func() string{}, status: map[string]int{},
		requests: map[string]int{}, same: map[string]int{},
	}
}

// serve sets the body of a URL of https://a.test/.
func (w *web) serve(path, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages["https://a.test/"+path] = func() string { return body }
	delete(w.status, "https://a.test/"+path)
}

// fail sets the status of a URL of https://a.test/.
func (w *web) fail(path string, status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status["https://a.test/"+path] = status
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	url := r.URL.String()
	w.requests[url]++
	answer := &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: http.NoBody}
	page := w.pages[url]
	switch status := w.status[url]; {
	case status != 0:
		answer.StatusCode = status
		return answer, nil
	case page == nil:
		answer.StatusCode = 404
		return answer, nil
	}
	body := page()
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(body)))
	answer.Header.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.same[url]++
		answer.StatusCode = 304
		return answer, nil
	}
	answer.Body = io.NopCloser(strings.NewReader(body))
	return answer, nil
}

// watcher returns a Watcher of the web with a Store in memory.
func (w *web) watcher() *watch.Watcher {
	return &watch.Watcher{
		Client: &discover.Client{Fetch: &fetch.Client{Transport: w}}, Store: &state.Memory{},
	}
}

// watchTwo returns a site with two sitemaps, and a Watcher that has read them once.
func watchTwo(t *testing.T) (*web, *watch.Watcher) {
	t.Helper()
	web := newWeb()
	web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
	web.serve("a", urlset("1", "2"))
	web.serve("b", urlset("3"))
	w := web.watcher()
	want(t, "first", once(t, w))
	return web, w
}

// once returns the events of one run as "kind what", in order, where what is the path of a page or
// of a document.
func once(t *testing.T, w *watch.Watcher) (got []string) {
	t.Helper()
	for e, err := range w.Once(context.Background(), slices.Values([]string{"a.test"})) {
		if err != nil {
			t.Error(err)
			break
		}
		got = append(got, short(e))
	}
	slices.Sort(got)
	return got
}

// short returns an event as "kind what".
func short(e watch.Event) string {
	what := e.URL.Loc
	if what == "" {
		what = e.Sitemap
	}
	return strings.TrimSpace(string(e.Kind) + " " + strings.TrimPrefix(what, "https://a.test/"))
}

// run lets a Watcher run now and then for a time, and returns its events.
func run(t *testing.T, w *watch.Watcher, d time.Duration) (got []string) {
	t.Helper()
	for range 24 {
		got = append(got, once(t, w)...)
		time.Sleep(d / 24)
	}
	return got
}

// follow lets a Watcher run n times, with a pause after each, and returns its events. Each has an ID
// that is not in ids, which get it.
func follow(
	t *testing.T, w *watch.Watcher, ids map[string]bool, n int, pause time.Duration,
) (got []string) {
	t.Helper()
	for range n {
		for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
			if err != nil || ids[e.ID] {
				t.Errorf("%s, ID %s, %v", short(e), e.ID, err)
			}
			ids[e.ID] = true
			got = append(got, short(e))
		}
		time.Sleep(pause)
	}
	return got
}

// urlset returns a urlset with pages of https://a.test/, each "path" or "path|lastmod".
func urlset(pages ...string) string {
	return "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" + entries("url", pages) +
		"</urlset>"
}

// index returns a sitemapindex.
func index(sitemaps ...string) string {
	return "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" +
		entries("sitemap", sitemaps) + "</sitemapindex>"
}

func entries(name string, items []string) string {
	var b strings.Builder
	for _, item := range items {
		path, lastMod, ok := strings.Cut(item, "|")
		fmt.Fprintf(&b, "<%s><loc>https://a.test/%s</loc>", name, path)
		if ok {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", lastMod)
		}
		fmt.Fprintf(&b, "</%s>", name)
	}
	return b.String()
}
