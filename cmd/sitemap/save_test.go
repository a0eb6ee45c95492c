package main

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// savedFiles returns the files below dir, by their slash-separated names.
func savedFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSave: each command that walks keeps robots.txt and all sitemaps that could be fetched.
func TestSave(t *testing.T) {
	s := smallSite(t)
	host := "http+" + strings.ReplaceAll(strings.TrimPrefix(s.URL, "http://"), ":", "%3a") + "/"
	for _, command := range []string{"urls", "tree", "stats", "check"} {
		dir := filepath.Join(t.TempDir(), "new", "folder")
		for range 2 { // the second run replaces the files
			runArgs(t, command, "--allow-private", "--save", dir, s.URL)
		}
		files := savedFiles(t, dir)
		for _, name := range []string{"robots.txt", "index.xml", "a.xml", "b.xml", "c.txt"} {
			if got, want := files[host+name], s.text(s.docs["/"+name]); got != want {
				t.Errorf("%s: %s holds %q, want %q", command, name, got, want)
			}
			header := files[host+name+".header"]
			if !strings.HasPrefix(header, "GET "+s.URL+"/"+name+"\n200 OK\n") ||
				!strings.Contains(header, "\nEtag: \"") {
				t.Errorf("%s: header of %s: %q", command, name, header)
			}
		}
		if len(files) != 10 {
			t.Errorf("%s: files %v", command, files)
		}
	}
}

// TestSave_Fails: a document that cannot be saved ends the command.
func TestSave_Fails(t *testing.T) {
	s := smallSite(t)
	file := writeFile(t, "file", "")
	for _, command := range []string{"urls", "check"} {
		r := runArgs(t, command, "--allow-private", "--save", file, s.URL)
		if r.status != exitFailed || !strings.Contains(r.err, "--save: ") {
			t.Errorf("%s: status %d, %s", command, r.status, r.err)
		}
	}
	list := writeFile(t, "list.txt", s.URL+"\n"+strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"\n")
	r := runArgs(t, "urls", "--allow-private", "--save", file, "--from", list)
	if r.status != exitFailed || !strings.Contains(r.err, "--save: ") {
		t.Errorf("two sites: status %d, %s", r.status, r.err)
	}
}

// TestReplaceFile: if a body breaks off, its first part is kept. An error of the file is returned,
// and the old file stays.
func TestReplaceFile(t *testing.T) {
	name := writeFile(t, "body", "before")
	broken := &brokenReader{"came", errors.New("reset")}
	if err := replaceFile(name, broken); err != nil {
		t.Error(err)
	}
	wantFile(t, name, "came")
	if err := replaceFile(name, &brokenReader{"new", &fs.PathError{Err: fs.ErrInvalid}}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("error %v", err)
	}
	wantFile(t, name, "came")
	if n := len(savedFiles(t, filepath.Dir(name))); n != 1 {
		t.Errorf("%d files", n)
	}
}

// A brokenReader yields text and then an error.
type brokenReader struct {
	text string
	err  error
}

func (b *brokenReader) Read(p []byte) (int, error) {
	n := copy(p, b.text)
	if b.text = b.text[n:]; n == 0 {
		return 0, b.err
	}
	return n, nil
}

func TestSavedName(t *testing.T) {
	for loc, want := range map[string]string{
		"https://www.example.com/sitemap.xml":             "www.example.com/sitemap.xml",
		"https://www.example.com":                         "www.example.com/%2f",
		"https://www.example.com/":                        "www.example.com/%2f",
		"https://WWW.example.com/a/":                      "www.example.com/a+",
		"http://www.example.com:8080/a/b.xml?page=2&x=%2": "http+www.example.com%3a8080/a+b.xml%3fpage=2%26x=%252",
		"https://[::1]/":                                  "%5b%3a%3a1%5d/%2f",
		"https://example.com/Sitemap.XML":                 "example.com/%53itemap.%58%4d%4c",
		"https://example.com/con.xml":                     "example.com/%63on.xml",
		"https://example.com/a.header":                    "example.com/a%2eheader",
		"https://example.com/../.a./":                     "example.com/%2e.+.a.+",
		"https://example.com/é":                           "example.com/%25%433%25%419",
	} {
		u, err := url.Parse(loc)
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.ToSlash(savedName(u)); got != want {
			t.Errorf("name of %s is %s, want %s", loc, got, want)
		}
	}
}

// TestSavedName_Distinct: names of different URLs differ also without letter case, and none is
// absolute, too long, or leads out of the folder.
func TestSavedName_Distinct(t *testing.T) {
	long := strings.Repeat("a", maxName)
	plain := regexp.MustCompile(`^[a-z0-9%+=_-]([a-z0-9%.+=_-]{0,218}[a-z0-9%+=_-])?$`)
	names := map[string]string{}
	for _, host := range []string{"https://a", "http://a", "https://a:8080", "https://http+a", "https://aux", "https://..", "https://" + long + long} {
		for _, path := range []string{
			"/", "/?", "/%2f", "/%2F", "//", "/a", "/A", "/a/", "/a/b", "/a+b", "/a%2fb", "/a?b", "/a%3Fb",
			"/.", "/..", "/../..", "/a.", "/.a", "/a.header", "/a.HEADER", "/a%2eheader", "/nul", "/NUL",
			"/com1.xml", `/a\b`, "/a:b", "/a~1", "/" + long, "/" + long + "a", "/" + long + "b",
			"/" + long + long, "/" + long + "?a",
		} {
			u, err := url.Parse(host + path)
			if err != nil {
				t.Fatal(err)
			}
			name := savedName(u)
			if other := names[name]; other != "" || name != strings.ToLower(name) || !filepath.IsLocal(name) {
				t.Errorf("name of %s is %s, as of %q", u, name, other)
			}
			names[name] = u.String()
			parts := strings.Split(filepath.ToSlash(name), "/")
			if len(parts) != 2 || !plain.MatchString(parts[0]) || !plain.MatchString(parts[1]) {
				t.Errorf("name of %s is %s", u, name)
			}
		}
	}
}
