package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover/state"
)

var kills = flag.Int("kills", 1, "how often TestKilled... kills the command")

// manySite has an index of n children with 20 URLs each.
func manySite(t *testing.T, n int) *testSite {
	t.Helper()
	docs := map[string]string{"/robots.txt": "Sitemap: HOST/index.xml\nSitemap: HOST/last.txt\n",
		"/last.txt": "HOST/last\n"}
	var children []string
	for i := range n {
		children = append(children, fmt.Sprintf("HOST/%d.xml", i))
		var pages []string
		for j := range 20 {
			pages = append(pages, fmt.Sprintf("HOST/page/%d?n=%d", i, j%15))
		}
		docs[fmt.Sprintf("/%d.xml", i)] = urlset(pages...)
	}
	docs["/index.xml"] = index(children...)
	return newTestSite(t, docs)
}

// numbered returns n locations.
func numbered(prefix string, n int) []string {
	locs := make([]string, n)
	for i := range locs {
		locs[i] = prefix + strconv.Itoa(i)
	}
	return locs
}

// The second run prints only what is new, with a header only at the beginning of the file.
func TestState(t *testing.T) {
	s := manySite(t, 5)
	db := filepath.Join(t.TempDir(), "db")
	for _, format := range []string{"text", "jsonl", "csv"} {
		whole := runArgs(t, "urls", "--allow-private", "--format", format, s.URL).out
		db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
		args := []string{"urls", "--allow-private", "--state", db, "-o", out, "--format", format, s.URL}
		runArgs(t, args...).want(t, cli.ExitOK, "")
		wantFile(t, out, whole)
		runArgs(t, args...).want(t, cli.ExitOK, "", "nothing has changed")
		wantFile(t, out, whole)
	}
	first := runArgs(t, "urls", "--allow-private", "--state", db, s.URL)
	if n := strings.Count(first.out, "\n"); first.status != cli.ExitOK || n != 101 || first.err != "" {
		t.Fatalf("status %d, %d URLs, reported %q", first.status, n, first.err)
	}
	runArgs(t, "urls", "--allow-private", "--state", db, s.URL).want(t, cli.ExitOK, "", "nothing has changed")
	s.docs["/last.txt"] = "HOST/last\nHOST/new\n"
	runArgs(t, "urls", "--allow-private", "--state", db, s.URL).want(t, cli.ExitOK, s.URL+"/new\n")
	runArgs(t, "urls", "--allow-private", "--state", db, "-").want(t, cli.ExitUsage, "", "--state: standard input: want sites")
}

// The file of -o keeps its format and its columns.
func TestStateFormat(t *testing.T) {
	s := manySite(t, 1)
	for _, test := range [][]string{
		{"--format=text", "--format=csv", "holds text, not csv"},
		{"--format=csv", "--all", "holds csv with loc,kind,"},
		{"--fields=loc", "--fields=loc,lastmod", "holds csv with loc, not csv with loc,lastmod: name"},
	} {
		db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
		args := []string{"urls", "-q", "--allow-private", "--state", db, "-o", out, "--format=csv", s.URL}
		runArgs(t, append(args, test[0])...).want(t, cli.ExitOK, "")
		whole, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		runArgs(t, append(args, test[1])...).want(t, cli.ExitFailed, "", test[2])
		wantFile(t, out, string(whole))
		writeTo(t, out, "")
		runArgs(t, append(args, test[1])...).want(t, cli.ExitOK, "")
	}
}

// A run appends to a file that it did not write.
func TestStateKeepsWhatIsThere(t *testing.T) {
	s := manySite(t, 1)
	db, out := filepath.Join(t.TempDir(), "db"), writeFile(t, "out", "precious\n")
	whole := runArgs(t, "urls", "--allow-private", s.URL).out
	runArgs(t, "urls", "--allow-private", "--state", db, "-o", out, s.URL).want(t, cli.ExitOK, "")
	wantFile(t, out, "precious\n"+whole)
	writeTo(t, filepath.Join(t.TempDir(), "other"), "")
	runArgs(t, "urls", "--allow-private", "--retries", "0", "--state", db, "-o", out, "http://127.0.0.1:1/").want(t, cli.ExitFailed, "", "127.0.0.1:1")
	wantFile(t, out, "precious\n"+whole)
}

func TestStateGoesOnWhereItStopped(t *testing.T) {
	s := manySite(t, 10)
	for _, format := range []string{"text", "jsonl", "csv"} {
		whole := runArgs(t, "urls", "--allow-private", "--format", format, s.URL).out
		db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
		args := []string{"urls", "--allow-private", "--state", db, "-o", out, "--format", format, s.URL}
		runArgs(t, append(args, "--max-urls", "50")...).want(t, cli.ExitOK, "")
		runArgs(t, args...).want(t, cli.ExitOK, "")
		wantFile(t, out, whole)
	}
}

// --max-urls counts what the run printed before it was stopped.
func TestStateMaxURLs(t *testing.T) {
	s := manySite(t, 10)
	whole := runArgs(t, "urls", "--allow-private", s.URL).out
	lines := strings.SplitAfter(whole, "\n")
	db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "--allow-private", "--state", db, "-o", out, s.URL}
	for _, n := range []int{30, 30, 70} {
		runArgs(t, append(args, "--max-urls", strconv.Itoa(n))...).want(t, cli.ExitOK, "")
		wantFile(t, out, strings.Join(lines[:n], ""))
	}
	runArgs(t, args...).want(t, cli.ExitOK, "")
	wantFile(t, out, whole)
}

// --unique knows what the run printed before it was stopped, and forgets it with the next run.
func TestStateUnique(t *testing.T) {
	s := manySite(t, 5)
	db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "-q", "--unique", "--allow-private", "--state", db, "-o", out, s.URL}
	s.docs["/last.txt"] = "HOST/page/0?n=1\nHOST/last\n"
	want := runArgs(t, "urls", "-q", "--unique", "--allow-private", s.URL).out
	for _, n := range []string{"18", "40", "0"} {
		runArgs(t, append(args, "--max-urls", n)...).want(t, cli.ExitOK, "")
	}
	wantFile(t, out, want)
}

// With other options a new run begins, which does not cut off what the stopped one printed.
func TestStateOfOtherRun(t *testing.T) {
	s, more := manySite(t, 5), manySite(t, 1)
	db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
	flags := []string{"urls", "--allow-private", "--state", db, "-o", out}
	runArgs(t, append(flags, "--max-urls", "50", s.URL)...).want(t, cli.ExitOK, "")
	before, err := os.ReadFile(out)
	if err != nil || bytes.Count(before, []byte("\n")) != 50 {
		t.Fatalf("%d bytes, %v", len(before), err)
	}
	runArgs(t, append(flags, "--match", "/last$", s.URL)...).want(t, cli.ExitOK, "")
	wantFile(t, out, string(before)+s.URL+"/last\n")
	// Targets may be added to a run.
	db, out = filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
	flags = []string{"urls", "--allow-private", "--state", db, "-o", out}
	runArgs(t, append(flags, "--max-urls", "50", s.URL)...).want(t, cli.ExitOK, "")
	runArgs(t, append(flags, "--parallel", "1", s.URL+"/", more.URL, s.URL)...).want(t, cli.ExitOK, "", "3 sites, ", " 0 failed, ")
	wantFile(t, out, runArgs(t, "urls", "--allow-private", s.URL, more.URL).out)
}

func TestStateInUse(t *testing.T) {
	s := manySite(t, 1)
	path := filepath.Join(t.TempDir(), "db")
	open, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"urls", "--allow-private", "--state", path, s.URL}
	runArgs(t, args...).want(t, cli.ExitFailed, "", path, "in use")
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	if r := runArgs(t, args...); r.status != cli.ExitOK {
		t.Errorf("status %d, reported %q", r.status, r.err)
	}
	other := writeFile(t, "other", strings.Repeat("not a state\n", 1_000))
	runArgs(t, "urls", "--allow-private", "--state", other, s.URL).want(t, cli.ExitFailed, "", other)
	wantFile(t, other, strings.Repeat("not a state\n", 1_000))
}

func TestStateIsOutput(t *testing.T) {
	s := manySite(t, 1)
	path := filepath.Join(t.TempDir(), "db")
	runArgs(t, "urls", "--allow-private", "--state", path, "-o", path, s.URL).want(t, cli.ExitUsage, "", "--output and --state name the same file")
}

func TestStateOutputGone(t *testing.T) {
	s := manySite(t, 3)
	db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "--allow-private", "--state", db, "-o", out, s.URL}
	runArgs(t, append(args, "--max-urls", "30")...).want(t, cli.ExitOK, "")
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	runArgs(t, args...).want(t, cli.ExitFailed, "", "shorter than the stopped run left it")
	if _, err := os.Stat(out); err == nil {
		t.Error("an empty output was made")
	}
}

// A contextEnder is a standard error that ends a context with a message.
type contextEnder struct {
	text bytes.Buffer
	last string
	end  func()
}

func (w *contextEnder) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.last) {
		w.end()
	}
	return w.text.Write(p)
}

// A run that is interrupted when all is printed goes on, and its output stays. It reports again
// what failed in it.
func TestStateInterruptedAtTheEnd(t *testing.T) {
	s := newTestSite(t, map[string]string{"/sitemap_index.xml": urlset("HOST/1", "HOST/2")})
	busy := http.NewServeMux()
	busy.Handle("/", s)
	busy.HandleFunc("/sitemap.xml", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	s.Config.Handler = busy
	db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "--allow-private", "--retries", "0", "--state", db, "-o", out, s.URL}
	ctx, cancel := context.WithCancel(t.Context())
	stderr := &contextEnder{last: "/sitemap.xml", end: cancel}
	if status := run(ctx, args, nil, io.Discard, stderr); status != cli.ExitInterrupted {
		t.Errorf("exit status %d: %s", status, &stderr.text)
	}
	for range 2 {
		runArgs(t, args...).want(t, cli.ExitFailed, "", "/sitemap.xml: status 502")
		wantFile(t, out, s.text("HOST/1\nHOST/2\n"))
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// URLs that a run cannot write are written by the next one.
func TestStateOutputFull(t *testing.T) {
	s := manySite(t, 3)
	whole := runArgs(t, "urls", "--allow-private", s.URL).out
	db := filepath.Join(t.TempDir(), "db")
	args := []string{"urls", "--allow-private", "--state", db, s.URL}
	var stderr bytes.Buffer
	full := failingWriter{io.ErrShortWrite}
	if status := run(t.Context(), args, nil, full, &stderr); status != cli.ExitFailed || !strings.Contains(stderr.String(), "short write") {
		t.Errorf("status %d, reported %q", status, &stderr)
	}
	runArgs(t, args...).want(t, cli.ExitOK, whole)
}

// A target that cannot be walked costs no other one, and one that is named twice is walked once.
func TestStateOfManyTargets(t *testing.T) {
	s, none := manySite(t, 2), newTestSite(t, nil)
	db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "-q", "--allow-private", "--state", db, "-o", out, none.URL, s.URL, s.URL}
	whole := runArgs(t, "urls", "--allow-private", s.URL).out
	for i := range 3 {
		if i == 2 {
			s.docs["/last.txt"] = "HOST/new\n"
			whole += s.URL + "/new\n"
		}
		runArgs(t, args...).want(t, cli.ExitFailed, "", "no sitemap found")
		wantFile(t, out, whole)
	}
}

// If a kill loses the record of a document whose output was noted, the document is read again, but
// not printed again.
func TestStateNotedOnly(t *testing.T) {
	s := manySite(t, 5)
	delete(s.docs, "/0.xml") // it is requested again before the document
	whole := runArgs(t, "urls", "--allow-private", s.URL).out
	db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "--allow-private", "--state", db, "-o", out, s.URL}
	runArgs(t, append(args, "--max-urls", "30")...).want(t, cli.ExitFailed, "", "/0.xml: status 404")
	file, err := bbolt.Open(db, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	err = file.Update(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(key, value []byte) error {
				if bytes.Contains(value, []byte(`"url":"`+s.URL+`/1.xml"`)) {
					lost++
					return b.Delete(key)
				}
				return nil
			})
		})
	})
	if err != nil || lost != 1 {
		t.Fatalf("%d records lost, %v", lost, err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stderr := &contextEnder{last: "/0.xml", end: cancel}
	if status := run(ctx, args, nil, io.Discard, stderr); status != cli.ExitInterrupted {
		t.Errorf("exit status %d: %s", status, &stderr.text)
	}
	runArgs(t, args...).want(t, cli.ExitFailed, "", "/0.xml: status 404")
	wantFile(t, out, whole)
}

// usualTime returns how long a run that is not killed takes.
func usualTime(t *testing.T, args ...string) time.Duration {
	t.Helper()
	start := time.Now()
	if cmd := command(t, args...); cmd.Run() != nil {
		t.Fatal("the command failed")
	}
	return time.Since(start)
}

// killUntil runs a command, kills or interrupts it within a time for at most n times, and runs it
// to its end. It returns how often it was stopped.
func killUntil(t *testing.T, n int, within time.Duration, out string, args ...string) (killed int) {
	t.Helper()
	for {
		cmd := command(t, args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if killed < n {
			end := os.Kill
			if killed%2 == 1 && runtime.GOOS != "windows" {
				end = syscall.SIGTERM
			}
			after := time.AfterFunc(time.Duration(rand.Int64N(int64(within))), func() { cmd.Process.Signal(end) })
			defer after.Stop()
		}
		switch status := wait(t, cmd); status {
		case cli.ExitOK:
			return killed
		case -1, cli.ExitInterrupted:
			killed++
			if info, err := os.Stat(out); err == nil {
				t.Logf("killed after %d bytes", info.Size())
			}
		default:
			t.Fatalf("exit status %d, reported %q", status, &stderr)
		}
	}
}

// Runs that are killed at any moment go on, and their output is that of one that was not.
func TestKilledRunsGoOn(t *testing.T) {
	t.Parallel()
	s := manySite(t, 54**kills)
	whole := map[string]string{}
	formats := []string{"text", "jsonl", "csv"}
	for _, format := range formats {
		whole[format] = runArgs(t, "urls", "--allow-private", "--format", format, s.URL).out
	}
	args := func(format string) (string, []string) {
		db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
		return out, []string{"urls", "--allow-private", "--format", format, "--state", db,
			"-o", out, s.URL}
	}
	_, first := args("text")
	usual := usualTime(t, first...)
	for killed, round := 0, 0; killed < *kills; round++ {
		format := formats[round%3]
		out, args := args(format)
		killed += killUntil(t, *kills-killed, usual, out, args...)
		wantFile(t, out, whole[format])
	}
}

// So do runs over a list of sites in parallel: their output has each line once, in another order.
func TestKilledListsGoOn(t *testing.T) {
	t.Parallel()
	list, walk := "", []string{"urls", "--parallel", "4"}
	for i := range 5 { // of different domains, which are walked side by side
		s := manySite(t, 3**kills)
		for name := range s.docs {
			if number, ok := strings.CutSuffix(name, ".xml"); ok && name != "/index.xml" {
				s.docs[name] = urlset(numbered("HOST"+number+"/", 16**kills)...)
			}
		}
		host := fmt.Sprintf("site%d.example", i)
		s.URL = "http://" + host
		list += s.URL + "\n"
		walk = append(walk, "--connect-to", host+":80:"+s.Listener.Addr().String())
	}
	walk = append(walk, "--from", writeFile(t, "sites.txt", list))
	for _, unique := range []string{"--unique=false", "--unique"} {
		whole := sortedLines(runArgs(t, append(walk, unique)...).out)
		args := func() (string, []string) {
			db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out")
			return out, append(slices.Clone(walk), unique, "--state", db, "-o", out)
		}
		_, first := args()
		usual := usualTime(t, first...)
		for killed := 0; killed < *kills; {
			out, args := args()
			killed += killUntil(t, *kills-killed, usual, out, args...)
			got, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if lines := sortedLines(string(got)); !slices.Equal(lines, whole) {
				t.Errorf("%s: %d lines, want %d", unique, len(lines), len(whole))
			}
		}
	}
}

// sortedLines returns the lines of text in order.
func sortedLines(text string) []string { return slices.Sorted(strings.Lines(text)) }
