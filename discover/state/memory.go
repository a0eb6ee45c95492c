package state

import (
	"io"
	"maps"
	"sync"

	"github.com/seed-322c453a/sitemap/internal/records"
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

// WriteTo writes all records, compressed and in no particular order. It returns the number of
// bytes.
func (m *Memory) WriteTo(w io.Writer) (int64, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return records.Write(w, maps.All(m.records))
}

// ReadFrom replaces the records by those that [Memory.WriteTo] wrote to r. It returns the number of
// bytes. If the input is damaged or truncated, or a newer version of this module wrote it, the
// records stay as they were.
func (m *Memory) ReadFrom(r io.Reader) (int64, error) {
	read := map[string][]byte{}
	n, err := records.Read(r, func(key string, value []byte) error {
		read[key] = value
		return nil
	})
	if err != nil {
		return n, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = read
	return n, nil
}
