// Package markdown tests the Markdown files of the repository: their links lead somewhere, and the
// paths and tests that they name exist.
package markdown

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestRepository checks every Markdown file of the repository.
func TestRepository(t *testing.T) {
	r, err := openRepository(os.DirFS(filepath.Join("..", "..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(r.documents, "README.md") {
		t.Fatalf("no README.md among %d documents", len(r.documents))
	}
	for _, name := range r.documents {
		for _, fault := range r.check(name) {
			t.Error(fault)
		}
	}
}

// TestCheck: the fixture holds a document without a fault, and one with each kind of fault.
func TestCheck(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/repository.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fsys, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	r, err := openRepository(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.check("docs/good.md"); got != nil {
		t.Errorf("docs/good.md: got\n%s\nwant no fault", strings.Join(got, "\n"))
	}
	want, err := fs.ReadFile(fsys, "want")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.check("docs/bad.md"), "\n") + "\n"; got != string(want) {
		t.Errorf("docs/bad.md: got\n%s\nwant\n%s", got, want)
	}
}

func TestSlug(t *testing.T) {
	for heading, want := range map[string]string{
		"Long lists":                   "long-lists",
		"What `check` says, and where": "what-check-says-and-where",
		"robots.txt (RFC 9309)":        "robotstxt-rfc-9309",
		"bad_lastmod":                  "bad_lastmod",
	} {
		if got := slug(heading); got != want {
			t.Errorf("slug(%q) = %q, want %q", heading, got, want)
		}
	}
}
