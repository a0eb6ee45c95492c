package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
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
	result{got.String(), r.err, r.status}.want(t, exitFailed, s.text(want), "missing.xml: status 404")
}

func TestTreeLines(t *testing.T) {
	s := smallSite(t)
	r := runArgs(t, "tree", "--allow-private", "--retries", "0", "--format", "jsonl", s.URL)
	var docs []treeObject
	for line := range strings.Lines(r.out) {
		var o treeObject
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
		a.Trust["robots"] != 2 || a.Trust["untrusted"] != 1 || a.Problems["untrusted_loc"] != 1 || a.Error != nil {
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
	r.want(t, exitFailed, s.text("HOST\n└── FAILED: ")+strings.TrimPrefix(strings.TrimPrefix(r.out, s.URL+"\n└── FAILED: "), ""), "no sitemap found")
}

// A large tree is drawn as it is walked.
func TestTreeLarge(t *testing.T) {
	const pad, n = 8_000, maxHeld/8_000 + 50
	var children []string
	for i := range n {
		children = append(children, fmt.Sprintf("HOST/c.txt?%d%s", i, strings.Repeat("x", pad)))
	}
	s := newTestSite(t, map[string]string{
		"/robots.txt": "Sitemap: HOST/a.txt\nSitemap: HOST/index.xml\nSitemap: HOST/b.txt\n",
		"/index.xml":  index(children...), "/a.txt": "HOST/a\n", "/b.txt": "HOST/b\n", "/c.txt": "HOST/c\n",
	})
	r := runArgs(t, "tree", "--allow-private", s.URL)
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	if r.status != exitOK || len(lines) != n+4 {
		t.Fatalf("status %d, %d lines, want %d, said %s", r.status, len(lines), n+4, r.err)
	}
	for i, line := range lines {
		want := fmt.Sprintf("│   ├── HOST/c.txt?%dx", i-3)
		switch i {
		case 0:
			want = "HOST"
		case 1:
			want = "├── HOST/a.txt"
		case 2:
			want = "├── HOST/index.xml"
		case n + 3:
			want = "├── HOST/b.txt"
		}
		if want = s.text(want); !strings.HasPrefix(line, want) {
			t.Fatalf("line %d is %.100s, want %s", i, line, want)
		}
	}
}
