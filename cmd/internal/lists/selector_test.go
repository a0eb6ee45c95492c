package lists

import (
	"fmt"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

func TestURLSet(t *testing.T) {
	t.Parallel()
	full := 0
	u := &urlSet{hashes: map[uint64]bool{}, full: func() { full++ }}
	for round := range 2 {
		for i := range 10_000 {
			if got, want := u.add(fmt.Sprintf("https://example.com/%d", i)), round == 0; got != want {
				t.Fatalf("round %d: add(%d) = %v, want %v", round, i, got, want)
			}
		}
	}
	for i := uint64(0); len(u.hashes) < cli.MaxUnique; i++ {
		u.hashes[i] = true
	}
	for range 2 {
		if !u.add("https://example.com/new") {
			t.Error("a full set refuses a new URL")
		}
	}
	if u.add("https://example.com/1") {
		t.Error("a full set has forgotten a URL")
	}
	if full != 1 {
		t.Errorf("reported %d times that it is full", full)
	}
}

// Equivalent URLs are one if that is wanted.
func TestSelector_Normalize(t *testing.T) {
	for _, normalize := range []bool{false, true} {
		s := &Selector{seen: &urlSet{hashes: map[uint64]bool{}}, normalize: normalize}
		s.take("https://example.com/~a")
		if got := s.take("HTTPS://Example.com:443/%7ea"); got == normalize {
			t.Errorf("normalize %t: taken %t", normalize, got)
		}
	}
}
