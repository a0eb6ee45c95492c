package batchtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
)

// States tests [batch.States]. Open returns empty ones for each test.
func States(t *testing.T, open func(t *testing.T) batch.States) { run(t, statesPromises, open) }

var statesPromises = []promise[batch.States]{
	{"A state is kept", kept},
	{"A stale Save is refused", stale},
	{"The predecessor is the state of the run before", predecessor},
	{"A Save that fails changes nothing", saveFails},
	{"A state can be large", large},
	{"One of two workers saves", oneSaves},
}

// text returns a function that writes a state.
func text(state string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, state)
		return err
	}
}

func save(t testing.TB, s batch.States, domain, run, state string, rev uint64) uint64 {
	t.Helper()
	next, err := s.Save(t.Context(), domain, run, rev, text(state))
	if err != nil || next == 0 || next == rev {
		t.Fatalf("Save(%s, %d) = %d, %v", domain, rev, next, err)
	}
	return next
}

// load checks the state of a domain and the predecessor, which is "" if there is none. The states
// begin with their run.
func load(t testing.TB, s batch.States, domain, want, before string, rev uint64) {
	t.Helper()
	got, err := s.Load(t.Context(), domain)
	if err != nil || got.Revision != rev {
		t.Fatalf("Load(%s) = %+v, %v, want revision %d", domain, got, err, rev)
	}
	wantState(t, &got, want)
	if before != "" || got.Predecessor != nil {
		wantState(t, got.Predecessor, before)
	}
}

func wantState(t testing.TB, s *batch.State, want string) {
	t.Helper()
	if s == nil || s.Open == nil {
		t.Fatalf("no state, want %.40q", want)
	}
	in, err := s.Open(t.Context())
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer in.Close()
	got, err := io.ReadAll(in)
	if err != nil || string(got) != want || want == "" || s.Run != want[:1] {
		t.Fatalf("the state of run %q is %.40q, %v, want %.40q", s.Run, got, err, want)
	}
}

func kept(t testing.TB, s batch.States) {
	got, err := s.Load(t.Context(), "a.test")
	if got.Revision != 0 || got.Open != nil || err != nil {
		t.Errorf("Load = %+v, %v, want none", got, err)
	}
	a := save(t, s, "a.test", "1", "1 one\x00\xff", 0)
	b := save(t, s, "b.test~0f", "1", "1 other", 0)
	load(t, s, "a.test", "1 one\x00\xff", "", a)
	load(t, s, "b.test~0f", "1 other", "", b)
	a = save(t, s, "a.test", "1", "1 two", a)
	load(t, s, "a.test", "1 two", "", a)
	load(t, s, "b.test~0f", "1 other", "", b)
}

func stale(t testing.TB, s batch.States) {
	first := save(t, s, "a.test", "1", "1 one", 0)
	second := save(t, s, "a.test", "2", "2 two", first)
	for _, rev := range []uint64{0, first, second + 1} {
		_, err := s.Save(t.Context(), "a.test", "2", rev, text("x"))
		if !errors.Is(err, batch.ErrStale) {
			t.Errorf("Save at %d = %v, want ErrStale", rev, err)
		}
	}
	if _, err := s.Save(t.Context(), "b.test", "1", 7, text("x")); !errors.Is(err, batch.ErrStale) {
		t.Errorf("Save where there is no state = %v, want ErrStale", err)
	}
	load(t, s, "a.test", "2 two", "1 one", second)
}

func predecessor(t testing.TB, s batch.States) {
	rev := save(t, s, "a.test", "1", "1 one", 0)
	rev = save(t, s, "a.test", "1", "1 again", rev)
	load(t, s, "a.test", "1 again", "", rev)
	rev = save(t, s, "a.test", "2", "2 two", rev)
	load(t, s, "a.test", "2 two", "1 again", rev)
	rev = save(t, s, "a.test", "2", "2 again", rev)
	load(t, s, "a.test", "2 again", "1 again", rev)
	rev = save(t, s, "a.test", "3", "3 three", rev)
	load(t, s, "a.test", "3 three", "2 again", rev)
}

func saveFails(t testing.TB, s batch.States) {
	rev := save(t, s, "a.test", "1", "1 one", 0)
	broken := errors.New("broken")
	_, err := s.Save(t.Context(), "a.test", "2", rev, func(w io.Writer) error {
		io.WriteString(w, "2 cut")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("Save = %v, want %v", err, broken)
	}
	load(t, s, "a.test", "1 one", "", rev)
}

func large(t testing.TB, s batch.States) {
	want := "1" + string(bytes.Repeat([]byte("0123456789abcdef"), 3<<20/16))
	rev := save(t, s, "a.test", "1", want, 0)
	load(t, s, "a.test", want, "", rev)
	rev = save(t, s, "a.test", "2", "2 small", rev)
	load(t, s, "a.test", "2 small", want, rev)
	rev = save(t, s, "a.test", "3", "3"+want, rev)
	load(t, s, "a.test", "3"+want, "2 small", rev)
}

func oneSaves(t testing.TB, s batch.States) {
	rev := save(t, s, "a.test", "1", "1 one", 0)
	const workers = 8
	errs := make(chan error, workers)
	for i := range workers {
		go func() {
			_, err := s.Save(t.Context(), "a.test", "2", rev, text(fmt.Sprint("2 of ", i)))
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
