package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// The table of the documents of a walk is the one that batch cat makes of a run, in each format.
func TestDocuments(t *testing.T) {
	s, dir := smallSite(t), t.TempDir()
	list := writeFile(t, "list", s.URL+"\n")
	args := []string{"--allow-private", "--retries", "0", "-q"}
	runArgs(t, slices.Concat([]string{"batch", list, "-o", dir}, args)...).want(t, cli.ExitOK, "")
	for _, format := range []string{"csv", "jsonl", "parquet"} {
		file, of := filepath.Join(dir, "docs."+format), filepath.Join(dir, "cat."+format)
		got := runArgs(t, slices.Concat([]string{"urls", "--documents", file, s.URL}, args)...)
		got.want(t, cli.ExitFailed, got.out, "404")
		runArgs(t, "batch", "cat", dir+"/1", "--documents", "-o", of).want(t, cli.ExitOK, "")
		if format == "parquet" {
			if n, want := len(documentsOf(t, file)), len(documentsOf(t, of)); n != want || n != 5 {
				t.Errorf("%d and %d rows", n, want)
			}
			continue
		}
		if got, want := mask(readFile(t, file)), mask(readFile(t, of)); got != want {
			t.Errorf("%s: urls wrote\n%s\nbatch cat\n%s", format, got, want)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(readFile(t, filepath.Join(dir, "docs.csv")))).ReadAll()
	if err != nil || len(rows) != 6 {
		t.Fatalf("%q, %v", rows, err)
	}
	missing := slices.IndexFunc(rows, func(row []string) bool { return row[1] == s.URL+"/missing.xml" })
	for name, want := range map[string]string{
		"target": s.URL, "status": "404", "referrer": s.URL + "/index.xml", "error_code": "fetch_failed",
		"error": "status 404 Not Found",
	} {
		if got := rows[missing][slices.Index(rows[0], name)]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

type documentRow struct {
	Sitemap          string    `parquet:"sitemap"`
	LastMod          time.Time `parquet:"lastmod,optional,timestamp(microsecond)"`
	LastModPrecision string    `parquet:"lastmod_precision,optional"`
}

func documentsOf(t *testing.T, name string) []documentRow {
	t.Helper()
	rows, err := parquet.ReadFile[documentRow](name)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// What is missing is null in Parquet, also after a value.
func TestParquet_Null(t *testing.T) {
	const url = "<url><loc>http://example.com/</loc>%s</url>\n"
	bare := fmt.Sprintf(url, "<i:image><i:loc>http://example.com/1</i:loc></i:image>")
	full := fmt.Sprintf(url, "<lastmod>2024-05-06</lastmod><changefreq>daily</changefreq>"+
		"<i:image><i:loc>http://example.com/1</i:loc><i:caption>c</i:caption></i:image>")
	file := writeFile(t, "a.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" `+
		`xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">`+bare+full+bare+bare+"</urlset>")
	read := func(args ...string) string {
		out := filepath.Join(t.TempDir(), "a.parquet")
		runArgs(t, slices.Concat([]string{"urls", "-q", file, "-o", out}, args)...).want(t, cli.ExitOK, "")
		rows, err := parquet.ReadFile[struct {
			Precision  *string `parquet:"lastmod_precision,optional"`
			ChangeFreq *string `parquet:"changefreq,optional"`
			Caption    *string `parquet:"caption,optional"`
		}](out)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const null = `{"Precision":null,"ChangeFreq":null,"Caption":null}`
	want := "[" + null + `,{"Precision":"day","ChangeFreq":"daily","Caption":null},` + null + "," + null + "]"
	if got := read("--fields", "loc,lastmod_precision,changefreq"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := read(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want = "[" + null + `,{"Precision":null,"ChangeFreq":null,"Caption":"c"},` + null + "," + null + "]"
	if got := read("--rows", "images"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The documents of a list have its order.
func TestDocuments_Order(t *testing.T) {
	var want, list []string
	for i := range 20 {
		name := writeFile(t, fmt.Sprintf("%d.txt", i),
			strings.Repeat("http://example.com/a\n", 1+(20-i)*100))
		want, list = append(want, name), append(list, name)
	}
	list = append(list, filepath.Join(t.TempDir(), "missing.xml"))
	want = append(want, list[20])
	out := filepath.Join(t.TempDir(), "docs.jsonl")
	from := writeFile(t, "list", strings.Join(list, "\n"))
	r := runArgs(t, "urls", "-q", "--parallel", "8", "--from", from, "--documents", out, "-n", "0")
	r.want(t, cli.ExitFailed, r.out, "no such file")
	var got []string
	for line := range strings.Lines(readFile(t, out)) {
		var d struct{ Sitemap string }
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		got = append(got, d.Sitemap)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A sample has the URLs with the smallest hashes, in the order of the list, each once.
func TestSample(t *testing.T) {
	var locs []string
	for i := range 5000 {
		locs = append(locs, fmt.Sprintf("http://example.com/%d\n", i))
	}
	hash := func(loc string) string {
		sum := sha256.Sum256([]byte("7\n" + strings.TrimSuffix(loc, "\n")))
		return string(sum[:8])
	}
	byHash := slices.SortedFunc(slices.Values(locs), func(a, b string) int { return cmp.Compare(hash(a), hash(b)) })
	var want strings.Builder
	for _, loc := range locs {
		if slices.Contains(byHash[:10], loc) {
			want.WriteString(loc)
		}
	}
	one := writeFile(t, "one.txt", strings.Join(locs[:3000], ""))
	two := writeFile(t, "two.txt", strings.Join(locs[1000:], ""))
	for _, parallel := range []string{"1", "8"} {
		r := runArgs(t, "urls", "-q", "--sample", "10", "--seed", "7",
			"--parallel", parallel, one, two)
		r.want(t, cli.ExitOK, want.String())
	}
	other := runArgs(t, "urls", "-q", "--sample", "10", "--seed", "8", one, two)
	if strings.Count(other.out, "\n") != 10 || other.out == want.String() {
		t.Errorf("with another seed:\n%s", other.out)
	}
	runArgs(t, "urls", "-q", "--sample", "9000", one, two).want(t, cli.ExitOK, strings.Join(locs, ""))
}

// A run of batch has samples too.
func TestBatchCat_Sample(t *testing.T) {
	s, dir := smallSite(t), t.TempDir()
	args := []string{"--allow-private", "--retries", "0", "-q"}
	list := writeFile(t, "list", s.URL+"\n")
	runArgs(t, slices.Concat([]string{"batch", list, "-o", dir}, args)...).want(t, cli.ExitOK, "")
	want := runArgs(t,
		slices.Concat([]string{"urls", "--sample", "2", "--seed", "3", s.URL}, args)...)
	if strings.Count(want.out, "\n") != 2 {
		t.Fatalf("printed %q", want.out)
	}
	runArgs(t, "batch", "cat", dir+"/1", "--format", "text", "--sample", "2", "--seed", "3").want(t, cli.ExitOK, want.out)
}

const extended = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"
 xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
<url><loc>http://example.com/1</loc><lastmod>2026-11-01T12:00+01:00</lastmod>
<image:image><image:loc>http://example.com/1.png</image:loc></image:image>
<image:image><image:loc>http://example.com/2.png</image:loc><image:caption>A, B</image:caption></image:image></url>
<url><loc>http://example.com/2</loc><lastmod>2026-11</lastmod>
<xhtml:link rel="alternate" hreflang="de" href="http://example.com/de"/>
<xhtml:link rel="alternate" hreflang="fr" href="http://example.com/fr"/></url>
<url><loc>http://example.com/3</loc><lastmod>2026-11-01T12:00:00.125</lastmod>
<video:video><video:thumbnail_loc>http://example.com/3.png</video:thumbnail_loc><video:title>T</video:title>
<video:description>D</video:description><video:content_loc>http://example.com/3.mp4</video:content_loc>
<video:duration>60</video:duration><video:publication_date>2026-11-01</video:publication_date></video:video></url></urlset>`

func TestRows(t *testing.T) {
	file := writeFile(t, "a.xml", extended)
	run := func(args ...string) string {
		return strings.ReplaceAll(runArgs(t, slices.Concat([]string{"urls", "-q"}, args)...).out,
			file, "FILE")
	}
	for _, tt := range []struct{ rows, format, want string }{
		{"alternates", "csv", "loc,hreflang,href,rel,media,sitemap,target\n" +
			"http://example.com/2,de,http://example.com/de,alternate,,FILE,FILE\nhttp://example.com/2,fr,http://example.com/fr,alternate,,FILE,FILE\n"},
		{"images", "jsonl", `{"loc":"http://example.com/1","image":"http://example.com/1.png","sitemap":"FILE","target":"FILE"}` + "\n" +
			`{"loc":"http://example.com/1","image":"http://example.com/2.png","caption":"A, B","sitemap":"FILE","target":"FILE"}` + "\n"},
		{"videos", "csv", "loc,thumbnail_loc,title,description,content_loc,player_loc,duration,publication_date,publication_date_precision,sitemap,target\n" +
			"http://example.com/3,http://example.com/3.png,T,D,http://example.com/3.mp4,,60,2026-11-01T00:00:00Z,day,FILE,FILE\n"},
	} {
		if got := run("--rows", tt.rows, "--format", tt.format, file); got != tt.want {
			t.Errorf("%s: printed\n%s\nwant\n%s", tt.rows, got, tt.want)
		}
	}
	if got, want := run("--rows", "images", "--format", "csv", "--fields", "image,loc", file, file), "image,loc\n"+strings.Repeat(
		"http://example.com/1.png,http://example.com/1\nhttp://example.com/2.png,http://example.com/1\n", 2); got != want {
		t.Errorf("of two files: printed\n%s\nwant\n%s", got, want)
	}
	type row struct {
		Hreflang string `parquet:"hreflang,optional"`
		Href     string `parquet:"href"`
	}
	out := filepath.Join(t.TempDir(), "a.parquet")
	runArgs(t, "urls", "-q", "--rows", "alternates", "-o", out, file).want(t, cli.ExitOK, "")
	rows, err := parquet.ReadFile[row](out)
	if want := []row{{"de", "http://example.com/de"}, {"fr", "http://example.com/fr"}}; !slices.Equal(rows, want) || err != nil {
		t.Errorf("%v, %v", rows, err)
	}
}

// Parquet keeps how precise a lastmod is and its zone, also of a list, and says what made it.
func TestParquet(t *testing.T) {
	t.Chdir(filepath.Dir(writeFile(t, "a.xml", extended)))
	const file, out = "a.xml", "a.parquet"
	type row struct {
		Loc       string    `parquet:"loc"`
		LastMod   time.Time `parquet:"lastmod,optional,timestamp(microsecond)"`
		Precision string    `parquet:"lastmod_precision,optional"`
		Offset    *int32    `parquet:"lastmod_offset,optional"`
	}
	for _, files := range [][]string{{file}, {file, file}} {
		args := slices.Concat([]string{"urls", "-q", "-H", "Cookie: secret=1", "-o", out}, files)
		runArgs(t, args...).want(t, cli.ExitOK, "")
		rows, err := parquet.ReadFile[row](out)
		if err != nil || len(rows) != 3*len(files) {
			t.Fatalf("%v, %v", rows, err)
		}
		for i, want := range []struct {
			text, precision string
			offset          int32
		}{{"2026-11-01T11:00:00Z", "second", 60}, {"2026-11-01T00:00:00Z", "month", -1}, {"2026-11-01T12:00:00.125Z", "millisecond", -1}} {
			got := rows[i]
			if got.LastMod.Format(time.RFC3339Nano) != want.text || got.Precision != want.precision ||
				(got.Offset == nil) != (want.offset < 0) || got.Offset != nil && *got.Offset != want.offset {
				t.Errorf("%d files, row %d: %+v", len(files), i, got)
			}
		}
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	p, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	command, _ := p.Lookup("sitemap.command")
	if want := "sitemap urls -q -H Cookie:... -o a.parquet a.xml a.xml"; command != want {
		t.Errorf("command %q, want %q", command, want)
	}
	version, _ := p.Lookup("sitemap.version")
	begun, _ := p.Lookup("sitemap.begun")
	if at, err := time.Parse(time.RFC3339, begun); version == "" || err != nil || time.Since(at) > time.Hour {
		t.Errorf("version %q, begun %q", version, begun)
	}
}

// Columns that only Parquet has do not keep those of extensions from being read. No column may be
// named twice.
func TestParquet_Fields(t *testing.T) {
	file := writeFile(t, "s.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>http://example.com/</loc><image:image><image:loc>http://example.com/1.png</image:loc></image:image></url></urlset>`)
	out := filepath.Join(t.TempDir(), "urls.parquet")
	runArgs(t, "urls", file, "-o", out, "--fields", "loc,lastmod_precision,images").want(t, cli.ExitOK, "")
	type row struct {
		Images []struct {
			Loc string `parquet:"loc"`
		} `parquet:"images,list"`
	}
	rows, err := parquet.ReadFile[row](out)
	if err != nil || len(rows) != 1 || len(rows[0].Images) != 1 || rows[0].Images[0].Loc != "http://example.com/1.png" {
		t.Errorf("%+v, %v", rows, err)
	}
	for _, name := range []string{"urls.parquet", "urls.jsonl", "urls.csv"} {
		runArgs(t, "urls", file, "-o", name, "--fields", "loc,kind,loc").want(t, cli.ExitUsage, "", "--fields: loc is named twice")
	}
}

// With --raw, the table of documents has its cells as they are too.
func TestDocuments_Raw(t *testing.T) {
	out := filepath.Join(t.TempDir(), "docs.csv")
	for flag, want := range map[string]string{"--raw=false": "\n'-,'-,", "--raw": "\n-,-,"} {
		runWith(t, strings.NewReader("http://example.com/\n"), "urls", "-", flag, "--documents", out).want(t, cli.ExitOK, "http://example.com/\n")
		if text := readFile(t, out); !strings.Contains(text, want) {
			t.Errorf("%s: %s", flag, text)
		}
	}
}

// As check says below the first findings of a rule, --all prints the others.
func TestBatchCat_All(t *testing.T) {
	entries := strings.Repeat("<url><loc>HOST/a</loc><lastmod>yesterday</lastmod></url>", 7)
	s := newTestSite(t, map[string]string{"/robots.txt": "Sitemap: HOST/a.xml\n", "/a.xml": "<urlset>" + entries + "</urlset>"})
	dir := t.TempDir()
	runArgs(t, "batch", writeFile(t, "list", s.URL+"\n"), "-o", dir, "--check", "-q", "--allow-private").want(t, cli.ExitOK, "")
	some, all := runArgs(t, "batch", "cat", dir+"/1", "--format", "text"), runArgs(t, "batch", "cat", dir+"/1", "--format", "text", "--all")
	const code = "is not a W3C date [bad_lastmod]"
	if n := strings.Count(some.out, code); n != 5 || !strings.Contains(some.out, "2 more [bad_lastmod]: --all") {
		t.Errorf("%d findings:\n%s", n, some.out)
	}
	if n := strings.Count(all.out, code); n != 7 || all.status != cli.ExitOK {
		t.Errorf("%d findings with --all:\n%s", n, all.out)
	}
}

// The fields that commands print in jsonl are in 'sitemap help fields'.
func TestHelp_Fields(t *testing.T) {
	s, dir := smallSite(t), t.TempDir()
	list := writeFile(t, "sites.txt", s.URL+"\n")
	page := writeFile(t, "urls.txt", s.URL+"/\n")
	out, state := filepath.Join(dir, "out"), filepath.Join(dir, "watch.db")
	runArgs(t, "batch", list, "-o", out, "--allow-private", "-q")
	help := runArgs(t, "help", "fields").out
	for _, args := range [][]string{
		{"urls", s.URL, "--allow-private"}, {"parse", page}, {"robots", s.URL, "--allow-private"},
		{"tree", s.URL, "--allow-private"}, {"check", s.URL, "--allow-private", "--pages", "1"},
		{"stats", s.URL, "--allow-private"}, {"diff", page, list},
		{"watch", s.URL, "--allow-private", "--state", state, "--once", "--initial"},
		{"watch", "status", "--state", state}, {"batch", "cat", out + "/1"},
		{"batch", "status", out}, {"batch", "status", out, "--failed"},
	} {
		r := runArgs(t, append(args, "--format", "jsonl")...)
		if r.out == "" {
			t.Errorf("%q printed nothing: %s", args, r.err)
		}
		for line := range strings.Lines(r.out) {
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Errorf("%q: %s: %v", args, line, err)
			}
			for name := range fields {
				if !regexp.MustCompile(`\b` + name + `\b`).MatchString(help) {
					t.Errorf("%q prints %s, which is not in the help", args, name)
				}
			}
		}
	}
}
