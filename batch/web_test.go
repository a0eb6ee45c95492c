package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/publicsuffix"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A web answers for all hosts. Those whose name begins with "none" have no sitemap; the others have
// one with three pages, and those that begin with "mixed" one with a page of another site too.
type web struct {
	lastMod string
	hold    func(ctx context.Context, host string) // called in each request
	broken  func(host string) bool                 // whether its sitemap answers 500
	forgets bool                                   // requests is not kept

	mu       sync.Mutex
	requests map[string]int         // by host
	busy     map[string]map[any]int // requests under way, by domain and worker
	shared   map[string]bool        // domains that two workers asked at once
}

type workerKey struct{}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	domain, err := publicsuffix.EffectiveTLDPlusOne(req.URL.Hostname())
	if err != nil {
		return nil, err
	}
	worker := req.Context().Value(workerKey{})
	w.mu.Lock()
	if w.requests == nil {
		w.requests, w.busy = map[string]int{}, map[string]map[any]int{}
		w.shared = map[string]bool{}
	}
	if !w.forgets {
		w.requests[req.URL.Host]++
	}
	if w.busy[domain] == nil {
		w.busy[domain] = map[any]int{}
	}
	w.busy[domain][worker]++
	if len(w.busy[domain]) > 1 {
		w.shared[domain] = true
	}
	w.mu.Unlock()
	if w.hold != nil {
		w.hold(req.Context(), req.URL.Host)
	}
	w.mu.Lock()
	if w.busy[domain][worker]--; w.busy[domain][worker] == 0 {
		delete(w.busy[domain], worker)
	}
	if len(w.busy[domain]) == 0 {
		delete(w.busy, domain)
	}
	w.mu.Unlock()
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	host := req.URL.Host
	status, body, header := http.StatusNotFound, "", http.Header{}
	switch {
	case strings.HasPrefix(host, "none"):
	case req.URL.Path == "/robots.txt":
		status, body = http.StatusOK, "Sitemap: https://"+host+"/sitemap.xml\n"
	case w.broken != nil && w.broken(host):
		status = http.StatusInternalServerError
	case req.URL.Path == "/sitemap.xml":
		status, body = http.StatusOK, sitemapOf(host, w.lastMod)
		header.Set("Content-Type", "text/xml")
		header.Set("Last-Modified", "Mon, 06 May 2024 07:08:09 GMT")
		header.Set("ETag", `"x"`)
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: req,
	}, nil
}

// sitemapOf returns the sitemap of a host.
func sitemapOf(host, lastMod string) string {
	body := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	for i := range 3 {
		body += fmt.Sprintf("<url><loc>https://%s/%d</loc><lastmod>%s</lastmod></url>", host, i, lastMod)
	}
	if strings.HasPrefix(host, "mixed") {
		body += "<url><loc>https://elsewhere.example/</loc></url>"
	}
	return body + "</urlset>"
}

func (w *web) client() *discover.Client {
	return &discover.Client{Fetch: &fetch.Client{
		Transport: w, Retries: -1, Limiter: &fetch.HostLimiter{Total: 1_000, PerHost: 8},
	}}
}

// hosts returns a list of n sites, two to a domain; every tenth has no sitemap.
func hosts(n int) string {
	var b strings.Builder
	for i := range n {
		switch {
		case i%10 == 9:
			fmt.Fprintf(&b, "none%d.example\n", i)
		case i%2 == 0:
			fmt.Fprintf(&b, "www.s%d.example\n", i)
		default:
			fmt.Fprintf(&b, "https://shop.s%d.example/\n", i-1)
		}
	}
	return b.String()
}

// tasks returns the tasks of a list.
func tasks(t testing.TB, list, run string) []batch.Task {
	t.Helper()
	var all []batch.Task
	for task, err := range batch.Plan(strings.NewReader(list), run) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, task)
	}
	return all
}

// queueOf returns a queue with tasks that ends with them.
func queueOf(t testing.TB, all []batch.Task) *batch.MemoryQueue {
	t.Helper()
	q := batch.NewMemoryQueue(len(all) + 1)
	for _, task := range all {
		if added, err := q.Put(t.Context(), task); !added || err != nil {
			t.Fatal(added, err)
		}
	}
	q.End(t.Context())
	return q
}

// fetched matches the times in the lines of a part.
var fetched = regexp.MustCompile(`,"fetched":"[^"]*"`)

// partsOf returns the lines of all parts of a run, without times, by domain.
func partsOf(t testing.TB, f *batch.Folder, run string) map[string]string {
	t.Helper()
	parts := map[string]string{}
	for p, err := range f.Parts(t.Context(), run) {
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		parts[p.Domain] = linesOf(t, f, p)
	}
	return parts
}

// linesOf returns the lines of a part without times, except the first and the last.
func linesOf(t testing.TB, s batch.Sink, p batch.Stored) string {
	t.Helper()
	in, err := s.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var b strings.Builder
	for l, err := range batch.Lines(in) {
		if err != nil {
			t.Fatal(err)
		}
		b.Write(l.Text)
	}
	return fetched.ReplaceAllString(b.String(), "")
}

// part returns the lines of the part of a domain.
func part(t testing.TB, s batch.Sink, run, domain string) string {
	t.Helper()
	return linesOf(t, s, batch.Stored{Task: batch.Task{Run: run, Domain: domain}})
}

// pages returns the locations in the lines of a part, in their order.
func pages(t testing.TB, lines string) []string {
	t.Helper()
	var locs []string
	for l, err := range batch.Lines(strings.NewReader(lines)) {
		if err != nil {
			t.Fatal(err)
		}
		if l.URL != nil {
			locs = append(locs, l.URL.Loc)
		}
	}
	return locs
}

// count returns how many lines contain text.
func count(lines, text string) int {
	n := 0
	for line := range strings.Lines(lines) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func openFolder(t testing.TB) *batch.Folder {
	t.Helper()
	return openFolderIn(t, t.TempDir())
}

func openFolderIn(t testing.TB, dir string) *batch.Folder {
	t.Helper()
	f, err := batch.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// walkAll walks a list with several workers, and returns the parts.
func walkAll(t testing.TB, w *web, f *batch.Folder, all []batch.Task, workers int) map[string]string {
	t.Helper()
	q := queueOf(t, all)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			worker := &batch.Worker{Client: w.client(), Queue: q, Sink: f, States: f, Parallel: 4}
			if err := worker.Run(context.WithValue(t.Context(), workerKey{}, i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return partsOf(t, f, all[0].Run)
}

func wantDomains(t testing.TB, parts map[string]string, all []batch.Task) {
	t.Helper()
	var want []string
	for _, task := range all {
		want = append(want, task.Domain)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(parts)); !slices.Equal(got, want) {
		t.Errorf("%d parts, want %d: %.300q", len(got), len(want), got)
	}
}
