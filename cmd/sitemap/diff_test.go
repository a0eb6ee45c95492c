package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

func gzipped(t *testing.T, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return writeFile(t, name, b.String())
}

// Each kind of change, in each format, from each kind of listing.
func TestDiff(t *testing.T) {
	old := writeFile(t, "old.csv", "lastmod,loc,sitemap,extra\n2026-01-01,https://a/1,s1,x\n2026-01-01,https://a/2,s1,x\n,https://a/3,s1,x\n2026-01-01,\"https://a/4,b\",s1,x\n2026-01-01T00:00:00Z,https://a/6,s1,x\n")
	now := gzipped(t, "new.jsonl.gz", `{"loc":"https://a/1","lastmod":"2026-01-02","sitemap":"s1"}
{"loc":"https://a/6","lastmod":"2026-01-01T01:00:00+01:00","sitemap":"s1"}
{"loc":"https://a/5","sitemap":"s1"}
{"loc":"https://a/2","lastmod":"2026-01-01","sitemap":"s2"}
{"loc":"https://a/3","lastmod":"2026-01-01","sitemap":"s2"}
`)
	runArgs(t, "diff", old, now).want(t, cli.ExitFailed, `~ https://a/1  2026-01-01 → 2026-01-02
> https://a/2  s1 → s2
~ https://a/3  none → 2026-01-01
- https://a/4,b
+ https://a/5
`)
	runArgs(t, "diff", "--format", "jsonl", old, now).want(t, cli.ExitFailed, `{"change":"changed","loc":"https://a/1","lastmod":"2026-01-02","old_lastmod":"2026-01-01","sitemap":"s1","old_sitemap":"s1"}
{"change":"moved","loc":"https://a/2","lastmod":"2026-01-01","old_lastmod":"2026-01-01","sitemap":"s2","old_sitemap":"s1"}
{"change":"changed","loc":"https://a/3","lastmod":"2026-01-01","sitemap":"s2","old_sitemap":"s1"}
{"change":"removed","loc":"https://a/4,b","old_lastmod":"2026-01-01","old_sitemap":"s1"}
{"change":"added","loc":"https://a/5","sitemap":"s1"}
`)
	out := filepath.Join(t.TempDir(), "diff.csv")
	runArgs(t, "diff", "-o", out, old, now).want(t, cli.ExitFailed, "")
	if text, err := os.ReadFile(out); err != nil || !strings.HasPrefix(string(text), "change,loc,lastmod,old_lastmod,sitemap,old_sitemap,old_loc\nchanged,https://a/1,2026-01-02,2026-01-01,s1,s1,\n") || !strings.Contains(string(text), "removed,\"https://a/4,b\",,2026-01-01,,s1,\n") {
		t.Errorf("%s, %v", text, err)
	}
	runArgs(t, "diff", old, old).want(t, cli.ExitOK, "")
	// A field that one of them lacks is not compared.
	text := writeFile(t, "urls.txt",
		"https://a/1\nhttps://a/2\nhttps://a/3\nhttps://a/4,b\nhttps://a/6\nhttps://a/6\n")
	runArgs(t, "diff", old, text).want(t, cli.ExitOK, "")
	xml := writeFile(t, "s.xml", `<urlset><url><loc>https://a/1</loc><lastmod>2026-01-09</lastmod></url></urlset>`)
	runArgs(t, "diff", old, xml).want(t, cli.ExitFailed, "~ https://a/1  2026-01-01 → 2026-01-09\n- https://a/2\n- https://a/3\n- https://a/4,b\n- https://a/6\n")
	s := smallSite(t)
	s.docs["/robots.txt"] = "Sitemap: HOST/b.xml\n"
	r := runArgs(t, "diff", "--allow-private", writeFile(t, "site.txt", s.URL+"/2\n"), s.URL)
	r.want(t, cli.ExitFailed, "+ "+s.URL+"/4\n")
}

// A URL with a line break is no second change, which submit would take for one.
func TestDiff_LineBreak(t *testing.T) {
	old, now := writeFile(t, "old.txt", ""), writeFile(t, "new.csv", "loc\n\"https://a/1\n+ https://a/2\"\n")
	runArgs(t, "diff", old, now).want(t, cli.ExitFailed, "+ https://a/1\ufffd+ https://a/2\n")
}

// A page whose URL differs only in http or https, or in a slash at its end, has moved.
func TestDiff_Moved(t *testing.T) {
	old := writeFile(t, "old.txt", "http://a/1\nhttps://a/2?q\nhttps://a/3\nhttp://a/4/\nhttps://a/4\nhttps://a\nhttps://a/5\n")
	now := writeFile(t, "new.csv", "loc\nhttps://a/1\nhttps://a/2/?q\nhttps://a/3?q\nhttps://a/4/\nhttps://a/\nhttps://a/5\n")
	runArgs(t, "diff", old, now).want(t, cli.ExitFailed, `> https://a/  https://a → https://a/
> https://a/1  http://a/1 → https://a/1
> https://a/2/?q  https://a/2?q → https://a/2/?q
- https://a/3
+ https://a/3?q
- https://a/4
> https://a/4/  http://a/4/ → https://a/4/
`)
	runArgs(t, "diff", "--format", "jsonl", writeFile(t, "o", "http://a/1\n"), writeFile(t, "n", "https://a/1\n")).want(t, cli.ExitFailed,
		`{"change":"moved","loc":"https://a/1","old_loc":"http://a/1"}`+"\n")
}

// Paths without a site are different pages.
func TestDiff_Paths(t *testing.T) {
	old := writeFile(t, "old.csv", "page\n/1\n/2?u=http://a/\n/3\n")
	now := writeFile(t, "new.csv", "page\n/1\n/4?u=http://a/\n/3/\n")
	runArgs(t, "diff", old, now).want(t, cli.ExitFailed, "- /2?u=http://a/\n> /3/  /3 → /3/\n+ /4?u=http://a/\n")
}

// What was dropped from OLD and NEW is counted on standard error.
func TestDiff_Dropped(t *testing.T) {
	old := writeFile(t, "old.txt", "https://a/1\nhttps://a:99999/2\n")
	now := writeFile(t, "new.xml", "<urlset><url><loc>https://a/1</loc></url><url><loc>https://a:99999/2</loc></url></urlset>")
	runArgs(t, "diff", old, now).want(t, cli.ExitOK, "", "2 problems in 2 documents: 2 bad_loc")
	if r := runArgs(t, "diff", "-q", old, now); r.err != "" {
		t.Errorf("with -q: %s", r.err)
	}
	s := smallSite(t)
	s.docs["/robots.txt"] = "Sitemap: HOST/x.xml\n"
	s.docs["/x.xml"] = "<urlset><url><loc>HOST/1</loc></url><url><loc>https://other.example/2</loc></url></urlset>"
	site := writeFile(t, "site.txt", s.URL+"/1\n")
	runArgs(t, "diff", "--allow-private", site, s.URL).want(t, cli.ExitOK, "", "1 untrusted_loc")
	if r := runArgs(t, "stats", "--allow-private", s.URL); !strings.Contains(r.err, "1 untrusted_loc") {
		t.Errorf("stats: %s", r.err)
	}
}

// With --normalize, equivalent URLs are one.
func TestDiff_Normalize(t *testing.T) {
	old := writeFile(t, "old.txt", "HTTPS://A:443/%7e1\nhttps://a/x/../2\nhttp://a/3\n")
	now := writeFile(t, "new.txt", "https://a/~1\nhttps://a/2\nhttps://A/3\n")
	runArgs(t, "diff", "--normalize", old, now).want(t, cli.ExitFailed, "> https://A/3  http://a/3 → https://A/3\n")
	r := runArgs(t, "diff", old, now)
	if r.status != cli.ExitFailed || strings.Count(r.out, "\n") < 5 {
		t.Errorf("status %d, printed %q", r.status, r.out)
	}
}

// Lists that do not fit into memory are compared in a file.
func TestDiff_Large(t *testing.T) {
	const n = 10_000
	var old, now strings.Builder
	end := strings.Repeat("/long", 200)
	for i := range n {
		fmt.Fprintf(&old, "https://a.example/%d%s\n", i, end)
		fmt.Fprintf(&now, "https://a.example/%d%s\n", n-i, end)
	}
	oldFile, newFile := writeFile(t, "old.txt", old.String()), writeFile(t, "new.txt", now.String())
	runArgs(t, "diff", oldFile, newFile).want(t, cli.ExitFailed,
		fmt.Sprintf("- https://a.example/0%s\n+ https://a.example/%d%[1]s\n", end, n))
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", os.Getenv("TMPDIR")) // on Windows
	r := runArgs(t, "diff", oldFile, newFile)
	if r.status != cli.ExitUsage || !strings.Contains(r.err, "sitemap-diff-") {
		t.Errorf("without a folder: status %d, %s", r.status, r.err)
	}
}

// If a listing cannot be read to its end, the exit status is 2, and nothing is printed.
func TestDiffErrors(t *testing.T) {
	list := writeFile(t, "urls.txt", "https://a/1\n")
	for name, want := range map[string]string{
		"./missing.txt": "no such file",
		writeFile(t, "bad.jsonl", `{"loc":"https://a/1"}`+"\n{"):                "object 2 is no JSON",
		writeFile(t, "no.jsonl", `{"lock":"https://a/1"}`):                      "object 1 has no loc",
		writeFile(t, "cut.txt.gz", string(mustGzip(t, "https://a/1\n"))[:20]):   "document ends too early",
		writeFile(t, "two.txt.gz", string(mustGzip(t, "https://a/1\n"))+"junk"): "gzip",
		writeFile(t, "x.parquet", "PAR1\x15\x00"):                               "a Parquet file; want an export in text, jsonl or csv",
		writeFile(t, "x.html", "<html></html>"):                                 "an HTML page",
	} {
		r := runArgs(t, "diff", list, name)
		if r.status != cli.ExitUsage || r.out != "" || !strings.Contains(r.err, want) {
			t.Errorf("%s: status %d, printed %q, reported %q, want %q", name, r.status, r.out, r.err, want)
		}
	}
	runArgs(t, "diff", list).want(t, cli.ExitUsage, "", "want two exports")
	runArgs(t, "diff", "--format", "yaml", list, list).want(t, cli.ExitUsage, "", `--format: want text, jsonl or csv, not yaml`)
}

// The exit status says whether the lists differ, also if nobody reads the output to its end. If the
// output cannot be written, it is neither that of equal lists nor of others.
func TestDiff_Status(t *testing.T) {
	old, now := writeFile(t, "old.txt", "https://a/1\n"), writeFile(t, "new.txt", "https://a/2\n")
	for _, tt := range []struct {
		err  error
		list string
		want int
	}{
		{io.ErrClosedPipe, now, cli.ExitFailed},
		{io.ErrShortWrite, now, cli.ExitUsage},
		{io.ErrClosedPipe, old, cli.ExitOK},
	} {
		var stderr strings.Builder
		status := run(t.Context(), []string{"diff", old, tt.list}, nil, failingWriter{tt.err}, &stderr)
		if status != tt.want {
			t.Errorf("%v: exit status %d, want %d, %s", tt.err, status, tt.want, stderr.String())
		}
	}
	out := filepath.Join(t.TempDir(), "no", "out")
	runArgs(t, "diff", old, old, "-o", out).want(t, cli.ExitUsage, "", "no such file")
}

func mustGzip(t *testing.T, text string) []byte {
	b, err := os.ReadFile(gzipped(t, "x.gz", text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
