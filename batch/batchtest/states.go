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
	{"The predecessor is kept", predecessor},
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

// save saves a state in place of an older one, and returns it as it is loaded. A state begins with
// its run.
func save(
	t testing.TB, s batch.States, domain, state string, old batch.State, before *batch.State,
) batch.State {
	t.Helper()
	must(t, "Save", s.Save(t.Context(), domain, next(state, old, before), text(state)))
	got, err := s.Load(t.Context(), domain)
	if err != nil || got.Version == "" || got.Version == old.Version {
		t.Fatalf("Load(%s) = %+v, %v", domain, got, err)
	}
	return got
}

// next describes a state that replaces an older one.
func next(state string, old batch.State, before *batch.State) batch.State {
	return batch.State{
		Version: old.Version, Run: state[:1], Part: partID(state), Predecessor: before,
	}
}

// partID returns an ID that no other state of a test has.
func partID(state string) string { return "part " + state[:min(6, len(state))] }

// load checks the state of a domain and the predecessor, which is "" if there is none.
func load(t testing.TB, s batch.States, domain, want, before string) {
	t.Helper()
	got, err := s.Load(t.Context(), domain)
	must(t, "Load", err)
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
	must(t, "Open", err)
	defer in.Close()
	got, err := io.ReadAll(in)
	if err != nil || want == "" || string(got) != want {
		t.Fatalf("the state is %.40q, %v, want %.40q", got, err, want)
	}
	if s.Run != want[:1] || s.Part != partID(want) {
		t.Errorf("the state %.40q is that of run %q, part %q", want, s.Run, s.Part)
	}
}

func kept(t testing.TB, s batch.States) {
	none, err := s.Load(t.Context(), "a.test")
	if none.Version != "" || none.Open != nil || err != nil {
		t.Errorf("Load = %+v, %v, want none", none, err)
	}
	a := save(t, s, "a.test", "1 one\x00\xff", none, nil)
	save(t, s, "b.test~0f", "1 other", none, nil)
	load(t, s, "a.test", "1 one\x00\xff", "")
	load(t, s, "b.test~0f", "1 other", "")
	save(t, s, "a.test", "1 two", a, nil)
	load(t, s, "a.test", "1 two", "")
	load(t, s, "b.test~0f", "1 other", "")
}

func stale(t testing.TB, s batch.States) {
	first := save(t, s, "a.test", "1 one", batch.State{}, nil)
	second := save(t, s, "a.test", "2 two", first, &first)
	for _, old := range []batch.State{{}, first} {
		err := s.Save(t.Context(), "a.test", next("2", old, nil), text("x"))
		if !errors.Is(err, batch.ErrStale) {
			t.Errorf("Save at %q = %v, want ErrStale", old.Version, err)
		}
	}
	err := s.Save(t.Context(), "b.test", next("1", second, nil), text("x"))
	if !errors.Is(err, batch.ErrStale) {
		t.Errorf("Save where there is no state = %v, want ErrStale", err)
	}
	load(t, s, "a.test", "2 two", "1 one")
}

func predecessor(t testing.TB, s batch.States) {
	one := save(t, s, "a.test", "1 one", batch.State{}, nil)
	two := save(t, s, "a.test", "2 two", one, &one)
	load(t, s, "a.test", "2 two", "1 one")
	again := save(t, s, "a.test", "3 three", two, two.Predecessor)
	load(t, s, "a.test", "3 three", "1 one")
	four := save(t, s, "a.test", "4 four", again, &again)
	load(t, s, "a.test", "4 four", "3 three")
	save(t, s, "a.test", "5 five", four, nil)
	load(t, s, "a.test", "5 five", "")
}

func saveFails(t testing.TB, s batch.States) {
	one := save(t, s, "a.test", "1 one", batch.State{}, nil)
	broken := errors.New("broken")
	err := s.Save(t.Context(), "a.test", next("2", one, &one), func(w io.Writer) error {
		io.WriteString(w, "2 cut")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("Save = %v, want %v", err, broken)
	}
	load(t, s, "a.test", "1 one", "")
}

func large(t testing.TB, s batch.States) {
	want := "1" + string(bytes.Repeat([]byte("0123456789abcdef"), 3<<20/16))
	one := save(t, s, "a.test", want, batch.State{}, nil)
	load(t, s, "a.test", want, "")
	two := save(t, s, "a.test", "2 small", one, &one)
	load(t, s, "a.test", "2 small", want)
	save(t, s, "a.test", "3"+want, two, &two)
	load(t, s, "a.test", "3"+want, "2 small")
}

func oneSaves(t testing.TB, s batch.States) {
	one := save(t, s, "a.test", "1 one", batch.State{}, nil)
	const workers = 8
	errs := make(chan error, workers)
	for i := range workers {
		go func() {
			state := fmt.Sprint("2 by ", i)
			errs <- s.Save(t.Context(), "a.test", next(state, one, &one), text(state))
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
