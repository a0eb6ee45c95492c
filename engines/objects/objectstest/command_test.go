package objectstest_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/cmd/natstest"
	"github.com/seed-322c453a/sitemap/engines/frontier/frontiertest"
)

// A web is a site with three pages at each address of 127.0.0.0/8. It listens at one of them. The
// last change of all is lastMod, but that of 127.0.0.7 is changed.
type web struct {
	port     string
	changed  atomic.Value
	requests atomic.Int64
}

const lastMod = "2024-05-06"

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.requests.Add(1)
	site, date := "http://"+r.Host, lastMod
	if r.Host == "127.0.0.7:"+w.port {
		date = w.changed.Load().(string)
	}
	switch r.URL.Path {
	case "/robots.txt":
		io.WriteString(rw, "Sitemap: "+site+"/sitemap.xml\n")
	case "/sitemap.xml":
		io.WriteString(rw, "<urlset>")
		for i := range 3 {
			fmt.Fprintf(rw, "<url><loc>%s/%d</loc><lastmod>%s</lastmod></url>", site, i, date)
		}
		io.WriteString(rw, "</urlset>")
	default:
		http.NotFound(rw, r)
	}
}

func (w *web) start(t *testing.T) {
	t.Helper()
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	_, w.port, _ = net.SplitHostPort(s.Listener.Addr().String())
}

// pages returns the pages of the site that has changed, as lines.
func (w *web) pages() []string {
	var pages []string
	for i := range 3 {
		pages = append(pages, fmt.Sprintf("http://127.0.0.7:%s/%d\n", w.port, i))
	}
	return pages
}

// A commandTest runs the command on a web.
type commandTest struct {
	*testing.T
	web    *web
	binary string
	list   string
}

func newCommandTest(t *testing.T, sites int) *commandTest {
	t.Helper()
	dir := t.TempDir()
	c := &commandTest{t, &web{}, filepath.Join(dir, "sitemap"), filepath.Join(dir, "sites.txt")}
	c.web.changed.Store(lastMod)
	build := exec.Command("go", "build", "-C", "../../../cmd", "-o", c.binary, "./sitemap")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.web.start(t)
	var list strings.Builder
	for i := range sites {
		fmt.Fprintf(&list, "http://127.0.0.%d:%s\n", 1+i, c.web.port)
	}
	if err := os.WriteFile(c.list, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// start starts a command of batch.
func (c *commandTest) start(args ...string) *exec.Cmd {
	cmd := exec.Command(c.binary, append([]string{"batch"}, args...)...)
	cmd.Stderr = new(bytes.Buffer)
	if err := cmd.Start(); err != nil {
		c.Error(err)
	}
	return cmd
}

// run runs a command of batch to its end, and returns what it printed.
func (c *commandTest) run(args ...string) string {
	c.Helper()
	var out, stderr bytes.Buffer
	cmd := exec.Command(c.binary, append([]string{"batch"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		c.Fatalf("%q: %v\n%s", args, err, &stderr)
	}
	return out.String()
}

// walk returns the flags of commands that walk.
func (c *commandTest) walk(args ...string) []string {
	return append(args, "--allow-private", "--connect-to", "::127.0.0.1:"+c.web.port,
		"--retries", "0", "--parallel", "4", "-q")
}

var fetched = regexp.MustCompile(`,?"fetched":"[^"]*"`)

// lines returns the lines of a run without times, sorted.
func (c *commandTest) lines(run string, args ...string) []string {
	c.Helper()
	text := c.run(append([]string{"cat", "-q", run}, args...)...)
	return slices.Sorted(strings.Lines(fetched.ReplaceAllString(text, "")))
}

// wantRun compares the URLs and the documents of two runs.
func (c *commandTest) wantRun(run, want string) {
	c.Helper()
	for _, args := range [][]string{nil, {"--documents"}} {
		if got, want := c.lines(run, args...), c.lines(want, args...); !slices.Equal(got, want) {
			c.Errorf("%s has %d lines %q, want %d", run, len(got), args, len(want))
		}
	}
}

// Three shards write to a bucket and are killed again and again, and so is its server. Each site is
// in the output once, and the next run has what has changed, and nothing else.
func TestCommand_Shards(t *testing.T) {
	srv := startServer(t)
	const sites = 90
	c := newCommandTest(t, sites)
	whole, out := filepath.Join(t.TempDir(), "whole"), "s3://"+bucket+"/list 1/out"
	c.run(c.walk(c.list, "-o", whole)...)
	var kills atomic.Int32
	kills.Store(9)
	var wg sync.WaitGroup
	for i := range 3 {
		shard := fmt.Sprintf("%d/3", i)
		wg.Go(func() {
			for {
				cmd := c.start(c.walk(c.list, "-o", out, "--shard", shard)...)
				if kills.Add(-1) >= 0 {
					time.AfterFunc(time.Duration(rand.IntN(1_000))*time.Millisecond, func() { cmd.Process.Kill() })
				}
				err := cmd.Wait()
				if status := cmd.ProcessState.ExitCode(); status != 0 && status != -1 {
					t.Errorf("shard %s: %v\n%s", shard, err, cmd.Stderr)
					return
				}
				if err == nil && kills.Load() <= 0 {
					return
				}
			}
		})
	}
	for kills.Load() > 4 {
		time.Sleep(10 * time.Millisecond)
	}
	srv.kill()
	srv.start()
	wg.Wait()
	c.wantRun(out+"/1", whole+"/1")
	status := c.run("status", out)
	if want := ": 90 of 90 sites done, 270 URLs in 90 sitemaps\n0 of 90 domains failed"; !strings.Contains(status, want) {
		t.Errorf("status printed\n%s", status)
	}
	c.web.changed.Store("2024-06-01")
	c.run(c.walk(c.list, "-o", out, "--run", "2", "--changed")...)
	if got := c.lines(out+"/2", "--format", "text"); !slices.Equal(got, c.web.pages()) {
		t.Errorf("in the second run are new or modified: %q", got)
	}
	for range 2 { // two commands at once on one run
		wg.Go(func() { c.run(c.walk(c.list, "-o", out, "--run", "3", "--changed")...) })
	}
	wg.Wait()
	if got := c.lines(out+"/3", "--format", "text"); len(got) > 0 {
		t.Errorf("in the third run are new or modified: %q", got)
	}
	s := &frontiertest.Server{}
	address := s.Start(t)
	c.run("emit", out+"/1", "-q", "--queue", "urlfrontier://"+address+"/pages")
	if n := len(s.URLs("pages")); n != 3*sites {
		t.Errorf("emit put %d pages", n)
	}
}

// Workers share a bucket and a queue, nothing else, and are killed. The states are in the bucket
// too: a run with another broker has what has changed since.
func TestCommand_Queue(t *testing.T) {
	startServer(t)
	c := newCommandTest(t, 90)
	whole, out := filepath.Join(t.TempDir(), "whole"), "s3://"+bucket
	c.run(c.walk(c.list, "-o", whole)...)
	work := func(run string, kills int, flags ...string) {
		broker, err := natstest.Start(t.TempDir(), -1)
		if err != nil {
			t.Fatal(err)
		}
		defer broker.Close()
		flags = append(flags, "-o", out, "--run", run, "--queue", broker.URL(), "--lease", "30s")
		c.run(append([]string{"plan", c.list, "-q"}, flags...)...)
		for range kills {
			requests := c.web.requests.Load()
			worker := c.start(c.walk(append([]string{"work"}, flags...)...)...)
			for c.web.requests.Load() < requests+30 {
				time.Sleep(time.Millisecond)
			}
			worker.Process.Kill()
			worker.Wait()
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { c.run(c.walk(append([]string{"work"}, flags...)...)...) })
		}
		wg.Wait()
	}
	work("1", 3)
	c.wantRun(out+"/1", whole+"/1")
	c.web.changed.Store("2024-06-01")
	work("2", 0, "--changed")
	if got := c.lines(out+"/2", "--format", "text"); !slices.Equal(got, c.web.pages()) {
		t.Errorf("in the second run are new or modified: %q", got)
	}
}
