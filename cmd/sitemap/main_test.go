package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// TestMain lets the test binary be the command, for tests of signals and pipes.
func TestMain(m *testing.M) {
	if os.Getenv("SITEMAP_TEST_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// command returns the command as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "SITEMAP_TEST_COMMAND=1")
	return cmd
}

// exitStatus returns the status of a process that has ended, or -1 for a signal.
func exitStatus(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return -2
	}
	return 0
}

// wait waits for a process, and kills it if it does not end.
func wait(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	return exitStatus(cmd.Wait())
}

type result struct {
	out, err string
	status   int
}

// runWith runs the command in this process.
func runWith(t *testing.T, in io.Reader, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	status := run(t.Context(), args, in, &out, &err)
	return result{out.String(), err.String(), status}
}

func runArgs(t *testing.T, args ...string) result {
	t.Helper()
	return runWith(t, strings.NewReader(""), args...)
}

// want fails the test unless the command printed and ended as expected. Errs are
// parts of what is on standard error; none means that there is nothing.
func (r result) want(t *testing.T, status int, out string, errs ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("exit status %d, want %d", r.status, status)
	}
	if r.out != out {
		t.Errorf("printed\n%s\nwant\n%s", r.out, out)
	}
	if len(errs) == 0 && r.err != "" {
		t.Errorf("said %q, want nothing", r.err)
	}
	for _, part := range errs {
		if !strings.Contains(r.err, part) {
			t.Errorf("said %q, want %q in it", r.err, part)
		}
	}
}

// A testSite serves documents on loopback. In them, HOST stands for its URL.
type testSite struct {
	*httptest.Server
	docs map[string]string

	password string // that is asked for, unless ""

	mu     sync.Mutex
	header http.Header // of the last request
}

func newTestSite(t *testing.T, docs map[string]string) *testSite {
	t.Helper()
	s := &testSite{docs: docs}
	s.Server = httptest.NewUnstartedServer(s)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *testSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header = r.Header
	if _, password, _ := r.BasicAuth(); password != s.password && s.password != "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	doc, ok := s.docs[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if !strings.HasSuffix(r.URL.Path, ".txt") {
		w.Header().Set("Content-Type", "application/xml")
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(doc)))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	io.WriteString(w, s.text(doc))
}

// text puts the site's URL in the place of HOST.
func (s *testSite) text(doc string) string { return strings.ReplaceAll(doc, "HOST", s.URL) }

const xmlns = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`

// urlset returns a document of pages.
func urlset(locs ...string) string {
	return "<urlset" + xmlns + "><url><loc>" + strings.Join(locs, "</loc></url>\n<url><loc>") + "</loc></url></urlset>"
}

// index returns a document of sitemaps.
func index(locs ...string) string {
	return "<sitemapindex" + xmlns + "><sitemap><loc>" + strings.Join(locs, "</loc></sitemap>\n<sitemap><loc>") + "</loc></sitemap></sitemapindex>"
}

// smallSite has an index with a child that is missing.
func smallSite(t *testing.T) *testSite {
	return newTestSite(t, map[string]string{
		"/robots.txt": "Sitemap: HOST/index.xml\nSitemap: HOST/c.txt\n",
		"/index.xml":  index("HOST/a.xml", "HOST/missing.xml", "HOST/b.xml"),
		"/a.xml":      urlset("HOST/1", "HOST/2", "http://elsewhere.example/3"),
		"/b.xml":      urlset("HOST/2", "HOST/4"),
		"/c.txt":      "HOST/5\n",
	})
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUsage(t *testing.T) {
	tests := []struct {
		args string
		err  string
	}{
		{"", "no command given"},
		{"frob", `unknown command "frob"`},
		{"help frob", `unknown command "frob"`},
		{"urls", "no TARGET given"},
		{"parse", "no FILE given"},
		{"robots a b", "want one SITE or FILE"},
		{"demo x", "takes no arguments"},
		{"urls --nope x", "unknown flag: --nope"},
		{"urls --format xml x", `no format is called "xml"`},
		{"parse --format xml x", `no format is called "xml"`},
		{"tree --format csv x", `no format is called "csv"`},
		{"check --format csv x", `no format is called "csv"`},
		{"robots --format csv x", `no format is called "csv"`},
		{"urls ftp://example.com/x", "only http and https"},
		{"urls http://", "without a host"},
		{"urls --as file x", "--as: want site or sitemap"},
		{"urls --limit entries x", "want NAME=VALUE"},
		{"urls --limit urls=1 x", `no limit is called "urls"`},
		{"urls --since yesterday x", "no W3C datetime"},
		{"urls --follow ( x", "--follow"},
		{"urls --match ( x", "--match"},
		{"urls --min-trust high x", `no trust is called "high"`},
		{"urls --header Name x", "--header: want 'Name: value'"},
		{"urls --header a(b:c x", "--header: want 'Name: value'"},
		{"urls --header host:example.org x", "--header: Host is not for the caller to set"},
		{"urls --header If-None-Match:x x", "--header: If-None-Match is not for the caller to set"},
		{"parse --limit depth=1 x", "--limit: there are bytes and entries"},
		{"urls --proxy :: x", "--proxy"},
		{"urls --retries -1 x", "no negative number"},
		{"urls --user-agent a\x00b x", "--user-agent"},
		{"robots --user-agent a\x00b x", "--user-agent"},
		{"urls --progress maybe x", "--progress"},
		{"urls --timeout soon x", "--timeout"},
		{"urls - -", "only once"},
		{"urls --from - -", "only once"},
		{"parse --base nowhere x", "--base"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			runArgs(t, strings.Fields(tt.args)...).want(t, exitUsage, "", tt.err)
		})
	}
}

func TestHelp(t *testing.T) {
	for _, name := range []string{"urls", "tree", "parse", "check", "robots", "demo"} {
		r := runArgs(t, name, "--help")
		if r.status != exitOK || r.err != "" || !strings.Contains(r.out, "Usage:\n  sitemap "+name) {
			t.Errorf("%s --help: status %d, printed %q, said %q", name, r.status, r.out, r.err)
		}
		for line := range strings.Lines(r.out) {
			if strings.HasPrefix(line, " ") || len(line) <= 85 {
				continue
			}
			t.Errorf("%s --help: long line %q", name, line)
		}
	}
	runArgs(t, "--version").want(t, exitOK, "sitemap "+version()+"\n")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	in, w := io.Pipe() // nothing ever comes
	defer w.Close()
	if status := run(ctx, []string{"parse", "-"}, in, &out, &err); status != exitInterrupted {
		t.Errorf("exit status %d, want %d", status, exitInterrupted)
	}
	if got := err.String(); got != "sitemap: interrupted\n" {
		t.Errorf("said %q", got)
	}
}
