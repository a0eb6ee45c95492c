package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// hostile would do harm in a page that does not escape it.
const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(2)>` + "\u202e\x00`${1}"

// finding returns a finding of a rule in a document.
func finding(code sitemap.Code, document, text string) *audit.Finding {
	rule, _ := audit.RuleOf(code)
	return &audit.Finding{
		Code: code, Severity: rule.Severity, Sitemap: document, Text: text, Message: "about " + text,
		Fix: rule.Fix, Excerpt: audit.Excerpt{Text: text},
	}
}

// ended returns a document that has been audited.
func ended(name string, entries int64) *findings.DocumentEnd {
	return &findings.DocumentEnd{Name: name, Summary: &discover.Summary{
		Summary: sitemap.Summary{Format: sitemap.URLSet, Entries: entries, Bytes: 100 * entries},
		Status:  200, Elapsed: time.Millisecond,
	}}
}

// listed returns a page with a lastmod.
func listed(t *testing.T, loc, lastMod string) *discover.URL {
	t.Helper()
	u := &discover.URL{Entry: sitemap.Entry{Loc: loc}, Trust: trust.Robots}
	if lastMod != "" {
		var err error
		if u.LastMod, err = sitemap.ParseTime(lastMod); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

// printed ends a report and returns its page.
func printed(t *testing.T, r *Report, totals findings.Totals) string {
	t.Helper()
	var text bytes.Buffer
	r.w = &text
	if err := r.End(totals); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// parsed returns the elements of a page, and its text without scripts and styles.
func parsed(t *testing.T, page string) (elements []*html.Node, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.ElementNode:
			elements = append(elements, n)
		case n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style":
			text += n.Data + " "
		}
	}
	return elements, text
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// hostileReport has hostile text wherever text can come from the web or the command line.
func hostileReport(t *testing.T) *Report {
	t.Helper()
	r := New(nil, "https://example.com/"+hostile)
	old := `{"type":"problem","code":"bad_lastmod","severity":"error","sitemap":"javascript:alert(3)//<script>","message":"<script>alert(4)</script>","target":%q}
{"type":"document","sitemap":"javascript:alert(5)//<script>","format":"urlset","entries":3,"target":%[1]q}
{"type":"total"}
`
	if err := r.Since(strings.NewReader(fmt.Sprintf(old, "https://example.com/")), hostile); err == nil {
		t.Error("another target: no error")
	}
	r.target = "https://example.com/"
	if err := r.Since(strings.NewReader(fmt.Sprintf(old, r.target)), hostile); err != nil {
		t.Fatal(err)
	}
	r.target = hostile
	for _, name := range []string{"https://example.com/" + hostile, "javascript:alert(6)", hostile} {
		r.Finding(finding("bad_lastmod", name, hostile), "")
		d := ended(name, 5)
		d.Code, d.Message = "truncated", hostile
		r.Document(d)
	}
	r.Document(&findings.DocumentEnd{Name: hostile, Message: hostile, Code: "refused"})
	r.Page(listed(t, "https://"+hostile+"/"+hostile+"/x", "2026-01-02"))
	return r
}

// TestPolicy: the page may run its own script and use its own style, and nothing else.
func TestPolicy(t *testing.T) {
	page := printed(t, hostileReport(t), findings.Totals{})
	elements, _ := parsed(t, page)
	policy, inline := "", 0
	for _, n := range elements {
		if attribute(n, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(n, "content")
		}
		if n.Data != "script" && n.Data != "style" {
			continue
		}
		inline++
		sum := sha256.Sum256([]byte(n.FirstChild.Data))
		want := n.Data + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
		if !strings.Contains(policy, want) || len(n.Attr) > 0 {
			t.Errorf("%s: %q is not in the policy before it, %q", n.Data, want, policy)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'sha256-") || inline != 2 {
		t.Errorf("policy %q, %d scripts and styles", policy, inline)
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("policy %q", policy)
	}
}

// TestEscaping: text from outside makes no elements, no attributes and no harmful links.
func TestEscaping(t *testing.T) {
	elements, text := parsed(t, printed(t, hostileReport(t), findings.Totals{}))
	for _, n := range elements {
		if slices.Contains([]string{"img", "iframe", "link", "base", "form", "object"}, n.Data) {
			t.Errorf("an element %s", n.Data)
		}
		for _, a := range n.Attr {
			href := a.Val == "" || a.Val[0] == '#' ||
				strings.HasPrefix(a.Val, "https://example.com/")
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" ||
				a.Key == "href" && !href {
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
	if strings.ContainsAny(text, "\u202e\x00") {
		t.Error("a control character is in the text")
	}
	shown := strings.NewReplacer("\u202e", "\ufffd", "\x00", "\ufffd").Replace(hostile)
	if n := strings.Count(text, shown); n < 12 {
		t.Errorf("the hostile text is shown %d times:\n%s", n, text)
	}
}

// TestCounts: what the page says is what was found.
func TestCounts(t *testing.T) {
	r := New(nil, "https://www.example.com/")
	r.Finding(finding("bad_lastmod", "https://www.example.com/a.xml", "x"), "")
	r.Finding(finding("bad_lastmod", "https://www.example.com/a.xml", "y"), "")
	r.Finding(finding("untrusted_loc", "https://www.example.com/a.xml", "z"), "")
	r.Problem(nil, sitemap.Problem{Code: sitemap.UntrustedLoc, Text: "https://www.example.com/a"})
	r.Finding(finding("nonstandard_key", "https://www.example.com/robots.txt", "z"), "")
	r.Document(ended("https://www.example.com/a.xml", 1234))
	r.Document(ended("https://www.example.com/b.xml", 10))
	index := ended("https://www.example.com/index.xml", 2)
	index.Summary.Format = sitemap.SitemapIndex
	r.Document(index)
	missing := ended("https://www.example.com/c.xml", 0)
	missing.Code, missing.Message, missing.Known = "fetch_failed", "status 404 Not Found", true
	missing.Summary.Format, missing.Summary.Status = 0, 404
	missing.Summary.Err = errors.New("status 404")
	r.Document(missing)
	r.Page(listed(t, "https://www.example.com/shop/1", "2026-01-02"))
	r.Page(listed(t, "https://www.example.com/shop/2?a=/b/", ""))
	r.Page(listed(t, "https://img.example.com/1", ""))
	page := printed(t, r, findings.Totals{URLs: 1244, Errors: 3, Warnings: 1})
	elements, text := parsed(t, page)
	var items []string
	tiles := 0
	for _, n := range elements {
		if n.Data == "li" && n.Parent.Data == "ul" {
			_, item := parsed(t, render(t, n))
			items = append(items, strings.Join(strings.Fields(item), " "))
		}
		if strings.HasPrefix(attribute(n, "class"), "tile ") {
			tiles++
		}
	}
	want := "2 sitemaps|1 index|1 not read|1,244 URLs|3 errors|1 warning|0 infos"
	if got := strings.Join(items, "|"); got != want {
		t.Errorf("counts %s, want %s", got, want)
	}
	if tiles != 3 {
		t.Errorf("%d tiles, want those of a, b and c", tiles)
	}
	text = strings.Join(strings.Fields(text), " ")
	for _, part := range []string{
		"Sitemaps of www.example.com", "Search engines refuse part", "2 places", "1 of 3 URLs",
		"/shop/ 2", "/ 1", "www.example.com robots 2", "img.example.com robots 1", "200 3", "404 1",
		"up to 1 KiB 2", "up to 1 MiB 1", "errors 2 warnings 0 neither 2",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in the page:\n%s", part, text)
		}
	}
}

func render(t *testing.T, n *html.Node) string {
	t.Helper()
	var text strings.Builder
	if err := html.Render(&text, n); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestNothingRead: there is no page about nothing.
func TestNothingRead(t *testing.T) {
	r := New(nil, "https://example.com/")
	r.Document(&findings.DocumentEnd{Name: "https://example.com/", Message: "no", Code: "refused"})
	var page bytes.Buffer
	r.w = &page
	if err := r.End(findings.Totals{}); err != ErrNothing || page.Len() > 0 {
		t.Errorf("%v, printed %q", err, page.String())
	}
}

// TestTreemap: tiles fill the rectangle, do not overlap and are in proportion to the entries.
func TestTreemap(t *testing.T) {
	var rows []*auditedDocument
	for _, entries := range []int64{50, 4000, 0, 900, 900, 12_000, 1, 333} {
		rows = append(rows, &auditedDocument{
			Name:    "https://example.com/products-of-the-shop.xml",
			Summary: ended("", entries).Summary,
		})
	}
	index := ended("", 10_000).Summary
	index.Format = sitemap.SitemapIndex
	rows = append(rows, &auditedDocument{Summary: index})
	tiles, sum := treemap(rows), 0.0
	if len(tiles) != len(rows)-1 {
		t.Fatalf("%d tiles", len(tiles))
	}
	for i, a := range tiles {
		sum += a.W * a.H
		if a.X < 0 || a.Y < 0 || a.X+a.W > treemapWidth+0.01 || a.Y+a.H > treemapHeight+0.01 ||
			a.W*a.H < 100 || rows[a.Row] != a.Document {
			t.Errorf("tile %+v", a)
		}
		for _, b := range tiles[:i] {
			if min(a.X+a.W, b.X+b.W)-max(a.X, b.X) > 0.01 && min(a.Y+a.H, b.Y+b.H)-max(a.Y, b.Y) > 0.01 {
				t.Errorf("%+v and %+v overlap", a, b)
			}
		}
	}
	if math.Abs(sum-treemapWidth*treemapHeight) > 1 {
		t.Errorf("the tiles have %f", sum)
	}
	if ratio := tiles[0].W * tiles[0].H / (tiles[1].W * tiles[1].H); math.Abs(ratio-3) > 0.01 {
		t.Errorf("three times the entries have %f times the area", ratio)
	}
	if tiles[0].Label != "products-of-the-shop" || tiles[7].Label != "" {
		t.Errorf("labels %q, %q", tiles[0].Label, tiles[7].Label)
	}
}

// The latest months come first. Many months are counted by year, and the oldest years are one bar.
func TestLatest(t *testing.T) {
	months := map[name]int64{{"2026-11", ""}: 1, {"2025-01", ""}: 3}
	if list := latest(months); !slices.Equal(list, []bar{{name{"2026-11", ""}, 1}, {name{"2025-01", ""}, 3}}) {
		t.Errorf("%+v", list)
	}
	for year := range 30 {
		months[name{fmt.Sprintf("20%02d-02", year), ""}] = 2
	}
	list := latest(months)
	if n := len(list); n != maxBars+1 || list[0] != (bar{name{"2029", ""}, 2}) || list[4] != (bar{name{"2025", ""}, 5}) || list[n-1] != (bar{name{"5 others", ""}, 10}) {
		t.Errorf("%+v", list)
	}
}

func TestSince(t *testing.T) {
	r := New(nil, "example.com")
	for _, test := range []struct{ text, want string }{
		{"no JSON\n", "line 1 is not of"},
		{"{\"type\":\"total\"}\n{}\n", "line 2 is not of"},
		{`{"type":"document","target":"example.org"}`, "nothing about example.com in it, but about example.org"},
		{`{"type":"total"}`, "nothing about example.com in it, but about nothing else"},
	} {
		if err := r.Since(strings.NewReader(test.text), "old"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.text, err)
		}
	}
	const old = `{"type":"problem","code":"bad_lastmod","severity":"error","sitemap":"a","text":"x","message":"m","target":"example.com"}
{"type":"problem","code":"bad_lastmod","severity":"error","sitemap":"a","text":"x","message":"m","target":"example.com"}
{"type":"problem","code":"empty_loc","severity":"error","sitemap":"a","message":"gone here","target":"example.com"}
{"type":"document","sitemap":"a","format":"urlset","entries":10,"target":"example.com"}
{"type":"document","sitemap":"b","format":"urlset","entries":5,"target":"example.com"}
{"type":"document","sitemap":"d","format":"urlset","entries":1,"target":"example.com","error":{"message":"cut"}}
{"type":"document","sitemap":"e","format":"urlset","entries":1,"target":"example.com"}
{"type":"document","sitemap":"else","format":"urlset","entries":5,"target":"example.org"}
{"type":"total"}`
	if err := r.Since(strings.NewReader(old), "old"); err != nil {
		t.Fatal(err)
	}
	for range 3 { // two of them were there
		r.Finding(finding("bad_lastmod", "a", "x"), "")
	}
	r.Finding(finding("raw_ampersand", "a", "y"), "")
	for name, entries := range map[string]int64{"a": 12, "c": 7, "d": 1, "e": 1} {
		d := ended(name, entries)
		if name == "e" {
			d.Code, d.Message = "truncated", "cut"
		}
		r.Document(d)
	}
	c := r.changes()
	got := fmt.Sprint(c.Fresh, c.Gone, c.Added, c.Removed, c.Before, c.Now)
	if got != "2 1 1 1 {4 17} {4 21}" {
		t.Errorf("changes %s: %+v", got, c)
	}
	if got := fmt.Sprint(c.Documents); got != "[{c added 0 7} {d can be read again 1 1} {e cannot be read to its end 1 1} {a changed 10 12} {b removed 5 0}]" {
		t.Errorf("documents %s", got)
	}
	rules := ""
	for _, rule := range c.Rules {
		rules += fmt.Sprint(" ", rule.Rule.Code, " ", rule.Fresh, " ", rule.Gone)
	}
	if rules != " bad_lastmod 1 0 empty_loc 0 1 raw_ampersand 1 0" {
		t.Errorf("rules%s", rules)
	}
	if page := printed(t, r, findings.Totals{}); !strings.Contains(page, "<b>17 → 21</b> URLs") {
		t.Error("the page does not show the changes")
	}
}

// TestSize: the page of a large site stays small.
func TestSize(t *testing.T) {
	r := New(nil, "https://www.example.com/")
	for i := range 20_000 {
		d := ended(fmt.Sprintf("https://www.example.com/sitemaps/products/of-some-category/in-a-country/sitemap-%06d.xml.gz", i), int64(i))
		r.Finding(finding("bad_lastmod", d.Name, "yesterday"), "")
		r.Document(d)
	}
	page := printed(t, r, findings.Totals{})
	if len(page) > 5_000_000 || !strings.Contains(page, "<b>20,000</b> sitemaps") ||
		strings.Count(page, `class="tile `) != maxRows || !strings.Contains(page, "15000 more") {
		t.Errorf("%d bytes", len(page))
	}
}
