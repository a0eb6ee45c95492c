//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endless serves a urlset that does not end, and closes started when it is asked
// for.
func endless(t *testing.T, lines bool) (s *httptest.Server, started chan struct{}) {
	t.Helper()
	started = make(chan struct{})
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		// More than the window that the charset is told from.
		io.WriteString(w, strings.Repeat("http://"+r.Host+"/first\n", 4_000))
		w.(http.Flusher).Flush()
		close(started)
		for lines {
			if _, err := io.WriteString(w, strings.Repeat("http://"+r.Host+"/page\n", 1_000)); err != nil {
				return
			}
		}
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	return s, started
}

func TestInterrupt(t *testing.T) {
	s, started := endless(t, false)
	cmd := command(t, "urls", "--allow-private", s.URL+"/a.txt")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-started
	// The first URL is printed although the document is not at its end.
	line, err := bufio.NewReader(out).ReadString('\n')
	if want := s.URL + "/first\n"; err != nil || line != want {
		t.Errorf("printed %q, %v, want %q", line, err, want)
	}
	cmd.Process.Signal(os.Interrupt)
	if status := wait(t, cmd); status != exitInterrupted {
		t.Errorf("exit status %d, want %d", status, exitInterrupted)
	}
	if got := stderr.String(); got != "sitemap: interrupted\n" {
		t.Errorf("said %q", got)
	}
}

// Nothing is left of a file that was not finished.
func TestInterruptFile(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sig) { // by the test, and so by the command: see main
			continue
		}
		s, started := endless(t, false)
		dir := t.TempDir()
		cmd := command(t, "urls", "--allow-private", "-o", filepath.Join(dir, "out"), s.URL+"/a.txt")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-started
		cmd.Process.Signal(sig)
		if status := wait(t, cmd); status != exitInterrupted {
			t.Errorf("%v: exit status %d, want %d", sig, status, exitInterrupted)
		}
		if got := names(t, dir); got != "" {
			t.Errorf("%v: left %q", sig, got)
		}
	}
}

// A terminal or pipe that nobody writes to does not keep the command from ending.
func TestInterruptStdin(t *testing.T) {
	cmd := command(t, "parse", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, strings.Repeat("http://example.com/\n", 10_000))
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(os.Interrupt)
	if status := wait(t, cmd); status != exitInterrupted {
		t.Errorf("exit status %d, want %d", status, exitInterrupted)
	}
}

// Nor does a named pipe that nobody opens at its other end, or writes to.
func TestInterruptPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	site := newTestSite(t, map[string]string{"/a.txt": "HOST/a\n"})
	for _, silent := range []bool{false, true} {
		for _, args := range [][]string{
			{"urls", "--from", name}, {"urls", name}, {"parse", name}, {"check", name}, {"robots", name},
			{"parse", "-o", name, writeFile(t, "in.txt", "http://example.com/\n")}, {"urls", "--allow-private", "-o", name, site.URL + "/a.txt"},
		} {
			if silent && slices.Contains(args, "-o") {
				continue
			}
			if silent {
				f, err := os.OpenFile(name, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
			}
			status := -1 // killed before it heeded signals
			for pause := 200 * time.Millisecond; status < 0 && pause < time.Minute; pause *= 4 {
				cmd := command(t, args...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(pause)
				cmd.Process.Signal(syscall.SIGTERM)
				status = wait(t, cmd)
			}
			if status != exitInterrupted {
				t.Errorf("%v: exit status %d, want %d", args, status, exitInterrupted)
			}
		}
	}
}

// A list of targets may come from a named pipe.
func TestFromPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	site := newTestSite(t, map[string]string{"/a.txt": "HOST/a\n"})
	go func() { os.WriteFile(name, []byte(site.URL+"/a.txt\n"), 0o600) }()
	runArgs(t, "urls", "--allow-private", "--from", name).want(t, exitOK, site.URL+"/a\n")
}

// What is no regular file stays what it is: of /dev/null, nothing must take the
// place.
func TestOutputToPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	site := newTestSite(t, map[string]string{"/a.txt": "HOST/a\n"})
	for _, args := range [][]string{
		{"parse", writeFile(t, "in.txt", site.URL+"/a\n")},
		{"urls", "--allow-private", "--state", filepath.Join(t.TempDir(), "state"), site.URL + "/a.txt"},
	} {
		cmd := command(t, append(args, "-o", name)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != site.URL+"/a\n" {
			t.Errorf("%v: read %q, %v", args, got, err)
		}
		if status := wait(t, cmd); status != exitOK {
			t.Errorf("%v: exit status %d, want %d", args, status, exitOK)
		}
	}
	if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe has become %v, %v", info, err)
	}
}

func TestOutputFollowsLinks(t *testing.T) {
	in := writeFile(t, "in.txt", "http://example.com/a\n")
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Fatal(err)
	}
	runArgs(t, "parse", "-o", link, in).want(t, exitOK, "")
	if got, _ := os.ReadFile(target); string(got) != "http://example.com/a\n" {
		t.Errorf("the link's target holds %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info.Mode(), err)
	}
}

// What a server sends beyond its response is not logged.
func TestNothingLogged(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(rw, "HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\nhttp://www.example.com/a\n and more")
		rw.Flush()
		io.Copy(io.Discard, conn) // until the other end closes
	}))
	t.Cleanup(s.Close)
	cmd := command(t, "urls", "--allow-private", "--min-trust", "untrusted", s.URL+"/a.txt")
	out, err := cmd.CombinedOutput()
	if got, want := string(out), "http://www.example.com/a\n"; err != nil || got != want {
		t.Errorf("printed %q, %v, want %q", got, err, want)
	}
}

// A reader that goes away ends the command, quietly.
func TestClosedPipe(t *testing.T) {
	s, _ := endless(t, true)
	big := writeFile(t, "big.txt", strings.Repeat("http://example.com/\n", 100_000))
	for _, args := range [][]string{
		{"urls", "--allow-private", s.URL + "/a.txt"},
		{"parse", big},
		{"urls", "--format", "jsonl", big},
		{"check", writeFile(t, "junk.txt", "http://example.com/\n"+strings.Repeat("junk\n", 100_000))},
	} {
		cmd := command(t, args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Error(err)
		}
		out.Close()
		if status := wait(t, cmd); status != exitOK {
			t.Errorf("%v: exit status %d, want %d", args, status, exitOK)
		}
		if stderr.Len() > 0 {
			t.Errorf("%v: said %q", args, stderr.String())
		}
	}
}
