// Package records carries the records of a Store from walk to walk: as a stream, and in a Temp for
// as long as a walk needs them.
//
// Each file builds on those below it:
//
//	temp.go    Temp
//	stream.go  Write and Read
package records

import (
	"bufio"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// Streams are gob in gzip, whose checksum detects damage: the number of the format, then records.
type record struct {
	Key   string
	Value []byte
}

// format is the number of the format of streams that this version writes.
const format = 1

// ErrNewer means that a newer version of this module wrote a stream or a file.
var ErrNewer = errors.New("a newer version of this module wrote it")

// ErrDamaged means that a stream is damaged or truncated.
var ErrDamaged = errors.New("a damaged or truncated state")

// A gzip.Writer is larger than most states.
var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// A counter counts bytes.
type counter struct {
	r      io.Reader
	w      io.Writer
	n      int64
	failed error // of r
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != io.EOF {
		c.failed = err
	}
	return n, err
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Write writes records, compressed, and returns the number of bytes.
func Write(w io.Writer, records iter.Seq2[string, []byte]) (int64, error) {
	count := &counter{w: w}
	zip := zippers.Get().(*gzip.Writer)
	defer zippers.Put(zip)
	zip.Reset(count)
	out := gob.NewEncoder(zip)
	err := out.Encode(format)
	for key, value := range records {
		if err != nil {
			break
		}
		err = out.Encode(record{key, value})
	}
	return count.n, cmp.Or(err, zip.Close())
}

// Read calls put with the records that Write has written to r, and returns the number of bytes. A
// value is put's to keep. If r cannot be read, is damaged ([ErrDamaged]) or has a newer format
// ([ErrNewer]), there is an error, after the records that could be read.
func Read(r io.Reader, put func(key string, value []byte) error) (int64, error) {
	count := &counter{r: r}
	err := read(count, put)
	if count.failed != nil {
		err = count.failed
	}
	if err != nil {
		err = fmt.Errorf("state: %w", err)
	}
	return count.n, err
}

func read(r io.Reader, put func(key string, value []byte) error) error {
	zip, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	version := 0
	in := gob.NewDecoder(zip)
	for err = in.Decode(&version); err == nil && version <= format; {
		var next record
		if err = in.Decode(&next); err == nil {
			if failed := put(next.Key, append([]byte{}, next.Value...)); failed != nil {
				return failed
			}
		}
	}
	rest, end := io.Copy(io.Discard, zip)
	switch {
	case end == nil && version > format:
		return ErrNewer
	case end != nil, err != io.EOF, rest > 0, version < 1:
		return fmt.Errorf("%w: %w", ErrDamaged, cmp.Or(end, err))
	}
	return nil
}
