package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
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
		if r.status != cli.ExitFailed || !strings.Contains(r.err, "--save: ") {
			t.Errorf("%s: status %d, %s", command, r.status, r.err)
		}
	}
	list := writeFile(t,
		"list.txt", s.URL+"\n"+strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"\n")
	r := runArgs(t, "urls", "--allow-private", "--save", file, "--from", list)
	if r.status != cli.ExitFailed || !strings.Contains(r.err, "--save: ") {
		t.Errorf("two sites: status %d, %s", r.status, r.err)
	}
}
