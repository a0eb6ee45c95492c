package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
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

	"github.com/parquet-go/parquet-go"

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
	sound   bool              // all sites have a sitemap
	hold    func(host string) // called in each request

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

func (w *loopbackWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.requests[r.Host]++
	lastMod, sound := w.lastMod, w.sound
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
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "out")
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

// The shards of a list are the list, also where another run has another number of them.
func TestBatchShards(t *testing.T) {
	w := newLoopbackWeb(t)
	list := w.list(t, 60)
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "out")
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
	if status.status != cli.ExitOK || !strings.Contains(status.out, ": 60 of 60 sites done") {
		t.Errorf("status printed\n%s%s", status.out, status.err)
	}
	for i := range 3 {
		runArgs(t, append(args, dir, "--run", "2", "--shard", fmt.Sprintf("%d/3", i))...).want(t, cli.ExitOK, "")
	}
	if n := len(partFiles(t, filepath.Join(dir, "2"))); n != 60 {
		t.Errorf("the second run has %d parts", n)
	}
	over := runArgs(t, "batch", list, "-o", dir, "--shard", "1/2")
	if over.status != cli.ExitOK || !strings.HasPrefix(over.err, "sitemap: shard 1/2 of run 1 is over: ") {
		t.Errorf("%d: %s", over.status, over.err)
	}
}

// A run that is over says so, and keeps its mode. Another name begins another run, which with --changed
// has only what has changed.
func TestBatchRuns(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 20), filepath.Join(t.TempDir(), "out")
	args := []string{"batch", list, "--allow-private", "--retries", "0", "-o", dir}
	runArgs(t, args...).want(t, cli.ExitOK, "", "sitemap: 20 sites, 54 URLs, 2 failed, ")
	requests := len(w.requests)
	clear(w.requests)
	got := runArgs(t, args...)
	if want := "sitemap: run 1 is over: 20 sites done; begin the next one with --run NAME\n"; got.status != cli.ExitOK || got.err != want {
		t.Errorf("%d: %q, want %q", got.status, got.err, want)
	}
	if len(w.requests) > 0 {
		t.Errorf("the second start asked %d of %d hosts", len(w.requests), requests)
	}
	runArgs(t, append(args, "--changed")...).want(t, cli.ExitUsage, "", "run 1 is full; begin another one with --run NAME")
	runArgs(t, append(args, "--check")...).want(t, cli.ExitUsage, "", "run 1 is full; ")
	first := partFiles(t, dir)
	w.lastMod = "2024-06-01"
	second := append(args, "--run", "2026-11-23", "--changed")
	runArgs(t, second...).want(t, cli.ExitOK, "", "sitemap: 20 sites, 54 URLs, 2 failed, ")
	runArgs(t, append(args, "--run", "2026-11-23")...).want(t, cli.ExitUsage, "", "run 2026-11-23 has --changed; ")
	runArgs(t, append(args, "--run", "3", "--changed")...).want(t, cli.ExitOK, "", "sitemap: 20 sites, 0 URLs, 2 failed, ")
	for name, text := range first {
		if partFiles(t, dir)[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
	cat := runArgs(t, "batch", "cat", dir+"/2026-11-23/")
	if n := strings.Count(cat.out, `"lastmod":"2024-06-01"`); cat.status != cli.ExitOK || n != 54 ||
		strings.Count(cat.out, `"change":"modified"`) != n || strings.Count(cat.out, "\n") != n ||
		!strings.Contains(cat.err, "run 2026-11-23 has only URLs that were new or modified") {
		t.Errorf("cat printed %d lines, %d of this run\n%s", strings.Count(cat.out, "\n"), n, cat.err)
	}
	for run, want := range map[string]int{"1": 54, "3": 0} {
		if got := runArgs(t, "batch", "cat", filepath.Join(dir, run)); strings.Count(got.out, "\n") != want {
			t.Errorf("cat of run %s printed %d lines, want %d", run, strings.Count(got.out, "\n"), want)
		}
	}
	status := runArgs(t, "batch", "status", dir)
	if got := strings.Count(status.out, " sites done, "); got != 3 || !strings.Contains(status.out, "run 3 (changed), begun ") {
		t.Errorf("status printed\n%s", status.out)
	}
}

// --retry walks again what has failed, and replaces a part that is better then.
func TestBatchRetry(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 20), filepath.Join(t.TempDir(), "out")
	args := []string{"batch", list, "--allow-private", "--retries", "0", "-o", dir}
	runArgs(t, args...).want(t, cli.ExitOK, "", "sitemap: 20 sites, 54 URLs, 2 failed, ")
	clear(w.requests)
	w.sound = true
	runArgs(t, append(args, "--retry")...).want(t, cli.ExitOK, "", "sitemap: 20 sites, 6 URLs, 0 failed, ")
	if len(w.requests) != 2 {
		t.Errorf("asked %d hosts, want 2", len(w.requests))
	}
	runArgs(t, append(args, "--retry")...).want(t, cli.ExitOK, "", "sitemap: run 1 is over: 20 sites done; ")
	if got := runArgs(t, "batch", "status", dir+"/1"); !strings.Contains(got.out, "0 of 20 domains failed") {
		t.Errorf("status printed\n%s", got.out)
	}
}

// A line that is no target is reported, and in the status. The run is over all the same.
func TestBatchStatus(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 10), filepath.Join(t.TempDir(), "out")
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	list = writeFile(t, "list", string(text)+"ftp://example.com/\n")
	runArgs(t, "batch", list, "--allow-private", "--retries", "0", "-o", dir).
		want(t, cli.ExitOK, "", "line 11: \"ftp://example.com/\": want a host or an http or https URL\n", "10 sites")
	const want = ": 10 of 10 sites done, 27 URLs in 9 sitemaps\n1 of 10 domains failed, in whole or in part\n" +
		"        1  no_sitemap\n1 line of the list no target\n" +
		"       11  \"ftp://example.com/\": want a host or an http or https URL\n"
	for _, args := range [][]string{{dir}, {dir + "/1"}, {"-o", dir}, {"-o", dir, "--run", "1"}} {
		got := runArgs(t, append([]string{"batch", "status"}, args...)...)
		if got.status != cli.ExitOK || !strings.HasPrefix(got.out, "run 1 (full), begun ") || !strings.HasSuffix(got.out, want) {
			t.Errorf("status %q printed\n%swant\n%s", args, got.out, want)
		}
	}
	var printed struct {
		Sites, Done, Domains, Failed int
		Causes                       map[string]int
		Counts                       batch.Counts
	}
	line := runArgs(t, "batch", "status", "--format", "jsonl", dir).out
	if err := json.Unmarshal([]byte(line), &printed); err != nil || printed.Sites != 10 || printed.Done != 10 ||
		printed.Failed != 1 || printed.Causes["no_sitemap"] != 1 || printed.Counts.URLs != 27 {
		t.Errorf("status printed %s, %v", line, err)
	}
	rows, err := csv.NewReader(strings.NewReader(runArgs(t, "batch", "status", "--format", "csv", dir).out)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][4] != "10" || rows[1][8] != "no_sitemap=1" {
		t.Errorf("status printed %q, %v", rows, err)
	}
}

// status --failed names what could not be read.
func TestBatchStatus_Failed(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 10), filepath.Join(t.TempDir(), "out")
	runArgs(t, "batch", list, "--allow-private", "--retries", "0", "-q", "-o", dir).want(t, cli.ExitOK, "")
	target := "http://127.1.0.7:" + w.port
	for format, want := range map[string]string{
		"text":  target + ": no_sitemap: ",
		"csv":   "run,target,sitemap,code,message\n1," + target + ",,no_sitemap,",
		"jsonl": `{"run":"1","target":"` + target + `","code":"no_sitemap","message":"`,
	} {
		got := runArgs(t, "batch", "status", "--failed", "--format", format, dir)
		lines := strings.Count(got.out, "\n") - strings.Count(want, "\n")
		if got.status != cli.ExitOK || !strings.HasPrefix(got.out, want) || lines != 1 {
			t.Errorf("%s: printed\n%swant\n%s", format, got.out, want)
		}
	}
}

// A run that stands still has no negative time left, and a part that is damaged is reported and made
// again.
func TestBatchStatus_Stalled(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 3), filepath.Join(t.TempDir(), "out")
	args := []string{"batch", list, "--allow-private", "--retries", "0", "-q", "-o", dir}
	runArgs(t, args...).want(t, cli.ExitOK, "")
	const record = `{"begun":"1700-01-01T00:00:00Z","started":"1700-01-01T00:00:00Z","targets":1000000000000}`
	if err := os.WriteFile(filepath.Join(dir, "1", "run.json"), []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runArgs(t, "batch", "status", dir)
	if !regexp.MustCompile(`\n0\.0 sites/s, [1-9]\d* h left\n$`).MatchString(got.out) {
		t.Errorf("status printed\n%s", got.out)
	}
	var damaged string
	for name := range partFiles(t, dir) {
		damaged = filepath.Join(dir, name)
	}
	if err := os.Truncate(damaged, 100); err != nil {
		t.Fatal(err)
	}
	runArgs(t, "batch", "status", "--format", "csv", dir).want(t, cli.ExitOK,
		runArgs(t, "batch", "status", "--format", "csv", dir).out, damaged+": damaged part: it will be made again\n")
	runArgs(t, args...).want(t, cli.ExitOK, "", damaged+": damaged part\n")
	if got := runArgs(t, "batch", "status", dir); !strings.Contains(got.out, ": 3 of 3 sites done") || got.err != "" {
		t.Errorf("status printed\n%s%s", got.out, got.err)
	}
}

// cat prints the URLs in each format, as urls does.
func TestBatchCat(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 8), filepath.Join(t.TempDir(), "out")
	runArgs(t, "batch", list, "--allow-private", "--retries", "0", "-q", "-o", dir).want(t, cli.ExitOK, "")
	for _, args := range [][]string{
		{"--format", "text"}, {"--format", "csv", "--fields", "loc,lastmod,sitemap,trust,on_site,target"},
		{"--format", "jsonl", "--fields", "loc,lastmod,kind,sitemap,trust,on_site,target"},
	} {
		cat := runArgs(t, slices.Concat([]string{"batch", "cat", dir + "/1"}, args)...)
		urls := runArgs(t, slices.Concat([]string{"urls", "-q", "--allow-private", "--retries", "0", "--from", list}, args)...)
		got, want := sortedLines(cat.out), sortedLines(urls.out)
		if cat.status != cli.ExitOK || !slices.Equal(got, want) {
			t.Errorf("%q: printed\n%swant\n%s", args, cat.out, urls.out)
		}
	}
	if err := os.Remove(filepath.Join(dir, "1", "run.json")); err != nil { // as with parts of other programs
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "out.parquet")
	runArgs(t, "batch", "cat", dir+"/1", "-o", file).want(t, cli.ExitOK, "")
	if n := parquetRows(t, file); n != 21 {
		t.Errorf("%d rows", n)
	}
}

// cat --documents prints a table of the sitemaps.
func TestBatchCat_Documents(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 8), filepath.Join(t.TempDir(), "out")
	runArgs(t, "batch", list, "--allow-private", "--retries", "0", "-q", "-o", dir).want(t, cli.ExitOK, "")
	cat := func(args ...string) string {
		got := runArgs(t, slices.Concat([]string{"batch", "cat", dir + "/1", "--documents"}, args)...)
		if got.status != cli.ExitOK || got.err != "" {
			t.Errorf("%q: %d: %s", args, got.status, got.err)
		}
		return got.out
	}
	rows, err := csv.NewReader(strings.NewReader(cat("--format", "csv"))).ReadAll()
	if err != nil || len(rows) != 8 {
		t.Fatalf("%q, %v", rows, err)
	}
	row := map[string]string{}
	for i, name := range rows[0] {
		row[name] = rows[1][i]
	}
	if row["status"] != "200" || row["format"] != "urlset" || row["entries"] != "3" || row["trust"] != "robots" ||
		row["fetched"] == "" || row["error"] != "" || row["robots"] != row["target"]+"/robots.txt" {
		t.Errorf("csv: %v", row)
	}
	for line := range strings.Lines(cat()) {
		var d batch.Document
		if err := json.Unmarshal([]byte(line), &d); err != nil || d.Entries != 3 || d.Status != 200 {
			t.Errorf("jsonl: %s, %v", line, err)
		}
	}
	file := filepath.Join(t.TempDir(), "out.parquet")
	cat("-o", file)
	if n := parquetRows(t, file); n != 7 {
		t.Errorf("%d rows", n)
	}
	runArgs(t, "batch", "cat", dir+"/1", "--documents", "--format", "text").want(t, cli.ExitUsage, "", "a table is printed as")
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

// With --check, parts have findings, and cat prints them as check does.
func TestBatchCheck(t *testing.T) {
	w := newLoopbackWeb(t)
	w.lastMod = "yesterday"
	list, dir := w.list(t, 3), filepath.Join(t.TempDir(), "out")
	args := []string{"batch", list, "--allow-private", "--retries", "0", "-q", "--check", "-o", dir}
	runArgs(t, args...).want(t, cli.ExitOK, "")
	if got := runArgs(t, "batch", "status", dir); !strings.Contains(got.out, "run 1 (findings)") || !strings.Contains(got.out, "\nfound 9 ") {
		t.Errorf("status printed\n%s", got.out)
	}
	for _, format := range []string{"text", "jsonl", "csv", "sarif", "junit", "github"} {
		got := runArgs(t, "batch", "cat", dir+"/1", "--format", format)
		if n := strings.Count(got.out, "bad_lastmod"); got.status != cli.ExitOK || n < 3 {
			t.Errorf("%s: %d findings\n%s%s", format, n, got.out, got.err)
		}
	}
	runArgs(t, "batch", "cat", dir+"/1", "--format", "parquet").want(t, cli.ExitUsage, "", "findings are printed as")
}

// --match and --exclude choose URLs.
func TestBatchMatch(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 2), filepath.Join(t.TempDir(), "out")
	runArgs(t, "batch", list, "--allow-private", "--match", "/[01]$", "--exclude", "/0$", "-o", dir).
		want(t, cli.ExitOK, "", "sitemap: 2 sites, 2 URLs, 0 failed, ")
}

func TestBatchUsage(t *testing.T) {
	list := writeFile(t, "sites.txt", "example.com\n")
	for _, test := range []struct{ args, want string }{
		{list, "name the folder of the parts: -o OUT"},
		{"-o parts", "want one LIST of targets"},
		{list + " -o parts --shard 4/4", "want I/N, with I from 0 to N-1"},
		{list + " -o parts --shard 1", "want I/N, with I from 0 to N-1"},
		{list + " -o parts --shard 0/2 --queue nats://127.0.0.1:1", "--shard: with --queue"},
		{list + " -o parts --parallel 0", "--parallel, --site-time: want a positive number"},
		{list + " -o parts --run ../x", `--run: run "../x": want up to 64 letters`},
		{list + " -o parts --lease 29s", "--lease: want at least 30s"},
		{list + " -o parts --check --changed", "--check judges all"},
		{list + " -o parts --queue host:4222", "--queue: want nats://HOST:PORT"},
		{list + " -o parts --match (", "--match: "},
		{"plan " + list + " -o parts", "name the queue that workers share"},
		{"work -o parts", "name the queue that workers share"},
		{"work extra -o parts --queue nats://127.0.0.1:1", "the sites come from the queue"},
		{"work -o parts --queue nats://127.0.0.1:1 --lease 1s", "--lease: want at least 30s"},
		{"work -o parts --queue nats://127.0.0.1:1 --wait", "--wait: a run over NATS ends"},
		{"work -o parts --queue urlfrontier://host", "--queue: want nats://HOST:PORT"},
		{"work -o parts --queue nats://127.0.0.1:1 --nats-creds a --nats-nkey b", "want one of them"},
		{"work -o parts --queue urlfrontier://host:1/c --nats-creds a", "--nats-creds, --nats-nkey: want --queue nats://"},
		{"work -o parts --queue nats://127.0.0.1:1 --patience 0s", "--patience: want a positive time"},
		{"plan " + list + " -o parts --queue-ca ca.pem", "--queue-ca: want --queue URL"},
		{"status", "name the folder of the parts: -o OUT"},
		{"status a b", "want one OUT, OUT/RUN or -o OUT"},
		{"status parts --format parquet", "unknown format"},
		{"status parts --failed --queue nats://127.0.0.1:1", "--failed: the parts say"},
		{"cat ..", "want OUT/RUN"},
		{"emit parts/1", "--queue: want nats://HOST:PORT"},
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
	runArgs(t, "batch", "work", "-o", t.TempDir(), "--queue", "nats://127.0.0.1:1").
		want(t, cli.ExitFailed, "", "--queue: nats: no servers available")
	w := newLoopbackWeb(t)
	dir := filepath.Join(t.TempDir(), "out")
	runArgs(t, "batch", w.list(t, 1), "--allow-private", "-q", "-o", dir).want(t, cli.ExitOK, "")
	runArgs(t, "batch", "cat", dir).want(t, cli.ExitUsage, "", "name one of its runs: "+dir+"/1\n")
	runArgs(t, "batch", "cat", dir+"/1", "--format", "sarif").want(t, cli.ExitUsage, "", "only the findings of a run")
}

// An interrupted run leaves no part that is not whole, and goes on.
func TestBatchInterrupted(t *testing.T) {
	w := newLoopbackWeb(t)
	list, dir := w.list(t, 200), filepath.Join(t.TempDir(), "out")
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
	if err := os.Mkdir(filepath.Join(dir, "1"), 0o777); err != nil {
		t.Fatal(err)
	}
	lock, err := state.Open(filepath.Join(dir, "1", "run.lock"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"batch", list, "--allow-private", "-o", dir}
	runArgs(t, args...).want(t, cli.ExitFailed, "", dir+": another process works on run 1\n")
	runArgs(t, append(args, "--shard", "0/1")...).want(t, cli.ExitOK, "", "1 site")
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	runArgs(t, args...).want(t, cli.ExitOK, "", "run 1 is over: 1 site done")
}

// dirOrTemp returns dir, or an empty folder if dir does not exist yet.
func dirOrTemp(t *testing.T, dir string) string {
	if _, err := os.Stat(dir); err != nil {
		return t.TempDir()
	}
	return dir
}
