package batch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"sync"
)

// InOrder is a [Sink] that writes the lines of all parts to one writer, in the order of the tasks of
// [PlanInOrder], and keeps nothing. The lines of the task whose turn it is are written as they come.
// What comes before its turn waits, up to 32 MiB in memory and 2 GiB in a temporary file. Beyond that,
// or if the file cannot be written, the order is given up: whatever waits is written, and then lines
// as they come.
type InOrder struct {
	w       io.Writer
	givenUp func() // says so

	mu      sync.Mutex
	turn    uint64                  // that is written as it comes
	waiting map[uint64]*waitingPart // parts with a later turn
	memory  int                     // bytes that wait in memory
	file    *os.File
	end     int64 // of the file
	failed  error // of w or the file, for all that follows

	maxMemory int
	maxFile   int64
}

// NewInOrder returns a sink that writes to w. It must be closed. GivenUp, if not nil, is called when
// the order is given up.
func NewInOrder(w io.Writer, givenUp func()) *InOrder {
	return &InOrder{
		w: w, givenUp: givenUp, turn: 1, waiting: map[uint64]*waitingPart{},
		maxMemory: 32 << 20, maxFile: 2 << 30,
	}
}

// A waitingPart is what waits of a part: first in the file, then in memory.
type waitingPart struct {
	sink   *InOrder
	turn   uint64
	pieces []piece
	lines  bytes.Buffer
	over   bool
}

// A piece is where the file has lines.
type piece struct{ at, n int64 }

// Part begins the part of a task: see [Sink].
func (s *InOrder) Part(_ context.Context, t Task) (Part, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &waitingPart{sink: s, turn: t.Turn}
	s.waiting[t.Turn] = p
	return p, s.failed
}

func (p *waitingPart) Write(lines []byte) (int, error) {
	s := p.sink
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.write(p, lines)
	}
	if s.failed != nil {
		return 0, s.failed
	}
	return len(lines), nil
}

// write writes lines of a part, or has them wait.
func (s *InOrder) write(p *waitingPart, lines []byte) {
	if s.turn == 0 || s.turn == p.turn {
		_, s.failed = s.w.Write(lines)
		return
	}
	p.lines.Write(lines)
	s.memory += len(lines)
	if s.memory <= s.maxMemory {
		return
	}
	var err error
	for _, p := range s.waiting { // at once, so that pieces are large
		err = cmp.Or(err, s.toFile(p))
	}
	if err != nil || s.end > s.maxFile {
		s.abandonOrder()
	}
}

// toFile moves lines of a part from memory to the file. If that fails, they stay.
func (s *InOrder) toFile(p *waitingPart) error {
	if s.file == nil {
		f, err := os.CreateTemp("", "sitemap-lines-")
		if err != nil {
			return err
		}
		os.Remove(f.Name()) // where the system allows it
		s.file = f
	}
	n := p.lines.Len()
	if n == 0 {
		return nil
	}
	if _, err := s.file.WriteAt(p.lines.Bytes(), s.end); err != nil {
		return err
	}
	p.pieces = append(p.pieces, piece{s.end, int64(n)})
	s.end += int64(n)
	s.memory -= n
	p.lines = bytes.Buffer{}
	return nil
}

// flush writes what waits of a part.
func (s *InOrder) flush(p *waitingPart) {
	for _, piece := range p.pieces {
		if s.failed == nil {
			_, s.failed = io.Copy(s.w, io.NewSectionReader(s.file, piece.at, piece.n))
		}
	}
	s.memory -= p.lines.Len()
	if s.failed == nil {
		_, s.failed = p.lines.WriteTo(s.w)
	}
	p.pieces, p.lines = nil, bytes.Buffer{}
}

// abandonOrder writes whatever waits.
func (s *InOrder) abandonOrder() {
	s.turn = 0
	for _, p := range s.waiting {
		s.flush(p)
	}
	if s.givenUp != nil {
		s.givenUp()
	}
}

// Commit ends the part. Its turn passes to the next.
func (p *waitingPart) Commit(context.Context, Counts) error {
	s := p.sink
	s.mu.Lock()
	defer s.mu.Unlock()
	p.over = true
	for s.turn > 0 {
		next := s.waiting[s.turn]
		if next == nil {
			break
		}
		if s.flush(next); !next.over {
			break
		}
		delete(s.waiting, s.turn)
		s.turn++
	}
	if s.turn == 0 {
		delete(s.waiting, p.turn)
	}
	if len(s.waiting) == 0 {
		s.end = 0
	}
	return s.failed
}

// Discard does nothing: what was written of a part whose turn it was cannot be taken back, and the
// rest is written by Close.
func (p *waitingPart) Discard() {}

// Close writes what still waits, in order: the parts after one that has not ended.
func (s *InOrder) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, turn := range slices.Sorted(maps.Keys(s.waiting)) {
		s.flush(s.waiting[turn])
	}
	clear(s.waiting)
	if s.file != nil {
		s.failed = errors.Join(s.failed, s.file.Close())
		os.Remove(s.file.Name())
	}
	return s.failed
}

// Has returns false: nothing is kept.
func (s *InOrder) Has(context.Context, Task) (bool, error) { return false, nil }

// Parts yields nothing.
func (s *InOrder) Parts(context.Context, string) iter.Seq2[Stored, error] {
	return func(func(Stored, error) bool) {}
}

// Open returns fs.ErrNotExist.
func (s *InOrder) Open(context.Context, Stored) (io.ReadCloser, error) { return nil, fs.ErrNotExist }
