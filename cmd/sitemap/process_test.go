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
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// hanging serves part of a document, and closes started when it is requested.
func hanging(t *testing.T) (s *httptest.Server, started chan struct{}) {
	t.Helper()
	started = make(chan struct{})
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "http://"+r.Host+"/first\n")
		w.(http.Flusher).Flush()
		close(started)
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	return s, started
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	s, started := hanging(t)
	cmd := command(t, "urls", "--allow-private", s.URL+"/a.txt")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-started
	cmd.Process.Signal(os.Interrupt)
	if status := wait(t, cmd); status != cli.ExitInterrupted {
		t.Errorf("exit status %d, want %d", status, cli.ExitInterrupted)
	}
	if got := stderr.String(); got != "sitemap: interrupted\n" {
		t.Errorf("reported %q", got)
	}
}

// Nothing is left of a file that was not finished.
func TestInterruptFile(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sig) { // by the test, and so by the command: see main
			continue
		}
		s, started := hanging(t)
		dir := t.TempDir()
		cmd := command(t, "urls", "--allow-private",
			"-o", filepath.Join(dir, "out"), s.URL+"/a.txt")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-started
		cmd.Process.Signal(sig)
		if status := wait(t, cmd); status != cli.ExitInterrupted {
			t.Errorf("%v: exit status %d, want %d", sig, status, cli.ExitInterrupted)
		}
		if got := names(t, dir); got != "" {
			t.Errorf("%v: left %q", sig, got)
		}
	}
}

// A terminal or pipe that nobody writes to does not keep the command from ending.
func TestInterruptStdin(t *testing.T) {
	t.Parallel()
	cmd := command(t, "parse", "-")
	cmd.Env = append(cmd.Env, "SITEMAP_TEST_COMMAND=10ms") // the grace that it uses up
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
	if status := wait(t, cmd); status != cli.ExitInterrupted {
		t.Errorf("exit status %d, want %d", status, cli.ExitInterrupted)
	}
}

// Nor does standard error that nobody reads.
func TestInterruptStderr(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := command(t, "parse")
	cmd.Env = append(cmd.Env, "SITEMAP_TEST_COMMAND=10ms")
	for range 1_000 {
		cmd.Args = append(cmd.Args, strings.Repeat("missing", 20)) // more than a pipe holds
	}
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := r.Read(make([]byte, 1)); err != nil { // it has begun
		t.Fatal(err)
	}
	cmd.Process.Signal(os.Interrupt)
	if status := wait(t, cmd); status != cli.ExitInterrupted {
		t.Errorf("exit status %d, want %d", status, cli.ExitInterrupted)
	}
}

// Nothing is left of a file whose command does not end by itself.
func TestInterruptStdin_File(t *testing.T) {
	t.Parallel()
	testInterruptFile(t, 10*time.Millisecond, func(p *os.Process) {
		time.Sleep(100 * time.Millisecond) // until it waits for more
		p.Signal(os.Interrupt)
	})
}

// Nor of one whose command is interrupted twice.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	testInterruptFile(t, hang, func(p *os.Process) {
		for p.Signal(os.Interrupt) == nil {
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// testInterruptFile interrupts a command that writes to a file and waits for more of its input.
func testInterruptFile(t *testing.T, grace time.Duration, interrupt func(*os.Process)) {
	t.Helper()
	dir := t.TempDir()
	cmd := command(t, "parse", "-", "-o", filepath.Join(dir, "out"))
	cmd.Env = append(cmd.Env, "SITEMAP_TEST_COMMAND="+grace.String())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, strings.Repeat("http://example.com/\n", 20_000)) // more than a pipe holds
	go interrupt(cmd.Process)
	if status := wait(t, cmd); status != cli.ExitInterrupted {
		t.Errorf("exit status %d, want %d", status, cli.ExitInterrupted)
	}
	if got := names(t, dir); got != "" {
		t.Errorf("left %q", got)
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
	runArgs(t, "urls", "--allow-private", "--from", name).want(t, cli.ExitOK, site.URL+"/a\n", "1 site, 1 URL, 0 failed, ")
}

// With --state, a run may print to a pipe too, and go on after a stop.
func TestStateToPipe(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	site := newTestSite(t, map[string]string{"/a.txt": "HOST/a\nHOST/b\n"})
	for _, test := range []struct{ limit, want string }{{"1", site.URL + "/a\n"}, {"0", site.URL + "/a\n" + site.URL + "/b\n"}} {
		cmd := command(t, "urls", "--allow-private", site.URL+"/a.txt", "-o", name, "--state", filepath.Join(dir, "db"), "-n", test.limit)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wantFile(t, name, test.want)
		if status := wait(t, cmd); status != cli.ExitOK {
			t.Errorf("exit status %d, want %d", status, cli.ExitOK)
		}
	}
}

// A target that no line can name is not written to the file of --failed.
func TestFailed_Names(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"a #b.xml", "a\nb.xml", "a.xml ", "#a.xml", "a#b.xml", "a b.xml"}
	for _, name := range names {
		writeTo(t, name, "")
	}
	r := runArgs(t, append([]string{"urls", "-q", "--failed", "failed", "--parallel", "1"}, names...)...)
	r.want(t, cli.ExitFailed, "", `"a #b.xml" is not written`, `"a\nb.xml" is not written`, `"a.xml " is not written`, `"#a.xml" is not written`)
	wantFile(t, "failed", "a#b.xml # empty: line 1: empty document\na b.xml # empty: line 1: empty document\n")
}

// Only regular files are replaced, so -o /dev/null is safe.
func TestOutputToPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	site := newTestSite(t, map[string]string{"/a.txt": "HOST/a\n"})
	cmd := command(t, "urls", "--allow-private", site.URL+"/a.txt", "-o", name)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, name, site.URL+"/a\n")
	if status := wait(t, cmd); status != cli.ExitOK {
		t.Errorf("exit status %d, want %d", status, cli.ExitOK)
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
	runArgs(t, "parse", "-o", link, in).want(t, cli.ExitOK, "")
	wantFile(t, target, "http://example.com/a\n")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info.Mode(), err)
	}
}

// Bytes that a server sends beyond its response are not logged.
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
	s := newTestSite(t, map[string]string{"/a.txt": strings.Repeat("HOST/page\n", 30_000)})
	big := writeFile(t, "big.txt", strings.Repeat("http://example.com/\n", 30_000))
	for _, args := range [][]string{
		{"urls", "--allow-private", s.URL + "/a.txt"},
		{"parse", big},
		{"urls", "--format", "jsonl", big},
		{"check", writeFile(t, "warned.txt", strings.Repeat("http://user@example.com/\n", 20_000))},
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
		if status := wait(t, cmd); status != cli.ExitOK {
			t.Errorf("%v: exit status %d, want %d", args, status, cli.ExitOK)
		}
		if stderr.Len() > 0 {
			t.Errorf("%v: reported %q", args, stderr.String())
		}
	}
}

// The file that the shell made for standard output is not a target.
func TestOutputIsNoTarget(t *testing.T) {
	s := smallSite(t)
	name := strings.TrimPrefix(s.URL, "http://")
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := command(t, "urls", "-q", "--allow-private", "--retries", "0", "--max-urls", "1", name)
	cmd.Dir, cmd.Stdout = dir, out
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	wantFile(t, out.Name(), s.URL+"/1\n")
}

// Output may be discarded: what runs a command may open the null device for reading and writing.
func TestDiscardedOutput(t *testing.T) {
	doc := writeFile(t, "a.xml", urlset("http://www.example.com/a"))
	for _, args := range [][]string{{"parse", doc}, {"urls", doc}, {"check", doc}, {"diff", doc, doc}} {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		cmd := command(t, args...)
		cmd.Stdout = null
		if got := exitStatus(cmd.Run()); got != cli.ExitOK {
			t.Errorf("%q: exit status %d, want %d", args, got, cli.ExitOK)
		}
	}
}
