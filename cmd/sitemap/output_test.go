package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
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
	a := &app{diag: &messages{w: io.Discard}}
	o, err := a.create(out)
	if err != nil {
		t.Fatal(err)
	}
	o.WriteString("new")
	o.Flush()
	wantFile(t, out, "old")
	if err := a.finish(o, errors.New("interrupted")); err == nil {
		t.Error("the error is lost")
	}
	if got := names(t, dir); got != "out" {
		t.Errorf("an unfinished output left %q", got)
	}

	in := writeFile(t, "in.txt", "http://example.com/a\n")
	runArgs(t, "parse", "-o", out, in).want(t, exitOK, "")
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
	runArgs(t, "parse", "-o", filepath.Join(dir, "no", "out"), in).want(t, exitFailed, "", "no such file")
	runArgs(t, "parse", "-o", dir, in).want(t, exitFailed, "", "is a directory")
}

// If nothing could be read, the file of -o stays as it was.
func TestOutputOfNothing(t *testing.T) {
	out := writeFile(t, "out", "precious\n")
	for _, args := range [][]string{
		{"urls", "--retries", "0", "--allow-private", "http://127.0.0.1:1/"}, {"urls", "--format", "csv", "missing.xml"}, {"parse", "missing.xml"},
	} {
		if r := runArgs(t, append(args, "-o", out)...); r.status != exitFailed || !strings.Contains(r.err, out+" is not written") {
			t.Errorf("%v: status %d, reported %q", args, r.status, r.err)
		}
	}
	wantFile(t, out, "precious\n")
}

// A file whose name leaves no room for a longer one is written in place.
func TestLongOutputName(t *testing.T) {
	out := filepath.Join(t.TempDir(), strings.Repeat("ü", 120))
	runArgs(t, "parse", "-o", out, writeFile(t, "in.txt", "http://example.com/a\n")).want(t, exitOK, "")
	wantFile(t, out, "http://example.com/a\n")
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputErrors(t *testing.T) {
	full := errors.New("disk full")
	for _, tt := range []struct{ err, want error }{
		{full, full}, {&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, errStopped}, {io.ErrClosedPipe, errStopped},
		{&os.PathError{Op: "write", Path: "|1", Err: syscall.Errno(232)}, errStopped}, // ERROR_NO_DATA of Windows
	} {
		o := newOutput(failingWriter{tt.err})
		o.WriteString("a")
		if err := o.Flush(); err != tt.want {
			t.Errorf("Flush after %v = %v, want %v", tt.err, err, tt.want)
		}
		if _, err := o.WriteString("b"); err != tt.want {
			t.Errorf("WriteString after %v = %v, want %v", tt.err, err, tt.want)
		}
	}
}
