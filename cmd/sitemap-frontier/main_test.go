package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc/connectivity"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/frontier"
	"github.com/seed-322c453a/sitemap/engines/frontier/frontiertest"
	pb "github.com/seed-322c453a/sitemap/engines/frontier/urlfrontier"
)

// A browser answers for the sites N.test without a network, after wait.
type browser struct {
	wait func(*http.Request) error
}

func (b *browser) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.wait != nil {
		if err := b.wait(r); err != nil {
			return nil, err
		}
	}
	origin := "https://" + r.URL.Host
	w := httptest.NewRecorder()
	switch r.URL.Path {
	case "/robots.txt":
		io.WriteString(w, "Sitemap: "+origin+"/sitemap.xml\n")
	case "/sitemap.xml":
		io.WriteString(w, "<urlset><url><loc>"+origin+"/1</loc><lastmod>2024-05-06</lastmod></url>"+
			"<url><loc>"+origin+"/2</loc></url></urlset>")
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	answer := w.Result()
	answer.Request = r
	return answer, nil
}

// A console is standard error.
type console struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.Write(p)
}

func (c *console) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.String()
}

// open starts a frontier and puts domains into its crawl "sites".
func open(t *testing.T, s *frontiertest.Server, domains ...string) (address string) {
	t.Helper()
	address = s.Start(t)
	conn, err := frontier.Dial(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	q := &frontier.Queue{Conn: conn, Crawl: "sites"}
	for _, d := range domains {
		if ok, err := q.Put(t.Context(), batch.Task{Run: "1", Domain: d, Targets: []string{d}}); !ok || err != nil {
			t.Fatalf("Put(%s) = %t, %v", d, ok, err)
		}
	}
	return address
}

// parts returns the names of the parts in a folder.
func parts(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".jsonl.gz") {
			names = append(names, filepath.Base(path))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

func TestWorkAndEmit(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{}
	address := open(t, s, "1.test", "2.test", "3.test")
	dir := t.TempDir()
	stderr := &console{}
	status := run(
		t.Context(),
		[]string{"work", "--frontier", address, "--crawl", "sites", "-o", dir},
		io.Discard, stderr, &browser{},
	)
	if status != 0 || stderr.String() != "domains 3, pages 6, sitemaps 3, failures 0\n" {
		t.Fatalf("work = %d\n%s", status, stderr)
	}
	if got := s.URLs("sites"); len(got) > 0 {
		t.Errorf("in the frontier are still %v", got)
	}
	if got := parts(t, dir); len(got) != 3 {
		t.Errorf("parts are %q", got)
	}
	for _, want := range []string{
		"parts 3, added 6, skipped 0, failed 0\n", "parts 3, added 0, skipped 6, failed 0\n",
	} {
		stderr := &console{}
		status := run(
			t.Context(),
			[]string{"emit", dir, "--frontier", address, "--crawl", "pages"},
			io.Discard, stderr, nil,
		)
		if status != 0 || stderr.String() != want {
			t.Errorf("emit = %d\n%s\nwant\n%s", status, stderr, want)
		}
	}
	got := s.URLs("pages")
	if len(got) != 6 || got[0].Url != "https://1.test/1" || got[0].Key != "1.test" ||
		got[0].Metadata["sitemap.url"].Values[0] != "https://1.test/sitemap.xml" {
		t.Errorf("the frontier has %v", got)
	}
}

// An interrupted worker lets its domains end within the grace time, and hands them back then.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, grace string
		want        []string // parts
		left        int      // domains in the frontier
	}{
		{"ends", "10m", []string{"1.test.jsonl.gz"}, 2},
		{"handed back", "0s", nil, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &frontiertest.Server{}
			address := open(t, s, "1.test", "2.test", "3.test")
			ctx, interrupt := context.WithCancel(t.Context())
			var once sync.Once
			web := &browser{wait: func(r *http.Request) error {
				once.Do(interrupt)
				if test.grace == "0s" {
					<-r.Context().Done()
					return r.Context().Err()
				}
				return nil
			}}
			dir, stderr := t.TempDir(), &console{}
			status := run(
				ctx,
				[]string{
					"work", "--frontier", address, "--crawl", "sites", "-o", dir, "--walks", "1",
					"--grace", test.grace,
				},
				io.Discard, stderr, web,
			)
			if status != exitInterrupted || !strings.Contains(stderr.String(), "interrupted\n") {
				t.Errorf("work = %d\n%s", status, stderr)
			}
			if got := parts(t, dir); len(got) != len(test.want) || len(s.URLs("sites")) != test.left {
				t.Errorf("parts %q, in the frontier %v", got, s.URLs("sites"))
			}
			if n := s.Leased("sites"); n > 0 {
				t.Errorf("%d domains are leased", n)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	full := &frontiertest.Server{Answer: func(string) pb.AckMessage_Status { return pb.AckMessage_FAIL }}
	address := full.Start(t)
	dir := t.TempDir()
	folder, err := batch.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	queue := batch.NewMemoryQueue(1)
	queue.Put(t.Context(), batch.Task{Run: "1", Domain: "1.test", Targets: []string{"1.test"}})
	queue.End(t.Context())
	w := &work{transport: &browser{}, workers: 1}
	worker := &batch.Worker{Client: w.client(), Queue: queue, Sink: folder}
	if err := worker.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"work", 2, "--output: want a folder"},
		{"work -o x extra", 2, `"extra": the sites come from the frontier`},
		{"work -o x --walks 0", 2, "--walks, --workers, "},
		{"work -o x --grace -1s", 2, "--grace, --site-time: want a positive number"},
		{"work -o x --nothing", 2, "unknown flag: --nothing"},
		{"emit", 2, "accepts 1 arg"},
		{"plan", 2, `unknown command "plan"`},
		{"emit " + dir + " --metrics nowhere --frontier " + address, 1, "--metrics: listen tcp"},
		{"emit " + dir + "/none --frontier " + address, 1, "/none: no parts in it"},
		{"emit " + dir + " --frontier " + address, 1, "pages that the frontier did not take: 2"},
	} {
		stderr := &console{}
		status := run(t.Context(), strings.Fields(test.args), io.Discard, stderr, nil)
		if status != test.status || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s = %d, want %d\n%s\nwant %s", test.args, status, test.status, stderr, test.want)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{}
	address := open(t, s)
	conn, err := frontier.Dial(address)
	if err != nil {
		t.Fatal(err)
	}
	pages := &count{name: "pages", help: "Pages written."}
	pages.Add(42)
	o := &operation{conn: conn, address: address, counts: []*count{pages}}
	if err := o.reach(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := o.handler()
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code, w.Body.String()
	}
	status, body := get("/metrics")
	if status != 200 || !strings.Contains(body, "\nsitemap_pages_total 42\n") {
		t.Errorf("/metrics = %d\n%s", status, body)
	}
	if status, body := get("/healthz"); status != 200 || body != "ok\n" {
		t.Errorf("/healthz = %d\n%s", status, body)
	}
	conn.Close()
	refused, err := frontier.Dial("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { refused.Close() })
	o.conn, o.address = refused, "127.0.0.1:1"
	refused.Connect()
	for s := refused.GetState(); s != connectivity.TransientFailure; s = refused.GetState() {
		refused.WaitForStateChange(t.Context(), s)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := o.reach(ctx); err == nil || err.Error() != "--frontier: 127.0.0.1:1 cannot be reached" {
		t.Errorf("reach = %v", err)
	}
	if status, _ := get("/healthz"); status != http.StatusServiceUnavailable {
		t.Errorf("/healthz = %d without a frontier", status)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for command, part := range map[string]string{
		"": "\nCommands:\n  emit  Put ", "work": "\n  -o, --output DIR ", "emit": "\n      --crawl ID ",
	} {
		var out bytes.Buffer
		args := strings.Fields(command + " --help")
		if status := run(t.Context(), args, &out, os.Stderr, nil); status != 0 {
			t.Errorf("%s --help = %d", command, status)
		}
		for _, want := range []string{
			"\nUsage:\n  sitemap-frontier", "\nExamples:\n  sitemap-frontier", part,
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s --help has no %q:\n%s", command, want, out.String())
			}
		}
		for line := range strings.Lines(out.String()) {
			if len(line) > 81 {
				t.Errorf("%s --help: longer than 80: %s", command, line)
			}
		}
	}
}
