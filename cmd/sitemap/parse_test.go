package main

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

func TestParse(t *testing.T) {
	var zipped bytes.Buffer
	zw := gzip.NewWriter(&zipped)
	zw.Write([]byte(index("http://example.com/a.xml")))
	zw.Close()
	latin1 := "<?xml version='1.0'?><urlset" + xmlns + "><url><loc>http://example.com/\xe9</loc></url></urlset>"
	tests := []struct {
		name, in string
		args     string
		status   int
		out      string
		errs     []string
	}{
		{"text", urlset("http://example.com/1", "http://example.com/2"), "", cli.ExitOK, "http://example.com/1\nhttp://example.com/2\n", nil},
		{"gzip", zipped.String(), "--format jsonl", cli.ExitOK, `{"loc":"http://example.com/a.xml","kind":"sitemap"}` + "\n", nil},
		{"csv", urlset("http://example.com/1"), "--format csv", cli.ExitOK, "loc,kind,lastmod,changefreq,priority,image,news_name,news_language,news_date,news_title,hreflang\nhttp://example.com/1,page,,,,,,,,,\n", nil},
		{"base", "<urlset" + xmlns + "><url><loc>/a</loc></url></urlset>", "-q --base http://example.com/x/", cli.ExitOK, "http://example.com/a\n", nil},
		{"no base", "<urlset" + xmlns + "><url><loc>/a</loc></url></urlset>", "", cli.ExitOK, "", []string{"1 problem in 1 document: 1 relative_loc"}},
		{"charset", latin1, "-q --content-type text/xml;charset=iso-8859-2", cli.ExitOK, "http://example.com/é\n", nil},
		{"html", "<html><body>404</body></html>", "", cli.ExitFailed, "", []string{"standard input: line 1: not a sitemap: an HTML page"}},
		{"empty", " \n", "", cli.ExitFailed, "", []string{"empty document"}},
		{"truncated", urlset("http://example.com/1", "http://example.com/2")[:100], "", cli.ExitFailed, "http://example.com/1\n", []string{"ends too early"}},
		{"entries", urlset("http://example.com/1", "http://example.com/2"), "--limit entries=1", cli.ExitFailed, "http://example.com/1\n", []string{"too many entries"}},
		{"extensions", `<urlset` + xmlns + ` xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>http://example.com/1</loc><i:image><i:loc>http://example.com/?a&amp;b</i:loc></i:image></url></urlset>`,
			"--format jsonl", cli.ExitOK, `{"loc":"http://example.com/1","kind":"page","images":[{"loc":"http://example.com/?a&b"}]}` + "\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := append(append([]string{"parse"}, strings.Fields(tt.args)...), "-")
			runWith(t, strings.NewReader(tt.in), args...).want(t, tt.status, tt.out, tt.errs...)
		})
	}
}

func TestParseFiles(t *testing.T) {
	a := writeFile(t, "a.txt", "http://example.com/1\n")
	b := writeFile(t, "b.html", "<html>")
	runArgs(t, "parse", a, b, "no-such-file", a).want(t, cli.ExitFailed, "http://example.com/1\nhttp://example.com/1\n",
		b+": line 1: not a sitemap", "no-such-file: no such file")
	runArgs(t, "parse", t.TempDir()).want(t, cli.ExitFailed, "", "is a directory")
}
