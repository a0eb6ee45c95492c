package batch

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/seed-322c453a/sitemap/internal/tempfile"
)

// InOrder is a [Sink] that writes the lines of all parts to one writer, in the order of the tasks
// of [PlanInOrder], and keeps nothing. Lines of the current task are written at once. Lines of
// later tasks are buffered, up to 32 MiB in memory and 2 GiB in a temporary file. Beyond that, or
// if the file cannot be written, the order is given up: the buffered lines are written, and all
// further lines at once.
type InOrder struct {
	w         io.Writer
	givenUp   func() // called when the order is given up
	maxMemory int    // bytes that wait
	maxFile   int64

	mu      sync.Mutex
	turn    uint64                  // whose lines are written at once; 0 once the order is given up
	waiting map[uint64]*waitingPart // parts that have begun and whose turn is not over
	memory  int                     // bytes that wait in memory
	file    *tempfile.File
	end     int64 // of the file
	failed  error // of w or the file, for all that follows
}

// NewInOrder returns a sink that writes to w. Close it after the run. If givenUp is not nil, it is
// called when the order is given up.
func NewInOrder(w io.Writer, givenUp func()) *InOrder {
	return &InOrder{
		w: w, givenUp: givenUp, maxMemory: 32 << 20, maxFile: 2 << 30,
		turn: 1, waiting: map[uint64]*waitingPart{},
	}
}

// A waitingPart buffers the lines of a part: the first of them in the file, the others in memory.
type waitingPart struct {
	sink  *InOrder
	turn  uint64
	file  []io.Reader
	lines bytes.Buffer
	over  bool
}

// Part begins the part of a task, by its Turn: see [Sink].
func (s *InOrder) Part(_ context.Context, part Stored) (Part, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &waitingPart{sink: s, turn: part.Turn}
	s.waiting[part.Turn] = p
	return p, s.failed
}

// Write writes lines, or buffers them until the turn of the part.
func (p *waitingPart) Write(lines []byte) (int, error) {
	s := p.sink
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failed != nil:
	case s.turn == 0 || s.turn == p.turn:
		_, s.failed = s.w.Write(lines)
	default:
		p.lines.Write(lines)
		if s.memory += len(lines); s.memory > s.maxMemory {
			s.toFile()
		}
	}
	return len(lines), s.failed
}

// toFile moves all buffered lines from memory to the file at once, so that writes are large. If
// that fails or the file is full, the order is given up.
func (s *InOrder) toFile() {
	var err error
	if s.file == nil {
		s.file, err = tempfile.Create("sitemap-lines-")
	}
	parts := slices.Collect(maps.Values(s.waiting))
	if !slices.ContainsFunc(parts, func(p *waitingPart) bool { return p.file != nil }) {
		s.end = 0
	}
	for _, p := range parts {
		n := int64(p.lines.Len())
		if err == nil && n > 0 {
			_, err = s.file.WriteAt(p.lines.Bytes(), s.end)
		}
		if err == nil && n > 0 {
			p.file = append(p.file, io.NewSectionReader(s.file, s.end, n))
			s.end += n
			s.memory -= int(n)
			p.lines = bytes.Buffer{}
		}
	}
	if err == nil && s.end <= s.maxFile {
		return
	}
	s.turn = 0
	s.flushAll()
	if s.givenUp != nil {
		s.givenUp()
	}
}

// flushAll writes all buffered lines, in order.
func (s *InOrder) flushAll() {
	for _, turn := range slices.Sorted(maps.Keys(s.waiting)) {
		s.flush(s.waiting[turn])
	}
}

// flush writes the buffered lines of a part.
func (s *InOrder) flush(p *waitingPart) {
	s.memory -= p.lines.Len()
	for _, lines := range append(p.file, &p.lines) {
		if s.failed == nil {
			_, s.failed = io.Copy(s.w, lines)
		}
	}
	p.file, p.lines = nil, bytes.Buffer{}
}

// Commit ends the part. Its turn passes to the next.
func (p *waitingPart) Commit(context.Context, Counts) error {
	s := p.sink
	s.mu.Lock()
	defer s.mu.Unlock()
	p.over = true
	if s.turn == 0 {
		delete(s.waiting, p.turn)
	}
	for next := s.waiting[s.turn]; next != nil; next = s.waiting[s.turn] {
		if s.flush(next); !next.over {
			break
		}
		delete(s.waiting, s.turn)
		s.turn++
	}
	return s.failed
}

// Discard does nothing: lines that were written at once cannot be taken back, and Close writes the
// rest.
func (p *waitingPart) Discard() {}

// Close writes the lines that are still buffered, in order: those after a part that has not ended.
func (s *InOrder) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushAll()
	clear(s.waiting)
	return cmp.Or(s.failed, s.file.Close())
}

// Stat returns fs.ErrNotExist: nothing is kept.
func (s *InOrder) Stat(context.Context, Stored) (Stored, error) {
	return Stored{}, fs.ErrNotExist
}

// Parts yields fs.ErrNotExist.
func (s *InOrder) Parts(context.Context, string) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) { yield(Stored{}, fs.ErrNotExist) }
}

// Open returns fs.ErrNotExist.
func (s *InOrder) Open(context.Context, Stored) (io.ReadCloser, error) {
	return nil, fs.ErrNotExist
}
