package xmlscan

import (
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
)

func TestReader_Find(t *testing.T) {
	in := input.Open(strings.NewReader("<Root><a><É><b><a:b>"), nil)
	defer in.Close()
	r := NewReader(in, nil)
	for d := 0; r.Child(d); d++ {
	}
	for name, want := range map[string]int{"root": 1, "A": 2, "é": 3, "b": 4, "a:B": 5, "c": 0,
		"ab": 0, "": 0} {
		if got := r.find([]byte(name)); got != want {
			t.Errorf("%s is found at depth %d, want %d", name, got, want)
		}
	}
	r.pop(3)
	for name, want := range map[string]int{"root": 1, "É": 3, "b": 0, "a:b": 0} {
		if got := r.find([]byte(name)); got != want {
			t.Errorf("%s is found at depth %d, want %d", name, got, want)
		}
	}
}

func BenchmarkReader_Unmatched(b *testing.B) {
	for name, end := range map[string]string{"short": "</b>", "long": "</b" +
		strings.Repeat("c", 50) + ">"} {
		doc := strings.Repeat("<a"+end[3:len(end)-1]+">", MaxDepth) + strings.Repeat(end, 100_000)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				in := input.Open(strings.NewReader(doc), nil)
				r := NewReader(in, func(sitemap.Problem) {})
				for r.Child(0) {
					r.skip(0)
				}
				in.Close()
			}
		})
	}
}
