package records

import (
	"cmp"
	"io"
	"maps"
	"sync"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/tempfile"
)

// A Temp is a Store for as long as a walk needs it: in memory, and once it is larger than 8 MiB in
// a temporary file, of which memory holds the keys. Nothing of it is durable: [Temp.WriteTo] and
// [Temp.ReadFrom] carry what it holds from walk to walk, in the form of a state.Memory. The zero
// Temp is empty and ready. It must be closed.
type Temp struct {
	// Name begins the name of the file. If it is empty, "sitemap-state-" does.
	Name string

	mu     sync.Mutex
	memory map[string][]byte
	size   int // of memory

	file  *tempfile.File // nil while memory is enough
	slots map[string]slot
	end   int64 // of the file
}

var _ discover.Store = (*Temp)(nil)

const maxMemory = 8 << 20

// A slot is where the file has a value.
type slot struct {
	at      int64
	n, room int // bytes of the value, and those that it may have
}

// Get returns the value of a key, or nil if there is none. The caller must not change it.
func (t *Temp) Get(key string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return t.memory[key], nil
	}
	s, ok := t.slots[key]
	if !ok {
		return nil, nil
	}
	return t.read(s)
}

func (t *Temp) read(s slot) ([]byte, error) {
	value := make([]byte, s.n)
	_, err := t.file.ReadAt(value, s.at)
	return value, err
}

// Put sets the value of a key.
func (t *Temp) Put(key string, value []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.put(key, value)
}

func (t *Temp) put(key string, value []byte) error {
	if t.file != nil {
		return t.write(key, value)
	}
	if t.memory == nil {
		t.memory = map[string][]byte{}
	}
	t.size += len(key) + len(value) - len(t.memory[key])
	t.memory[key] = append([]byte{}, value...)
	if t.size <= maxMemory {
		return nil
	}
	return t.spill()
}

// write puts a value into the file: where the last one was if it has room, else into twice the room
// that it needs, so that a value that grows wastes no more than that.
func (t *Temp) write(key string, value []byte) error {
	s := t.slots[key]
	if s.n = len(value); s.n > s.room {
		s.at, s.room = t.end, 2*s.n
		t.end += int64(s.room)
	}
	_, err := t.file.WriteAt(value, s.at)
	if err == nil {
		t.slots[key] = s
	}
	return err
}

// spill moves what is in memory to a file.
func (t *Temp) spill() (err error) {
	if t.file, err = tempfile.Create(cmp.Or(t.Name, "sitemap-state-")); err != nil {
		return err
	}
	t.slots = map[string]slot{}
	for key, value := range t.memory {
		if err := t.write(key, value); err != nil {
			return err
		}
	}
	t.memory = nil
	return nil
}

// Sync does nothing: call WriteTo to keep a Temp.
func (t *Temp) Sync() error { return nil }

// WriteTo writes all records, compressed and in no particular order. It returns the number of
// bytes.
func (t *Temp) WriteTo(w io.Writer) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return Write(w, maps.All(t.memory))
	}
	var failed error
	n, err := Write(w, func(yield func(string, []byte) bool) {
		for key, s := range t.slots {
			var value []byte
			if value, failed = t.read(s); failed != nil || !yield(key, value) {
				return
			}
		}
	})
	if failed != nil {
		err = failed
	}
	return n, err
}

// ReadFrom replaces the records by those that WriteTo wrote to r. It returns the number of bytes.
// If the input is damaged or truncated, or a newer version of this module wrote it, the Temp is
// empty.
func (t *Temp) ReadFrom(r io.Reader) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	n, err := Read(r, t.put)
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
	err := t.file.Close()
	t.memory, t.size, t.file, t.slots, t.end = nil, 0, nil, nil, 0
	return err
}
