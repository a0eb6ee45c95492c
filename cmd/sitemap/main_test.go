package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// hang is how long tests wait for a process before they take it to hang.
const hang = 5 * time.Minute

// TestMain lets the test binary be the command, for tests of signals and pipes.
func TestMain(m *testing.M) {
	if text := os.Getenv("SITEMAP_TEST_COMMAND"); text != "" {
		grace, _ = time.ParseDuration(text)
		natsqueue.MinLease = time.Second // so that no test waits for long
		main()
	}
	debug.SetGCPercent(400) // what tests leave is soon garbage: to look for it takes a third of the time
	serveBroker()
	log.SetOutput(io.Discard) // as main does
	m.Run()
}

// command returns the command as a process of its own, with enough grace that a busy machine does
// not use it up.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "SITEMAP_TEST_COMMAND="+hang.String())
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

// wait waits for a process to end.
func wait(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	timer := time.AfterFunc(hang, func() {
		t.Errorf("%q has not ended after %v", cmd.Args[1:], hang)
		cmd.Process.Kill()
	})
	defer timer.Stop()
	return exitStatus(cmd.Wait())
}

type result struct {
	out, err string
	status   int
}

// run runs the command and returns its exit status.
func run(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	return execute(cli.NewApp(ctx, in, out, err), args)
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

// testApp returns an app that prints nothing.
func testApp(t *testing.T) *cli.App {
	return cli.NewApp(t.Context(), nil, io.Discard, io.Discard)
}

var times = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// mask replaces times near now, as documents are fetched at.
func mask(s string) string {
	return times.ReplaceAllStringFunc(s, func(text string) string {
		if at, err := time.Parse(time.RFC3339, text); err == nil && time.Since(at).Abs() < time.Hour {
			return "NOW"
		}
		return text
	})
}

// want fails the test unless the command printed and ended as expected. Errs are
// parts of what is on standard error; without any, it must be empty.
func (r result) want(t *testing.T, status int, out string, errs ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("exit status %d, want %d", r.status, status)
	}
	if mask(r.out) != mask(out) {
		t.Errorf("printed\n%s\nwant\n%s", r.out, out)
	}
	if len(errs) == 0 && r.err != "" {
		t.Errorf("reported %q, want nothing", r.err)
	}
	for _, part := range errs {
		if !strings.Contains(r.err, part) {
			t.Errorf("reported %q, want %q in it", r.err, part)
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
	return "<urlset" + xmlns + "><url><loc>" + strings.Join(locs, "</loc></url>\n<url><loc>") +
		"</loc></url></urlset>"
}

// index returns a document of sitemaps.
func index(locs ...string) string {
	return "<sitemapindex" + xmlns + "><sitemap><loc>" +
		strings.Join(locs, "</loc></sitemap>\n<sitemap><loc>") + "</loc></sitemap></sitemapindex>"
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

func writeTo(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantFile fails the test unless the file holds text.
func wantFile(t *testing.T, path, text string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || mask(string(got)) != mask(text) {
		t.Errorf("%s holds\n%.2000s\n%v; want\n%.2000s", path, got, err, text)
	}
}

func TestHelp(t *testing.T) {
	for _, name := range []string{"", "urls", "tree", "parse", "check", "diff", "stats", "submit", "robots", "demo"} {
		r := runArgs(t, append(strings.Fields(name), "--help")...)
		usage := strings.TrimSuffix("Usage:\n  sitemap "+name, " ")
		if r.status != cli.ExitOK || r.err != "" || !strings.Contains(r.out, usage) {
			t.Errorf("%s --help: status %d, printed %q, reported %q", name, r.status, r.out, r.err)
		}
		checkHelp(t, name, r.out)
	}
	for _, cmd := range rootCommand(testApp(t)).Commands() {
		name := cmd.Name()
		if cmd.Runnable() { // no help topic
			continue
		}
		r := runArgs(t, "help", name)
		if r.status != cli.ExitOK || r.err != "" || strings.Contains(r.out, "Usage:") {
			t.Errorf("help %s: status %d, printed %q, reported %q", name, r.status, r.out, r.err)
		}
		checkHelp(t, name, r.out)
	}
}

// Help that cannot be written is a failure, but one may read only its beginning.
func TestHelp_Full(t *testing.T) {
	for err, want := range map[error]int{io.ErrShortWrite: cli.ExitFailed, io.ErrClosedPipe: cli.ExitOK} {
		for _, args := range [][]string{{"--help"}, {"urls", "--help"}, {"help", "trust"}} {
			if status := run(t.Context(), args, nil, failingWriter{err}, io.Discard); status != want {
				t.Errorf("%q, %v: status %d, want %d", args, err, status, want)
			}
		}
	}
}

// checkHelp fails the test if a line of a help text is too long, or if the text names an unknown
// help topic.
func checkHelp(t *testing.T, name, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("%s: long line %q", name, line)
		}
	}
	for _, m := range regexp.MustCompile(`sitemap\s+help\s+([a-z]+)`).FindAllStringSubmatch(text, -1) {
		if r := runArgs(t, "help", m[1]); r.status != cli.ExitOK {
			t.Errorf("%s: no topic %q", name, m[1])
		}
	}
}

// Every flag is in a group of the help.
func TestFlagsAreInGroups(t *testing.T) {
	for _, cmd := range rootCommand(testApp(t)).Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && len(f.Annotations["group"]) != 1 {
				t.Errorf("%s --%s is in no group", cmd.Name(), f.Name)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	in, w := io.Pipe() // nothing ever arrives
	defer w.Close()
	if status := run(ctx, []string{"parse", "-"}, in, &out, &err); status != cli.ExitInterrupted {
		t.Errorf("exit status %d, want %d", status, cli.ExitInterrupted)
	}
	if got := err.String(); got != "sitemap: interrupted\n" {
		t.Errorf("reported %q", got)
	}
}

// For a mistyped word, the error suggests the one that may be meant.
func TestSuggestions(t *testing.T) {
	for args, want := range map[string]string{
		"example.com":         "did you mean 'sitemap urls example.com'?",
		"https://example.com": "did you mean 'sitemap urls https://example.com'?",
		"url example.com":     "did you mean 'sitemap urls'?",
		"urls --formt x":      "did you mean --format?",
		"urls --fromat x":     "did you mean --format?",
		"chek example.com":    "did you mean 'sitemap check'?",
		"help frobnicate":     `unknown command or help topic "frobnicate"`,
		"help chek":           "did you mean 'sitemap check'?",
		"help target":         "did you mean 'sitemap help targets'?",
		"urls --frm x":        "did you mean --from?",
		"batch stauts out/":   "did you mean 'sitemap batch status'?",
		"batch stauts":        "did you mean 'sitemap batch status'?",
		"watch stauts":        "did you mean 'sitemap watch status'?",
		"help batch stauts":   "did you mean 'sitemap batch status'?",
		"validate x.xml":      "did you mean 'sitemap check'?",
		"urls --csv x":        "did you mean --format?",
		"urls --include a x":  "did you mean --match?",

		"check --only raw_ampersnd x":    `unknown code "raw_ampersnd"; did you mean raw_ampersand?`,
		"check --explain untrusted_locs": `unknown code "untrusted_locs"; did you mean untrusted_loc?`,
		"check --disable frobnicate x":   `unknown code "frobnicate": 'sitemap check --rules' lists them`,
		"urls --since 7q x":              "nor a time before now, such as 7d",
	} {
		runArgs(t, strings.Fields(args)...).want(t, cli.ExitUsage, "", want)
	}
	runArgs(t, "urls", "sitemap.xlm").want(t, cli.ExitFailed, "", "sitemap.xlm: no such file or directory")
	runWith(t, strings.NewReader("http://example.com/1\n"), "parse").want(t, cli.ExitOK, "http://example.com/1\n")
}

func TestSelections(t *testing.T) {
	s := smallSite(t)
	runArgs(t, "urls", "--allow-private", "-n", "1", "--exclude", "/5$", "-H", "X-Test: 1", "-A", "bot/1", s.URL+"/b.xml").want(t, cli.ExitOK, s.URL+"/2\n")
	if s.header.Get("X-Test") != "1" || s.header.Get("User-Agent") != "bot/1" {
		t.Errorf("sent %v", s.header)
	}
	hidden := newTestSite(t, map[string]string{"/all.txt": "HOST/1\n"})
	runArgs(t, "urls", "--allow-private", "--known-paths", "all.txt,/x.xml", hidden.URL).want(t, cli.ExitOK, hidden.URL+"/1\n")
	hidden.docs["/sitemap.xml"] = urlset("HOST/2")
	hidden.docs["/robots.txt"] = "Sitemap: HOST/sitemap.xml\n"
	runArgs(t, "urls", "--allow-private", "--known-paths", "+all.txt,/x.xml", hidden.URL).want(t, cli.ExitOK, hidden.URL+"/2\n"+hidden.URL+"/1\n")
	runArgs(t, "urls", "--allow-private", "--known-paths", "+", hidden.URL).want(t, cli.ExitOK, hidden.URL+"/2\n")
	delete(hidden.docs, "/robots.txt")
	hidden.docs["/index.xml"] = strings.Replace(index("HOST/sitemap.xml", "HOST/all.txt"), "all.txt</loc>", "all.txt</loc><lastmod>2024-01-01</lastmod>", 1)
	runArgs(t, "urls", "--allow-private", "--newest", hidden.URL+"/index.xml").want(t, cli.ExitOK, hidden.URL+"/1\n"+hidden.URL+"/2\n")
	runArgs(t, "urls", "--allow-private", "--known-paths", "none", hidden.URL).want(t, cli.ExitFailed, "", "no sitemap found")
	recent := writeFile(t, "s.xml", "<urlset"+xmlns+"><url><loc>http://example.com/new</loc><lastmod>"+now()+"</lastmod></url><url><loc>http://example.com/old</loc><lastmod>2020-01-01</lastmod></url></urlset>")
	runArgs(t, "urls", "--since", "7d", recent).want(t, cli.ExitOK, "http://example.com/new\n")
}

// The shell completes the values of flags, and a flag that may be repeated again.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"urls --format x": "jsonl\n", "check --only x": "raw_ampersand\n",
		"tree --min-trust x": "caller\n", "urls -H a:b --hea": "--header\t",
	} {
		r := runArgs(t, append([]string{"__complete"}, strings.Fields(line)...)...)
		if r.status != cli.ExitOK || !strings.Contains(r.out, want) || !strings.HasSuffix(r.out, ":4\n") {
			t.Errorf("%s: status %d, completed %q", line, r.status, r.out)
		}
	}
}

func TestVersionOfCommand(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		r := runArgs(t, arg)
		if !strings.HasPrefix(r.out, "sitemap ") || !strings.HasSuffix(r.out, ", "+runtime.Version()+"\n") {
			t.Errorf("sitemap %s: status %d, printed %q, reported %q", arg, r.status, r.out, r.err)
		}
	}
}
