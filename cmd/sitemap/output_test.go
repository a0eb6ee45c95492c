//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplace: a file whose place no other may take, as one that is mounted, gets what is printed.
func TestReplace(t *testing.T) {
	open, err := os.OpenFile(writeFile(t, "open", strings.Repeat("old", 100)), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	for _, name := range []string{fmt.Sprintf("/dev/fd/%d", open.Fd()), writeFile(t, "out", "old"), filepath.Join(t.TempDir(), "new")} {
		from := writeFile(t, "from", "new")
		if err := replace(name, from); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(name)
		if name == fmt.Sprintf("/dev/fd/%d", open.Fd()) {
			text, err = os.ReadFile(open.Name())
		}
		if string(text) != "new" {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
		if _, err := os.Stat(from); err == nil {
			t.Errorf("%s: the other file is still there", name)
		}
	}
	from := writeFile(t, "from", "new")
	if err := replace(filepath.Join(t.TempDir(), "no", "out"), from); err == nil {
		t.Error("no error for a folder that is not there")
	}
	if text, err := os.ReadFile(from); string(text) != "new" {
		t.Errorf("what was printed: %q, %v", text, err)
	}
}

// TestLongOutputName: the unfinished file fits where the file does.
func TestLongOutputName(t *testing.T) {
	out := filepath.Join(t.TempDir(), strings.Repeat("ü", 127))
	runArgs(t, "parse", "-o", out, writeFile(t, "in.txt", "http://example.com/a\n")).want(t, exitOK, "")
	if text, err := os.ReadFile(out); string(text) != "http://example.com/a\n" {
		t.Errorf("%q, %v", text, err)
	}
	// One that is too long is told before anything is read.
	r := runArgs(t, "parse", "-o", out+"longer", "missing.xml")
	if r.want(t, exitFailed, "", "file name too long"); strings.Contains(r.err, "missing.xml") {
		t.Error(r.err)
	}
}

// TestOutputIsNoTarget: the file that the shell has made to print to is not what is read.
func TestOutputIsNoTarget(t *testing.T) {
	s := smallSite(t)
	name := strings.TrimPrefix(s.URL, "http://")
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := command(t, "urls", "-q", "--allow-private", "--max-urls", "1", name)
	cmd.Dir, cmd.Stdout = dir, out
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(out.Name()); !strings.HasSuffix(string(text), "/1\n") {
		t.Errorf("%q, %v", text, err)
	}
}

// TestUnfinishedOutput: it is said what becomes of the file.
func TestUnfinishedOutput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	runArgs(t, "parse", "-o", out, "missing.xml").want(t, exitFailed, "", out+" is not written")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(writeFile(t, "kept", "precious\n"), link); err != nil {
		t.Fatal(err)
	}
	runArgs(t, "parse", "-o", link, "missing.xml").want(t, exitFailed, "", link+" is left as it was")
	runArgs(t, "urls", "-o", link, link).want(t, exitUsage, "", link+" is the file of --output")
	if text, err := os.ReadFile(link); string(text) != "precious\n" {
		t.Errorf("%q, %v", text, err)
	}
	for _, args := range [][]string{{"parse", ""}, {"urls", "example.com", ""}} {
		runArgs(t, args...).want(t, exitUsage, "", "empty ")
	}
	runArgs(t, "parse", "http://example.com/").want(t, exitFailed, "", "parse reads files")
}
