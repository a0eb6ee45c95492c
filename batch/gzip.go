package batch

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// The counts of a part are in the extra field of its gzip header (RFC 1952, section 2.3.1.1), under
// the identifier "SM" and padded with spaces, so that they are read without the lines. The field
// begins at extraAt.
const (
	extraAt   = 12
	countSize = 240
)

// extra returns the extra field of a part.
func extra(c Counts) ([]byte, error) {
	text, err := json.Marshal(c)
	if err == nil && len(text) > countSize {
		err = fmt.Errorf("batch: counts of %d bytes", len(text))
	}
	field := binary.LittleEndian.AppendUint16([]byte("SM"), countSize)
	return fmt.Appendf(field, "%-*s", countSize, text), err
}

// ReadCounts returns the counts of a part from its beginning.
func ReadCounts(r io.Reader) (Counts, error) {
	var c Counts
	z, err := gzip.NewReader(bufio.NewReaderSize(r, 512))
	if err != nil {
		return c, err
	}
	if len(z.Extra) < 4 || string(z.Extra[:2]) != "SM" {
		return c, errors.New("batch: not a part")
	}
	return c, json.Unmarshal(z.Extra[4:], &c)
}

var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// A file is a part that is written beside its place.
type file struct {
	temp *os.File
	path string // its place
	gz   *gzip.Writer
	buf  *bufio.Writer
}

func (f *file) Write(p []byte) (int, error) { return f.gz.Write(p) }

// Commit writes the counts and renames the file.
func (f *file) Commit(c Counts) error {
	field, err := extra(c)
	if err != nil {
		return err
	}
	if err := f.gz.Close(); err != nil {
		return err
	}
	if err := f.buf.Flush(); err != nil {
		return err
	}
	if _, err := f.temp.WriteAt(field, extraAt); err != nil {
		return err
	}
	if err := f.close(); err != nil {
		return err
	}
	return f.rename()
}

// close makes the file durable.
func (f *file) close() error { return cmp.Or(f.temp.Sync(), f.temp.Close()) }

// rename puts the file, which was closed, in its place.
func (f *file) rename() error {
	err := os.Rename(f.temp.Name(), f.path)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(f.path), 0o777); err == nil {
			err = os.Rename(f.temp.Name(), f.path)
		}
	}
	return err
}

// Discard removes the file unless it is in its place.
func (f *file) Discard() {
	f.temp.Close()
	os.Remove(f.temp.Name())
	if f.gz != nil {
		zippers.Put(f.gz)
		f.gz = nil
	}
}
