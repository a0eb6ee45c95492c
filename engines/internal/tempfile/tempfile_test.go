package tempfile

import (
	"os"
	"testing"
)

// Nothing is left of a file that was closed.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	f, err := Create("sitemap-")
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 3)
	if _, err := f.WriteString("abc"); err != nil {
		t.Error(err)
	}
	if _, err := f.ReadAt(text, 0); err != nil || string(text) != "abc" {
		t.Errorf("read %q, %v", text, err)
	}
	if err := (File{f}).Close(); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left %v, %v", files, err)
	}
}
