package lists

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// Once a visit has ended the run, nothing is kept of others: the part of a document that it printed
// must not count as whole, and the document that it noted last not as new.
func TestJournal_Stopped(t *testing.T) {
	db := filepath.Join(t.TempDir(), "db")
	open := func() *journal {
		t.Helper()
		a := cli.NewApp(t.Context(), nil, &bytes.Buffer{}, &bytes.Buffer{})
		w := &Walker{App: a, Flags: &Flags{State: db}, Selector: &Selector{}}
		if err := w.OpenJournal(); err != nil {
			t.Fatal(err)
		}
		return w.Journal
	}
	j := open()
	err := errors.Join(j.note("a", "a/1", &taken{urls: 1}),
		j.note("b", "b/1", &taken{urls: 1, hashes: []uint64{5}}), j.Put("a/d1", []byte("read")))
	j.ended("b", nil)
	j.ended("a", context.Canceled)
	err = errors.Join(err, j.note("c", "c/1", &taken{urls: 1, hashes: []uint64{7}}),
		j.Put("c/d1", []byte("read")))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Finish(context.Canceled); err != context.Canceled {
		t.Fatal(err)
	}
	j = open()
	defer j.Close()
	if j.printed("a") != "a/1" || j.printed("c") != "" || j.run.URLs != 2 || !j.knows(5) || j.knows(7) {
		t.Errorf("the run goes on with %+v", j.run)
	}
	for key, want := range map[string]string{"a/d1": "read", "c/d1": ""} {
		if got, err := j.Get(key); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", key, got, err, want)
		}
	}
}

// If the output finds no room, what was not printed is not known.
func TestJournal_Failed(t *testing.T) {
	dir := t.TempDir()
	open := func() *journal {
		t.Helper()
		a := cli.NewApp(t.Context(), nil, &bytes.Buffer{}, &bytes.Buffer{})
		flags := &Flags{State: filepath.Join(dir, "db")}
		flags.Out, flags.Format = filepath.Join(dir, "out.txt"), "text"
		w := &Walker{App: a, Flags: flags, Selector: &Selector{}}
		if err := w.OpenJournal(); err != nil {
			t.Fatal(err)
		}
		return w.Journal
	}
	j := open()
	if err := j.out.File.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := j.out.Write([]byte("https://a.example/\n")); err != nil {
		t.Fatal(err)
	}
	err := j.note("a", "a/1", &taken{urls: 1, hashes: []uint64{5}})
	if err == nil || j.Finish(err) != err {
		t.Fatal(err)
	}
	j = open()
	defer j.Close()
	if j.printed("a") != "" || j.run.URLs != 0 || j.knows(5) {
		t.Errorf("the run goes on with %+v, and knows the URL: %t", j.run, j.knows(5))
	}
}

// The URLs of a document that --site-time ended are not printed. So another target may print them.
func TestJournal_SiteTime(t *testing.T) {
	a := cli.NewApp(t.Context(), nil, &bytes.Buffer{}, &bytes.Buffer{})
	flags := &Flags{State: filepath.Join(t.TempDir(), "db")}
	flags.SiteTime, flags.Unique = time.Millisecond, true
	w := &Walker{App: a, Flags: flags, Selector: &Selector{seen: map[uint64]bool{}, room: 1}}
	if err := w.OpenJournal(); err != nil {
		t.Fatal(err)
	}
	defer w.Journal.Close()
	printed := 0
	w.Handle = func(v *Visit) Handler {
		page := func(*batch.URL) error { printed++; return nil }
		return Handler{Page: page, Walk: func(ctx context.Context) error {
			v.Record.Loc = "https://a.example/"
			err := v.page()
			<-ctx.Done()
			return cmp.Or(err, ctx.Err())
		}}
	}
	for range 2 {
		if err := (&Visit{Walker: w}).run(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if printed != 2 || w.Selector.Count() != 0 {
		t.Errorf("printed by %d targets, %d URLs count", printed, w.Selector.Count())
	}
}
