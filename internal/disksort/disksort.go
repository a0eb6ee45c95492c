// Package disksort sorts more values than memory holds: by github.com/lanrat/extsort, in temporary
// files, which are gone when it ends.
package disksort

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/lanrat/extsort"
)

// An Order says how values are compared, and written to disk.
type Order[T any] struct {
	Compare func(a, b T) int
	Encode  func(T) ([]byte, error)
	Decode  func([]byte) (T, error)
}

// Strings is the order of strings.
var Strings = Order[string]{
	Compare: strings.Compare,
	Encode:  func(s string) ([]byte, error) { return []byte(s), nil },
	Decode:  func(b []byte) (string, error) { return string(b), nil },
}

// A Sorter takes values and yields them sorted. It is not for concurrent use.
type Sorter[T any] struct {
	ctx    context.Context
	cancel context.CancelFunc
	in     chan T        // nil when all values were added
	done   chan struct{} // is closed when no more values are taken
	out    <-chan T
	errs   <-chan error
}

// Sizes of chunks, in values. If there are no more, they are sorted in memory. Up to five chunks may
// be there at once.
const (
	Chunk     = 50_000
	LongChunk = 10_000 // of values of a site, which may list URLs of 8 KiB
)

// New returns a Sorter with files in dir, or in that of os.TempDir if dir is empty. Close ends it.
func New[T any](ctx context.Context, dir string, chunk int, o Order[T]) *Sorter[T] {
	s := &Sorter[T]{in: make(chan T, 1_024), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(ctx)
	config := &extsort.Config{
		ChunkSize: chunk, NumWorkers: 2, ChanBuffSize: 1, SortedChanBuffSize: 1_000,
		TempFilesDir: cmp.Or(dir, os.TempDir()),
	}
	var sorter *extsort.GenericSorter[T]
	sorter, s.out, s.errs = extsort.Generic(s.in, o.Decode, o.Encode, o.Compare, config)
	go func() {
		sorter.Sort(s.ctx) // returns early if it cannot write
		close(s.done)
	}()
	return s
}

// Add adds a value. It discards the value if the Sorter has failed, which Err reports at the end.
func (s *Sorter[T]) Add(v T) {
	select {
	case s.in <- v:
	case <-s.done:
	case <-s.ctx.Done():
	}
}

// Sorted yields the values that were added, once.
func (s *Sorter[T]) Sorted() iter.Seq[T] {
	s.finish()
	return func(yield func(T) bool) {
		for v := range s.out {
			if !yield(v) {
				return
			}
		}
	}
}

func (s *Sorter[T]) finish() {
	if s.in != nil {
		close(s.in)
		s.in = nil
	}
}

// Err returns the error that kept values from being sorted, when Sorted has yielded the last one.
func (s *Sorter[T]) Err() error {
	if err := <-s.errs; err != nil {
		return fmt.Errorf("cannot sort in a temporary file: %w", err)
	}
	return nil
}

// Close ends the Sorter and removes its files.
func (s *Sorter[T]) Close() {
	s.cancel()
	s.finish()
	for range s.out {
	}
}
