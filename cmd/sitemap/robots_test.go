package main

import (
	"compress/gzip"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

func TestRobots(t *testing.T) {
	const text = "User-agent: *\nDisallow: /x\nSitemap: http://example.com/a.xml\nSitemap: /b.xml\nSitemap: ftp://example.com/c.xml\n"
	file := writeFile(t, "robots.txt", text)
	runArgs(t, "robots", "--base", "http://example.com/robots.txt", "--format", "jsonl", file).want(t, cli.ExitOK,
		`{"loc":"http://example.com/a.xml","line":3}`+"\n"+`{"loc":"http://example.com/b.xml","line":4}`+"\n",
		`robots.txt:4: error: relative_loc`, `robots.txt:5: error: bad_scheme`)
	runWith(t, strings.NewReader(text), "robots", "-q", "-").want(t, cli.ExitOK, "http://example.com/a.xml\n")
	out := filepath.Join(t.TempDir(), "robots.jsonl") // whose suffix decides the format
	runArgs(t, "robots", "-q", file, "-o", out).want(t, cli.ExitOK, "")
	wantFile(t, out, `{"loc":"http://example.com/a.xml","line":3}`+"\n")
	runArgs(t, "robots", "./none").want(t, cli.ExitFailed, "", "./none: no such file")

	s := newTestSite(t, map[string]string{"/robots.txt": text})
	runArgs(t, "robots", "-q", "--allow-private", s.URL).want(t, cli.ExitOK, s.text("http://example.com/a.xml\nHOST/b.xml\n"))
	none := newTestSite(t, nil)
	runArgs(t, "robots", "--allow-private", none.URL).want(t, cli.ExitOK, "",
		none.text("robots.txt names no sitemap: HOST/robots.txt: status 404 Not Found\n"))
	runWith(t, strings.NewReader("Disallow:\n"), "robots", "-").want(t, cli.ExitOK, "", "standard input names no sitemap\n")
	runWith(t, strings.NewReader(""), "robots", "-").want(t, cli.ExitOK, "", "standard input names no sitemap")
	runArgs(t, "robots", none.URL).want(t, cli.ExitFailed, "", "is not public")
}

// TestRobotsOther: the other records for our agent follow the sitemaps.
func TestRobotsOther(t *testing.T) {
	const text = "Host: a.test\nUser-agent: *\nContent-Signal: ai-train=no, search=yes\nAllow: /\n" +
		"Sitemap: http://example.com/a.xml\nUser-agent: foobot\nNoindex: /x\x1b\nDisallow: /\n"
	const loc = "http://example.com/a.xml"
	for _, tt := range []struct{ format, agent, want string }{
		{"text", "x/1", loc + "\nHost: a.test\nContent-Signal: ai-train=no, search=yes\n"},
		{"text", "foobot/1", loc + "\nHost: a.test\nNoindex: /x\ufffd\n"},
		{
			"jsonl", "foobot",
			`{"loc":"` + loc + `","line":5}` + "\n" + `{"key":"Host","value":"a.test","line":1}` + "\n" +
				`{"key":"Noindex","value":"/x\u001b","line":7}` + "\n",
		},
	} {
		runWith(t, strings.NewReader(text), "robots", "-A", tt.agent, "--format", tt.format, "-").
			want(t, cli.ExitOK, tt.want)
	}
}

// TestRobotsCut: the message names the file that broke off.
func TestRobotsCut(t *testing.T) {
	var zipped strings.Builder
	zw := gzip.NewWriter(&zipped)
	io.WriteString(zw, "Sitemap: http://example.com/a.xml\n")
	zw.Flush()
	s := newTestSite(t, map[string]string{"/robots.txt": zipped.String()})
	file := writeFile(t, "robots.txt.gz", zipped.String())
	for target, name := range map[string]string{s.URL: s.URL, file: file} {
		runArgs(t, "robots", "--allow-private", target).want(t, cli.ExitFailed, "http://example.com/a.xml\n", "sitemap: "+name+": line 2: ")
	}
}
