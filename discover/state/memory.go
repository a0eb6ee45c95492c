package state

import (
	"cmp"
	"encoding/gob"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/seed-322c453a/sitemap/discover"
)

// A Memory is a Store in memory. The zero Memory is empty and ready.
type Memory struct {
	mu      sync.RWMutex
	records map[string][]byte
}

var _ discover.Store = (*Memory)(nil)

// Get returns the value of a key, or nil if there is none. The caller must not change it.
func (m *Memory) Get(key string) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.records[key], nil
}

// Put sets the value of a key.
func (m *Memory) Put(key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records == nil {
		m.records = map[string][]byte{}
	}
	m.records[key] = append([]byte{}, value...)
	return nil
}

// Sync does nothing: call WriteTo to keep a Memory.
func (m *Memory) Sync() error { return nil }

// A written is one record as WriteTo writes it: gob in gzip, whose checksum tells a damaged or
// truncated stream.
type written struct {
	Key   string
	Value []byte
}

// A gzip.Writer is larger than most states.
var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// WriteTo writes all records, compressed and in no particular order. It returns the number of
// bytes.
func (m *Memory) WriteTo(w io.Writer) (int64, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	count := &counter{w: w}
	zip := zippers.Get().(*gzip.Writer)
	defer zippers.Put(zip)
	zip.Reset(count)
	out := gob.NewEncoder(zip)
	for key, value := range m.records {
		if err := out.Encode(written{key, value}); err != nil {
			return count.n, err
		}
	}
	err := zip.Close()
	return count.n, err
}

// ReadFrom replaces the records by those that [Memory.WriteTo] wrote to r. It returns the number of
// bytes. If the input is damaged or truncated, the records stay as they were.
func (m *Memory) ReadFrom(r io.Reader) (int64, error) {
	count := &counter{r: r}
	records := map[string][]byte{}
	zip, err := gzip.NewReader(count)
	for in := gob.NewDecoder(zip); err == nil; {
		var next written
		if err = in.Decode(&next); err == nil {
			records[next.Key] = append([]byte{}, next.Value...)
		}
	}
	if err == io.EOF && zip != nil { // gob takes some damage for the end; the checksum does not
		if n, end := zip.Read(make([]byte, 1)); n > 0 || end != io.EOF {
			err = cmp.Or(end, io.ErrUnexpectedEOF)
		}
	}
	if err != io.EOF || zip == nil {
		return count.n, fmt.Errorf("state: a damaged or truncated state: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = records
	return count.n, nil
}

// A counter counts the bytes that pass.
type counter struct {
	r io.Reader
	w io.Writer
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
