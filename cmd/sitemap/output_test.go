package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// names returns the files of a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestOutputIsAtomic(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	writeTo(t, out, "old")
	if err := os.Chmod(out, 0o640); err != nil {
		t.Fatal(err)
	}
	in := writeFile(t, "in.txt", "http://example.com/a\n")
	runArgs(t, "parse", "-o", out, in).want(t, cli.ExitOK, "")
	wantFile(t, out, "http://example.com/a\n")
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode is %v", info.Mode())
	}
	if got := names(t, dir); got != "out" {
		t.Errorf("the folder holds %q", got)
	}
	runArgs(t, "parse", "-o", filepath.Join(dir, "no", "out"), in).want(t, cli.ExitFailed, "", "no such file")
	runArgs(t, "parse", "-o", dir, in).want(t, cli.ExitFailed, "", "is a directory")
}

// If nothing could be read, the file of -o stays as it was: also one that a link leads to, and one
// that is written in place since there is no room for another beside it.
func TestOutputOfNothing(t *testing.T) {
	dir := t.TempDir()
	out, long := filepath.Join(dir, "out"), filepath.Join(dir, strings.Repeat("ü", 120))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(out, link); err != nil && runtime.GOOS != "windows" { // where not everybody may
		t.Fatal(err)
	} else if err != nil {
		link = out
	}
	none := writeFile(t, "none.txt", "# none")
	for _, name := range []string{out, link, long} {
		for _, args := range [][]string{
			{"urls", "--retries", "0", "--allow-private", "http://127.0.0.1:1/"}, {"urls", "--format", "csv", "missing.xml"},
			{"parse", "missing.xml"}, {"parse", "--format", "parquet", "missing.xml"}, {"urls", "--sample", "3", "missing.xml"},
			{"stats", "missing.xml"}, {"tree", "missing.xml", "missing.txt"}, {"check", "--from", none},
		} {
			writeTo(t, name, "precious\n")
			if r := runArgs(t, append(args, "-o", name)...); r.status != cli.ExitFailed || !strings.Contains(r.err, " is not written") {
				t.Errorf("%v: status %d, reported %q", args, r.status, r.err)
			}
			wantFile(t, name, "precious\n")
		}
	}
	if got := names(t, dir); got != "out "+filepath.Base(long) {
		t.Errorf("the folder holds %q", got)
	}
	empty := writeFile(t, "empty.xml", "<urlset"+xmlns+"></urlset>")
	runArgs(t, "parse", "-q", "-o", long, empty).want(t, cli.ExitOK, "")
	wantFile(t, long, "")
}

// A file whose name leaves no room for a longer one is written in place.
func TestLongOutputName(t *testing.T) {
	out := filepath.Join(t.TempDir(), strings.Repeat("ü", 120))
	runArgs(t, "parse", "-o", out, writeFile(t, "in.txt", "http://example.com/a\n")).want(t, cli.ExitOK, "")
	wantFile(t, out, "http://example.com/a\n")
}
