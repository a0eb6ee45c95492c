// Package longvalue keeps values of any length in a key-value store whose values are short.
package longvalue

import (
	"encoding/binary"
	"encoding/json"
	"strconv"
)

// A Store is where values are kept. It returns nil for what it does not have.
type Store interface {
	Get(key string) ([]byte, error)
	Put(key string, value []byte) error
}

// format is the version of the stored values. Values of another version count as absent.
const format = 1

// maxPart is the size of a stored value. Longer ones are stored in parts.
const maxPart = 60 << 10

// A Batch holds values that are to be stored together.
type Batch struct {
	keys   []string
	values [][]byte
}

// Put adds a value in as many parts as it needs.
func (b *Batch) Put(key string, value []byte) {
	parts := len(value) / maxPart
	head := binary.AppendUvarint([]byte{format}, uint64(parts))
	for i := range parts + 1 {
		part := value[i*maxPart : min((i+1)*maxPart, len(value))]
		b.keys = append(b.keys, partKey(key, i))
		b.values = append(b.values, append(head[:len(head):len(head)], part...))
		head = []byte{format}
	}
}

// PutJSON adds a value as JSON.
func (b *Batch) PutJSON(key string, from any) {
	value, _ := json.Marshal(from) // plain values
	b.Put(key, value)
}

// Store puts all values.
func (b *Batch) Store(s Store) error {
	for i, key := range b.keys {
		if err := s.Put(key, b.values[i]); err != nil {
			return err
		}
	}
	return nil
}

func partKey(key string, i int) string {
	if i == 0 {
		return key
	}
	return key + "." + strconv.Itoa(i)
}

// Get returns a value that a Batch has stored, nil if it is absent or incomplete.
func Get(s Store, key string) (value []byte, err error) {
	parts := uint64(0)
	for i := 0; i <= int(parts); i++ {
		part, err := s.Get(partKey(key, i))
		if err != nil || len(part) == 0 || part[0] != format {
			return nil, err
		}
		part = part[1:]
		if i == 0 {
			n, size := binary.Uvarint(part)
			if size <= 0 {
				return nil, nil
			}
			parts, part = n, part[size:]
		}
		value = append(value, part...)
	}
	return value, nil
}

// GetJSON reads a value. It reports false if there is none that can be read.
func GetJSON(s Store, key string, to any) (bool, error) {
	value, err := Get(s, key)
	if err != nil || value == nil {
		return false, err
	}
	return json.Unmarshal(value, to) == nil, nil
}
