// Package spool reads a body to its end, into pooled memory and then into a temporary file, so that
// it can be read slowly, and again.
//
// The bodies of a [Memory] have up to 8 MiB of memory each and 32 MiB together. Their files stay
// within a [Room].
package spool

import (
	"cmp"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/tempfile"
)

// ErrClosed means that a body was read after it was closed.
var ErrClosed = errors.New("body is closed")

const (
	chunkSize    = 64 << 10
	bodyMemory   = 8 << 20  // bytes of one body in memory; the rest goes to a temporary file
	sharedMemory = 32 << 20 // bytes of all bodies of a Memory
	smallBody    = 32 << 10 // a body up to this size is copied out of its chunk
)

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// A Memory bounds the memory of the bodies that it reads. The zero Memory is ready. It is safe for
// concurrent use.
type Memory struct{ used atomic.Int64 }

// Read reads src to its end, at most limit bytes. The Body holds the bytes before an error, and
// takes over what share has reserved for its file.
//
// A longer src ends with [sitemap.ErrTooLarge]. With [ErrNoRoom] the Body is closed, and
// [Share.Wait] reserves room for the expected number of bytes.
func (m *Memory) Read(src io.Reader, share *Share, limit, expected int64) (*Body, error) {
	b := &Body{used: &m.used, share: *share}
	share.held = 0
	err := b.fill(src, limit)
	if b.file == nil {
		b.share.Release() // it fits into memory now
	}
	if errors.Is(err, ErrNoRoom) {
		b.Close()
		share.wanted = min(expected, share.size)
	}
	return b, err
}

// A Body is local: chunks of memory, then a file. The zero Body is empty. It is safe for concurrent
// use.
type Body struct {
	// Err, if not nil, is returned by a Reader after the last byte, in place of io.EOF. It must not
	// change once the Body is read.
	Err error

	used  *atomic.Int64 // of the Memory
	share Share         // for the file
	size  int64

	mu     sync.RWMutex   // guards what follows once the body is filled
	memory [][]byte       // all except the last are full; those of chunkSize are pooled
	file   *tempfile.File // nil if the memory suffices
	closed bool
}

// Size returns the number of bytes.
func (b *Body) Size() int64 { return b.size }

func (b *Body) fill(src io.Reader, limit int64) error {
	for b.size < bodyMemory && b.used.Add(chunkSize) <= sharedMemory {
		chunk := chunks.Get().(*[chunkSize]byte)
		p := chunk[:]
		if left := limit - b.size; left < chunkSize {
			p = p[:left+1] // one byte more shows that the body is too large
		}
		n, err := readFull(src, p)
		if b.size+int64(n) > limit {
			n, err = int(limit-b.size), sitemap.ErrTooLarge
		}
		b.size += int64(n)
		if b.size == int64(n) && n <= smallBody && err != nil {
			b.memory = append(b.memory, append([]byte(nil), chunk[:n]...))
			chunks.Put(chunk)
			b.used.Add(int64(n) - chunkSize)
		} else {
			b.memory = append(b.memory, chunk[:n])
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	if b.size < bodyMemory {
		b.used.Add(-chunkSize) // the Memory was full
	}
	return b.spill(src, limit)
}

// readFull reads until p is full or src ends, with the error of src.
func readFull(src io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = src.Read(p[n:])
		n += m
	}
	return n, err
}

// spill reads the rest of src into a temporary file.
func (b *Body) spill(src io.Reader, limit int64) error {
	f, err := tempfile.Create("sitemap-*")
	if err != nil {
		return err
	}
	b.file = f
	_, err = io.Copy(fileWriter{b}, io.LimitReader(src, limit-b.size))
	if err == nil && b.size == limit {
		if m, _ := readFull(src, make([]byte, 1)); m > 0 {
			err = sitemap.ErrTooLarge
		}
	}
	b.share.shrink(b.size - b.inMemory())
	return err
}

// A fileWriter writes to the file of a Body. It fails with ErrNoRoom if there is no room for that.
type fileWriter struct{ *Body }

func (w fileWriter) Write(p []byte) (int, error) {
	if err := w.share.grow(w.size - w.inMemory() + int64(len(p))); err != nil {
		return 0, err
	}
	written, err := w.file.Write(p)
	w.size += int64(written)
	return written, err
}

// inMemory returns how many bytes come before those in the file, if there is one.
func (b *Body) inMemory() int64 { return int64(len(b.memory)) * chunkSize }

// readAt reads from an offset. It returns all bytes before an error.
func (b *Body) readAt(p []byte, off int64) (int, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	switch i := off / chunkSize; {
	case b.closed:
		return 0, ErrClosed
	case off >= b.size:
		return 0, cmp.Or(b.Err, io.EOF)
	case i < int64(len(b.memory)):
		return copy(p, b.memory[i][off%chunkSize:]), nil
	}
	p = p[:min(int64(len(p)), b.size-off)]
	return b.file.ReadAt(p, off-b.inMemory())
}

// Close gives back the memory and removes the file. All readers then fail with [ErrClosed]. Close
// may be called again.
func (b *Body) Close() (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, chunk := range b.memory {
		if cap(chunk) >= chunkSize {
			chunks.Put((*[chunkSize]byte)(chunk[:chunkSize]))
			b.used.Add(-chunkSize)
		} else {
			b.used.Add(-int64(len(chunk)))
		}
	}
	err = b.file.Close()
	b.share.Release()
	b.memory, b.file = nil, nil
	return err
}

// Reader returns a reader of the body from its start.
func (b *Body) Reader() *Reader { return &Reader{Body: b} }

// A Reader reads a Body. Close closes the Body.
type Reader struct {
	*Body
	off int64
}

// Read reads until Close is called, by this or another reader of the Body.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.readAt(p, r.off)
	r.off += int64(n)
	return n, err
}
