package longvalue

import (
	"bytes"
	"testing"
)

type store map[string][]byte

func (s store) Get(key string) ([]byte, error)     { return s[key], nil }
func (s store) Put(key string, value []byte) error { s[key] = value; return nil }

// TestBatch: values of any length are read as they were put, and one that lacks a part is absent.
func TestBatch(t *testing.T) {
	for _, n := range []int{0, 1, maxPart - 1, maxPart, maxPart + 1, 5*maxPart + 7} {
		s, want := store{}, bytes.Repeat([]byte("x"), n)
		var b Batch
		b.Put("a.test/1", bytes.Repeat([]byte("y"), 9*maxPart)) // an older one, which is longer
		b.Put("a.test/1", want)
		if err := b.Store(s); err != nil {
			t.Fatal(err)
		}
		for key, value := range s {
			if len(value) > 64<<10 {
				t.Errorf("%s has %d bytes", key, len(value))
			}
		}
		if got, err := Get(s, "a.test/1"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %d bytes, %v; want %d", len(got), err, n)
		}
		delete(s, partKey("a.test/1", n/maxPart))
		if got, _ := Get(s, "a.test/1"); got != nil {
			t.Errorf("%d bytes of an incomplete value", len(got))
		}
	}
	var to struct{ A int }
	s := store{"a.test/2": {format + 1, 0, '{', '}'}, "a.test/3": {format, 0, 'x'}}
	for _, key := range []string{"a.test/1", "a.test/2", "a.test/3"} {
		if ok, err := GetJSON(s, key, &to); ok || err != nil {
			t.Errorf("%s: %v, %v", key, ok, err)
		}
	}
}
