package longvalue

import (
	"bytes"
	"errors"
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
		last, slot, _ := split(s["a.test/1"])
		delete(s, partKey("a.test/1", slot, last))
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

// A broken Store fails from a Put on.
type broken struct {
	store
	left int
}

func (b *broken) Put(key string, value []byte) error {
	if b.left--; b.left < 0 {
		return errors.New("full")
	}
	return b.store.Put(key, value)
}

// TestBatch_Fails: a value is still there if the next one cannot be stored.
func TestBatch_Fails(t *testing.T) {
	for left := range 4 {
		s := store{}
		for i, n := range []int{2 * maxPart, 0, 3 * maxPart, 2 * maxPart, 3 * maxPart} {
			var b Batch
			want := bytes.Repeat([]byte{byte(i)}, n)
			b.Put("a.test/1", want)
			if err := b.Store(s); err != nil {
				t.Fatal(err)
			}
			b = Batch{}
			b.Put("a.test/1", bytes.Repeat([]byte("x"), 4*maxPart))
			if err := b.Store(&broken{s, left}); err == nil {
				t.Fatal("it has not failed")
			}
			if got, err := Get(s, "a.test/1"); err != nil || !bytes.Equal(got, want) {
				t.Errorf("value %d, %d puts: got %d bytes, %v; want %d", i, left, len(got), err, n)
			}
		}
	}
}
