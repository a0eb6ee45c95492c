package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	runArgs(t, "urls", "--allow-private", "--state", state, "-").want(t, exitFailed, "", "--state goes with sites")
	runArgs(t, "urls", "--state", writeFile(t, "x", "not a state\n"), s.URL).want(t, exitFailed, "", "not a state")
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

func TestStateOutputGone(t *testing.T) {
	s := manySite(t, 3)
	state, out := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "out")
	args := []string{"urls", "--allow-private", "--state", state, "-o", out, s.URL}
	runArgs(t, append(args, "--max-urls", "30")...).want(t, exitOK, "")
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	runArgs(t, args...).want(t, exitFailed, "", "remove the state to begin anew")
}

// Walks that are killed at any moment go on, and their output ends as that of one
// that was not.
func TestKilledWalksGoOn(t *testing.T) {
	s := manySite(t, min(50**kills, 500))
	start := time.Now()
	want := runArgs(t, "urls", "--allow-private", s.URL).out
	usual := time.Since(start)
	for killed := 0; killed < *kills; {
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		args := []string{"urls", "--allow-private", "--state", filepath.Join(dir, "state"), "-o", out, s.URL}
		for done := false; !done && killed < *kills; killed++ {
			cmd := command(t, args...)
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(rand.Int64N(int64(usual))), func() { cmd.Process.Kill() })
			status := wait(t, cmd)
			timer.Stop()
			if status != exitOK && status != -1 {
				t.Fatalf("exit status %d", status)
			}
			// One that is killed in its last moment has come to its end, too.
			got, err := os.ReadFile(out)
			done = err == nil && string(got) == want
			if status == exitOK && !done {
				t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
				done = true
			}
		}
		if got, err := os.ReadFile(out); err == nil && string(got) == want {
			continue
		}
		runArgs(t, args...).want(t, exitOK, "")
		if got, err := os.ReadFile(out); err != nil || string(got) != want {
			t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
		}
	}
}
