package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover/state"
)

var batchSites = flag.Int("sites", 300, "how many sites the tests of batch walk")

// A loopbackWeb serves a site with three pages at each address of 127.0.0.0/8, which Linux has
// without setting them up. Every tenth has no sitemap.
type loopbackWeb struct {
	port    string
	lastMod string

	mu       sync.Mutex
	requests map[string]int // by host
}

func newLoopbackWeb(t *testing.T) *loopbackWeb {
	t.Helper()
	w := &loopbackWeb{lastMod: "2024-05-06", requests: map[string]int{}}
	s := httptest.NewUnstartedServer(w)
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	_, w.port, _ = net.SplitHostPort(l.Addr().String())
	return w
}

// list returns n sites, each of another domain.
func (w *loopbackWeb) list(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "http://127.%d.%d.%d:%s\n", 1+i/62_500, i/250%250, 1+i%250, w.port)
	}
	return writeFile(t, "sites.txt", b.String())
}

func (w *loopbackWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.requests[r.Host]++
	lastMod := w.lastMod
	w.mu.Unlock()
	host, _, _ := net.SplitHostPort(r.Host)
	switch {
	case strings.HasSuffix(host, "7"):
		http.NotFound(rw, r)
	case r.URL.Path == "/robots.txt":
		io.WriteString(rw, "Sitemap: http://"+r.Host+"/sitemap.xml\n")
	case r.URL.Path == "/sitemap.xml":
		io.WriteString(rw, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for i := range 3 {
			fmt.Fprintf(rw, "<url><loc>http://%s/%d</loc><lastmod>%s</lastmod></url>", r.Host, i, lastMod)
		}
		io.WriteString(rw, "</urlset>")
	default:
		http.NotFound(rw, r)
	}
}

// partTimes matches the times in a part.
var partTimes = regexp.MustCompile(`"(fetched|time)":"[^"]*"`)

// partFiles returns the lines of the parts in a folder, without times, by name.
func partFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	parts := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl.gz") {
			var text []byte
			text, err = readGzip(path)
			parts[strings.TrimPrefix(path, dir)] = partTimes.ReplaceAllString(string(text), "")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

func readGzip(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func wantBatchParts(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := partFiles(t, dir)
	if maps.Equal(got, want) {
		return
	}
	t.Errorf("%d parts, want %d", len(got), len(want))
	for name, text := range got {
		if text != want[name] {
			t.Errorf("%s differs", name)
			return
		}
	}
}

// Three processes, each with a shard, are killed at any moment. Their parts are those of one process
// that was not.
func TestBatchKilled(t *testing.T) {
	t.Parallel()
	w := newLoopbackWeb(t)
	list := w.list(t, *batchSites)
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "parts")
	begun := time.Now()
	args := []string{"batch", list, "--allow-private", "--retries", "0", "-q", "-o"}
	if out, err := command(t, append(args, whole)...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	usual := time.Since(begun)
	want := partFiles(t, whole)
	if len(want) != *batchSites {
		t.Fatalf("%d parts of %d sites", len(want), *batchSites)
	}
	killed := make(chan struct{}, *kills)
	for range *kills {
		killed <- struct{}{}
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for {
				cmd := command(t, append(args, dir, "--shard", fmt.Sprintf("%d/3", i))...)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-killed:
					after := time.AfterFunc(time.Duration(rand.Int64N(int64(usual))), func() { cmd.Process.Kill() })
					defer after.Stop()
				default:
				}
				switch status := exitStatus(cmd.Wait()); {
				case status == cli.ExitOK && len(killed) == 0:
					return
				case status != cli.ExitOK && status != -1:
					t.Errorf("exit status %d, reported %s", status, &stderr)
					return
				}
			}
		})
	}
	wg.Wait()
	wantBatchParts(t, dir, want)
}

// The shards of a list are the list.
func TestBatchShards(t *testing.T) {
	w := newLoopbackWeb(t)
	list := w.list(t, 60)
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "parts")
	args := []string{"batch", list, "--allow-private", "--retries", "0", "-q", "-o"}
	runArgs(t, append(args, whole)...).want(t, cli.ExitOK, "")
	sum := 0
	for i := range 4 {
		runArgs(t, append(args, dir, "--shard", fmt.Sprintf("%d/4", i))...).want(t, cli.ExitOK, "")
		n := len(partFiles(t, dir))
		if n == sum {
			t.Errorf("shard %d has no parts", i)
		}
		sum = n
	}
	wantBatchParts(t, dir, partFiles(t, whole))
	status := runArgs(t, "batch", "status", dir)
	if status.status != cli.ExitOK || strings.Count(status.out, "shard ") != 4 {
		t.Errorf("status printed\n%s%s", status.out, status.err)
	}
}

// A second start walks what is missing only, and with --again another run prints what has changed.
func TestBatchAgain(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 20), filepath.Join(t.TempDir(), "parts")
	args := []string{"batch", list, "--allow-private", "--retries", "0", "-o", dir}
	runArgs(t, args...).want(t, cli.ExitOK, "", "sitemap: 20 sites, 54 URLs, 2 failed, ")
	requests := len(w.requests)
	clear(w.requests)
	runArgs(t, args...).want(t, cli.ExitOK, "", "sitemap: 20 sites, 0 URLs, 0 failed, ")
	if len(w.requests) > 0 {
		t.Errorf("the second start asked %d of %d hosts", len(w.requests), requests)
	}
	first := partFiles(t, dir)
	args = append(args, "--again")
	runArgs(t, args...).want(t, cli.ExitOK, "", "sitemap: 20 sites, 0 URLs, 2 failed, ")
	w.lastMod = "2024-06-01"
	runArgs(t, args...).want(t, cli.ExitOK, "", "sitemap: 20 sites, 54 URLs, 2 failed, ")
	for name, text := range first {
		if partFiles(t, dir)[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
	cat := runArgs(t, "batch", "cat", dir)
	if n := strings.Count(cat.out, `"lastmod":"2024-06-01"`); cat.status != cli.ExitOK || n != 54 ||
		strings.Count(cat.out, `"change":"modified"`) != n || strings.Count(cat.out, "\n") != n {
		t.Errorf("cat printed %d lines, %d of this run\n%s", strings.Count(cat.out, "\n"), n, cat.err)
	}
	for run, want := range map[string]int{"1": 54, "2": 0, "all": 108} {
		if got := runArgs(t, "batch", "cat", "--run", run, dir); strings.Count(got.out, "\n") != want {
			t.Errorf("cat --run %s printed %d lines, want %d", run, strings.Count(got.out, "\n"), want)
		}
	}
}

// A run is over when its list is read to the end; a line that is no target is reported.
func TestBatchStatus(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 10), filepath.Join(t.TempDir(), "parts")
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	list = writeFile(t, "list", string(text)+"ftp://example.com/\n")
	runArgs(t, "batch", list, "--allow-private", "--retries", "0", "-o", dir).
		want(t, cli.ExitFailed, "", "line 11: \"ftp://example.com/\": want a host or an http or https URL\n", "10 sites")
	got := runArgs(t, "batch", "status", dir)
	if want := "10 of 10 sites done, 27 URLs in 9 sitemaps\n1 of 10 domains failed, in whole or in part\n        1  no_sitemap\nended "; got.status != cli.ExitOK || !strings.Contains(got.out, want) {
		t.Errorf("status printed\n%swant\n%s", got.out, want)
	}
	type batchRun struct {
		Run, Domains, Failed int
		Counts               batch.Counts
		Ended                time.Time
	}
	var run batchRun
	if text, err = os.ReadFile(filepath.Join(dir, "run.json")); err == nil {
		err = json.Unmarshal(text, &run)
	}
	if err != nil || run.Run != 1 || run.Domains != 10 || run.Failed != 1 || run.Counts.URLs != 27 || run.Ended.IsZero() {
		t.Errorf("run.json is %s, %v", text, err)
	}
	line := runArgs(t, "batch", "status", "--format", "jsonl", dir).out
	var printed batchRun
	if err := json.Unmarshal([]byte(line), &printed); err != nil || printed.Counts != run.Counts {
		t.Errorf("status printed %s, %v", line, err)
	}
}

// cat prints the URLs in each format, as urls does.
func TestBatchCat(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 8), filepath.Join(t.TempDir(), "parts")
	runArgs(t, "batch", list, "--allow-private", "--retries", "0", "-q", "-o", dir).want(t, cli.ExitOK, "")
	for _, args := range [][]string{
		{"--format", "text"}, {"--format", "csv", "--fields", "loc,lastmod,sitemap,trust,on_site,target"},
		{"--format", "jsonl", "--fields", "loc,lastmod,kind,sitemap,trust,on_site,target"},
	} {
		cat := runArgs(t, slices.Concat([]string{"batch", "cat", dir}, args)...)
		urls := runArgs(t, slices.Concat([]string{"urls", "-q", "--allow-private", "--retries", "0", "--from", list}, args)...)
		got, want := sortedLines(cat.out), sortedLines(urls.out)
		if cat.status != cli.ExitOK || !slices.Equal(got, want) {
			t.Errorf("%q: printed\n%swant\n%s", args, cat.out, urls.out)
		}
	}
	if err := os.Remove(filepath.Join(dir, "run.json")); err != nil { // as with parts of other commands
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "out.parquet")
	runArgs(t, "batch", "cat", dir, "-o", file).want(t, cli.ExitOK, "")
	if info, err := os.Stat(file); err != nil || info.Size() < 1_000 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestBatchUsage(t *testing.T) {
	list := writeFile(t, "sites.txt", "example.com\n")
	for _, test := range []struct{ args, want string }{
		{list, "name the folder to write: -o parts/"},
		{"-o parts", "want one FILE of targets"},
		{list + " -o parts --shard 4/4", "want I/N, with I from 0 to N-1"},
		{list + " -o parts --shard 1", "want I/N, with I from 0 to N-1"},
		{list + " -o parts --parallel 0", "--parallel, --site-time: want a positive number"},
		{"cat parts --run last", "--run: want a number from 1 or all"},
	} {
		got := runArgs(t, append([]string{"batch"}, strings.Fields(test.args)...)...)
		if got.status != cli.ExitUsage || !strings.Contains(got.err, test.want) {
			t.Errorf("batch %s: exit status %d, reported %q; want %q", test.args, got.status, got.err, test.want)
		}
	}
	runArgs(t, "batch", "status", t.TempDir()).want(t, cli.ExitFailed, "", "no parts in it")
	runArgs(t, "batch", "cat", t.TempDir()).want(t, cli.ExitFailed, "", "no parts in it")
	runArgs(t, "batch", filepath.Join(t.TempDir(), "none"), "-o", t.TempDir()).
		want(t, cli.ExitFailed, "", "no such file or directory")
}

// An interrupted run leaves no part that is not whole, and goes on.
func TestBatchInterrupted(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 200), filepath.Join(t.TempDir(), "parts")
	args := []string{"batch", list, "--allow-private", "--retries", "0", "-q", "-o", dir}
	cmd := command(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(hang); len(partFiles(t, dirOrTemp(t, dir))) == 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%q has written no part after %v", args, hang)
		}
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Signal(os.Interrupt)
	if status := wait(t, cmd); status != cli.ExitInterrupted && status != cli.ExitOK {
		t.Errorf("exit status %d, want %d", status, cli.ExitInterrupted)
	}
	runArgs(t, args...).want(t, cli.ExitOK, "")
	if n := len(partFiles(t, dir)); n != 200 {
		t.Errorf("%d parts", n)
	}
	if left, err := os.ReadDir(filepath.Join(dir, ".tmp")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// Of two processes with one run, the second one says so.
func TestBatchLocked(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 1), t.TempDir()
	lock, err := state.Open(filepath.Join(dir, "run.lock"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"batch", list, "--allow-private", "-o", dir}
	runArgs(t, args...).want(t, cli.ExitFailed, "", dir+": another process works on this run\n")
	runArgs(t, append(args, "--shard", "0/1")...).want(t, cli.ExitOK, "", "1 site")
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	runArgs(t, args...).want(t, cli.ExitOK, "", "1 site")
}

// dirOrTemp returns dir, or an empty folder if dir does not exist yet.
func dirOrTemp(t *testing.T, dir string) string {
	if _, err := os.Stat(dir); err != nil {
		return t.TempDir()
	}
	return dir
}
