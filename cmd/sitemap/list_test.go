package main

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// lists serves n sites in memory with two URLs each. The documents of site i take latency(i). Other
// sites never answer.
func lists(
	n int, latency func(i int) time.Duration,
) (targets []string, transport *http.Transport, stop func()) {
	late := map[string]time.Duration{}
	for i := range n {
		host := fmt.Sprintf("s%d.example", i)
		targets = append(targets, "http://"+host+"/")
		late[host] = latency(i)
	}
	transport, stop = serveMemory(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait, ok := late[r.Host]
		if !ok {
			<-r.Context().Done()
			return
		}
		time.Sleep(wait)
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprintf(w, "Sitemap: http://%s/s.txt\n", r.Host)
		case "/s.txt":
			fmt.Fprintf(w, "http://%[1]s/1\nhttp://%[1]s/2\n", r.Host)
		default:
			http.NotFound(w, r)
		}
	}))
	return targets, transport, stop
}

// The lines of a list have its order, and those of a document stay together.
func TestParallel(t *testing.T) { synctest.Test(t, testParallel) }

func testParallel(t *testing.T) {
	later := func(i int) time.Duration { return time.Duration(20-i) * time.Millisecond }
	targets, transport, stop := lists(20, later) // the last site answers first
	defer stop()
	var want strings.Builder
	for _, target := range targets {
		want.WriteString(target + "1\n" + target + "2\n")
	}
	list := writeFile(t, "list", strings.Join(targets, "\n"))
	for _, n := range []string{"1", "16"} {
		runOver(t, transport, "urls", "--parallel", n, "--from", list).
			want(t, cli.ExitOK, want.String(), "20 sites, 40 URLs, 0 failed, ")
	}
	r := runOver(t, transport, "check", "--parallel", "16", "--from", list, "--format", "jsonl",
		"--disable", "lastmod_coverage")
	if !strings.HasSuffix(r.out, `{"type":"total","documents":20,"urls":40,"errors":0,"warnings":0,"infos":0}`+"\n") || r.status != cli.ExitOK {
		t.Errorf("status %d, %s", r.status, r.out[max(0, len(r.out)-300):])
	}
	bad := writeFile(t, "bad.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.example/</loc><lastmod>x</lastmod></url></urlset>`)
	list = writeFile(t, "list", strings.Join(targets, "\n"+bad+"\n")) // files are fast
	for _, format := range []string{"jsonl", "text", "sarif", "junit"} {
		oneByOne := runOver(t, transport, "check", "--parallel", "1", "--from", list, "--format", format)
		if r := runOver(t, transport, "check", "--parallel", "16", "--from", list, "--format", format); r.out != oneByOne.out || !strings.Contains(r.out, "bad_lastmod") {
			t.Errorf("check in %s: %.300q, one by one %.300q", format, r.out, oneByOne.out)
		}
	}
	for _, command := range []string{"tree", "urls", "check"} {
		r := runOver(t, transport, append([]string{command, "--format", "jsonl"}, targets[:3]...)...)
		for line := range strings.Lines(r.out) {
			var v struct{ Type, Target string }
			if err := json.Unmarshal([]byte(line), &v); err != nil || !slices.Contains(targets[:3], v.Target) && v.Type != "total" {
				t.Errorf("%s: %s: %v", command, line, err)
			}
		}
	}
}

// --failed takes what could not be read, as it was given, once and in the order of the list, with
// why; --site-time and --max-time keep the pages so far.
func TestListFailures(t *testing.T) { synctest.Test(t, testListFailures) }

func testListFailures(t *testing.T) {
	targets, transport, stop := lists(3, func(int) time.Duration { return 0 })
	defer stop()
	missing, slow := targets[1]+"none.xml", "http://silent.example/s.xml"
	lines := []string{targets[0], slow, missing + " # a comment", targets[2], missing}
	list := writeFile(t, "list", strings.Join(lines, "\n"))
	failed := filepath.Join(t.TempDir(), "failed")
	r := runOver(t, transport, "urls", "--from", list, "--failed", failed, "--site-time", "300ms")
	r.want(t, cli.ExitFailed, targets[0]+"1\n"+targets[0]+"2\n"+targets[2]+"1\n"+targets[2]+"2\n", "status 404", "stopped after 300ms (--site-time)", "5 sites, 4 URLs, 3 failed, ")
	text, _ := os.ReadFile(failed)
	want := slow + " # timeout: stopped after 300ms (--site-time): timed out\n" + missing + " # fetch_failed: status 404 Not Found\n"
	if string(text) != want {
		t.Errorf("%q", text)
	}
	out := filepath.Join(t.TempDir(), "out.txt")
	r = runOver(t, transport, "urls", "--from", list, "--max-time", "300ms", "-o", out)
	if got, err := os.ReadFile(out); r.status != cli.ExitFailed || !strings.Contains(r.err, "stopped after --max-time") || !strings.HasPrefix(string(got), targets[0]) || err != nil {
		t.Errorf("status %d, %q, printed %q, %v", r.status, r.err, got, err)
	}
	r = runOver(t, transport, "stats", "-q", targets[0], slow, "--max-time", "300ms", "--format", "csv")
	if want := targets[0] + ",total,,2,100\n"; r.status != cli.ExitFailed || !strings.Contains(r.out, want) || strings.Contains(r.out, slow) {
		t.Errorf("stats printed %q, want %q", r.out, want)
	}
	r = runOver(t, transport, "tree", "-q", slow, "--max-time", "300ms")
	r.want(t, cli.ExitFailed, slow+"\n└── FAILED: stopped after 300ms (--max-time): timed out\n", "stopped after --max-time")
	old, _ := os.ReadFile(out)
	runOver(t, transport, "urls", slow, "--max-time", "300ms", "-o", out).want(t, cli.ExitFailed, "", "stopped after --max-time", "out.txt is not written")
	wantFile(t, out, string(old))
	runArgs(t, "urls", "--parallel", "0", "x").want(t, cli.ExitUsage, "", "--parallel")
}

// The suffix of -o decides the format and whether it is compressed, or is refused.
func TestSuffixes(t *testing.T) {
	file := writeFile(t, "a.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<url><loc>http://example.com/1</loc><lastmod>2026-11-01T12:00:00+01:00</lastmod><priority>0.5</priority><image:image><image:loc>http://example.com/1.png</image:loc></image:image></url>
<url><loc>http://example.com/2</loc><xhtml:link rel="alternate" hreflang="de" href="http://example.com/de"/><news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-02</news:publication_date><news:title>T</news:title></news:news></url></urlset>`)
	type image struct {
		Loc string `parquet:"loc"`
	}
	type alternate struct {
		Hreflang string `parquet:"hreflang"`
	}
	type news struct {
		Date time.Time `parquet:"publication_date,optional,timestamp(microsecond)"`
	}
	type row struct {
		Loc        string      `parquet:"loc"`
		LastMod    *time.Time  `parquet:"lastmod,optional,timestamp(microsecond)"`
		Priority   *float64    `parquet:"priority,optional"`
		Sitemap    string      `parquet:"sitemap"`
		Images     []image     `parquet:"images,list"`
		Alternates []alternate `parquet:"alternates,list"`
		News       []news      `parquet:"news,list"`
	}
	dir := t.TempDir()
	for _, name := range []string{"a.csv", "a.csv.gz", "a.jsonl", "a.jsonl.gz", "a.ndjson", "a.txt", "a.txt.gz", "a.parquet"} {
		out := filepath.Join(dir, name)
		runArgs(t, "urls", "-o", out, file).want(t, cli.ExitOK, "")
		var r io.Reader
		f, err := os.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if r = f; strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(name, err)
			}
		}
		switch {
		case strings.Contains(name, "csv"):
			rows, err := csv.NewReader(r).ReadAll()
			if err != nil || len(rows) != 3 || rows[1][0] != "http://example.com/1" || !slices.Contains(rows[1], "http://example.com/1.png") || !slices.Contains(rows[2], "de=http://example.com/de") {
				t.Errorf("%s: %q, %v", name, rows, err)
			}
		case strings.Contains(name, "json"):
			d := json.NewDecoder(r)
			var v struct {
				Loc    string
				Images []struct{ Loc string }
			}
			if err := d.Decode(&v); err != nil || v.Loc != "http://example.com/1" || v.Images[0].Loc != "http://example.com/1.png" {
				t.Errorf("%s: %v, %v", name, v, err)
			}
		case strings.Contains(name, "txt"):
			if text, err := io.ReadAll(r); string(text) != "http://example.com/1\nhttp://example.com/2\n" || err != nil {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		default:
			rows, err := parquet.ReadFile[row](out)
			if err != nil || len(rows) != 2 || rows[0].Loc != "http://example.com/1" || !rows[0].LastMod.Equal(time.Date(2026, 11, 1, 11, 0, 0, 0, time.UTC)) ||
				*rows[0].Priority != 0.5 || rows[0].Images[0].Loc != "http://example.com/1.png" || rows[1].LastMod != nil || rows[1].Alternates[0].Hreflang != "de" || rows[1].Sitemap != file ||
				!rows[1].News[0].Date.Equal(time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)) {
				t.Errorf("%s: %+v, %v", name, rows, err)
			}
		}
	}
	runArgs(t, "urls", "-o", filepath.Join(dir, "b.parquet"), "--fields", "loc,images", file).want(t, cli.ExitOK, "")
	type picked struct {
		Loc    string  `parquet:"loc"`
		Images []image `parquet:"images,list"`
	}
	if rows, err := parquet.ReadFile[picked](filepath.Join(dir, "b.parquet")); err != nil || len(rows) != 2 || rows[0].Images[0].Loc != "http://example.com/1.png" {
		t.Errorf("%+v, %v", rows, err)
	}
	other, two := writeFile(t, "b.txt", "http://example.com/3\n"), filepath.Join(dir, "two.parquet")
	runArgs(t, "urls", "-q", "-o", two, other, file).want(t, cli.ExitOK, "")
	rows, err := parquet.ReadFile[row](two)
	if err != nil || len(rows) != 3 || rows[0].Loc != "http://example.com/3" || rows[0].Sitemap != other || *rows[1].Priority != 0.5 || rows[2].Alternates[0].Hreflang != "de" {
		t.Errorf("of two targets: %+v, %v", rows, err)
	}
	for args, want := range map[string]string{
		"urls -o x.csv --format jsonl y":          "--output x.csv contradicts --format jsonl",
		"tree -o x.csv y":                         "--output x.csv: this command prints text, jsonl",
		"urls -o x.json y":                        "--output x.json: this command prints text, jsonl, csv, parquet",
		"urls -o x.parquett y":                    "--output x.parquett: .parquett means no format; did you mean .parquet?",
		"urls -o x.cvs y":                         "--output x.cvs: this command prints text, jsonl, csv, parquet",
		"check -o x.xml.gz y":                     "--output x.xml.gz: this command prints text, jsonl, csv, sarif, junit, github",
		"urls --fields none --format csv y":       `--fields: unknown field "none"`,
		"urls --fields loc y":                     "--fields: format text has only URLs",
		"urls --fields none -o x.parquet y":       `--fields: unknown field "none": want loc, kind`,
		"urls --state s -o x.parquet example.com": "--state: a Parquet file cannot be appended to",
	} {
		runArgs(t, strings.Fields(args)...).want(t, cli.ExitUsage, "", want)
	}
}

// With --state and --all, each URL says what has changed.
func TestStateAll(t *testing.T) {
	s := newTestSite(t,
		map[string]string{"/robots.txt": "Sitemap: HOST/s.txt\n", "/s.txt": "HOST/1\nHOST/2\n"})
	db, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "out.jsonl.gz")
	args := []string{"urls", "--allow-private", "--state", db, "--all", "-o", out, s.URL}
	runArgs(t, args...).want(t, cli.ExitOK, "")
	s.docs["/s.txt"] = "HOST/1\nHOST/2\nHOST/3\n"
	runArgs(t, args...).want(t, cli.ExitOK, "")
	f, _ := os.Open(out)
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	var changes []string
	for _, m := range regexp.MustCompile(`"change":"(\w+)"`).FindAllStringSubmatch(string(text), -1) {
		changes = append(changes, m[1])
	}
	if got := strings.Join(changes, " "); got != "new new unchanged unchanged new" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// BenchmarkParallel walks 200 sites whose documents take 50 ms each.
func BenchmarkParallel(b *testing.B) {
	targets, transport, stop := lists(200, func(int) time.Duration { return 50 * time.Millisecond })
	defer stop()
	list := filepath.Join(b.TempDir(), "list")
	if err := os.WriteFile(list, []byte(strings.Join(targets, "\n")), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, n := range []string{"1", "16", "64"} {
		b.Run("parallel="+n, func(b *testing.B) {
			for b.Loop() {
				r := runOver(b, transport, "urls", "-q", "--parallel", n, "--from", list)
				if r.status != cli.ExitOK {
					b.Fatal(r.status)
				}
			}
			b.ReportMetric(float64(200*b.N)/b.Elapsed().Seconds(), "sites/s")
		})
	}
}

// Documents with problems are counted once each, also if they are read side by side.
func TestProblems_SideBySide(t *testing.T) {
	const bad = "<url><loc>https://example.com/</loc><lastmod>yesterday</lastmod></url>"
	var args []string
	for i := range 40 {
		text := "<urlset" + xmlns + ">" + strings.Repeat(bad, 500) + "</urlset>"
		args = append(args, writeFile(t, fmt.Sprintf("%d.xml", i), text))
	}
	r := runArgs(t, append([]string{"urls", "--unique"}, args...)...)
	if !strings.Contains(r.err, "20,000 problems in 40 documents: ") {
		t.Errorf("reported %q", r.err)
	}
}
