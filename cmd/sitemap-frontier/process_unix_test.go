//go:build unix

package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/engines/frontier/frontiertest"
)

func TestMain(m *testing.M) {
	if os.Getenv("SITEMAP_FRONTIER") != "" {
		main()
	}
	os.Exit(m.Run())
}

// A process that waits for work answers requests, and ends when it is told to.
func TestProcess(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{}
	l, err := net.Listen("tcp", "127.0.0.1:0") // for a free port
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	cmd := exec.Command(
		os.Args[0], "work", "--frontier", s.Start(t), "-o", t.TempDir(), "--follow", "--metrics", at,
	)
	cmd.Env = append(os.Environ(), "SITEMAP_FRONTIER=1")
	stderr := &console{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/healthz": "ok\n",
		"/metrics": "\nsitemap_pages_total 0\n",
	} {
		if got := get(t, "http://"+at+path); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
		t.Errorf("exit status %d, want %d\n%s", got, exitInterrupted, stderr)
	}
}

// get returns the body at a URL, whose server may have to start first.
func get(t *testing.T, url string) string {
	t.Helper()
	const hang = 5 * time.Minute
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		r, err := http.Get(url)
		if err == nil {
			defer r.Body.Close()
			b, _ := io.ReadAll(r.Body)
			return string(b)
		}
		if time.Since(began) > hang {
			t.Fatalf("no answer after %v: %v", hang, err)
		}
	}
}
