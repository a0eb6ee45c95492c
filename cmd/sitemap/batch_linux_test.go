package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
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
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover/state"
)

var batchSites = flag.Int("sites", 12, "how many sites the tests of batch walk")

// A loopbackWeb serves a site with three pages at each address of 127.0.0.0/8. Every tenth has no
// sitemap. It listens at one of them.
type loopbackWeb struct {
	port    string
	lastMod string
	changed string            // lastMod of hosts with an even address, if it is set
	sound   bool              // all sites have a sitemap
	hold    func(host string) // called in each request

	mu       sync.Mutex
	requests map[string]int // by host
}

func newLoopbackWeb(t *testing.T) *loopbackWeb {
	t.Helper()
	w := &loopbackWeb{lastMod: "2024-05-06", requests: map[string]int{}}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	_, w.port, _ = net.SplitHostPort(s.Listener.Addr().String())
	return w
}

// connectTo is the flag with which a command reaches all sites.
func (w *loopbackWeb) connectTo() string { return "--connect-to=::127.0.0.1:" + w.port }

// newSoundWeb returns one whose sites all have a sitemap.
func newSoundWeb(t *testing.T) *loopbackWeb {
	w := newLoopbackWeb(t)
	w.sound = true
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

// lastModOf returns the last change of a host.
func (w *loopbackWeb) lastModOf(host string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	address, _, _ := net.SplitHostPort(host)
	if w.changed != "" && strings.ContainsAny(address[len(address)-1:], "02468") {
		return w.changed
	}
	return w.lastMod
}

// published returns the pages of sites that changed last, with their dates.
func (w *loopbackWeb) published(sites []string) (pages []string) {
	latest := cmp.Or(w.changed, w.lastMod)
	for _, site := range sites {
		host := strings.TrimPrefix(site, "http://")
		if w.lastModOf(host) != latest || strings.Contains(host, "7:") {
			continue
		}
		for i := range 3 {
			pages = append(pages, fmt.Sprintf("%s/%d %s", site, i, latest))
		}
	}
	return pages
}

func (w *loopbackWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.requests[r.Host]++
	sound := w.sound
	w.mu.Unlock()
	if w.hold != nil {
		w.hold(r.Host)
	}
	host, _, _ := net.SplitHostPort(r.Host)
	switch {
	case strings.HasSuffix(host, "7") && !sound:
		http.NotFound(rw, r)
	case r.URL.Path == "/robots.txt":
		io.WriteString(rw, "Sitemap: http://"+r.Host+"/sitemap.xml\n")
	case r.URL.Path == "/sitemap.xml":
		io.WriteString(rw, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for i := range 3 {
			fmt.Fprintf(rw, "<url><loc>http://%s/%d</loc><lastmod>%s</lastmod></url>", r.Host, i, w.lastModOf(r.Host))
		}
		io.WriteString(rw, "</urlset>")
	default:
		http.NotFound(rw, r)
	}
}

// partTimes matches the times in a part.
var partTimes = regexp.MustCompile(`"(fetched|time|id)":"[^"]*"`)

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

// countParts returns how many parts are in a folder, if there is one.
func countParts(dir string) (n int) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // it is being made
		case d.Name() == ".tmp":
			return fs.SkipDir
		case strings.HasSuffix(path, ".jsonl.gz"):
			n++
		}
		return nil
	})
	return n
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

// Three processes, each with a shard, are killed at any moment, and then two of the next run. Their
// parts are those of one process that was not. Together the runs have what the web has published.
func TestBatchKilled(t *testing.T) {
	t.Parallel()
	w := newLoopbackWeb(t)
	list := w.list(t, *batchSites)
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	sites := strings.Fields(string(text))
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "out")
	args := []string{"batch", list, "--allow-private", w.connectTo(), "--retries", "0", "-q", "-o"}
	published := map[string]int{}
	for _, run := range []struct {
		shards int
		flags  []string
	}{{3, []string{"--run", "1"}}, {2, []string{"--run", "2", "--changed"}}} {
		begun := time.Now()
		if out, err := command(t, slices.Concat(args, []string{whole}, run.flags)...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %s", err, out)
		}
		killShards(t, run.shards, time.Since(begun), slices.Concat(args, []string{dir}, run.flags)...)
		wantBatchParts(t, dir, partFiles(t, whole))
		for _, page := range w.published(sites) {
			published[page]++
		}
		w.mu.Lock()
		w.changed = "2024-06-01"
		w.mu.Unlock()
	}
	if n := len(partFiles(t, dir)); n != 2**batchSites {
		t.Errorf("%d parts of %d sites", n, *batchSites)
	}
	wantPublished(t, dir, published)
}

// killShards runs the shards of a list side by side and kills their processes, until each has ended
// by itself.
func killShards(t *testing.T, shards int, usual time.Duration, args ...string) {
	t.Helper()
	killed := make(chan struct{}, *kills)
	for range *kills {
		killed <- struct{}{}
	}
	var wg sync.WaitGroup
	for i := range shards {
		wg.Go(func() {
			for {
				cmd := command(t, append(args, "--shard", fmt.Sprintf("%d/%d", i, shards))...)
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
}

// wantPublished checks what Python reads of two runs against pages with their dates, each as often
// as it was published. Where there is no Python, it checks nothing.
func wantPublished(t *testing.T, dir string, published map[string]int) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("no python3 on this machine")
		return
	}
	const script = `import csv,sys
for name in sys.argv[1:]:
    for row in csv.DictReader(open(name, newline="", encoding="utf-8")):
        print(row["loc"], row["lastmod"])`
	files := []string{"-c", script}
	for _, run := range []string{"1", "2"} {
		files = append(files, filepath.Join(t.TempDir(), run+".csv"))
		runArgs(t, "batch", "cat", "-q", filepath.Join(dir, run), "-o", files[len(files)-1]).want(t, cli.ExitOK, "")
	}
	out, err := exec.Command(python, files...).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for line := range strings.Lines(string(out)) {
		got[strings.TrimSpace(line)]++
	}
	if !maps.Equal(got, published) {
		t.Errorf("Python read %d pages, want %d", len(got), len(published))
	}
}

// The shards of a list are the list, also where another run has another number of them.
func TestBatchShards(t *testing.T) {
	w := newLoopbackWeb(t)
	list := w.list(t, 12)
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "out")
	args := []string{"batch", list, "--allow-private", w.connectTo(), "--retries", "0", "-q", "-o"}
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
	if status.status != cli.ExitOK || !strings.Contains(status.out, ": 12 of 12 sites done") {
		t.Errorf("status printed\n%s%s", status.out, status.err)
	}
	for i := range 3 {
		runArgs(t, append(args, dir, "--run", "2", "--shard", fmt.Sprintf("%d/3", i))...).want(t, cli.ExitOK, "")
	}
	if n := len(partFiles(t, filepath.Join(dir, "2"))); n != 12 {
		t.Errorf("the second run has %d parts", n)
	}
	over := runArgs(t, "batch", list, "-o", dir, "--shard", "1/2")
	if over.status != cli.ExitOK || !strings.HasPrefix(over.err, "sitemap: shard 1/2 of run 1 is over: ") {
		t.Errorf("%d: %s", over.status, over.err)
	}
}

// cat writes URLs and documents as Parquet.
func TestBatchCat_Parquet(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 8), filepath.Join(t.TempDir(), "out")
	runArgs(t, "batch", list, "--allow-private", w.connectTo(), "--retries", "0", "-q", "-o", dir).want(t, cli.ExitOK, "")
	file := filepath.Join(t.TempDir(), "out.parquet")
	runArgs(t, "batch", "cat", dir+"/1", "-o", file).want(t, cli.ExitOK, "")
	if n := parquetRows(t, file); n != 21 {
		t.Errorf("%d URLs", n)
	}
	runArgs(t, "batch", "cat", dir+"/1", "--documents", "-o", file).want(t, cli.ExitOK, "")
	if n := parquetRows(t, file); n != 7 {
		t.Errorf("%d sitemaps", n)
	}
	runArgs(t, "batch", "cat", dir+"/1", "--documents", "--format", "text").want(t, cli.ExitUsage, "", "for a table, not text")
}

// parquetRows returns how many rows a file has.
func parquetRows(t *testing.T, name string) int64 {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	return p.NumRows()
}

// An interrupted run leaves no part that is not whole, and goes on.
func TestBatchInterrupted(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 30), filepath.Join(t.TempDir(), "out")
	args := []string{"batch", list, "--allow-private", w.connectTo(), "--retries", "0", "-q", "-o", dir}
	cmd := command(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(hang); countParts(dir) == 0; {
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
	if n := len(partFiles(t, dir)); n != 30 {
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
	if err := os.Mkdir(filepath.Join(dir, "1"), 0o777); err != nil {
		t.Fatal(err)
	}
	lock, err := state.Open(filepath.Join(dir, "1", "run.lock"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"batch", list, "--allow-private", w.connectTo(), "-o", dir}
	runArgs(t, args...).want(t, cli.ExitFailed, "", dir+": another process works on run 1\n")
	runArgs(t, append(args, "--shard", "0/1")...).want(t, cli.ExitOK, "", "1 site")
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	runArgs(t, args...).want(t, cli.ExitOK, "", "run 1 is over: 1 site done")
}
