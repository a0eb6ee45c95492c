package tempfile_test

import (
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/seed-322c453a/sitemap/internal/tempfile"
)

// A file can be read while it is open, and nothing is left of it.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	f, err := tempfile.Create("sitemap-")
	if err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 && runtime.GOOS != "windows" {
		t.Errorf("while it is open: %v, %v", files, err)
	}
	if _, err := f.WriteString("abc"); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(io.NewSectionReader(f, 0, 3)); err != nil || string(text) != "abc" {
		t.Errorf("read %q, %v", text, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	f = nil
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left %v, %v", files, err)
	}
}
