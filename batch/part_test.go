package batch_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
)

// dying is a folder in which no part appears: the process is killed after it has saved the state.
type dying struct{ *batch.Folder }

func (d dying) Part(ctx context.Context, part batch.Stored) (batch.Part, error) {
	p, err := d.Folder.Part(ctx, part)
	return dyingPart{p}, err
}

type dyingPart struct{ batch.Part }

var errKilled = errors.New("killed")

func (dyingPart) Commit(context.Context, batch.Counts) error { return errKilled }

// A kill between the state and the part loses no change, whether the run goes on or the next
// begins, also if the run has no part yet.
func TestWorker_KilledBeforePart(t *testing.T) {
	for i, next := range []string{"2", "3", "2", "3"} {
		hasPart, dir := i < 2, t.TempDir()
		f := openFolderIn(t, dir)
		both := "a.example\nb.example"
		mustDo(t, &web{lastMod: "2024-05-06"}, f, tasks(t, both, "1"), batch.Worker{})
		w := &web{lastMod: "2024-06-01"}
		if hasPart {
			mustDo(t, w, f, tasks(t, "b.example", "2"), changed)
		} else if err := os.CopyFS(filepath.Join(dir, "2"), fstest.MapFS{"record": {}}); err != nil {
			t.Fatal(err)
		}
		if err := do(t, w, dying{f}, tasks(t, "a.example", "2"), changed); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if s, err := f.Load(t.Context(), "a.example"); err != nil || s.Run != "2" || s.Predecessor.Run != "1" {
			t.Fatalf("%+v, %v", s, err)
		}
		mustDo(t, w, f, tasks(t, both, next), changed)
		if lines := part(t, f, next, "a.example"); count(lines, `"change":"modified"`) != 3 {
			t.Errorf("run %s has\n%s", next, lines)
		}
		if lines := part(t, f, next, "b.example"); hasPart && next == "3" && len(pages(t, lines)) > 0 {
			t.Errorf("run %s has\n%s", next, lines)
		}
	}
}

// The state of a run that the user has removed is taken as it is.
func TestWorker_RemovedRun(t *testing.T) {
	dir := t.TempDir()
	f := openFolderIn(t, dir)
	mustDo(t, &web{lastMod: "2024-05-06"}, f, tasks(t, "a.example", "1"), batch.Worker{})
	mustDo(t, &web{lastMod: "2024-06-01"}, f, tasks(t, "a.example", "2"), changed)
	if err := os.RemoveAll(filepath.Join(dir, "2")); err != nil {
		t.Fatal(err)
	}
	mustDo(t, &web{lastMod: "2024-06-01"}, f, tasks(t, "a.example", "3"), changed)
	if lines := part(t, f, "3", "a.example"); len(pages(t, lines)) > 0 {
		t.Errorf("the part has\n%s", lines)
	}
}

// An audit writes findings.
func TestFindings(t *testing.T) {
	f := openFolder(t)
	mustDo(t, &web{lastMod: "yesterday"}, f, tasks(t, "a.example\nnone.example", "1"),
		batch.Worker{Job: batch.Findings(audit.Options{})})
	lines := part(t, f, "1", "a.example")
	if count(lines, `{"type":"finding","code":"bad_lastmod","severity":"error"`) == 0 || count(lines, `{"type":"document"`) != 1 {
		t.Errorf("the part has\n%s", lines)
	}
	for p, err := range f.Parts(t.Context(), "1") {
		if err != nil || p.Domain == "a.example" && (p.Counts.Errors == 0 || p.Counts.URLs != 3) || p.Domain == "none.example" && p.Counts.Failed != 1 {
			t.Errorf("%s: %+v, %v", p.Domain, p.Counts, err)
		}
	}
}

// Pages that have changed before an audit are in the next run with OnlyChanged.
func TestFindings_OnlyChanged(t *testing.T) {
	f, w := openFolder(t), &web{lastMod: "2024"}
	mustDo(t, w, f, tasks(t, "a.example", "1"), batch.Worker{})
	w.lastMod = "2025"
	mustDo(t, w, f, tasks(t, "a.example", "2"), batch.Worker{Job: batch.Findings(audit.Options{})})
	mustDo(t, w, f, tasks(t, "a.example", "3"), changed)
	if lines := part(t, f, "3", "a.example"); count(lines, `"change":"modified"`) != 3 {
		t.Errorf("the part has\n%s", lines)
	}
}

// A silent folder has states that cannot be read.
type silent struct{ *batch.Folder }

var errSilent = errors.New("no answer")

func (s silent) Load(ctx context.Context, domain string) (batch.State, error) {
	state, err := s.Folder.Load(ctx, domain)
	state.Open = func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(iotest.ErrReader(errSilent)), nil
	}
	return state, err
}

// A state that cannot be read now is not forgotten.
func TestWorker_SilentState(t *testing.T) {
	f, w := openFolder(t), &web{lastMod: "2024"}
	mustDo(t, w, f, tasks(t, "a.example", "1"), changed)
	next := tasks(t, "a.example", "2")
	if err := do(t, w, silent{f}, next, changed); !errors.Is(err, errSilent) {
		t.Errorf("%v, want %v", err, errSilent)
	}
	mustDo(t, w, f, next, changed)
	if lines := part(t, f, "2", "a.example"); len(pages(t, lines)) > 0 {
		t.Errorf("the next run has\n%s", lines)
	}
}
