package main

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestRobots(t *testing.T) {
	const text = "User-agent: *\nDisallow: /x\nSitemap: http://example.com/a.xml\nSitemap: /b.xml\nSitemap: ftp://example.com/c.xml\n"
	file := writeFile(t, "robots.txt", text)
	runArgs(t, "robots", "--base", "http://example.com/robots.txt", "--format", "jsonl", file).want(t, exitOK,
		`{"loc":"http://example.com/a.xml","line":3}`+"\n"+`{"loc":"http://example.com/b.xml","line":4}`+"\n",
		`robots.txt:4: error: relative_loc`, `robots.txt:5: error: bad_scheme`)
	runWith(t, strings.NewReader(text), "robots", "-q", "-").want(t, exitOK, "http://example.com/a.xml\n")
	runArgs(t, "robots", "./none").want(t, exitFailed, "", "./none: no such file")

	s := newTestSite(t, map[string]string{"/robots.txt": text})
	runArgs(t, "robots", "-q", "--allow-private", s.URL).want(t, exitOK, s.text("http://example.com/a.xml\nHOST/b.xml\n"))
	none := newTestSite(t, nil)
	runArgs(t, "robots", "--allow-private", none.URL).want(t, exitOK, "", "robots.txt names no sitemap")
	runWith(t, strings.NewReader("Disallow:\n"), "robots", "-").want(t, exitOK, "", "robots.txt names no sitemap\n")
	runWith(t, strings.NewReader(""), "robots", "-").want(t, exitOK, "", "robots.txt names no sitemap")
	runArgs(t, "robots", none.URL).want(t, exitFailed, "", "is not public")
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
		runArgs(t, "robots", "--allow-private", target).want(t, exitFailed, "http://example.com/a.xml\n", "sitemap: "+name+": line 2: ")
	}
}
