package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

func TestTree(t *testing.T) {
	s := smallSite(t)
	r := runArgs(t, "tree", "--allow-private", "--retries", "0", s.URL)
	want := `HOST
├── HOST/index.xml  sitemapindex, 3 sitemaps, SIZE, status 200, robots.txt line 1
│   ├── HOST/a.xml  urlset, 3 URLs, SIZE, status 200, 1 problem
│   ├── HOST/missing.xml  status 404, FAILED: status 404 Not Found
│   └── HOST/b.xml  urlset, 2 URLs, SIZE, status 200
└── HOST/c.txt  text, 1 URL, SIZE, status 200, robots.txt line 2
`
	var got strings.Builder
	for line := range strings.Lines(r.out) {
		fields := strings.Split(line, ", ")
		if len(fields) > 2 {
			fields[2] = "SIZE"
		}
		got.WriteString(strings.Join(fields, ", "))
	}
	result{got.String(), r.err, r.status}.want(t, cli.ExitFailed, s.text(want), "missing.xml: status 404")
}

func TestTreeLines(t *testing.T) {
	s := smallSite(t)
	r := runArgs(t, "tree", "--allow-private", "--retries", "0", "--format", "jsonl", s.URL)
	type treeLine struct {
		Sitemap, Robots, Referrer, Format, Encoding string

		Line, Depth, Status, Attempts int
		Entries, Bytes, Received      int64

		Trust    map[trust.Level]int64
		Problems map[sitemap.Code]int
		Error    *jsonl.Error
	}
	var docs []treeLine
	for line := range strings.Lines(r.out) {
		var o treeLine
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, o)
	}
	if len(docs) != 5 {
		t.Fatalf("printed\n%s", r.out)
	}
	if a := docs[1]; a.Sitemap != s.URL+"/a.xml" || a.Referrer != s.URL+"/index.xml" || a.Depth != 1 || a.Status != 200 || a.Attempts != 1 ||
		a.Format != "urlset" || a.Encoding != "utf-8" || a.Entries != 3 || a.Bytes == 0 || a.Received != a.Bytes ||
		a.Trust[trust.Robots] != 2 || a.Trust[trust.Untrusted] != 1 || a.Problems[sitemap.UntrustedLoc] != 1 || a.Error != nil {
		t.Errorf("got %+v", a)
	}
	if m := docs[2]; m.Error == nil || m.Error.Code != "fetch_failed" || m.Status != 404 {
		t.Errorf("got %+v", m)
	}
	if c := docs[4]; c.Robots != s.URL+"/robots.txt" || c.Line != 2 || c.Depth != 0 {
		t.Errorf("got %+v", c)
	}
}

func TestTreeNothing(t *testing.T) {
	s := newTestSite(t, nil)
	r := runArgs(t, "tree", "--allow-private", s.URL)
	r.want(t, cli.ExitFailed, s.text("HOST\n└── FAILED: ")+strings.TrimPrefix(strings.TrimPrefix(r.out, s.URL+"\n└── FAILED: "), ""), "no sitemap found")
}

// A name in a list cannot control the terminal.
func TestTreeControlCharacters(t *testing.T) {
	list := writeFile(t, "list", "./a\x1b[31m.xml\n")
	runArgs(t, "tree", "--from", list).want(t, cli.ExitFailed,
		"./a\ufffd[31m.xml\n└── ./a\ufffd[31m.xml  FAILED: no such file or directory\n", "no such file")
}

func TestTreeLine_AssumedZone(t *testing.T) {
	s := newTestSite(t, map[string]string{
		"/index.xml": strings.Replace(index("HOST/a.xml"), "</loc>",
			"</loc><lastmod>2024-05-06T07:08:09</lastmod>", 1),
		"/a.xml": urlset("HOST/1"),
	})
	r := runArgs(t, "tree", "--allow-private", "--format", "jsonl", s.URL+"/index.xml")
	if want := `"lastmod":"2024-05-06T07:08:09Z","zone_assumed":true,`; !strings.Contains(r.out, want) {
		t.Errorf("printed %s, want %s", r.out, want)
	}
}
