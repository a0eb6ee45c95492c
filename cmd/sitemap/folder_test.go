package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// newFolder writes files, and returns the name of their folder.
func newFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// foundIn returns the codes and URLs of what check finds with these arguments.
func foundIn(t *testing.T, args ...string) (found string, r result) {
	t.Helper()
	r = runArgs(t, append([]string{"check", "--format", "jsonl"}, args...)...)
	var list []string
	for line := range strings.Lines(r.out) {
		var p struct{ Type, Code, Severity, Loc, Text string }
		if json.Unmarshal([]byte(line), &p) == nil && p.Type == "problem" {
			list = append(list, strings.TrimSpace(p.Severity+" "+p.Code+" "+p.Loc))
		}
	}
	return strings.Join(list, "\n"), r
}

const (
	project = "https://user.github.io/project/"
	page    = "<!DOCTYPE html><title>A page</title>"
)

// projectFolder is the folder of a project under a path.
func projectFolder(t *testing.T) string {
	return newFolder(t, map[string]string{
		"index.html": page, "about/index.html": page, "404.html": page,
		"sitemap-index.xml": index(project + "sitemap-0.xml"),
		"sitemap-0.xml":     urlset(project, project+"about/", project+"gone/", "https://user.github.io/other/"),
	})
}

// A project under a path is found by itself, and by the URL of --root.
func TestCheckFolder_Project(t *testing.T) {
	dir := projectFolder(t)
	const want = "error page_missing_file " + project + "gone/\n" +
		"warning untrusted_loc https://user.github.io/other/"
	for _, args := range [][]string{
		{dir}, {"--root", dir, project}, {"--root", dir, strings.TrimSuffix(project, "/")},
		{"--root", dir, strings.TrimPrefix(project, "https://")},
		{"--root", dir, project + "sitemap-index.xml"},
	} {
		if got, r := foundIn(t, args...); got != want || r.status != cli.ExitFailed {
			t.Errorf("%v: found\n%s; %s", args, got, r.err)
		}
	}
	name := filepath.Join(dir, "sitemap-0.xml")
	if r := runArgs(t, "check", "--format", "github", dir); !strings.HasPrefix(r.out, "::error file="+name+",") {
		t.Errorf("printed %s", r.out)
	}
	robots := filepath.Join(dir, "robots.txt")
	if err := os.WriteFile(robots, []byte("Sitemap: "+project+"sitemap-index.xml\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, r := foundIn(t, dir); got != want {
		t.Errorf("with a robots.txt: found\n%s; %s", got, r.err)
	}
}

// The first URL may be that of the site without a slash.
func TestCheckFolder_NoPath(t *testing.T) {
	for site, want := range map[string]string{
		"https://www.example.com": "warning not_in_robots",
		"https://a.io/project":    "warning untrusted_loc https://a.io/project",
	} {
		dir := newFolder(t, map[string]string{
			"index.html": page, "a.html": page, "sitemap.xml": urlset(site, site+"/a"),
		})
		if got, r := foundIn(t, dir); got != want || r.status != cli.ExitOK {
			t.Errorf("%s: found\n%s; %s", site, got, r.err)
		}
	}
}

// A sitemap that was written on the computer of a developer is not one to deploy.
func TestCheckFolder_LocalHost(t *testing.T) {
	const site = "http://localhost:4000/"
	dir := newFolder(t, map[string]string{
		"robots.txt": "Sitemap: " + site + "sitemap.xml", "index.html": page, "sitemap.xml": urlset(site),
	})
	if got, r := foundIn(t, dir); got != "error local_host "+site {
		t.Errorf("found\n%s; %s", got, r.err)
	}
	if got, r := foundIn(t, "--root", dir, site); got != "" {
		t.Errorf("with --root: found\n%s; %s", got, r.err)
	}
}

// A Crawl-delay is for the server.
func TestCheckFolder_CrawlDelay(t *testing.T) {
	const site = "https://example.com/"
	dir := newFolder(t, map[string]string{
		"robots.txt": "User-agent: *\nCrawl-delay: 30\nSitemap: " + site + "sitemap.xml", "index.html": page,
		"sitemap.xml": index(site + "1.xml"), "1.xml": urlset(site),
	})
	if got, r := foundIn(t, "--max-time", "20s", dir); got != "" || r.status != cli.ExitOK {
		t.Errorf("found\n%s; %s", got, r.err)
	}
}

// Pages that a server renders are said once, and are no failure.
func TestCheckFolder_Rendered(t *testing.T) {
	pages := []string{"https://shop.com", "https://shop.com/manual.pdf"} // of which one is a file
	for i := range 51 {
		pages = append(pages, fmt.Sprintf("https://shop.com/%d", i))
	}
	dir := newFolder(t, map[string]string{
		"robots.txt":  "Sitemap: https://shop.com/sitemap.xml\n",
		"sitemap.xml": urlset(pages...), "manual.pdf": "%PDF", "google1234.html": "google-site-verification: google1234.html",
	})
	if got, r := foundIn(t, dir); got != "info page_missing_file https://shop.com" || r.status != cli.ExitOK || !strings.Contains(r.out, "--disable page_missing_file") {
		t.Errorf("found\n%s; %s", got, r.err)
	}
	// A page with a file shows that the folder holds the pages.
	if err := os.WriteFile(filepath.Join(dir, "50.html"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, r := foundIn(t, dir); strings.Count(got, "error page_missing_file ") != 51 || !strings.Contains(r.out, `no file for \"/\"`) {
		t.Errorf("found\n%s", got)
	}
}

// Pages that no sitemap lists are findings, unless search engines do not take them for pages
// either.
func TestCheckFolder_NotListed(t *testing.T) {
	dir := newFolder(t, map[string]string{
		"robots.txt": "Sitemap: https://example.com/sitemap.xml\n", "sitemap.xml": urlset("https://example.com/"),
		"index.html": page, "lost/index.html": page, "404.html": page, "page/2/index.html": page,
		"200.html": page, "node_modules/a/index.html": page, ".git/a.html": page,
		"noindex.html":   `<meta name="robots" content="noindex">`,
		"canonical.html": `<link rel="canonical" href="/">`,
		"other.html":     `<link rel="canonical" href="https://example.org/other">`,
		"stub.html":      `<meta http-equiv="refresh" content="0; url=/">`,
		"self.html":      `<link rel="canonical" href="https://example.com/self">`,
	})
	_, r := foundIn(t, dir)
	for name, want := range map[string]bool{
		"lost/index.html": true, "self.html": true, "404.html": false, "noindex.html": false, "stub.html": false,
		"200.html":       false,
		"canonical.html": false, "other.html": false, "page/2/index.html": false,
		"node_modules/a/index.html": false, ".git/a.html": false,
	} {
		if got := strings.Contains(r.out, `"text":"`+name+`"`); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
	lost := filepath.Join(dir, "lost", "index.html")
	if r := runArgs(t, "check", "--format", "github", dir); !strings.Contains(r.out, "::warning file="+lost+",") {
		t.Errorf("not at the page: %s", r.out)
	}
}

// Neither a feed nor a stray document says whose folder it is.
func TestCheckFolder_NoSite(t *testing.T) {
	dir := newFolder(t, map[string]string{
		"index.xml":  `<rss version="2.0"><channel><title>t</title><item><guid>https://example.org/a</guid></item></channel></rss>`,
		"llms.txt":   "https://example.org/a\n",
		"index.html": page,
	})
	for command, want := range map[string]string{"check": "name the site: --root DIR URL", "urls": "does not say which site it is"} {
		if r := runArgs(t, command, dir); r.status != cli.ExitFailed || !strings.Contains(r.out+r.err, want) {
			t.Errorf("%s: status %d, printed %s%s", command, r.status, r.out, r.err)
		}
	}
}

// A sitemap whose locations are all relative is a sitemap.
func TestCheckFolder_Relative(t *testing.T) {
	dir := newFolder(t, map[string]string{"sitemap.xml": urlset("/", "/a"), "index.html": page, "a.html": page})
	if got, r := foundIn(t, dir); got != "error relative_loc\nerror relative_loc" || !strings.Contains(r.err, "name the site") {
		t.Errorf("found\n%s; %s", got, r.err)
	}
	got, r := foundIn(t, "--disable", "not_in_robots", "--root", dir, "https://example.com/")
	if got != "error relative_loc https://example.com/\nerror relative_loc https://example.com/a" {
		t.Errorf("with --root: found\n%s; %s", got, r.err)
	}
}

// A sitemap that cannot be read is checked, although it does not say whose folder it is in.
func TestCheckFolder_Unreadable(t *testing.T) {
	for text, want := range map[string]string{"": "empty", page: "not_a_sitemap"} {
		dir := newFolder(t, map[string]string{"sitemap.xml": text, "index.html": page})
		r := runArgs(t, "check", dir)
		if r.status != cli.ExitFailed || !strings.Contains(r.out, "["+want+"]") || !strings.Contains(r.err, "name the site") {
			t.Errorf("%q: status %d, printed %s%s", text, r.status, r.out, r.err)
		}
	}
}

// urls, tree and stats take folders too.
func TestFolder(t *testing.T) {
	dir := projectFolder(t)
	runArgs(t, "urls", "--min-trust", "untrusted", dir).want(t, cli.ExitOK, project+"\n"+project+"about/\n"+project+"gone/\nhttps://user.github.io/other/\n")
	if r := runArgs(t, "tree", dir); r.status != cli.ExitOK || !strings.Contains(r.out, project+"sitemap-0.xml  urlset, 4 URLs") {
		t.Errorf("tree: status %d, printed %s%s", r.status, r.out, r.err)
	}
	if r := runArgs(t, "stats", dir); r.status != cli.ExitOK || !strings.Contains(r.out, dir+": 3 URLs") {
		t.Errorf("stats: status %d, printed %s%s", r.status, r.out, r.err)
	}
}

// A robots.txt is checked as one.
func TestCheckRobots(t *testing.T) {
	dir := newFolder(t, map[string]string{
		"robots.txt":      "User-agent: *\nDisallow: private\nSitemap: /sitemap.xml\nSitemap: https://example.com/s.xml\nSitemap: https://example.com/s.xml\n",
		"ok/robots.txt":   "User-agent: *\nDisallow: /private/\nSitemap: https://example.com/s.xml\n",
		"html/robots.txt": "<!DOCTYPE html><title>Not found</title>",
	})
	for name, want := range map[string]string{
		"robots.txt":      "warning nonstandard_rule\nerror relative_loc\nwarning duplicate_loc",
		"ok/robots.txt":   "",
		"html/robots.txt": "warning robots_html",
	} {
		if got, r := foundIn(t, filepath.Join(dir, filepath.FromSlash(name))); got != want || !strings.Contains(r.out, `"documents":1,"urls":0,`) {
			t.Errorf("%s: found\n%s; %s%s", name, got, r.out, r.err)
		}
	}
}
