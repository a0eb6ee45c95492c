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
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
)

var kills = flag.Int("kills", 8, "how often a walk is killed at a random moment; 50 documents each up to 500")

// manySite has an index of n children with 20 URLs each.
func manySite(t *testing.T, n int) *testSite {
	t.Helper()
	docs := map[string]string{"/robots.txt": "Sitemap: HOST/index.xml\nSitemap: HOST/last.txt\n", "/last.txt": "HOST/last\n"}
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

func TestState(t *testing.T) {
	s := manySite(t, 5)
	state := filepath.Join(t.TempDir(), "state")
	first := runArgs(t, "urls", "--allow-private", "--state", state, s.URL)
	if n := strings.Count(first.out, "\n"); first.status != exitOK || n != 101 || first.err != "" {
		t.Fatalf("status %d, %d URLs, said %q", first.status, n, first.err)
	}
	// Nothing has changed.
	runArgs(t, "urls", "--allow-private", "--state", state, s.URL).want(t, exitOK, "")
	runArgs(t, "urls", "--allow-private", "--state", state, "-").want(t, exitUsage, "", "--state goes with sites")
	list := writeFile(t, "list", writeFile(t, "a.txt", s.URL+"/1\n")+"\n")
	runArgs(t, "urls", "--allow-private", "--state", state, "--from", list).want(t, exitFailed, "", "--state goes with sites")
	runArgs(t, "urls", "--state", writeFile(t, "x", "not a state\n"), s.URL).want(t, exitFailed, "", "not a state")
}

// TestStateOfTheOtherKind: a walk of a site does not go on with that of the sitemap of its name.
func TestStateOfTheOtherKind(t *testing.T) {
	s := manySite(t, 5)
	state := filepath.Join(t.TempDir(), "state")
	args := []string{"urls", "--allow-private", "--state", state, s.URL + "/index.xml", "--as"}
	runArgs(t, append(args, "sitemap", "--max-urls", "25")...)
	runArgs(t, append(args, "site")...).want(t, exitFailed, "", "of an interrupted run")
	if r := runArgs(t, append(args, "sitemap")...); r.status != exitOK {
		t.Errorf("status %d, said %q", r.status, r.err)
	}
}

// TestOutputRemoved: what is written to a file that nobody can find is not taken for written.
func TestOutputRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	for _, replaced := range []bool{false, true} {
		o, err := (&app{}).resume(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, path+".1"); err != nil {
			t.Fatal(err)
		}
		if replaced {
			writeTo(t, path, "")
		}
		if err := o.close(); err == nil {
			t.Errorf("replaced %t: no error", replaced)
		}
	}
}

func writeTo(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestStateResumesWhereItStopped(t *testing.T) {
	s := manySite(t, 10)
	want := runArgs(t, "urls", "--allow-private", s.URL).out
	for _, format := range []string{"text", "jsonl", "csv"} {
		state, out := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "out")
		args := []string{"urls", "--allow-private", "--state", state, "-o", out, "--format", format, s.URL}
		runArgs(t, append(args, "--max-urls", "50")...).want(t, exitOK, "")
		r := runArgs(t, args...)
		r.want(t, exitOK, "")
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		whole := runArgs(t, "urls", "--allow-private", "--format", format, s.URL).out
		if string(got) != whole {
			t.Errorf("%s: got %d bytes, want %d", format, len(got), len(whole))
		}
	}
	if n := strings.Count(want, "\n"); n != 201 {
		t.Errorf("%d URLs", n)
	}
}

// What was printed before an interruption counts for --max-urls.
func TestStateMaxURLs(t *testing.T) {
	s := manySite(t, 10)
	whole := runArgs(t, "urls", "--allow-private", s.URL).out
	lines := strings.SplitAfter(whole, "\n")
	state, out := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "out")
	most := 0
	for _, n := range []int{30, 30, 60, 60, 30} {
		runArgs(t, "urls", "--allow-private", "--state", state, "-o", out, "--max-urls", strconv.Itoa(n), s.URL).want(t, exitOK, "")
		got, err := os.ReadFile(out)
		if want := strings.Join(lines[:max(n, most)], ""); err != nil || string(got) != want {
			t.Errorf("--max-urls %d: %d URLs, %v", n, strings.Count(string(got), "\n"), err)
		}
		if m := strings.Count(string(got), "\n"); m != max(n, most) {
			t.Errorf("--max-urls %d: %d URLs, want %d", n, m, max(n, most))
		}
		most = max(most, (n-1)/20*20) // the documents that had ended stay
	}
	runArgs(t, "urls", "--allow-private", "--state", state, "-o", out, s.URL).want(t, exitOK, "")
	if got, err := os.ReadFile(out); err != nil || string(got) != whole {
		t.Errorf("in the end %d URLs, %v", strings.Count(string(got), "\n"), err)
	}
}

// Two spellings of one target are one walk, two users of it are two, which one journal does
// not keep.
func TestStateTargets(t *testing.T) {
	s := manySite(t, 3)
	state, out := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "--allow-private", "--state", state, "-o", out, s.URL, s.URL + "/"}
	runArgs(t, append(args, "--max-urls", "30")...).want(t, exitOK, "")
	runArgs(t, args...).want(t, exitOK, "")
	if got, err := os.ReadFile(out); err != nil || strings.Count(string(got), "\n") != 61 {
		t.Errorf("%d URLs, %v", strings.Count(string(got), "\n"), err)
	}
	host := strings.TrimPrefix(s.URL, "http://")
	r := runArgs(t, "urls", "--allow-private", "--state", filepath.Join(t.TempDir(), "state"), "http://jane:x@"+host+"/0.xml", "http://joe:x@"+host+"/0.xml")
	if r.status != exitFailed || !strings.Contains(r.err, "by different users") || strings.Contains(r.err, "jane") {
		t.Errorf("status %d, said %s", r.status, r.err)
	}
}

// A run that was interrupted on standard output is not gone on with by another filter.
func TestStateFilters(t *testing.T) {
	s := manySite(t, 3)
	state := filepath.Join(t.TempDir(), "state")
	runArgs(t, "urls", "--allow-private", "--state", state, "--match", "page", "--max-urls", "30", s.URL)
	r := runArgs(t, "urls", "--allow-private", "--state", state, "--match", "last", s.URL)
	r.want(t, exitFailed, "", "of an interrupted run")
}

// With --unique, what was printed before the interruption counts.
func TestStateUnique(t *testing.T) {
	s := newTestSite(t, map[string]string{
		"/robots.txt": "Sitemap: HOST/a.txt\nSitemap: HOST/b.txt\nSitemap: HOST/c.txt\n",
		"/a.txt":      "HOST/1\nHOST/2\n", "/b.txt": "HOST/3\nHOST/1\n", "/c.txt": "HOST/2\nHOST/4\n",
	})
	for _, format := range []string{"text", "jsonl", "csv"} {
		state, out := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "out")
		args := []string{"urls", "-q", "--unique", "--allow-private", "--state", state, "-o", out, "--format", format, s.URL}
		runArgs(t, append(args, "--max-urls", "3")...).want(t, exitOK, "")
		runArgs(t, args...).want(t, exitOK, "")
		got, _ := os.ReadFile(out)
		want := runArgs(t, "urls", "-q", "--unique", "--allow-private", "--format", format, s.URL).out
		if string(got) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", format, got, want)
		}
	}
}

// What an interrupted run wrote is not lost by another command line: it is refused,
// unless it only adds targets.
func TestStateOfOtherRun(t *testing.T) {
	s, more := manySite(t, 5), manySite(t, 1)
	dir := t.TempDir()
	state, out := filepath.Join(dir, "state"), filepath.Join(dir, "out")
	flags := []string{"urls", "--allow-private", "--state", state}
	runArgs(t, append(flags, "-o", out, "--max-urls", "50", s.URL)...).want(t, exitOK, "")
	before, err := os.ReadFile(out)
	if err != nil || len(before) == 0 {
		t.Fatalf("%d bytes, %v", len(before), err)
	}
	for _, args := range [][]string{
		{"-o", out, more.URL},
		{"-o", out, "--format", "jsonl", s.URL},
		{"-o", out, "--match", "x", s.URL},
		{"-o", writeFile(t, "other", "another file\n"), s.URL},
		{s.URL},
	} {
		runArgs(t, append(flags, args...)...).want(t, exitFailed, "", "of an interrupted run")
	}
	if after, err := os.ReadFile(out); string(after) != string(before) {
		t.Errorf("the output has %d bytes, had %d, %v", len(after), len(before), err)
	}
	runArgs(t, append(flags, "-o", out, s.URL+"/", more.URL)...).want(t, exitOK, "")
	want := runArgs(t, "urls", "--allow-private", s.URL, more.URL).out
	if got, _ := os.ReadFile(out); string(got) != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

func TestStateInUse(t *testing.T) {
	s := manySite(t, 1)
	path := filepath.Join(t.TempDir(), "state")
	open, err := discover.OpenState(path)
	if err != nil {
		t.Fatal(err)
	}
	runArgs(t, "urls", "--allow-private", "--state", path, s.URL).want(t, exitFailed, "", "in use by another process")
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	if r := runArgs(t, "urls", "--allow-private", "--state", path, s.URL); r.status != exitOK {
		t.Errorf("status %d, said %q", r.status, r.err)
	}
}

func TestStateIsOutput(t *testing.T) {
	s := manySite(t, 1)
	path := filepath.Join(t.TempDir(), "state")
	runArgs(t, "urls", "--allow-private", "--state", path, "-o", path, s.URL).want(t, exitUsage, "", "--output and --state name one file")
}

func TestStateOutputGone(t *testing.T) {
	s := manySite(t, 3)
	state, out := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "--allow-private", "--state", state, "-o", out, s.URL}
	runArgs(t, append(args, "--max-urls", "30")...).want(t, exitOK, "")
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	runArgs(t, args...).want(t, exitFailed, "", "remove the state to begin anew")
	if _, err := os.Stat(out); err == nil {
		t.Error("an empty output was made")
	}
}

// A contextEnder is a standard error that ends a context with what is said last.
type contextEnder struct {
	said bytes.Buffer
	last string
	end  func()
}

func (w *contextEnder) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.last) {
		w.end()
	}
	return w.said.Write(p)
}

// A run that is interrupted when all is printed is not over, and its output stays. What failed in
// it is said again.
func TestStateInterruptedAtTheEnd(t *testing.T) {
	s := newTestSite(t, map[string]string{"/sitemap_index.xml": urlset("HOST/1", "HOST/2")})
	busy := http.NewServeMux()
	busy.Handle("/", s)
	busy.HandleFunc("/sitemap.xml", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	s.Config.Handler = busy
	state, out := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "--allow-private", "--retries", "0", "--state", state, "-o", out, s.URL}
	ctx, cancel := context.WithCancel(t.Context())
	stderr := &contextEnder{last: "/sitemap.xml", end: cancel}
	if status := run(ctx, args, nil, io.Discard, stderr); status != exitInterrupted {
		t.Errorf("exit status %d: %s", status, &stderr.said)
	}
	for i, want := range []string{s.text("HOST/1\nHOST/2\n"), ""} {
		runArgs(t, args...).want(t, exitFailed, "", "/sitemap.xml: status 502")
		if got, err := os.ReadFile(out); err != nil || string(got) != want {
			t.Errorf("run %d: %q, %v, want %q", i, got, err, want)
		}
	}
}

// A run that cannot write its output says so and is not over: what it could not
// write comes with the next.
func TestStateOutputFull(t *testing.T) {
	s := manySite(t, 3)
	state := filepath.Join(t.TempDir(), "state")
	if r := runArgs(t, "urls", "--allow-private", "--state", state, "-o", "/dev/full", s.URL); r.status != exitFailed || r.err == "" {
		t.Errorf("status %d, said %q", r.status, r.err)
	}
	want := runArgs(t, "urls", "--allow-private", s.URL).out
	runArgs(t, "urls", "--allow-private", "--state", state, s.URL).want(t, exitOK, want)
}

// One target that cannot be walked keeps none of the others from being looked at
// again, and one that is named twice is walked once.
func TestStateOfManyTargets(t *testing.T) {
	s, none := manySite(t, 2), newTestSite(t, nil)
	state, out := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "-q", "--allow-private", "--state", state, "-o", out, none.URL, s.URL, s.URL}
	for i, want := range []string{runArgs(t, "urls", "--allow-private", s.URL).out, "", "new\n"} {
		if i == 2 {
			s.docs["/last.txt"] = "HOST/new\n"
			want = s.text("HOST/" + want)
		}
		runArgs(t, args...).want(t, exitFailed, "", "no sitemap found")
		if got, err := os.ReadFile(out); err != nil || string(got) != want {
			t.Errorf("run %d: %q, %v, want %q", i, got, err, want)
		}
	}
}

// Walks that are killed at any moment, or when the last URL is written, go on, and
// their output ends as that of one that was not.
func TestKilledWalksGoOn(t *testing.T) {
	s := manySite(t, min(50**kills, 500))
	start := time.Now()
	want := runArgs(t, "urls", "--allow-private", s.URL).out
	usual := time.Since(start)
	for killed := 0; killed < *kills; {
		dir := t.TempDir()
		out, state := filepath.Join(dir, "out"), filepath.Join(dir, "state")
		args := []string{"urls", "--allow-private", "--state", state, "-o", out, s.URL}
		over := false
		for ; !over && killed < *kills; killed++ {
			cmd := command(t, args...)
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			length, after := len(want), time.Minute
			if killed%2 == 1 {
				length, after = -1, time.Duration(rand.Int64N(int64(usual)))
			}
			stop := killLater(cmd, out, int64(length), after)
			status := wait(t, cmd)
			stop()
			if status != exitOK && status != -1 {
				t.Fatalf("exit status %d", status)
			}
			// One may be killed after it has noted that it is over.
			journal, _ := os.ReadFile(state)
			last := journal[bytes.LastIndexByte(bytes.TrimSuffix(journal, []byte("\n")), '\n')+1:]
			over = bytes.HasPrefix(last, []byte(`{"t":"done",`))
			if status == exitOK && !over {
				t.Errorf("a run that came to its end is not over")
			}
		}
		if !over {
			runArgs(t, args...).want(t, exitOK, "")
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != want {
			t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
		}
	}
}

// killLater kills a process after a while, or when the file out has its length, until
// it is stopped.
func killLater(cmd *exec.Cmd, out string, length int64, after time.Duration) (stop func()) {
	ctx, cancel := context.WithTimeout(context.Background(), after)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			if info, err := os.Stat(out); err == nil && info.Size() == length {
				break
			}
			time.Sleep(100 * time.Microsecond)
		}
		if ctx.Err() != context.Canceled {
			cmd.Process.Kill()
		}
	}()
	return func() { cancel(); <-ended }
}
