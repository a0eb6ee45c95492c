package batch_test

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

var million = flag.Int("sites", 500, "how many sites TestWorker_Memory walks")

// The memory of a worker does not grow with the list: 256 MiB are enough for a million sites.
func TestWorker_Memory(t *testing.T) {
	q := batch.NewMemoryQueue(1_000)
	planned := make(chan error, 1)
	go func() {
		defer q.End(t.Context())
		n := 0
		for task, err := range batch.Plan(&sites{n: *million}, "1") {
			if err == nil {
				_, err = q.Put(t.Context(), task)
			}
			if err != nil {
				planned <- err
				return
			}
			n++
		}
		planned <- nil
	}()
	done := make(chan batch.Counts, 64)
	w := &batch.Worker{
		Client: (&web{lastMod: "2024", forgets: true}).client(), Queue: q, Sink: discard{}, Parallel: 32,
		States: noStates{},
		Done:   func(_ batch.Task, c batch.Counts) { done <- c },
	}
	ended := make(chan error, 1)
	go func() {
		ended <- w.Run(t.Context())
		close(done)
	}()
	var sum batch.Counts
	for c := range done {
		sum.Targets += c.Targets
		sum.URLs += c.URLs
		sum.Failed += c.Failed
	}
	if err := <-planned; err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if sum.Targets != int64(*million) || sum.URLs != 3*sum.Targets || sum.Failed > 0 {
		t.Errorf("walked %+v of %d sites", sum, *million)
	}
	if *million >= 100_000 {
		wantPeak(t, 256)
	}
}

// wantPeak checks the most memory that this process has had. That says something of one test run by
// itself, without the race detector, and of a large one.
func wantPeak(t *testing.T, mib int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Logf("the memory is not known here: %v", err)
		return
	}
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(text))
	if kb, err := strconv.Atoi(strings.Join(peak[1:], "")); err != nil || kb > mib<<10 {
		t.Errorf("at most %d KiB were used, %v", kb, err)
	} else {
		t.Logf("at most %d MiB were used", kb>>10)
	}
}

var siteURLs = flag.Int("urls", 20_000, "how many URLs the site of TestWorker_LargeSite has")

// A largeSite has an index of sitemaps with 50,000 URLs each.
type largeSite struct{ n int }

func (s largeSite) RoundTrip(req *http.Request) (*http.Response, error) {
	const each = 50_000
	body, out := io.Pipe()
	var child int
	fmt.Sscanf(req.URL.Path, "/%d.xml", &child)
	go func() {
		w := bufio.NewWriter(out)
		switch {
		case req.URL.Path == "/robots.txt":
			fmt.Fprintf(w, "Sitemap: https://%s/index.xml\n", req.URL.Host)
		case req.URL.Path == "/index.xml":
			io.WriteString(w, `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for i := range (s.n + each - 1) / each {
				fmt.Fprintf(w, "<sitemap><loc>https://%s/%d.xml</loc></sitemap>", req.URL.Host, i)
			}
			io.WriteString(w, "</sitemapindex>")
		default:
			io.WriteString(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for i := range min(each, s.n-child*each) {
				fmt.Fprintf(w, "<url><loc>https://%s/catalogue/item-%d-%d.html</loc><lastmod>2024-05-06</lastmod></url>",
					req.URL.Host, child, i)
			}
			io.WriteString(w, "</urlset>")
		}
		w.Flush()
		out.Close()
	}()
	return &http.Response{
		StatusCode: 200, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: body, Request: req,
	}, nil
}

// One site of three million URLs takes at most 150 MiB, in a first run and in a second, which loads
// what the first has learned.
func TestWorker_LargeSite(t *testing.T) {
	f := openFolder(t)
	for _, run := range []string{"1", "2"} {
		w := &batch.Worker{
			Client: &discover.Client{Fetch: &fetch.Client{Transport: largeSite{*siteURLs}}},
			Queue:  queueOf(t, tasks(t, "a.example", run)), Sink: f, States: f,
			Options: discover.Options{OnlyChanged: true},
		}
		if err := w.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for p, err := range f.Parts(t.Context(), run) {
			want := int64(*siteURLs)
			if run == "2" {
				want = 0
			}
			if err != nil || p.Counts.URLs != want || p.Counts.Failed > 0 {
				t.Errorf("run %s: %+v, %v, want %d URLs", run, p.Counts, err, want)
			}
		}
	}
	if *siteURLs >= 1_000_000 {
		wantPeak(t, 150)
	}
}
