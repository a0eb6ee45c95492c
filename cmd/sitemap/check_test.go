package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestCheckFile(t *testing.T) {
	sound := writeFile(t, "sound.xml", `<?xml version="1.0" encoding="UTF-8"?>`+urlset("http://example.com/1"))
	runArgs(t, "check", sound).want(t, exitOK, sound+": urlset, utf-8, 1 URL, 0 problems\n")
	runArgs(t, "check", "--format", "jsonl", sound).want(t, exitOK,
		`{"type":"document","sitemap":"`+sound+`","format":"urlset","encoding":"utf-8","entries":1,"problems":0}`+"\n")

	odd := writeFile(t, "odd.xml", "<urlset"+xmlns+">\n<url><loc>http://example.com/?a&b</loc></url>\n<url><loc></loc></url>\n</urlset>")
	runArgs(t, "check", odd).want(t, exitFailed,
		odd+`:2: error: raw_ampersand: "&b"`+"\n"+odd+":3: error: empty_loc in loc (dropped)\n"+odd+": urlset, utf-8, 1 URL, 2 problems\n")
	r := runArgs(t, "check", "--format", "jsonl", odd)
	r.want(t, exitFailed, strings.ReplaceAll(`{"type":"problem","sitemap":"ODD","code":"raw_ampersand","severity":"error","line":2,"offset":92,"text":"&b","dropped":false}
{"type":"problem","sitemap":"ODD","code":"empty_loc","severity":"error","line":3,"offset":112,"field":"loc","dropped":true}
{"type":"document","sitemap":"ODD","format":"urlset","encoding":"utf-8","entries":1,"problems":2}
`, "ODD", odd))

	warned := writeFile(t, "warned.xml", urlset("http://user@example.com/"))
	if r := runArgs(t, "check", warned); r.status != exitOK {
		t.Errorf("a warning ends with status %d", r.status)
	}
}

func TestCheckErrors(t *testing.T) {
	html := writeFile(t, "x.html", "<html></html>")
	runArgs(t, "check", "--format", "jsonl", html).want(t, exitFailed,
		`{"type":"document","sitemap":"`+html+`","entries":0,"problems":0,"failed":true,"error":{"code":"not_a_sitemap","message":"line 1: not a sitemap: an HTML page"}}`+"\n",
		"an HTML page")
	cut := writeFile(t, "cut.xml", urlset("http://example.com/1", "http://example.com/2")[:100])
	r := runArgs(t, "check", "--format", "jsonl", cut)
	if !strings.Contains(r.out, `"error":{"code":"truncated","message":"line 1: `) || strings.Contains(r.out, "failed") || r.status != exitFailed {
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
	if !strings.Contains(r.out, `"error":{"code":"read_failed","message":"no such file or directory"}`) || r.status != exitFailed {
		t.Errorf("status %d, printed %q", r.status, r.out)
	}
}

func TestCheckSite(t *testing.T) {
	s := smallSite(t)
	r := runArgs(t, "check", "--allow-private", "--retries", "0", "--format", "jsonl", s.URL)
	if r.status != exitFailed {
		t.Errorf("exit status %d", r.status)
	}
	for _, line := range []string{
		`"sitemap":"HOST/a.xml","code":"untrusted_loc","severity":"error","line":3`,
		`{"type":"document","sitemap":"HOST/index.xml","format":"sitemapindex","encoding":"utf-8","entries":3,"problems":0,"status":200}`,
		`{"type":"document","sitemap":"HOST/missing.xml","entries":0,"problems":0,"status":404,"failed":true,"error":{"code":"fetch_failed","message":"status 404 Not Found"}}`,
	} {
		if !strings.Contains(r.out, s.text(line)) {
			t.Errorf("printed\n%s\nwithout\n%s", r.out, s.text(line))
		}
	}
	r = runArgs(t, "check", "--format", "jsonl", s.URL)
	if !strings.Contains(r.out, `"error":{"code":"refused","message":`) || r.status != exitFailed {
		t.Errorf("status %d, printed %q", r.status, r.out)
	}
	empty := newTestSite(t, nil)
	r = runArgs(t, "check", "--allow-private", "--format", "jsonl", empty.URL)
	if !strings.Contains(r.out, `{"type":"document","sitemap":"`+empty.URL+`","entries":0,"problems":0,"target":"`+empty.URL+`","failed":true,"error":{"code":"no_sitemap"`) || r.status != exitFailed {
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
	if want := `{"type":"document","sitemap":"` + cut.URL + `/robots.txt","entries":2,"problems":0,"status":200,"error":{"code":"fetch_failed",`; !strings.Contains(r.out, want) || strings.Contains(r.out, "failed\":true") {
		t.Errorf("printed\n%s\nwithout\n%s", r.out, want)
	}
	// Of a target that a limit stopped, something was read.
	r = runArgs(t, "check", "--allow-private", "--limit", "sitemaps=1", "--format", "jsonl", s.URL+"/index.xml")
	if want := `,"target":"` + s.URL + `/index.xml","error":{"code":"limit",`; !strings.Contains(r.out, want) || strings.Contains(r.out, "failed") {
		t.Errorf("printed\n%s\nwithout\n%s", r.out, want)
	}
}
