package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

func TestFailureCode(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{&sitemap.ParseError{Err: sitemap.ErrHTML}, "not_a_sitemap"},
		{&sitemap.ParseError{Err: sitemap.ErrNoURLs}, "not_a_sitemap"},
		{&sitemap.ParseError{Err: sitemap.ErrEmpty}, "empty"},
		{&sitemap.ParseError{Err: sitemap.ErrTruncated}, "truncated"},
		{&sitemap.ParseError{Err: sitemap.ErrGzip}, "bad_gzip"},
		{&sitemap.ParseError{Err: sitemap.ErrTooLarge}, "too_large"},
		{&sitemap.ParseError{Err: sitemap.ErrTooManyEntries}, "too_many_entries"},
		{&fetch.Error{Err: sitemap.ErrTooLarge}, "too_large"},
		{&fetch.Error{Err: fetch.ErrStatus, Status: 404}, "fetch_failed"},
		{&fetch.Error{Err: fetch.ErrConnect}, "fetch_failed"},
		{&fetch.Error{Err: fetch.ErrNoResponse}, "fetch_failed"},
		{&fetch.Error{Err: fetch.ErrBody}, "fetch_failed"},
		{&fetch.Error{Err: fetch.ErrBusy}, "fetch_failed"},
		{&fetch.Error{Err: fetch.ErrTimeout}, "timeout"},
		{&fetch.Error{Err: fetch.ErrHostDown}, "host_down"},
		{&fetch.Error{Err: fetch.ErrRefused}, "refused"},
		{&fetch.Error{Err: fetch.ErrRedirect}, "bad_redirect"},
		{&fetch.Error{Err: fetch.ErrEncoding}, "unknown_encoding"},
		{&discover.NoSitemapError{Tried: []discover.Attempt{{Err: fetch.ErrTimeout}}}, "no_sitemap"},
		{fmt.Errorf("%w: %w", discover.ErrUnreachable, fetch.ErrStatus), "robots_unreachable"},
		{fmt.Errorf("%w: %w", discover.ErrUnreachable, fetch.ErrTimeout), "robots_unreachable"},
		{fmt.Errorf("%w: %w", discover.ErrUnreachable, fetch.ErrRefused), "refused"},
		{fmt.Errorf("%w: %w", discover.ErrUnreachable, &fetch.Error{Status: 503}), "site_refused"},
		{&discover.LimitError{What: "depth"}, "limit"},
		{discover.ErrSite, "not_a_site"},
		{&fs.PathError{Err: fs.ErrNotExist}, "read_failed"},
		{io.ErrUnexpectedEOF, "read_failed"},
	}
	for _, tt := range tests {
		if got := string(audit.CodeOf(tt.err)); got != tt.want {
			t.Errorf("CodeOf(%v) = %q, want %q", tt.err, got, tt.want)
		}
		if !strings.Contains(runArgs(t, "help", "errors").out, "  "+tt.want+" ") {
			t.Errorf("help does not explain %q", tt.want)
		}
	}
}

func TestFailureText(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, "permission denied"},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, "no such file or directory"}, // on every system
		{&sitemap.ParseError{Pos: sitemap.Position{Line: 3}, Err: sitemap.ErrEmpty}, "line 3: empty document"},
		{fmt.Errorf("discover: a: %w", errors.New("fetch: b")), "a: b"},
	}
	for _, tt := range tests {
		if got := jsonl.Message("", tt.err); got != tt.want {
			t.Errorf("jsonl.Message(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
	page := newTestSite(t, map[string]string{"/blog/": "<html></html>"})
	runArgs(t, "urls", "--allow-private", page.URL+"/blog/").want(t, cli.ExitFailed, "", "an HTML page (a URL with a path names a sitemap; --as site")
}

// Where a flag may help, it is named; not to go where a server redirects to.
func TestHints(t *testing.T) {
	page := newTestSite(t,
		map[string]string{"/s.xml": urlset("HOST/1", "HOST/2"), "/robots.txt": ""})
	runArgs(t, "urls", page.URL+"/s.xml").want(t, cli.ExitFailed, "", "is not public (see --allow-private)")
	runArgs(t, "urls", page.URL).want(t, cli.ExitFailed, "", "is not public (see --allow-private)")
	runArgs(t, "robots", page.URL).want(t, cli.ExitFailed, "", "is not public (see --allow-private)")
	if r := runArgs(t, "check", page.URL); !strings.Contains(r.out, "allow its address: --allow-private.") {
		t.Errorf("check printed %s", r.out)
	}
	runArgs(t, "diff", page.URL, page.URL).want(t, cli.ExitUsage, "", "is not public (see --allow-private)")
	out, list := t.TempDir(), writeFile(t, "list.txt", page.URL+"/s.xml\nhttp://localhost")
	runArgs(t, "batch", list, "-o", out, "-q").want(t, cli.ExitOK, "")
	if r := runArgs(t, "batch", "status", "--failed", out); strings.Count(r.out, "is not public (see --allow-private)\n") != 2 {
		t.Errorf("failures: %s", r.out)
	}
	runArgs(t, "urls", "--allow-private", "--limit", "entries=1", page.URL+"/s.xml").want(t, cli.ExitFailed, page.URL+"/1\n", "too many entries (see --limit entries)")
	file := writeFile(t, "s.txt", "http://example.com/1\nhttp://example.com/2\n")
	runArgs(t, "parse", "--limit", "entries=1", file).want(t, cli.ExitFailed, "http://example.com/1\n", "too many entries (see --limit entries)")
}

// TestWrongUsage: combinations without a meaning are wrong usage.
func TestWrongUsage(t *testing.T) {
	for _, test := range []struct{ want, args string }{
		{"standard input can be read only once", "parse - -"},
		{"standard input can be read only once", "urls --from - -"},
		{"want an http or https URL", "parse --base ftp://example.com/ -"},
	} {
		runArgs(t, strings.Fields(test.args)...).want(t, cli.ExitUsage, "", test.want)
	}
}

// TestFailedOnlyIfAsked: without --failed, a name that no line of a list can hold is nothing to report.
func TestFailedOnlyIfAsked(t *testing.T) {
	file := writeFile(t, "a #b.xml", "x")
	if r := runArgs(t, "urls", file); strings.Contains(r.err, "--failed") || r.status != cli.ExitFailed {
		t.Errorf("status %d, %s", r.status, r.err)
	}
	runArgs(t, "urls", "--failed", filepath.Join(t.TempDir(), "f"), file).want(t, cli.ExitFailed, "", "a line of a list cannot name it")
}

// TestNamesAreVisible: the name of a file steers no terminal.
func TestNamesAreVisible(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a\u202eb.xml")
	if err := os.WriteFile(name, []byte("<urlset><url></url></urlset>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := runArgs(t, "check", name); strings.Contains(r.out+r.err, "\u202e") || !strings.Contains(r.out, "a\ufffdb.xml") {
		t.Errorf("%q, %q", r.out, r.err)
	}
}

// TestNoCommandsInLogs: no text of a document is a command in the logs of GitHub and Azure, which take
// "::" at the start of a line, and "##[" and "##vso[" anywhere, for one.
func TestNoCommandsInLogs(t *testing.T) {
	name := writeFile(t, "a.txt", "https://www.example.com/\n ::stop-commands::x\nhttps://www.example.com/##[add-mask]e\n##vso[task.setvariable]x\n")
	r := runArgs(t, "check", "--all", name)
	for line := range strings.Lines(r.out + r.err) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[") {
			t.Errorf("%q", line)
		}
	}
	if !strings.Contains(r.out, "\n     :\ufffdstop-commands::x\n") {
		t.Error(r.out)
	}
}

// Objects of a bucket that may not be read are not taken for missing.
func TestBatch_BucketRefuses(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/bucket/out/") {
			w.WriteHeader(http.StatusForbidden)
		}
		io.WriteString(w, "<ListBucketResult/>")
	}))
	defer s.Close()
	for name, value := range map[string]string{
		"ENDPOINT_URL": s.URL, "REGION": "us-east-1", "ACCESS_KEY_ID": "a", "SECRET_ACCESS_KEY": "b",
	} {
		t.Setenv("AWS_"+name, value)
	}
	for _, name := range []string{"cat", "status"} {
		runArgs(t, "batch", name, "s3://bucket/out/1").want(t, cli.ExitFailed, "", "sitemap: objects: s3://bucket/out/1/run.json: ")
	}
}
