package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// recorder keeps the writes it gets.
type recorder struct {
	mu     sync.Mutex
	writes []string
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes = append(r.writes, string(p))
	return len(p), nil
}

// take returns the writes since it was last called.
func (r *recorder) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := strings.Join(r.writes, "|")
	r.writes = nil
	return all
}

func TestSinkFlushesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		s := newSink(&r)
		for range 3 {
			io.WriteString(s, "a")
			io.WriteString(s, "b")
			if got := r.take(); got != "" {
				t.Fatalf("written before its time: %q", got)
			}
			time.Sleep(2 * flushAfter)
			synctest.Wait()
			if got := r.take(); got != "ab" {
				t.Fatalf("got %q, want one write of \"ab\"", got)
			}
		}
	})
}

func TestSinkWritesBlocks(t *testing.T) {
	var r recorder
	s := newSink(&r)
	line := strings.Repeat("x", 99) + "\n"
	var want bytes.Buffer
	for range 10_000 {
		io.WriteString(s, line)
		want.WriteString(line)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.writes, ""); got != want.String() {
		t.Errorf("got %d bytes, want %d", len(got), want.Len())
	}
	if n := len(r.writes); n > 10_000*100/sinkSize+2+int(time.Minute/flushAfter) {
		t.Errorf("%d writes", n)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestSinkErrors(t *testing.T) {
	full := errors.New("disk full")
	for _, tt := range []struct{ err, want error }{
		{full, full}, {&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, errStopped}, {io.ErrClosedPipe, errStopped},
	} {
		called := 0
		s := newSink(failingWriter{tt.err})
		s.failed = func() { called++ }
		io.WriteString(s, "a")
		if err := s.Flush(); err != tt.want {
			t.Errorf("Flush after %v = %v, want %v", tt.err, err, tt.want)
		}
		if _, err := io.WriteString(s, "b"); err != tt.want || called != 1 {
			t.Errorf("Write after %v = %v, %d calls, want %v", tt.err, err, called, tt.want)
		}
	}
}

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
	in := writeFile(t, "in.txt", "http://example.com/a\n")
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if err := os.WriteFile(out, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	a := &app{diag: &messages{w: io.Discard}}
	o, err := a.create(out)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(o, "new")
	o.Flush()
	if got, _ := os.ReadFile(out); string(got) != "old" {
		t.Errorf("before the end the file holds %q", got)
	}
	a.finishOutput(o, errors.New("interrupted"))
	if got := names(t, dir); got != "out" {
		t.Errorf("an unfinished output left %q", got)
	}

	runArgs(t, "parse", "-o", out, in).want(t, exitOK, "")
	if got, _ := os.ReadFile(out); string(got) != "http://example.com/a\n" {
		t.Errorf("the file holds %q", got)
	}
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
