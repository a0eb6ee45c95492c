package lists

import (
	"fmt"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

func TestSelector_Unique(t *testing.T) {
	t.Parallel()
	full := 0
	s := &Selector{seen: map[uint64]bool{}, room: 20_000, full: func() { full++ }}
	for round := range 2 {
		for i := range 10_000 {
			_, got := s.take(fmt.Sprintf("https://example.com/%d", i))
			if want := round == 0; got != want {
				t.Fatalf("round %d: take(%d) = %v, want %v", round, i, got, want)
			}
		}
	}
	for i := uint64(0); len(s.seen) < s.room; i++ {
		s.seen[i] = true
	}
	for range 2 {
		if _, ok := s.take("https://example.com/new"); !ok {
			t.Error("a full set refuses a new URL")
		}
	}
	if _, ok := s.take("https://example.com/1"); ok {
		t.Error("a full set has forgotten a URL")
	}
	if full != 1 {
		t.Errorf("reported %d times that it is full", full)
	}
}

// Equivalent URLs are one if that is wanted.
func TestSelector_Normalize(t *testing.T) {
	for _, normalize := range []bool{false, true} {
		s := &Selector{seen: map[uint64]bool{}, room: 10, normalize: normalize}
		s.take("https://example.com/~a")
		if _, got := s.take("HTTPS://Example.com:443/%7ea"); got == normalize {
			t.Errorf("normalize %t: taken %t", normalize, got)
		}
	}
}

// When the number is reached, each visit stops at its next URL: the document with it is not printed.
func TestSelector_Stops(t *testing.T) {
	w := &Walker{Selector: &Selector{max: 1}}
	for i := range 2 { // visits side by side
		v := &Visit{Walker: w, handler: Handler{Page: func(*batch.URL) error { return nil }}}
		if err := v.page(); err != cli.ErrStopped {
			t.Errorf("visit %d: %v", i, err)
		}
	}
}
