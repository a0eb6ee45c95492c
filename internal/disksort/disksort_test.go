package disksort_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap/internal/disksort"
)

var order = disksort.Order[uint32]{
	Compare: cmp.Compare[uint32],
	Encode:  func(v uint32) ([]byte, error) { return binary.BigEndian.AppendUint32(nil, v), nil },
	Decode: func(b []byte) (uint32, error) {
		if len(b) != 4 {
			return 0, errors.New("damaged")
		}
		return binary.BigEndian.Uint32(b), nil
	},
}

// Values are sorted, however many there are, and their files are removed.
func TestSorter(t *testing.T) {
	for _, n := range []uint32{0, 1, 1_000, 120_000} {
		dir := t.TempDir()
		s := disksort.New(t.Context(), dir, disksort.Chunk, order)
		for i := range n {
			s.Add(i * 2_654_435_761)
		}
		got := slices.Collect(s.Sorted())
		if err := s.Err(); len(got) != int(n) || !slices.IsSorted(got) || err != nil {
			t.Errorf("%d values: %d, sorted %t, %v", n, len(got), slices.IsSorted(got), err)
		}
		s.Close()
		if left, err := filepath.Glob(dir + "/*"); len(left) > 0 || err != nil {
			t.Errorf("%d values: %v is left, %v", n, left, err)
		}
	}
}

// Long values take little memory.
func TestSorter_LongValues(t *testing.T) {
	s := disksort.New(t.Context(), t.TempDir(), disksort.LongChunk, disksort.Strings)
	defer s.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 80_000 {
		s.Add(fmt.Sprintf("%02000d", i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+130<<20 {
		t.Errorf("80,000 values of 2,000 bytes take %d bytes", after.HeapAlloc-before.HeapAlloc)
	}
}

// A Sorter that is closed before its end leaves nothing, and one that cannot write takes values all
// the same.
func TestSorter_Ends(t *testing.T) {
	dir := t.TempDir()
	for stop := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		s := disksort.New(ctx, dir, disksort.Chunk, order)
		for i := range uint32(100_000) {
			s.Add(i)
		}
		if stop == 0 {
			cancel()
		}
		if stop == 1 {
			for range s.Sorted() {
				break
			}
		}
		s.Close()
		cancel()
	}
	if left, _ := filepath.Glob(dir + "/*"); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := disksort.New(t.Context(), file, disksort.Chunk, order)
	defer s.Close()
	for i := range uint32(200_000) {
		s.Add(i)
	}
	for range s.Sorted() {
	}
	if s.Err() == nil {
		t.Error("no error without a folder")
	}
}
