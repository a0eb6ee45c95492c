package fetch

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/seed-322c453a/sitemap"
)

const (
	chunkSize  = 64 << 10
	bodyMemory = 8 << 20  // bytes of one body in memory; the rest goes to a temporary file
	poolMemory = 32 << 20 // bytes of all bodies of a Client in memory
	smallBody  = 32 << 10 // a body up to this size is copied out of its chunk
)

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// A body is local: chunks of memory, then a file. After them comes err, or io.EOF.
type body struct {
	used  *atomic.Int64 // memory of all bodies of the Client
	share share         // for the file
	size  int64
	err   error

	mu     sync.RWMutex // guards what follows once the body is filled
	memory [][]byte     // all except the last are full; those of chunkSize are pooled
	file   *os.File     // nil if the memory suffices
	remove string       // name of the file, if it could not be removed while open
	closed bool
}

// fill reads src to its end, at most limit bytes, and returns why it ended, nil at io.EOF. It
// reserves room in files for the expected number of bytes.
func (b *body) fill(src io.Reader, limit, expected int64) error {
	for b.size < bodyMemory && b.used.Add(chunkSize) <= poolMemory {
		chunk := chunks.Get().(*[chunkSize]byte)
		p := chunk[:]
		if left := limit - b.size; left < chunkSize {
			p = p[:left+1] // one byte more shows that the body is too large
		}
		n, err := readFull(src, p)
		over := b.size+int64(n) > limit
		if over {
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
		b.used.Add(-chunkSize) // the pool had no room
	}
	return b.spill(src, limit, expected)
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
func (b *body) spill(src io.Reader, limit, expected int64) error {
	b.share.whole = min(expected, b.share.size)
	f, err := os.CreateTemp("", "sitemap-*")
	if err != nil {
		b.share.shrink(0)
		return fmt.Errorf("no temporary file in %s (TMPDIR): %w", os.TempDir(), err)
	}
	b.file = f
	if os.Remove(f.Name()) != nil { // some systems keep the name of an open file
		b.remove = f.Name()
	}
	_, err = io.Copy(b, io.LimitReader(src, limit-b.size))
	if err == nil && b.size == limit {
		if m, _ := readFull(src, make([]byte, 1)); m > 0 {
			err = sitemap.ErrTooLarge
		}
	}
	b.share.shrink(b.size - b.inMemory())
	return err
}

// Write writes to the file. It fails with ErrNoRoom if there is no room for that.
func (b *body) Write(p []byte) (int, error) {
	if err := b.share.grow(b.size - b.inMemory() + int64(len(p))); err != nil {
		return 0, err
	}
	written, err := b.file.Write(p)
	b.size += int64(written)
	return written, err
}

// inMemory returns how many bytes come before those in the file, if there is one.
func (b *body) inMemory() int64 { return int64(len(b.memory)) * chunkSize }

// readAt reads from an offset, until Close is called. It returns all bytes before an error.
func (b *body) readAt(p []byte, off int64) (int, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	switch i := off / chunkSize; {
	case b.closed:
		return 0, ErrClosed
	case off >= b.size:
		return 0, cmp.Or(b.err, io.EOF)
	case i < int64(len(b.memory)):
		return copy(p, b.memory[i][off%chunkSize:]), nil
	}
	p = p[:min(int64(len(p)), b.size-off)]
	return b.file.ReadAt(p, off-b.inMemory())
}

// Close gives back the memory and removes the file. It may be called again.
func (b *body) Close() (err error) {
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
	if b.file != nil {
		err = b.file.Close()
		if b.remove != "" {
			os.Remove(b.remove)
		}
	}
	b.share.shrink(0)
	b.memory, b.file = nil, nil
	return err
}

// A bodyReader reads a body from its start. Close closes the body.
type bodyReader struct {
	*body
	off int64
}

func (r *bodyReader) Read(p []byte) (int, error) {
	n, err := r.readAt(p, r.off)
	r.off += int64(n)
	return n, err
}
