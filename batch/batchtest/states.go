package batchtest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
)

// States tests [batch.States]. Open returns empty ones for each test.
func States(t *testing.T, open func(t *testing.T) batch.States) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s batch.States)
	}{
		{"A state is kept", kept},
		{"A stale Save is refused", stale},
		{"A state can be large", large},
		{"One of two workers saves", oneSaves},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

func save(t *testing.T, s batch.States, domain, state string, rev uint64) uint64 {
	t.Helper()
	next, err := s.Save(t.Context(), domain, []byte(state), rev)
	if err != nil || next == 0 || next == rev {
		t.Fatalf("Save(%s, %d) = %d, %v", domain, rev, next, err)
	}
	return next
}

func load(t *testing.T, s batch.States, domain, want string, rev uint64) {
	t.Helper()
	got, at, err := s.Load(t.Context(), domain)
	if string(got) != want || at != rev || err != nil {
		t.Fatalf("Load(%s) = %.40q, %d, %v, want %.40q, %d", domain, got, at, err, want, rev)
	}
}

func kept(t *testing.T, s batch.States) {
	if state, rev, err := s.Load(t.Context(), "a.test"); state != nil || rev != 0 || err != nil {
		t.Errorf("Load = %q, %d, %v, want nil and 0", state, rev, err)
	}
	a := save(t, s, "a.test", "one\x00\xff", 0)
	b := save(t, s, "b.test", "other", 0)
	load(t, s, "a.test", "one\x00\xff", a)
	load(t, s, "b.test", "other", b)
	a = save(t, s, "a.test", "two", a)
	load(t, s, "a.test", "two", a)
	load(t, s, "b.test", "other", b)
}

func stale(t *testing.T, s batch.States) {
	first := save(t, s, "a.test", "one", 0)
	second := save(t, s, "a.test", "two", first)
	for _, rev := range []uint64{0, first, second + 1} {
		if _, err := s.Save(t.Context(), "a.test", []byte("x"), rev); !errors.Is(err, batch.ErrStale) {
			t.Errorf("Save at %d = %v, want ErrStale", rev, err)
		}
	}
	if _, err := s.Save(t.Context(), "b.test", []byte("x"), 7); !errors.Is(err, batch.ErrStale) {
		t.Errorf("Save where there is no state = %v, want ErrStale", err)
	}
	load(t, s, "a.test", "two", second)
}

func large(t *testing.T, s batch.States) {
	want := string(bytes.Repeat([]byte("0123456789abcdef"), 3<<20/16))
	rev := save(t, s, "a.test", want, 0)
	load(t, s, "a.test", want, rev)
	rev = save(t, s, "a.test", "small", rev)
	load(t, s, "a.test", "small", rev)
}

func oneSaves(t *testing.T, s batch.States) {
	rev := save(t, s, "a.test", "one", 0)
	const workers = 8
	errs := make(chan error, workers)
	for i := range workers {
		go func() {
			_, err := s.Save(t.Context(), "a.test", fmt.Append(nil, "of ", i), rev)
			errs <- err
		}()
	}
	saved := 0
	for range workers {
		if err := <-errs; err == nil {
			saved++
		} else if !errors.Is(err, batch.ErrStale) {
			t.Errorf("Save: %v", err)
		}
	}
	if saved != 1 {
		t.Errorf("%d workers saved, want 1", saved)
	}
}
