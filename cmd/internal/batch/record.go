package batch

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
)

// A mode is the kind of the parts of a run. A run keeps its mode.
type mode struct {
	Changed  bool `json:"changed,omitempty"`  // only new and modified pages
	Findings bool `json:"findings,omitempty"` // of an audit, in place of URLs
}

// String returns the mode as status prints it.
func (m mode) String() string {
	switch {
	case m.Changed:
		return "changed"
	case m.Findings:
		return "findings"
	}
	return "full"
}

// A record is kept for each run, beside its parts.
type record struct {
	mode
	Begun time.Time `json:"begun"`
	// Started is when a list was last planned for it, or zero.
	Started time.Time `json:"started,omitzero"`
	// Targets is how many targets the list has, 0 until it has been read to its end.
	Targets  int64     `json:"targets,omitempty"`
	BadLines int64     `json:"bad_lines,omitempty"`
	Bad      []badLine `json:"bad,omitempty"` // the first of these
}

// A badLine is a line of the list that is not a target.
type badLine struct {
	Line  uint64 `json:"line"`
	Error string `json:"error"`
}

// maxBad is how many bad lines a record keeps.
const maxBad = 100

func thisSecond() time.Time { return time.Now().UTC().Truncate(time.Second) }

// readRecord returns the record of a run. If it is missing or damaged, the record is zero.
func readRecord(ctx context.Context, s store, run string) (r record, err error) {
	text, err := s.Record(ctx, run)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil && json.Unmarshal(text, &r) != nil {
		r = record{}
	}
	return r, err
}

func (r *record) save(ctx context.Context, s store, run string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return s.SaveRecord(ctx, run, append(text, '\n'))
}

// beginRun begins a run, or resumes it if it exists. An existing run may have another mode.
func beginRun(ctx context.Context, s store, run string, m mode) (record, error) {
	r, err := readRecord(ctx, s, run)
	if err != nil || !r.Begun.IsZero() {
		return r, err
	}
	r = record{mode: m, Begun: thisSecond()}
	if err := r.save(ctx, s, run); err != nil {
		return r, err
	}
	return readRecord(ctx, s, run) // another process may have begun it
}

// add adds a line that is not a target.
func (r *record) add(e *batch.LineError) {
	if r.BadLines++; len(r.Bad) < maxBad {
		r.Bad = append(slices.Clip(r.Bad), badLine{e.Line, e.Err.Error()})
	}
}
