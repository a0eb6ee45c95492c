package extension

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestArena_KeepsStrings(t *testing.T) {
	var a arena
	var got, want []string
	for i := range 10_000 {
		text := strings.Repeat(fmt.Sprint(i, " "), i%300/4)
		b := []byte(text)
		got, want = append(got, a.string(b)), append(want, text)
		clear(b)
	}
	if !slices.Equal(got, want) {
		t.Error("a string changed")
	}
}

func TestArena_SharesMemory(t *testing.T) {
	text := bytes.Repeat([]byte("t"), 40)
	var a arena
	if n := testing.AllocsPerRun(1000, func() { a.string(text) }); n > 0.1 {
		t.Errorf("%v allocations a string", n)
	}
}

func TestSlab(t *testing.T) {
	var s slab[int]
	var taken [][]int
	for i := range 300 {
		for j := range i % 7 {
			*s.next() = i + j
		}
		if i%5 == 4 {
			s.drop()
			continue
		}
		if list := s.take(); len(list) > 0 {
			taken = append(taken, list)
		}
	}
	for _, list := range taken {
		for j := range list {
			if list[j] != list[0]+j {
				t.Fatalf("got %v", list)
			}
		}
		_ = append(list, -1) // must not write into the next one
	}
	for _, list := range taken {
		if slices.Contains(list, -1) {
			t.Fatalf("%v was written to through another", list)
		}
	}
	if s.take() != nil {
		t.Error("a slice without items is not nil")
	}
}
