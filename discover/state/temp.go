package state

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/seed-322c453a/sitemap/discover"
)

// A Temp is a Store for as long as a walk needs it: in memory, and in a temporary file once it is
// larger than 16 MiB. Nothing of it is durable: [Temp.WriteTo] and [Temp.ReadFrom] carry what it holds
// from walk to walk, in the form of a [Memory]. The zero Temp is empty and ready. It must be closed.
type Temp struct {
	mu      sync.Mutex
	memory  Memory
	size    int    // of memory
	dir     string // of file
	file    *File  // nil while memory is enough
	pending int    // bytes that are not in the file yet
}

var _ discover.Store = (*Temp)(nil)

const (
	maxMemory  = 16 << 20
	maxPending = 4 << 20
)

// Get returns the value of a key, or nil if there is none. The caller must not change it.
func (t *Temp) Get(key string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil {
		return t.file.Get(key)
	}
	return t.memory.Get(key)
}

// Put sets the value of a key.
func (t *Temp) Put(key string, value []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.put(key, value)
}

func (t *Temp) put(key string, value []byte) error {
	if t.file != nil {
		return t.putFile(key, value)
	}
	t.size += len(key) + len(value) - len(t.memory.records[key])
	if err := t.memory.Put(key, value); err != nil || t.size <= maxMemory {
		return err
	}
	return t.spill()
}

func (t *Temp) putFile(key string, value []byte) error {
	if err := t.file.Put(key, value); err != nil {
		return err
	}
	if t.pending += len(key) + len(value); t.pending < maxPending {
		return nil
	}
	t.pending = 0
	return t.file.Sync()
}

// spill moves what is in memory to a file.
func (t *Temp) spill() (err error) {
	if t.dir, err = os.MkdirTemp("", "sitemap-state-"); err != nil {
		return err
	}
	if t.file, err = Open(filepath.Join(t.dir, "state")); err != nil {
		return err
	}
	t.file.db.NoSync = true
	for key, value := range t.memory.records {
		if err := t.putFile(key, value); err != nil {
			return err
		}
	}
	t.memory = Memory{}
	return nil
}

// Sync does nothing: call WriteTo to keep a Temp.
func (t *Temp) Sync() error { return nil }

// WriteTo writes all records, compressed and in no particular order. It returns the number of
// bytes.
func (t *Temp) WriteTo(w io.Writer) (n int64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return t.memory.WriteTo(w)
	}
	if err := t.file.Sync(); err != nil {
		return 0, err
	}
	err = t.file.do(func() error {
		return t.file.db.View(func(tx *bolt.Tx) (err error) {
			n, err = writeStream(w, func(yield func(string, []byte) bool) { eachRecord(tx, yield) })
			return err
		})
	})
	return n, err
}

// eachRecord yields the records of a file.
func eachRecord(tx *bolt.Tx, yield func(key string, value []byte) bool) {
	sites := tx.Cursor()
	for name, _ := sites.First(); name != nil; name, _ = sites.Next() {
		site, ok := bytes.CutPrefix(name, []byte("s"))
		if !ok {
			continue
		}
		records := tx.Bucket(name).Cursor()
		for key, value := records.First(); key != nil; key, value = records.Next() {
			if key[0] == '/' && !yield(string(site)+string(key), value) {
				return
			}
		}
	}
}

// ReadFrom replaces the records by those that WriteTo wrote to r. It returns the number of bytes. If
// the input is damaged or truncated, or a newer version of this module wrote it, the Temp is empty.
func (t *Temp) ReadFrom(r io.Reader) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	n, err := readStream(r, t.put)
	if err != nil {
		t.clear()
	}
	return n, err
}

// Close removes what the Temp holds.
func (t *Temp) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.clear()
}

func (t *Temp) clear() error {
	if t.file != nil {
		t.file.Close()
	}
	dir := t.dir
	t.memory, t.size, t.dir, t.file, t.pending = Memory{}, 0, "", nil, 0
	if dir == "" {
		return nil
	}
	return os.RemoveAll(dir)
}
