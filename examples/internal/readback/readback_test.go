// Package readback reads with other implementations what the command writes.
package readback

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

const document = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
 xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
 xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>https://example.com/a</loc><lastmod>2024-05-06T07:08:09Z</lastmod><priority>0.8</priority>
 <image:image><image:loc>https://example.com/1.png</image:loc></image:image>
 <image:image><image:loc>https://example.com/2.png</image:loc></image:image>
 <xhtml:link rel="alternate" hreflang="de" href="https://example.com/de/a"/></url>
<url><loc>https://example.com/b</loc>
 <video:video><video:thumbnail_loc>https://example.com/t.png</video:thumbnail_loc>
  <video:title>T</video:title><video:description>D</video:description>
  <video:content_loc>https://example.com/v.mp4</video:content_loc></video:video>
 <news:news><news:publication><news:name>N, "M"</news:name><news:language>en</news:language>
  </news:publication><news:publication_date>2024-05-06</news:publication_date>
  <news:title>Straße
  &lt;b&gt;</news:title></news:news></url>
</urlset>`

// write returns the name of a file with this suffix that "sitemap urls -o" has written.
func write(t *testing.T, suffix string) string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.xml"), filepath.Join(dir, "out"+suffix)
	if err := os.WriteFile(in, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-C", "../../../cmd", "./sitemap", "urls", "-q", "-o", out, in)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

func TestParquet_Arrow(t *testing.T) {
	f, err := file.OpenParquetFile(write(t, ".parquet"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	got, types := map[string]string{}, map[string]string{}
	for i := range int(table.NumCols()) {
		column := table.Column(i)
		types[column.Name()] = column.DataType().Name()
		for _, chunk := range column.Data().Chunks() {
			for j := range chunk.Len() {
				got[column.Name()] += chunk.ValueStr(j) + "\n"
			}
		}
	}
	for _, want := range []struct{ name, kind, values string }{
		{"loc", "utf8", "https://example.com/a\nhttps://example.com/b\n"},
		{"lastmod", "timestamp", "2024-05-06T07:08:09Z\n(null)\n"},
		{"priority", "float64", "0.8\n(null)\n"},
		{"on_site", "bool", "(null)\n(null)\n"},
		{"images", "list", `[{"caption":null,"loc":"https://example.com/1.png","title":null},` +
			`{"caption":null,"loc":"https://example.com/2.png","title":null}]` + "\n[]\n"},
		{"videos", "list", "[]\n" + `[{"content_loc":"https://example.com/v.mp4","description":"D",` +
			`"duration":null,"player_loc":null,"tags":[],` +
			`"thumbnail_loc":"https://example.com/t.png","title":"T"}]` + "\n"},
		{"alternates", "list", `[{"href":"https://example.com/de/a","hreflang":"de","media":null,` +
			`"rel":"alternate"}]` + "\n[]\n"},
	} {
		if got[want.name] != want.values || types[want.name] != want.kind {
			t.Errorf("%s: read %s %s, want %s %s", want.name, types[want.name], got[want.name],
				want.kind, want.values)
		}
	}
	if !strings.Contains(got["news"], `"publication_date":"2024-05-06T00:00:00Z"`) ||
		!strings.Contains(got["news"], `Straße`) {
		t.Errorf("news: read %s", got["news"])
	}
}

// readback reads with Python's csv and json modules. Without Python, nothing is read.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("no python3 on this machine")
		return
	}
	for _, test := range []struct{ suffix, script string }{
		{".csv", `import csv,sys
for r in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")):
    print(r["loc"], r["lastmod"], r["priority"], r["image"], r["hreflang"], r["news_name"], "<b>" in r["news_title"])`},
		{".jsonl", `import json,sys
for l in open(sys.argv[1], encoding="utf-8"):
    r = json.loads(l)
    n = r.get("news", [{}])[0]
    print(r["loc"], r.get("lastmod", ""), r.get("priority", ""), r.get("images", [{}])[0].get("loc", ""),
        " ".join(a["hreflang"] + "=" + a["href"] for a in r.get("alternates", [])), n.get("publication_name", ""), "<b>" in n.get("title", ""))`},
		{".csv.gz", `import csv,gzip,sys
for r in csv.DictReader(gzip.open(sys.argv[1], "rt", newline="", encoding="utf-8")):
    print(r["loc"], r["lastmod"], r["priority"], r["image"], r["hreflang"], r["news_name"], "<b>" in r["news_title"])`},
	} {
		var problems bytes.Buffer
		cmd := exec.Command(python, "-c", test.script, write(t, test.suffix))
		cmd.Stderr = &problems
		got, err := cmd.Output()
		want := "https://example.com/a 2024-05-06T07:08:09Z 0.8 https://example.com/1.png " +
			"de=https://example.com/de/a  False\n" + `https://example.com/b     N, "M" True` + "\n"
		if err != nil || string(got) != want {
			t.Errorf("%s: read %q, %v; want %q\n%s", test.suffix, got, err, want, &problems)
		}
	}
}
