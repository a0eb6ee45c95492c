package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// runReport runs sitemap report, and returns the page.
func runReport(t *testing.T, status int, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "site.html")
	r := runArgs(t, append([]string{"report", "-q", "--allow-private", "-o", name}, args...)...)
	if r.status != status {
		t.Fatalf("exit status %d, want %d: %s", r.status, status, r.err)
	}
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func wantParts(t *testing.T, page string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(page, part) {
			t.Errorf("%q is not in the page", part)
		}
	}
}

func TestReportSite(t *testing.T) {
	s := smallSite(t)
	old := filepath.Join(t.TempDir(), "old.jsonl")
	runArgs(t, "check", "--allow-private", "--format", "jsonl", "-o", old, s.URL)
	s.docs["/b.xml"] = urlset("HOST/2", "HOST/4", "HOST/5", "")
	s.docs["/c.txt"] = "HOST/5\nHOST/6\nHOST/7\nhttp://elsewhere.example/6\n"
	delete(s.docs, "/a.xml")
	page := runReport(t, cli.ExitFailed, "--since-report", old, s.URL) // missing.xml and a.xml are not read
	host := strings.TrimPrefix(s.URL, "http://")
	wantParts(t, page, "<title>Sitemaps of "+host+"</title>", "<b>2</b> sitemaps", "<b>1</b> index",
		"<b>2</b> not read", "<b>7</b> URLs", "empty_loc", "sitemap_status", "<td>404</td>",
		"<b>6 → 7</b> URLs", "<td>cannot be read to its end</td>", "<td>untrusted</td>",
		"elsewhere.example", s.URL+"/b.xml</bdi>")
}

func TestReportFile(t *testing.T) {
	name := writeFile(t, "odd.xml", dated)
	page := runReport(t, cli.ExitOK, name)
	wantParts(t, page, "<title>Sitemaps of "+name, "<b>1</b> URL<", "raw_ampersand", "1 of 1 URLs have a lastmod", "2026-11")
	if strings.Contains(page, `id="fetches"`) || strings.Contains(page, "Statuses") {
		t.Error("a file has fetches")
	}
	in := runWith(t, strings.NewReader(dated), "report", "-q", "-")
	wantParts(t, in.out, "raw_ampersand", "1 of 1 URLs have a lastmod")
	dir := filepath.Dir(name)
	wantParts(t, runReport(t, cli.ExitOK, "--root", dir, "--known-paths", "/odd.xml", "https://example.com/"),
		"<title>Sitemaps of example.com</title>", "page_missing_file")
}

// TestReportRefused: a failure to read or write leaves an earlier page alone.
func TestReportRefused(t *testing.T) {
	page := writeFile(t, "site.html", "an earlier page")
	sound := writeFile(t, "sound.txt", "http://example.com/1\n")
	html := writeFile(t, "x.html", "<html></html>")
	for _, test := range []struct {
		args   []string
		status int
		err    string
	}{
		{[]string{"-o", page, html}, cli.ExitFailed, "no page is written: nothing could be read"},
		{[]string{"-o", page, "./none"}, cli.ExitFailed, "no page is written: nothing could be read"},
		{[]string{"-o", page}, cli.ExitUsage, "want one TARGET"},
		{[]string{"-o", page, sound, html}, cli.ExitUsage, "want one TARGET"},
		{[]string{"-o", "site.csv", sound}, cli.ExitUsage, "--output site.csv: this command prints html"},
		{[]string{"-o", page, "--format", "text", sound}, cli.ExitUsage, "unknown flag: --format"},
		{[]string{"-o", page, "--since-report", sound, sound}, cli.ExitUsage, sound + ": line 1 is not of sitemap check --format jsonl"},
		{[]string{"-o", page, "--since-report", "./none", sound}, cli.ExitUsage, "--since-report: ./none: "},
	} {
		r := runArgs(t, append([]string{"report", "-q"}, test.args...)...)
		if r.status != test.status || !strings.Contains(r.err, test.err) || r.out != "" {
			t.Errorf("%q: status %d, said %q, printed %q", test.args, r.status, r.err, r.out)
		}
		wantFile(t, page, "an earlier page")
	}
}
