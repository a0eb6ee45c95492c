package output

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A file stays as it was unless the output is finished.
func TestFinish(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	a := cli.NewApp(t.Context(), nil, io.Discard, io.Discard)
	o, err := Create(a, name)
	if err != nil {
		t.Fatal(err)
	}
	o.WriteString("new")
	o.Flush()
	if err := o.Finish(errors.New("interrupted")); err == nil {
		t.Error("the error is lost")
	}
	if got, err := os.ReadFile(name); string(got) != "old" || err != nil {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("an unfinished output left %v, %v", left, err)
	}
}

// Outputs that append to one file, each in a process of its own, leave each other's lines alone.
// They begin with a new line also if the last one was not ended.
func TestAppend(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	a := cli.NewApp(t.Context(), nil, io.Discard, io.Discard)
	if err := os.WriteFile(name, []byte("cut"), 0o640); err != nil {
		t.Fatal(err)
	}
	var outs [2]*Writer
	for i := range outs {
		var err error
		if outs[i], err = Append(a, name, false, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"1\n", "2\n"} {
		for _, o := range outs {
			o.WriteString(line)
			o.Flush()
		}
	}
	for _, o := range outs {
		if err := o.Finish(nil); err != nil {
			t.Error(err)
		}
	}
	if got, err := os.ReadFile(name); string(got) != "cut\n1\n1\n2\n2\n" || err != nil {
		t.Errorf("the file holds %q, %v", got, err)
	}
}

// Each flush of a compressed file is one write, so that a kill, or another process that appends to
// it, leaves no half of a member in it.
func TestAppend_Gzip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.gz")
	o, err := Append(cli.NewApp(t.Context(), nil, io.Discard, io.Discard), name, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	writes := 0
	o.to = WriterFunc(func(p []byte) (int, error) {
		writes++
		return o.File.Write(p)
	})
	for range 3 {
		o.WriteString("a\n")
		o.Flush()
	}
	if err := o.Finish(nil); err != nil || writes != 3 {
		t.Errorf("%d writes, %v", writes, err)
	}
	wantGzip(t, name, "a\na\na\n")
}

// Of a write that finds no room, nothing is left.
func TestAppend_Full(t *testing.T) {
	name, full := filepath.Join(t.TempDir(), "out.gz"), errors.New("disk full")
	o, err := Append(cli.NewApp(t.Context(), nil, io.Discard, io.Discard), name, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	o.WriteString("a\n")
	o.Flush()
	o.to = WriterFunc(func(p []byte) (int, error) {
		n, _ := o.File.Write(p[:len(p)/2])
		return n, full
	})
	o.WriteString("b\n")
	if err := o.Finish(nil); err != full {
		t.Error(err)
	}
	wantGzip(t, name, "a\n")
}

func wantGzip(t *testing.T, name, want string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); string(got) != want || err != nil {
		t.Errorf("the file holds %q, %v", got, err)
	}
}

// What is no file, such as the device /dev/null, is not replaced by one.
func TestReplace_NoFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	before, _ := os.Lstat(name)
	err = Replace(name, func(io.Writer) error { return nil })
	after, _ := os.Lstat(name)
	if !strings.HasSuffix(fmt.Sprint(err), "not a regular file") || !os.SameFile(before, after) {
		t.Errorf("the socket was replaced, %v", err)
	}
}

// A file that is replaced keeps its permissions.
func TestReplace_Permissions(t *testing.T) {
	name := filepath.Join(t.TempDir(), "feed")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(name)
	err := Replace(name, func(io.Writer) error { return nil })
	if after, _ := os.Stat(name); err != nil || after.Mode() != before.Mode() {
		t.Errorf("mode %v, then %v, %v", before.Mode(), after.Mode(), err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputErrors(t *testing.T) {
	full := errors.New("disk full")
	for _, tt := range []struct{ err, want error }{
		{full, full}, {&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, cli.ErrStopped}, {io.ErrClosedPipe, cli.ErrStopped},
		{&os.PathError{Op: "write", Path: "|1", Err: syscall.Errno(232)}, cli.ErrStopped}, // ERROR_NO_DATA of Windows
	} {
		o := New(cli.NewApp(t.Context(), nil, failingWriter{tt.err}, io.Discard))
		o.WriteString("a")
		if err := o.Flush(); err != tt.want {
			t.Errorf("Flush after %v = %v, want %v", tt.err, err, tt.want)
		}
		if _, err := o.WriteString("b"); err != tt.want {
			t.Errorf("WriteString after %v = %v, want %v", tt.err, err, tt.want)
		}
	}
}
