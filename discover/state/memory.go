package state

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// A Memory is a Store in memory. The zero Memory is empty and ready.
type Memory struct {
	mu      sync.RWMutex
	records map[string][]byte
}

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

// Streams are gob in gzip, whose checksum detects damage: the number of the format, then records.
type record struct {
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
	var text bytes.Buffer
	zip := zippers.Get().(*gzip.Writer)
	defer zippers.Put(zip)
	zip.Reset(&text)
	out := gob.NewEncoder(zip)
	err := out.Encode(format)
	for key, value := range m.records {
		err = cmp.Or(err, out.Encode(record{key, value}))
	}
	if err = cmp.Or(err, zip.Close()); err != nil {
		return 0, err
	}
	return text.WriteTo(w)
}

// ReadFrom replaces the records by those that [Memory.WriteTo] wrote to r. It returns the number of
// bytes. If the input is damaged or truncated, or a newer version of this module wrote it, the
// records stay as they were.
func (m *Memory) ReadFrom(r io.Reader) (int64, error) {
	text, err := io.ReadAll(r)
	if err == nil {
		err = m.decode(text)
	}
	if err != nil {
		err = fmt.Errorf("state: %w", err)
	}
	return int64(len(text)), err
}

func (m *Memory) decode(text []byte) error {
	zip, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("a damaged or truncated state: %w", err)
	}
	version := 0
	records := map[string][]byte{}
	in := gob.NewDecoder(zip)
	for err = in.Decode(&version); err == nil && version <= format; {
		var next record
		if err = in.Decode(&next); err == nil {
			records[next.Key] = append([]byte{}, next.Value...)
		}
	}
	rest, end := io.Copy(io.Discard, zip)
	switch {
	case end == nil && version > format:
		return errNewer
	case end != nil, err != io.EOF, rest > 0, version < 1:
		return fmt.Errorf("a damaged or truncated state: %w", cmp.Or(end, err))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = records
	return nil
}
