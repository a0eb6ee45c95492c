package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

func TestURLs(t *testing.T) {
	s := smallSite(t)
	missing := "sitemap: HOST/missing.xml: status 404 Not Found (robots.txt of " + strings.TrimPrefix(s.URL, "http://") + ", line 1 → HOST/index.xml)\n"
	tests := []struct {
		name, args string
		status     int
		out        string
		errs       []string
	}{
		{"site", "HOST/", cli.ExitFailed, "HOST/1\nHOST/2\nHOST/2\nHOST/4\nHOST/5\n", []string{missing, "1 problem in 1 document: 1 untrusted_loc", "1 untrusted URL left out: see 'sitemap help trust'"}},
		{"quiet", "-q --progress never HOST", cli.ExitFailed, "HOST/1\nHOST/2\nHOST/2\nHOST/4\nHOST/5\n", []string{missing}},
		{"unique", "--unique HOST", cli.ExitFailed, "HOST/1\nHOST/2\nHOST/4\nHOST/5\n", []string{missing, "--unique: 1 URL left out"}},
		{"robots.txt", "-q HOST/robots.txt --max-urls 1", cli.ExitOK, "HOST/1\n", nil},
		{"match", "--match /[24]$ HOST", cli.ExitFailed, "HOST/2\nHOST/2\nHOST/4\n", []string{missing}},
		{"max", "-q --max-urls 2 HOST", cli.ExitOK, "HOST/1\nHOST/2\n", nil},
		{"follow", "-q --follow /b HOST", cli.ExitOK, "HOST/2\nHOST/4\nHOST/5\n", nil},
		{"several", "-q HOST/b.xml HOST/c.txt", cli.ExitOK, "HOST/2\nHOST/4\nHOST/5\n", nil},
		{"as", "-q --as site HOST/c.txt --max-urls 1", cli.ExitOK, "HOST/1\n", nil},
		{"jsonl", "--format jsonl HOST/b.xml", cli.ExitOK,
			`{"loc":"HOST/2","kind":"page","sitemap":"HOST/b.xml","trust":"caller","on_site":true,"target":"HOST/b.xml","fetched":"` + now() + `"}` + "\n" +
				`{"loc":"HOST/4","kind":"page","sitemap":"HOST/b.xml","trust":"caller","on_site":true,"target":"HOST/b.xml","fetched":"` + now() + `"}` + "\n", nil},
		{"csv", "--format csv HOST/c.txt", cli.ExitOK, "loc,kind,lastmod,changefreq,priority,sitemap,trust,on_site,target,fetched,image,news_name,news_language,news_date,news_title,hreflang\nHOST/5,page,,,,HOST/c.txt,caller,true,HOST/c.txt," + now() + ",,,,,,\n", nil},
		{"untrusted", "--format jsonl --min-trust untrusted --match elsewhere HOST/a.xml", cli.ExitOK,
			`{"loc":"http://elsewhere.example/3","kind":"page","sitemap":"HOST/a.xml","trust":"untrusted","on_site":false,"target":"HOST/a.xml","fetched":"` + now() + `"}` + "\n", nil},
		{"limit entries", "--limit entries=1 HOST/b.xml", cli.ExitFailed, "HOST/2\n", []string{"too many entries"}},
		{"limit bytes", "--limit bytes=20 HOST/b.xml", cli.ExitFailed, "", []string{"too large"}},
		{"limit depth", "-q --limit sitemaps=2 HOST", cli.ExitFailed, "HOST/1\nHOST/2\n", []string{"limit of the walk: sitemaps 2", "see --limit sitemaps"}},
		{"refused", "--allow-private=false HOST", cli.ExitFailed, "", []string{"is not public"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var errs []string
			for _, e := range tt.errs {
				errs = append(errs, s.text(e))
			}
			args := append([]string{"urls", "--allow-private", "--retries", "0"},
				strings.Fields(s.text(tt.args))...)
			runArgs(t, args...).want(t, tt.status, s.text(tt.out), errs...)
		})
	}
}

func TestURLsNoSitemap(t *testing.T) {
	s := newTestSite(t, map[string]string{"/robots.txt": "Disallow:\n", "/sitemap.xml": "<html><body>not found</body></html>"})
	runArgs(t, "urls", "--allow-private", s.URL).want(t, cli.ExitFailed, "",
		"no sitemap found; tried:", s.URL+"/robots.txt: names no sitemap", s.URL+"/sitemap.xml: ", "an HTML page", s.URL+"/sitemap.txt: status 404 Not Found")
}

func TestURLsRequest(t *testing.T) {
	s := smallSite(t)
	r := runArgs(t, "urls", "--allow-private", "--header", "X-Token: a:b", "--header",
		"From: me@example.com", "--user-agent", "probe/1.0 (+http://example.com/)", s.URL+"/c.txt")
	r.want(t, cli.ExitOK, s.URL+"/5\n")
	if got := s.header.Get("X-Token") + " " + s.header.Get("From") + " " + s.header.Get("User-Agent"); got != "a:b me@example.com probe/1.0 (+http://example.com/)" {
		t.Errorf("sent %q", got)
	}
}

// A host that has no https is walked by http, but not with secrets.
func TestURLsOfBareHost(t *testing.T) {
	for _, flags := range []string{"", "--header x-token:secret"} {
		s := smallSite(t)
		s.docs["/robots.txt"] = "Sitemap: HOST/c.txt"
		args := append(strings.Fields("urls --allow-private --retries 0 "+flags),
			strings.TrimPrefix(s.URL, "http://"))
		if flags == "" {
			runArgs(t, args...).want(t, cli.ExitOK, s.URL+"/5\n")
		} else if runArgs(t, args...).want(t, cli.ExitFailed, "", "cannot connect"); s.header != nil {
			t.Errorf("sent %v", s.header)
		}
	}
}

func TestURLsKeepSecrets(t *testing.T) {
	s := smallSite(t)
	withUser := strings.Replace(s.URL, "http://", "http://user:secret@", 1)
	for _, args := range [][]string{{"urls", "--format", "jsonl"}, {"tree"}, {"tree", "--format", "jsonl"}, {"check"}, {"check", "--format", "jsonl"}} {
		for _, path := range []string{"/c.txt", "/missing.xml", "/index.xml", "/"} {
			r := runArgs(t, append(args, "--allow-private", "--retries", "0", withUser+path)...)
			if strings.Contains(r.out+r.err, "secret") {
				t.Errorf("%v %s: printed %q, reported %q", args, path, r.out, r.err)
			}
		}
	}
}

// TestMistypedTargetsKeepSecrets: so it is where the scheme of a target is mistyped.
func TestMistypedTargetsKeepSecrets(t *testing.T) {
	for _, target := range []string{
		"http:/user:secret@127.0.0.1/", "http//user:secret@127.0.0.1/", "http:///user:secret@127.0.0.1/", `http:\\user:secret@127.0.0.1/`,
		"user:sec/secret@127.0.0.1", `DOMAIN\user:secret@127.0.0.1`, "ftp://user:secret@127.0.0.1/", "http:user:secret@127.0.0.1",
	} {
		state := filepath.Join(t.TempDir(), "state")
		for _, args := range [][]string{
			nil, {"help"}, {"parse"}, {"urls", "--from"}, {"robots"}, {"urls"}, {"urls", "--as", "sitemap", "--format", "jsonl"},
			{"urls", "--state", state}, {"tree"}, {"tree", "--format", "jsonl"}, {"check", "--format", "jsonl"},
		} {
			if len(args) > 0 && args[0] != "help" && args[0] != "parse" { // nothing is looked up or reached
				args = slices.Insert(args, 1, "--allow-private", "--proxy", "http://127.0.0.1:1",
					"--retries", "0")
			}
			r := runArgs(t, append(args, target)...)
			journal, _ := os.ReadFile(state)
			if told := r.out + r.err + string(journal); r.status == cli.ExitOK || strings.Contains(told, "secret") || strings.Contains(told, "user:") {
				t.Errorf("%v %s: status %d, printed %q, reported %q, kept %q",
					args, target, r.status, r.out, r.err, journal)
			}
		}
	}
}

// The password of a target is sent to its own origin only, not to another port of the host. It is
// neither printed nor kept.
func TestURLsOfProtectedSite(t *testing.T) {
	foreign := newTestSite(t, map[string]string{"/child.xml": urlset("HOST/2")})
	s := newTestSite(t, map[string]string{
		"/robots.txt": "Sitemap: HOST/index.xml\n",
		"/index.xml":  index("HOST/own.xml", foreign.URL+"/child.xml"),
		"/own.xml":    urlset("HOST/1"),
	})
	s.password = "secret"
	want := s.URL + "/1\n" + foreign.URL + "/2\n"
	for _, path := range []string{"/", "/index.xml"} {
		target := strings.Replace(s.URL, "http://", "http://user:secret@", 1) + path
		state := filepath.Join(t.TempDir(), "state")
		for _, args := range [][]string{{"urls", "--state", state}, {"tree"}, {"tree", "--format", "jsonl"}, {"check", "--fail-on", "never"}} {
			r := runArgs(t, append(args, "--allow-private", target)...)
			if r.status != cli.ExitOK || args[0] == "urls" && r.out != want || strings.Contains(r.out+r.err, "secret") {
				t.Errorf("%v %s: status %d, printed %q, reported %q",
					args, path, r.status, r.out, r.err)
			}
			if sent := foreign.header.Get("Authorization"); foreign.header == nil || sent != "" {
				t.Errorf("%v %s: the foreign host was sent %q, %v",
					args, path, sent, foreign.header)
			}
		}
		if journal, err := os.ReadFile(state); err != nil || strings.Contains(string(journal), "secret") {
			t.Errorf("%v, the journal holds %s", err, journal)
		}
	}
	runArgs(t, "urls", "--allow-private", s.URL+"/index.xml").want(t, cli.ExitFailed, "", "status 401 Unauthorized")
}

func TestURLsOfFiles(t *testing.T) {
	file := writeFile(t, "a.xml", urlset("http://example.com/1", "http://example.org/2"))
	runArgs(t, "urls", "--format", "jsonl", file).want(t, cli.ExitOK,
		`{"loc":"http://example.com/1","kind":"page","sitemap":"`+file+`","target":"`+file+`","fetched":"`+now()+`"}`+"\n"+`{"loc":"http://example.org/2","kind":"page","sitemap":"`+file+`","target":"`+file+`","fetched":"`+now()+`"}`+"\n")
	runWith(t, strings.NewReader("http://example.com/\n"), "urls", "--format", "jsonl", "-").want(t, cli.ExitOK,
		`{"loc":"http://example.com/","kind":"page","sitemap":"-","target":"-","fetched":"`+now()+`"}`+"\n")
	runArgs(t, "urls", writeFile(t, "i.xml", index("http://example.com/1.xml"))).want(t, cli.ExitOK, "", "lists 1 sitemap, which")
	runArgs(t, "urls", "./missing.xml", file).want(t, cli.ExitFailed, "http://example.com/1\nhttp://example.org/2\n", "sitemap: ./missing.xml: no such file or directory")
}

func TestURLsFrom(t *testing.T) {
	s := smallSite(t)
	list := writeFile(t, "list", s.text("# sites\nHOST/c.txt\nftp://example.com/\n\nHOST/b.xml\n"))
	runArgs(t, "urls", "--allow-private", "--from", list).want(t, cli.ExitFailed, s.text("HOST/5\nHOST/2\nHOST/4\n"), list+", line 3: ")
	runWith(t, strings.NewReader(s.URL+"/c.txt\n"), "urls", "--allow-private", "--from", "-", s.URL+"/b.xml").want(t, cli.ExitOK, s.text("HOST/2\nHOST/4\nHOST/5\n"), "2 sites, 3 URLs, 0 failed, ")
}

// The URLs of the first line of a list are printed while the list goes on.
func TestFromBeginsAtTheFirstLine(t *testing.T) {
	s := smallSite(t)
	s.docs["/b.xml"] = `<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>HOST/b</loc>` +
		`<image:image><image:loc>HOST/b.png</image:loc></image:image></url></urlset>`
	for _, line := range []string{
		"urls", "urls --format csv", "urls --format csv --rows images", "stats", "tree", "check", "check --format jsonl",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		list, lines := io.Pipe()
		results, out := io.Pipe()
		go func() {
			run(ctx, append(strings.Fields(line), "--allow-private", "-q", "--from", "-"), list, out, io.Discard)
			out.Close()
		}()
		io.WriteString(lines, s.URL+"\n")
		found := false
		for printed := bufio.NewScanner(results); !found && printed.Scan(); {
			found = strings.Contains(printed.Text(), s.URL)
		}
		if !found || ctx.Err() != nil {
			t.Errorf("%s: printed %t, %v", line, found, ctx.Err())
		}
		lines.Close()
		io.Copy(io.Discard, results)
		cancel()
	}
}

func TestURLsToFile(t *testing.T) {
	s := smallSite(t)
	out := filepath.Join(t.TempDir(), "out.csv")
	r := runArgs(t, "urls", "--allow-private", "--retries", "0", "-o", out, "--format",
		"csv", s.URL)
	r.want(t, cli.ExitFailed, "", "missing.xml")
	got, err := os.ReadFile(out)
	if err != nil || strings.Count(string(got), "\n") != 6 {
		t.Errorf("the file holds %q, %v", got, err)
	}
}

func TestProgress(t *testing.T) {
	s := smallSite(t)
	r := runArgs(t, "urls", "--allow-private", "--retries", "0", "--progress", "always", s.URL)
	if r.status != cli.ExitFailed || r.out != s.text("HOST/1\nHOST/2\nHOST/2\nHOST/4\nHOST/5\n") {
		t.Errorf("status %d, printed %q", r.status, r.out)
	}
	if !strings.Contains(r.err, "missing.xml: status 404") {
		t.Errorf("reported %q", r.err)
	}
}

// Lines that are no targets, and in a batch repeated ones, do not count.
func TestProgressOfList(t *testing.T) {
	s := smallSite(t)
	list := writeFile(t, "list", s.text("HOST/b.xml\na b\nHOST/b.xml\n"))
	out := filepath.Join(t.TempDir(), "out")
	runArgs(t, "batch", "--allow-private", "--progress", "always", list, "-o", out).want(t, cli.ExitOK, "", "1/1 sites")
	runArgs(t, "urls", "--allow-private", "--progress", "always", "--from", list).want(t, cli.ExitFailed, s.text("HOST/2\nHOST/4\nHOST/2\nHOST/4\n"), "2/2 sites")
}

func TestURLsOfFileSince(t *testing.T) {
	doc := writeFile(t, "a.xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://example.com/1</loc><lastmod>2024-05-05</lastmod></url>`+
		`<url><loc>http://example.com/2</loc><lastmod>2024-05-06</lastmod></url><url><loc>http://example.com/3</loc></url></urlset>`)
	runArgs(t, "urls", "--since", "2024-05-06", doc).want(t, cli.ExitOK, "http://example.com/2\nhttp://example.com/3\n")
}

// now is a time that want takes for any other near now.
func now() string { return time.Now().UTC().Format(time.RFC3339) }

// A run that is resumed prints each URL once, also if several targets lead to a document.
func TestState_SharedDocument(t *testing.T) {
	s := newTestSite(t, map[string]string{
		"/index.xml": "<sitemapindex><sitemap><loc>HOST/a.txt</loc></sitemap></sitemapindex>",
		"/a.txt":     "HOST/1\nHOST/2\n", "/b.txt": "HOST/3\nHOST/4\nHOST/5\n",
	})
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-None-Match") // so that what is requested is read
		s.ServeHTTP(w, r)
	})
	dir := t.TempDir()
	for _, n := range []string{"3", "4", "0"} {
		runArgs(t, "urls", "-q", "--allow-private", "--parallel", "1", "--state", filepath.Join(dir, "db"), "-o", filepath.Join(dir, "out"), "-n", n,
			s.URL+"/index.xml", s.URL+"/a.txt", s.URL+"/b.txt").want(t, cli.ExitOK, "")
	}
	wantFile(t, filepath.Join(dir, "out"), s.text("HOST/1\nHOST/2\nHOST/3\nHOST/4\nHOST/5\n"))
}
