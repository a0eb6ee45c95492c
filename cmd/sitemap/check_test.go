package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

const dated = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://example.com/?a&b</loc><lastmod>2026-11-01</lastmod></url>
<url><loc></loc></url>
</urlset>`

func TestCheckFile(t *testing.T) {
	sound := writeFile(t, "sound.txt", "http://example.com/1\n")
	runArgs(t, "check", sound).want(t, cli.ExitOK, "1 document, 1 URL: 0 errors, 0 warnings, 0 infos\n")
	runArgs(t, "check", "-v", sound).want(t, cli.ExitOK,
		sound+": text, utf-8, 1 URL, 0 findings\n1 document, 1 URL: 0 errors, 0 warnings, 0 infos\n")
	runArgs(t, "check", "--format", "jsonl", sound).want(t, cli.ExitOK,
		`{"type":"document","sitemap":"`+sound+`","format":"text","encoding":"utf-8","entries":1,"problems":0,"target":"`+sound+`"}
{"type":"total","documents":1,"urls":1,"errors":0,"warnings":0,"infos":0}
`)

	odd := writeFile(t, "odd.xml", dated)
	runArgs(t, "check", "--disable", "lastmod_stale", odd).want(t, cli.ExitFailed, strings.ReplaceAll(
		`ODD:2:32: error: an ampersand that is not escaped: "&b" [raw_ampersand]
    <url><loc>http://example.com/?a&b</loc><lastmod>2026-11-01</lastmod></url>
                                   ^
    fix: Write &amp; for &: https://www.example.com/?a=1&amp;b=2.
ODD:3:6: error: loc is empty [empty_loc]
    <url><loc></loc></url>
         ^
    fix: Write the URL into it, or remove the entry.
1 document, 1 URL: 2 errors, 0 warnings, 0 infos
`, "ODD", odd))
	runArgs(t, "check", "--only", "empty_loc", "--format", "jsonl", odd).want(t, cli.ExitFailed, strings.ReplaceAll(
		`{"type":"problem","code":"empty_loc","severity":"error","sitemap":"ODD","line":3,"column":6,"loc":"","text":"","message":"loc is empty","fix":"Write the URL into it, or remove the entry.","dropped":true,"target":"ODD"}
{"type":"document","sitemap":"ODD","format":"urlset","encoding":"utf-8","entries":1,"problems":1,"target":"ODD"}
{"type":"total","documents":1,"urls":1,"errors":1,"warnings":0,"infos":0}
`, "ODD", odd))
	in := runWith(t, strings.NewReader(dated), "check", "--only", "empty_loc", "-")
	if !strings.HasPrefix(in.out, "-:3:6: error: loc is empty [empty_loc]") || in.status != cli.ExitFailed {
		t.Errorf("of standard input: status %d, printed %q, %q", in.status, in.out, in.err)
	}
	in = runWith(t, strings.NewReader(dated), "check", "--only", "empty_loc", "--format", "junit", "-")
	if strings.Count(in.out, "<testsuite ") != 1 {
		t.Errorf("of standard input: several documents: %s", in.out)
	}
}

// TestCheckExitStatus: --fail-on, --only and --disable decide what makes the exit status 1.
func TestCheckExitStatus(t *testing.T) {
	warned := writeFile(t, "warned.txt", "http://user@example.com/\n")
	cut := writeFile(t, "cut.xml", urlset("http://example.com/1", "http://example.com/2")[:100])
	for _, test := range []struct {
		args, file string
		want       int
	}{
		{"", warned, cli.ExitOK},
		{"--fail-on warning", warned, cli.ExitFailed},
		{"--fail-on info --disable userinfo", warned, cli.ExitOK},
		{"--fail-on warning --only bad_lastmod", warned, cli.ExitOK},
		{"", cut, cli.ExitFailed},
		{"--fail-on never", cut, cli.ExitOK},
		{"--disable truncated,mismatched_tag", cut, cli.ExitOK},
		{"--only truncated", cut, cli.ExitFailed},
	} {
		if r := runArgs(t, append(strings.Fields("check "+test.args), test.file)...); r.status != test.want {
			t.Errorf("%s: status %d, want %d; printed %s", test.args, r.status, test.want, r.out)
		}
	}
}

// TestCheckBaseline leaves out what an earlier run has found, wherever it has moved, and however the
// file is spelled.
func TestCheckBaseline(t *testing.T) {
	name := writeFile(t, "s.xml", dated)
	earlier := filepath.Join(t.TempDir(), "earlier.jsonl.gz")
	runArgs(t, "check", "-o", earlier, name)
	moved := strings.Replace(dated, "<url>", "\n\n<url><loc>ftp://example.com/</loc></url><url>", 1)
	if err := os.WriteFile(name, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	respelled := filepath.Dir(name) + "/./" + filepath.Base(name)
	r := runArgs(t, "check", "--baseline", earlier, "--disable", "lastmod_coverage", respelled)
	if !strings.Contains(r.out, "[bad_scheme]") || strings.Contains(r.out, "raw_ampersand") || strings.Contains(r.out, "empty_loc") ||
		!strings.HasSuffix(r.out, ": 1 error, 0 warnings, 0 infos\n") || r.status != cli.ExitFailed {
		t.Errorf("status %d, printed %s%s", r.status, r.out, r.err)
	}
	page := filepath.Join(t.TempDir(), "x.html")
	runArgs(t, "check", "-o", page, name).want(t, cli.ExitUsage, "", "sitemap report")
	text := writeFile(t, "text.jsonl", "no JSON\n")
	runArgs(t, "check", "--baseline", text, name).want(t, cli.ExitUsage, "", "line 1 is not of sitemap check --format jsonl")
}

func TestCheckErrors(t *testing.T) {
	html := writeFile(t, "x.html", "<html></html>")
	runArgs(t, "check", "--format", "jsonl", html).want(t, cli.ExitFailed,
		`{"type":"document","sitemap":"`+html+`","entries":0,"problems":0,"target":"`+html+`","failed":true,"error":{"code":"not_a_sitemap","message":"line 1: not a sitemap: an HTML page"}}
{"type":"total","documents":1,"urls":0,"errors":1,"warnings":0,"infos":0}
`, "an HTML page")
	r := runArgs(t, "check", html)
	if !strings.HasPrefix(r.out, html+": error: line 1: not a sitemap: an HTML page [not_a_sitemap]\n    fix: ") || r.err != "" {
		t.Errorf("printed %q, %q", r.out, r.err)
	}
	cut := writeFile(t, "cut.xml", urlset("http://example.com/1", "http://example.com/2")[:100])
	r = runArgs(t, "check", "--format", "jsonl", cut)
	if !strings.Contains(r.out, `"error":{"code":"truncated","message":"line 1: `) || strings.Contains(r.out, "failed") || r.status != cli.ExitFailed {
		t.Errorf("status %d, printed %q", r.status, r.out)
	}
	var doubtful bytes.Buffer
	z := gzip.NewWriter(&doubtful)
	if _, err := io.WriteString(z, urlset("http://example.com/1")); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	doubtful.Bytes()[doubtful.Len()-5] ^= 1 // of the checksum
	r = runArgs(t, "check", "--format", "jsonl", writeFile(t, "a.xml.gz", doubtful.String()))
	if !strings.Contains(r.out, `"error":{"code":"bad_gzip","message":"line 1: damaged gzip stream","offset":0}`) || !strings.Contains(r.out, `"entries":1`) {
		t.Errorf("printed %q", r.out)
	}
	r = runArgs(t, "check", "--format", "jsonl", "./none")
	if !strings.Contains(r.out, `"error":{"code":"read_failed","message":"no such file or directory"}`) || r.status != cli.ExitFailed {
		t.Errorf("status %d, printed %q", r.status, r.out)
	}
}

func TestCheckSite(t *testing.T) {
	s := smallSite(t)
	r := runArgs(t, "check", "--allow-private", "--retries", "0", "--format", "jsonl", s.URL)
	if r.status != cli.ExitFailed {
		t.Errorf("exit status %d", r.status)
	}
	for _, line := range []string{
		`"code":"untrusted_host","severity":"error","sitemap":"HOST/a.xml","line":3`,
		`"code":"url_in_several_sitemaps","severity":"warning","sitemap":"HOST/b.xml"`,
		`"code":"sitemap_status","severity":"error","sitemap":"HOST/index.xml","line":2,"column":10,"loc":"HOST/missing.xml","text":"404"`,
		`{"type":"document","sitemap":"HOST/index.xml","format":"sitemapindex","encoding":"utf-8","entries":3,"problems":0,"target":"HOST","status":200}`,
		`{"type":"document","sitemap":"HOST/missing.xml","entries":0,"problems":1,"target":"HOST","status":404,"failed":true,"error":{"code":"fetch_failed","message":"status 404 Not Found"}}`,
		`{"type":"total","documents":5,"urls":6,"errors":2,"warnings":1,"infos":0}`,
	} {
		if !strings.Contains(r.out, s.text(line)) {
			t.Errorf("printed\n%s\nwithout\n%s", r.out, s.text(line))
		}
	}
	r = runArgs(t, "check", "--format", "jsonl", s.URL)
	if !strings.Contains(r.out, `"error":{"code":"refused","message":`) || r.status != cli.ExitFailed {
		t.Errorf("status %d, printed %q", r.status, r.out)
	}
	empty := newTestSite(t, nil)
	r = runArgs(t, "check", "--allow-private", "--format", "jsonl", empty.URL)
	if !strings.Contains(r.out, `{"type":"problem","code":"no_sitemap","severity":"error","sitemap":"`+empty.URL) ||
		!strings.Contains(r.out, `"target":"`+empty.URL+`","failed":true,"error":{"code":"no_sitemap"`) ||
		!strings.Contains(r.out, `"errors":1,`) || r.status != cli.ExitFailed {
		t.Errorf("status %d, printed %q", r.status, r.out)
	}
	// Of a robots.txt that broke off, what it named stands.
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "Sitemap: /a.txt\nSitemap: /b.txt\nSitemap: ")
			return
		}
		io.WriteString(w, "http://"+r.Host+"/1\n")
	}))
	defer cut.Close()
	r = runArgs(t, "check", "--allow-private", "--retries", "0", "--format", "jsonl", cut.URL)
	if want := `{"type":"document","sitemap":"` + cut.URL + `/robots.txt","entries":2,`; !strings.Contains(r.out, want) || strings.Contains(r.out, "failed\":true") {
		t.Errorf("printed\n%s\nwithout\n%s", r.out, want)
	}
	// Of a target that a limit stopped, something was read.
	r = runArgs(t, "check", "--allow-private", "--limit", "sitemaps=1", "--format", "jsonl", s.URL+"/index.xml")
	if want := `,"target":"` + s.URL + `/index.xml","error":{"code":"limit",`; !strings.Contains(r.out, want) || strings.Contains(r.out, "failed") {
		t.Errorf("printed\n%s\nwithout\n%s", r.out, want)
	}
}

// TestCheckFolder audits a site before it is deployed, without the network.
func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "https://site.example/a\nhttps://site.example/b/\nhttps://site.example/none\nhttps://other.example/c\n")
	z.Close()
	write("robots.txt", "User-agent: *\nDisallow: /b/\nSitemap: https://site.example/maps/index.xml\n")
	write("maps/index.xml", index("https://site.example/s.txt.gz"))
	write("s.txt.gz", packed.String())
	write("a.html", "<title>A</title>")
	write("b/index.html", "<title>B</title>")
	for _, args := range [][]string{{dir}, {"--root", dir, "https://site.example/"}, {"--root", dir, "https://site.example/maps/index.xml"}} {
		r := runArgs(t, append([]string{"check", "--format", "jsonl", "--disable", "lastmod_coverage,not_in_robots"}, args...)...)
		var found []string
		for line := range strings.Lines(r.out) {
			var p struct{ Type, Code, Loc string }
			if json.Unmarshal([]byte(line), &p) == nil && p.Type == "problem" {
				found = append(found, strings.TrimSpace(p.Code+" "+p.Loc))
			}
		}
		want := "url_disallowed https://site.example/b/, page_missing_file https://site.example/none, " +
			"untrusted_host https://other.example/c"
		if got := strings.Join(found, ", "); got != want || r.status != cli.ExitFailed || r.err != "" {
			t.Errorf("%v: status %d, found %s; %s\n%s", args, r.status, got, r.err, r.out)
		}
	}
	r := runArgs(t, "check", "--format", "github", "--only", "page_missing_file", dir)
	if want := "::error file=" + filepath.Join(dir, "s.txt.gz") + ",line=3,col=1,title=page_missing_file::"; !strings.HasPrefix(r.out, want) {
		t.Errorf("printed %q, want %q", r.out, want)
	}
	// Without robots.txt, the first URL in the sitemap says whose folder it is.
	os.Remove(filepath.Join(dir, "robots.txt"))
	write("sitemap.xml", urlset("https://site.example/a", "https://site.example/gone"))
	r = runArgs(t, "check", "--only", "page_missing_file,not_in_robots", dir)
	if !strings.Contains(r.out, "https://site.example/gone") || !strings.Contains(r.out, "[not_in_robots]") {
		t.Errorf("printed %s%s", r.out, r.err)
	}
	r = runArgs(t, "check", t.TempDir())
	if !strings.Contains(r.out, "name the site: --root DIR URL") || r.status != cli.ExitFailed {
		t.Errorf("of an empty folder: status %d, printed %s%s", r.status, r.out, r.err)
	}
}

// TestCheckPages fetches pages, and goes on where it was stopped.
func TestCheckPages(t *testing.T) {
	s := newTestSite(t, map[string]string{
		"/robots.txt":  "Sitemap: HOST/sitemap.txt\n",
		"/sitemap.txt": "HOST/1\nHOST/2\nHOST/gone\n",
		"/1":           "one", "/2": "two",
	})
	args := []string{"check", "--allow-private", "--retries", "0", "--only", "page_not_found", "--format", "csv"}
	for _, test := range []struct {
		pages string
		gone  bool
	}{{"all", true}, {"3", true}, {"0", false}} {
		r := runArgs(t, append(args, "--pages", test.pages, s.URL)...)
		if got := strings.Contains(r.out, "page_not_found,error,"+s.URL+"/sitemap.txt,3,1,"+s.URL+"/gone,404"); got != test.gone {
			t.Errorf("--pages %s: printed %s%s", test.pages, r.out, r.err)
		}
	}
}

// TestCheckPageTable: each page has a row, and the end says how many were judged, of a file too.
func TestCheckPageTable(t *testing.T) {
	s := newTestSite(t, map[string]string{
		"/robots.txt":  "User-agent: *\nDisallow: /private\nSitemap: HOST/sitemap.txt\n",
		"/sitemap.txt": "HOST/1\nHOST/gone\nHOST/private\n",
		"/1":           "one",
	})
	file := writeFile(t, "sitemap.txt", s.text(s.docs["/sitemap.txt"]))
	table := filepath.Join(t.TempDir(), "pages.csv")
	want := s.text(`url,status,final_url,findings,not_judged
HOST/1,200,HOST/1,,
HOST/gone,404,HOST/gone,page_not_found,
HOST/private,,,,"robots.txt does not allow it, or cannot be fetched"
`)
	for _, target := range []string{s.URL, file} {
		args := []string{"check", "--allow-private", "--pages", "all", "--page-table", table, "--only", "page_not_found"}
		r := runArgs(t, append(args, target)...)
		if !strings.HasSuffix(r.out, "\n2 of 3 pages judged\n") {
			t.Errorf("%s: printed %s%s", target, r.out, r.err)
		}
		lines := strings.SplitAfter(readFile(t, table), "\n")
		slices.Sort(lines[1 : len(lines)-1])
		if got := strings.Join(lines, ""); got != want {
			t.Errorf("%s: table\n%s\nwant\n%s", target, got, want)
		}
		r = runArgs(t, append(args, "--format", "jsonl", target)...)
		if !strings.HasSuffix(r.out, `"pages_judged":2}`+"\n") || !strings.Contains(r.err, "2 of 3 pages judged") {
			t.Errorf("%s: printed %s%s", target, r.out, r.err)
		}
	}
	s.docs["/robots.txt"] = "User-agent: *\nDisallow: /\n"
	r := runArgs(t, "check", "--allow-private", "--pages", "all", "--format", "jsonl", file)
	if !strings.HasSuffix(r.out, `"pages_judged":0}`+"\n") || !strings.Contains(r.err, "0 of 3 pages judged") {
		t.Errorf("of pages that may not be fetched: printed %s%s", r.out, r.err)
	}
	s.Close()
	r = runArgs(t, "check", "--allow-private", "--retries", "0", "--pages", "all", "--page-table", table, s.URL)
	lines := strings.Count(readFile(t, table), "\n")
	if lines != 4 || !strings.Contains(r.err, "pages.csv is not written: nothing could be read") {
		t.Errorf("a run that read nothing has left %d lines, and said %s", lines, r.err)
	}
	if r := runArgs(t, "check", "--page-table", table, file); r.status != cli.ExitUsage {
		t.Errorf("without --pages: status %d, %s", r.status, r.err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCheckSampleSeed: a seed draws the same sample each time, and others draw others.
func TestCheckSampleSeed(t *testing.T) {
	docs := map[string]string{"/robots.txt": "Sitemap: HOST/sitemap.txt\n"}
	for i := range 40 {
		docs["/sitemap.txt"] += "HOST/" + strings.Repeat("x", i+1) + "\n"
	}
	s := newTestSite(t, docs)
	sample := func(seed string) string {
		return runArgs(t, "check", "--allow-private", "--pages", "3", "--format", "csv", "--sample-seed", seed, s.URL).out
	}
	if one, two := sample("1"), sample("2"); one == two || one != sample("1") || two != sample("2") {
		t.Errorf("samples %s, %s", one, two)
	}
}

func TestCheckRules(t *testing.T) {
	r := runArgs(t, "check", "--rules", "--format", "jsonl")
	n := 0
	for line := range strings.Lines(r.out) {
		var rule struct{ Code, Severity, Summary, Fix, Source string }
		if err := json.Unmarshal([]byte(line), &rule); err != nil || rule.Code == "" || rule.Severity == "" || rule.Summary == "" || rule.Fix == "" || rule.Source == "" {
			t.Errorf("%s: %v", line, err)
		}
		n++
	}
	if n < 100 || r.status != cli.ExitOK || strings.Count(runArgs(t, "check", "--rules").out, "\n") != n {
		t.Errorf("%d rules, status %d", n, r.status)
	}
	r = runArgs(t, "check", "--explain", "bad_lastmod")
	if !strings.HasPrefix(r.out, "bad_lastmod (error): a lastmod that is not a W3C date.\n\n") || !strings.Contains(r.out, "\nFix: ") || r.status != cli.ExitOK {
		t.Errorf("printed %s", r.out)
	}
}

// Of a file that is missing, --only hides no failure.
func TestCheckMissingFile(t *testing.T) {
	r := runArgs(t, "check", "--only", "bad_lastmod", filepath.Join(t.TempDir(), "missing.xml"))
	if r.status != cli.ExitFailed || !strings.Contains(r.out+r.err, "missing.xml") {
		t.Errorf("status %d, printed %q, %q", r.status, r.out, r.err)
	}
}
