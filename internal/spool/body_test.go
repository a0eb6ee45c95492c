package spool

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

const (
	mib       = 1 << 20
	unlimited = 1 << 40 // a limit that nothing reaches
)

// large are bytes that do not repeat: a body of 12 MiB, of which 4 MiB are in a file.
var large = func() []byte {
	b := make([]byte, 12*mib)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}()

// noise returns n bytes that do not repeat, and must not be changed.
func noise(n int) []byte { return large[:n:n] }

// read reads a body of unknown size. It is closed at the end of the test.
func read(t *testing.T, m *Memory, room *Room, content []byte) *Body {
	t.Helper()
	share := room.Share()
	b, err := m.Read(bytes.NewReader(content), &share, unlimited, unlimited)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// check checks what a body holds.
func check(t *testing.T, b *Body, want []byte) {
	t.Helper()
	left := rest(want)
	n, err := io.CopyBuffer(&left, b.Reader(), make([]byte, 50_021)) // of no chunk's size
	if err != nil || len(left) > 0 || b.Size() != int64(len(want)) {
		t.Errorf("read %d of %d bytes, size %d, %v", n, len(want), b.Size(), err)
	}
}

// A rest is what must still be written to it.
type rest []byte

func (r *rest) Write(p []byte) (int, error) {
	if !bytes.HasPrefix(*r, p) {
		return 0, errors.New("other bytes")
	}
	*r = (*r)[len(p):]
	return len(p), nil
}

// setTemp makes dir the folder of temporary files.
func setTemp(t *testing.T, dir string) {
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
}

// checkEmpty checks that no file is left in dir.
func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("left %v, %v", files, err)
	}
}

func TestRead_SizesAroundTheLimitsOfMemory(t *testing.T) {
	const chunk = chunkSize
	var m Memory
	room := NewRoom(mib)
	for _, size := range []int{
		0, 1, chunk/2 - 1, chunk / 2, chunk/2 + 1, chunk - 1, chunk, chunk + 1,
		8*mib - 1, 8 * mib, 8*mib + 1, 9 * mib,
	} {
		content := noise(size)
		b := read(t, &m, room, content)
		check(t, b, content)
		b.Close()
	}
}

func TestRead_Limit(t *testing.T) {
	var m Memory
	share := NewRoom(9 * mib).Share()
	for _, limit := range []int64{0, 100, 70 << 10, 8 * mib, 9 * mib} {
		for _, more := range []int{0, 1} {
			b, err := m.Read(bytes.NewReader(noise(int(limit)+more)), &share, limit, limit)
			if tooLarge := errors.Is(err, sitemap.ErrTooLarge); tooLarge != (more > 0) || b.Size() != limit {
				t.Errorf("limit %d, %d more: read %d bytes, %v", limit, more, b.Size(), err)
			}
			b.Close()
		}
	}
}

func TestRead_BrokenSource(t *testing.T) {
	var m Memory
	broken := errors.New("broken")
	for _, size := range []int{0, 1, 100 << 10, 9 * mib} {
		content := noise(size)
		share := NewRoom(9 * mib).Share()
		src := io.MultiReader(bytes.NewReader(content), errorReader{broken})
		b, err := m.Read(src, &share, unlimited, unlimited)
		if err != broken {
			t.Errorf("%d bytes: error %v, want %v", size, err, broken)
		}
		b.Err = broken
		if got, err := io.ReadAll(b.Reader()); !bytes.Equal(got, content) || err != broken {
			t.Errorf("%d bytes: read %d, then %v, want %v", size, len(got), err, broken)
		}
		b.Close()
	}
}

type errorReader struct{ error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.error }

func TestBody_LeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	setTemp(t, dir)
	content := noise(12 * mib)
	b := read(t, new(Memory), NewRoom(mib), content)
	if runtime.GOOS != "windows" {
		checkEmpty(t, dir) // the file has lost its name
	}
	check(t, b, content)
	b.Close()
	checkEmpty(t, dir)
}

// Bodies share the memory; the rest is in files. Once closed, they give the memory back.
func TestMemory_IsShared(t *testing.T) {
	dir := t.TempDir()
	setTemp(t, dir)
	var m Memory
	room := NewRoom(42 * mib)
	content := noise(7 * mib)
	for range 2 {
		var bodies []*Body
		for range 6 {
			bodies = append(bodies, read(t, &m, room, content))
		}
		if used := m.used.Load(); used > sharedMemory || used < sharedMemory-7*mib {
			t.Errorf("six bodies use %d bytes of memory, of %d", used, sharedMemory)
		}
		for _, b := range bodies {
			check(t, b, content)
			b.Close()
		}
		if used := m.used.Load(); used != 0 {
			t.Errorf("closed bodies use %d bytes of memory", used)
		}
	}
	setTemp(t, dir+"/missing") // what fits into memory needs no file
	for range 4 {
		check(t, read(t, &m, room, content), content)
	}
}

// Small bodies hold no more memory than they need, so that many of them need no file.
func TestMemory_ManySmallBodies(t *testing.T) {
	setTemp(t, t.TempDir()+"/missing")
	var m Memory
	room := NewRoom(mib)
	content := noise(8 << 10)
	for range 1000 {
		check(t, read(t, &m, room, content), content)
	}
}

func TestBody_SeveralReaders(t *testing.T) {
	var m Memory
	for _, size := range []int{0, 1, 100 << 10, 9 * mib} {
		content := noise(size)
		b := read(t, &m, NewRoom(mib), content)
		half := b.Reader()
		io.CopyN(io.Discard, half, int64(size/2))
		check(t, b, content)
		if rest, err := io.ReadAll(half); err != nil || !bytes.Equal(rest, content[size/2:]) {
			t.Errorf("%d bytes: read %d after the first half, %v", size, len(rest), err)
		}
		for range 2 {
			if err := half.Close(); err != nil {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
		for _, r := range []*Reader{half, b.Reader()} {
			if n, err := r.Read(make([]byte, 1)); n != 0 || err != ErrClosed {
				t.Errorf("%d bytes: Read after Close: %d, %v, want %v", size, n, err, ErrClosed)
			}
		}
	}
}

func TestRead_WithoutTemporaryFolder(t *testing.T) {
	missing := t.TempDir() + "/missing"
	setTemp(t, missing)
	var m Memory
	room := NewRoom(4 * mib)
	content := noise(9 * mib)
	for range 3 { // memory and room are given back
		share := room.Share()
		b, err := m.Read(bytes.NewReader(content), &share, unlimited, unlimited)
		want := "no temporary file in " + missing + " (TMPDIR): open "
		if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to contain %q", err, want)
		}
		check(t, b, content[:8*mib])
		b.Close()
	}
}
