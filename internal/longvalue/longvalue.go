// Package longvalue keeps values of any length in a key-value store whose values are short.
package longvalue

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"
)

// A Store is where values are kept. It returns nil for what it does not have.
type Store interface {
	Get(key string) ([]byte, error)
	Put(key string, value []byte) error
}

// format is the version of the stored values. Values of another version count as absent.
const format = 2

// maxPart is the size of a stored value. Longer ones are stored in parts.
const maxPart = 60 << 10

// A Batch holds values that are to be stored together.
type Batch struct {
	keys   []string
	values [][]byte
}

// Put adds a value.
func (b *Batch) Put(key string, value []byte) {
	b.keys, b.values = append(b.keys, key), append(b.values, value)
}

// PutJSON adds a value as JSON.
func (b *Batch) PutJSON(key string, from any) {
	value, _ := json.Marshal(from) // plain values
	b.Put(key, value)
}

// Store puts all values, in order.
func (b *Batch) Store(s Store) error {
	for i, key := range b.keys {
		if err := put(s, key, b.values[i]); err != nil {
			return err
		}
	}
	return nil
}

// put stores a value in as many parts as it needs, the first one last. The others take the places
// that the value before does not: if put fails, that one is still there.
func put(s Store, key string, value []byte) error {
	last, slot := len(value)/maxPart, 0
	if last > 0 {
		before, err := s.Get(key)
		if err != nil {
			return err
		}
		_, slot, _ = split(before)
		slot = 1 - slot
	}
	for i := last; i >= 0; i-- {
		part := []byte{format}
		if i == 0 {
			part = binary.AppendUvarint(part, uint64(2*last+slot))
		}
		part = append(part, value[i*maxPart:min((i+1)*maxPart, len(value))]...)
		if err := s.Put(partKey(key, slot, i), part); err != nil {
			return err
		}
	}
	return nil
}

// split returns what the first part of a value says: the number of the last part, the slot of the
// others, and its share of the value. That is nil if there is none.
func split(head []byte) (last, slot int, rest []byte) {
	if len(head) < 2 || head[0] != format {
		return 0, 0, nil
	}
	n, size := binary.Uvarint(head[1:])
	if size <= 0 {
		return 0, 0, nil
	}
	return int(n / 2), int(n % 2), slices.Clip(head[1+size:]) // the Store keeps what follows
}

func partKey(key string, slot, i int) string {
	if i == 0 {
		return key
	}
	return key + "." + strconv.Itoa(2*i+slot)
}

// Get returns a value that a Batch has stored, nil if it is absent or incomplete.
func Get(s Store, key string) (value []byte, err error) {
	head, err := s.Get(key)
	last, slot, value := split(head)
	for i := 1; i <= last && err == nil; i++ {
		var part []byte
		if part, err = s.Get(partKey(key, slot, i)); len(part) == 0 || part[0] != format {
			return nil, err
		}
		value = append(value, part[1:]...)
	}
	return value, err
}

// GetJSON reads a value. It reports false if there is none that can be read.
func GetJSON(s Store, key string, to any) (bool, error) {
	value, err := Get(s, key)
	if err != nil || value == nil {
		return false, err
	}
	return json.Unmarshal(value, to) == nil, nil
}
