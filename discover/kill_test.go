package discover

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

var kills = flag.Int("kills", 12, "how often TestStateKilled kills the walking process")

// TestStateKilled: a process that walks with a State is killed at random moments, and
// when its walk has come to the end, and begun again; what it has written in the end
// is what an undisturbed one writes.
func TestStateKilled(t *testing.T) {
	if site := os.Getenv("DISCOVER_TEST_SITE"); site != "" {
		dir := os.Getenv("DISCOVER_TEST_DIR")
		c := &Client{Fetcher: &fetch.Client{AllowPrivateNetworks: true}}
		if !resumeRun(t, c, filepath.Join(dir, "state"), filepath.Join(dir, "out"), site, 1<<30) {
			t.Error("stopped before the end")
		}
		if err := os.WriteFile(filepath.Join(dir, "finished"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, os.Stdin) // to be killed, or to end with who does it
		return
	}
	srv, want := slowSite(t)
	rounds := 0
	for killed := 0; killed < *kills; rounds++ {
		dir := t.TempDir()
		n := killWalks(t, srv.URL, dir)
		text, err := os.ReadFile(filepath.Join(dir, "out"))
		if err != nil || string(text) != want {
			t.Errorf("killed %d times: %d bytes written, want %d, %v", n, len(text), len(want), err)
		}
		killed += n
	}
	t.Logf("%d walks were killed %d times or more", rounds, *kills)
}

// killWalks walks a site in one process after the other, which it kills at random
// moments, and twice when the walk has come to its end. It returns how many were
// killed.
func killWalks(t *testing.T, site, dir string) (killed int) {
	const most = 8
	for finished := 0; finished < 2; killed++ {
		mark := filepath.Join(dir, "finished")
		os.Remove(mark)
		cmd := exec.Command(os.Args[0], "-test.run=^TestStateKilled$")
		cmd.Env = append(os.Environ(), "DISCOVER_TEST_SITE="+site, "DISCOVER_TEST_DIR="+dir)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer stdin.Close()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		var moment <-chan time.Time
		if killed < most && finished == 0 {
			moment = time.After(time.Duration(10+rand.IntN(300)) * time.Millisecond)
		}
		for alive := true; alive; {
			select {
			case err := <-done:
				t.Fatalf("the process ended by itself: %v", err)
			case <-moment:
				alive = false
			case <-time.After(time.Millisecond):
				if _, err := os.Stat(mark); err == nil {
					alive = false
					finished++
				}
			}
		}
		cmd.Process.Kill()
		<-done
	}
	return killed
}

// slowSite serves 500 documents that never change, with some delay, and returns what a walk writes.
func slowSite(t *testing.T) (*httptest.Server, string) {
	t.Helper()
	docs, ready := map[string]string{}, make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-ready
		time.Sleep(2 * time.Millisecond)
		text, ok := docs[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write([]byte(text))
	}))
	t.Cleanup(srv.Close)
	defer close(ready)
	var want strings.Builder
	docs["/robots.txt"] = "Sitemap: " + srv.URL + "/index.xml"
	var indexes []string
	for i := range 20 {
		var kids []string
		for j := range 24 {
			path := fmt.Sprintf("/%d-%d.xml", i, j)
			kids = append(kids, srv.URL+path)
			var pages []string
			for k := range 20 {
				pages = append(pages, fmt.Sprintf("%s/%d/%d/%d", srv.URL, i, j, k))
			}
			docs[path] = urlset(pages...)
			want.WriteString(strings.Join(pages, "\n") + "\n")
		}
		path := fmt.Sprintf("/%d.xml", i)
		indexes = append(indexes, srv.URL+path)
		docs[path] = index(kids...)
	}
	docs["/index.xml"] = index(indexes...)
	return srv, want.String()
}
