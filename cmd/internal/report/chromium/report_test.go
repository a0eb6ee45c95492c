package chromium

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/report"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// A tab is a tab of the browser, and what its console and its loader said.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu   sync.Mutex
	said []string
}

// newTab opens a tab in a new browser.
func newTab(t *testing.T) *tab {
	t.Helper()
	options := append([]chromedp.ExecAllocatorOption{
		chromedp.WindowSize(1200, 900), chromedp.WSURLReadTimeout(5 * time.Minute),
	}, chromedp.DefaultExecAllocatorOptions[:]...)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	b.do() // opens it
	err := chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			b.said = append(b.said, fmt.Sprintf("%s: %v", e.Type, e.Args))
		case *runtime.EventExceptionThrown:
			b.said = append(b.said, e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			b.said = append(b.said, e.Entry.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// quiet fails the test if the console said something.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) > 0 {
		b.t.Errorf("on the console: %q", b.said)
	}
}

// want fails the test unless an expression has a value.
func (b *tab) want(expression, want string) {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	if got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// click clicks on what a CSS selector matches.
func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// open opens a page from a file.
func (b *tab) open(page []byte) {
	b.t.Helper()
	name := filepath.Join(b.t.TempDir(), "site.html")
	if err := os.WriteFile(name, page, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Navigate("file://" + filepath.ToSlash(name)))
}

// A site is what a report is about.
type site struct {
	target  string
	names   []string // of sitemaps
	text    string   // of findings, URLs and errors
	earlier string   // what check has printed of an earlier run, or ""
}

// page returns the report of a site. The first sitemap has an error, the second a warning.
func (s site) page(t *testing.T) []byte {
	t.Helper()
	var page bytes.Buffer
	r := report.New(&page, s.target)
	if s.earlier != "" {
		if err := r.Since(strings.NewReader(s.earlier), "monday.jsonl"); err != nil {
			t.Fatal(err)
		}
	}
	totals := findings.Totals{Errors: 1, Warnings: 1}
	for i, name := range s.names {
		if i < 2 {
			code := []sitemap.Code{"bad_lastmod", "guid_as_loc"}[i]
			rule, _ := audit.RuleOf(code)
			r.Finding(&audit.Finding{
				Code: code, Severity: rule.Severity, Sitemap: name, Message: s.text, Fix: rule.Fix,
				Excerpt: audit.Excerpt{Text: s.text},
			}, s.target)
		}
		d := &findings.DocumentEnd{Name: name, Summary: &discover.Summary{
			Summary: sitemap.Summary{Format: sitemap.URLSet, Entries: int64(10_000 - i), Bytes: 1 << 16},
			Status:  200, Elapsed: time.Millisecond,
		}}
		r.Document(d)
		u := &discover.URL{Entry: sitemap.Entry{Loc: name + "/" + s.text}, Trust: trust.Robots}
		u.LastMod, _ = sitemap.ParseTime("2026-01-02")
		r.Page(u)
		totals.Documents++
		totals.URLs += d.Summary.Entries
	}
	if err := r.End(totals); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("https://www.example.com/sitemaps/products/category-%d/sitemap-%06d.xml.gz", i%20, i)
	}
	return list
}

const shownRows = `[...document.querySelectorAll("#rows tbody tr")].filter((r) => r.offsetHeight > 0).length`

// shownName is the sitemap in the first row that is shown.
const shownName = `[...document.querySelectorAll("#rows tbody tr")].find((r) => r.offsetHeight > 0).cells[0].innerText`

// TestClicks: the page renders, and clicks on sitemaps and colours filter the table.
func TestClicks(t *testing.T) {
	b, site := newTab(t), site{target: "https://www.example.com/", names: names(12), text: "a text"}
	b.open(site.page(t))
	b.want(`document.title`, "Sitemaps of www.example.com")
	b.want(`document.querySelectorAll("svg rect").length > 30`, "true")
	b.want(`document.querySelector(".verdict").innerText`, "Search engines refuse part of these sitemaps.")
	b.want(`getComputedStyle(document.querySelector(".tile.error")).fill`, "rgb(180, 35, 24)")
	b.want(shownRows, "12")
	b.do(click(`.tile[data-row="3"]`))
	b.want(shownRows, "1")
	b.want(shownName, site.names[3])
	b.want(`document.getElementById("status").textContent`, "1 of 12 shown")
	b.want(`document.querySelectorAll('[aria-pressed="true"]').length`, "1")
	b.do(click(`.tile[data-row="3"]`)) // again
	b.want(shownRows, "12")
	b.do(click(`[data-show="warning"]`))
	b.want(shownRows, "1")
	b.want(shownName, site.names[1])
	b.do(click("#all"))
	b.want(shownRows, "12")
	b.want(`document.querySelectorAll('[aria-pressed="true"]').length`, "0")
	b.media("screen", "dark")
	b.want(`getComputedStyle(document.body).backgroundColor`, "rgb(18, 23, 30)")
	b.quiet()
}

// TestKeyboard: all that clicks do can be done with the keyboard.
func TestKeyboard(t *testing.T) {
	b, site := newTab(t), site{target: "https://www.example.com/", names: names(12), text: "a text"}
	b.open(site.page(t))
	b.do(chromedp.Focus(chromedp.CSS(`[data-show="sound"]`)), chromedp.KeyEvent(kb.Tab))
	b.want(`document.activeElement.dataset.row`, "0")
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown),
		chromedp.KeyEvent(kb.ArrowLeft))
	b.want(`document.activeElement.dataset.row`, "1")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.want(shownRows, "1")
	b.want(shownName, site.names[1])
	b.do(chromedp.KeyEvent(kb.Escape))
	b.want(shownRows, "12")
	b.do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(" "))
	b.want(shownName, site.names[11])
	b.want(`document.querySelectorAll('.tile[tabindex="0"]').length`, "1")
	b.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter)) // the button that shows all
	b.want(shownRows, "12")
	b.quiet()
}

// TestHostile: text from outside is shown and does no harm.
func TestHostile(t *testing.T) {
	const text = `"'></td></title></style></script><script>document.title = "harmed"</script>` +
		`<img src=x onerror='document.title = "harmed"'>` + "\u202e\u2066" +
		`<svg onload='document.title = "harmed"'>{{.}}${document.title = "harmed"}`
	b := newTab(t)
	site := site{target: "https://www.example.com/", names: []string{
		`javascript:document.title="harmed"`, "https://www.example.com/" + text, text,
	}, text: text}
	b.open(site.page(t))
	b.want(`document.title`, "Sitemaps of www.example.com")
	b.want(`document.querySelectorAll("img, script:not(body > script), svg[onload]").length`, "0")
	b.want(`[...document.links].filter((a) => !/^(https:|file:.*#)/.test(a.href)).length`, "0")
	b.want(`/[\u202e\u2066]/.test(document.documentElement.outerHTML)`, "false")
	b.want(`document.body.innerText.includes("<script>document.title")`, "true")
	b.do(click(`.tile[data-row="0"]`))
	b.want(shownRows, "1")
	b.want(`document.title`, "Sitemaps of www.example.com")
	b.quiet()
	harm := `(() => { const s = document.createElement("script"); s.textContent = "document.title = 'harmed'";
		document.body.append(s); return document.title; })()`
	b.want(harm, "Sitemaps of www.example.com")
	b.mu.Lock()
	if len(b.said) == 0 {
		t.Error("the console does not say that the policy forbids a script")
	}
	b.mu.Unlock()
	site.target = text
	b.open(site.page(t))
	b.want(`document.title`, "Sitemaps of "+strings.NewReplacer("\u202e", "\ufffd", "\u2066", "\ufffd").Replace(text))
}

// TestServed: a page that a server delivers asks it for nothing else.
func TestServed(t *testing.T) {
	page := site{target: "https://www.example.com/", names: names(3), text: "a text"}.page(t)
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		w.Header().Set("Content-Type", "text/html")
		w.Write(page)
	}))
	defer server.Close()
	b := newTab(t)
	b.do(chromedp.Navigate(server.URL + "/site.html"))
	b.want(shownRows, "3")
	b.quiet()
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 1 {
		t.Errorf("asked for %q", asked)
	}
}

// TestLarge: the report of 5,000 sitemaps is below 5 MB, and shows them all.
func TestLarge(t *testing.T) {
	page := site{target: "https://www.example.com/", names: names(5000), text: "a text"}.page(t)
	if len(page) >= 5_000_000 {
		t.Errorf("%d bytes", len(page))
	}
	b := newTab(t)
	begun := time.Now()
	b.open(page)
	b.want(shownRows, "5000")
	t.Logf("%d bytes, open after %v", len(page), time.Since(begun))
	b.do(click(`.tile[data-row="7"]`))
	b.want(shownRows, "1")
	b.quiet()
}
