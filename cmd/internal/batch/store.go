package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/engines/objects"
)

// A store keeps the parts of runs, a record of each run, and the states of domains.
type store struct {
	batch.FileSink
	runs     func(context.Context) ([]string, error) // returns the names of the runs, sorted
	states   func(context.Context) (batch.States, error)
	isFolder bool // not a bucket
}

func isBucket(location string) bool { return strings.HasPrefix(location, objects.Scheme) }

// openStore opens a folder, or a prefix of a bucket.
func openStore(ctx context.Context, cmd *cobra.Command, location string) (*store, error) {
	if isBucket(location) {
		b, err := objects.Open(ctx, location)
		if errors.Is(err, objects.ErrLocation) {
			return nil, cli.Misuse(cmd, fmt.Errorf("%s: %w", cli.Redact(location), objects.ErrLocation))
		}
		if err != nil {
			return nil, err
		}
		return &store{b.FileSink, b.Runs, b.States, false}, nil
	}
	f, err := batch.OpenFolder(location)
	runs := func(context.Context) ([]string, error) { return f.Runs() }
	states := func(context.Context) (batch.States, error) { return f, nil }
	return &store{f.FileSink, runs, states, true}, err
}

// splitRun returns the store and the run that OUT/RUN names.
func splitRun(location string) (out, run string, err error) {
	if isBucket(location) {
		out, run = path.Split(strings.TrimRight(location[len(objects.Scheme):], "/"))
		if out == "" { // a bucket alone
			run = ""
		}
		out = objects.Scheme + strings.TrimSuffix(out, "/")
	} else {
		location = filepath.Clean(location)
		out, run = filepath.Dir(location), filepath.Base(location)
	}
	if err := batch.CheckRun(run); err != nil {
		return "", "", fmt.Errorf("%s: want OUT/RUN: %w", location, err)
	}
	return out, run, nil
}

// findRun returns the run that OUT/RUN names, and its record.
func findRun(
	ctx context.Context, cmd *cobra.Command, location string,
) (s *store, run string, r record, err error) {
	out, run, err := splitRun(location)
	if err != nil {
		return nil, "", r, cli.Misuse(cmd, err)
	}
	if s, err = openStore(ctx, cmd, out); err != nil {
		return nil, "", r, err
	}
	r, err = readRecord(ctx, s, run)
	if (err == nil || s.isFolder) && !hasRun(ctx, s, run) {
		err = errNoParts(location)
	}
	return s, run, r, err
}

// hasRun reports whether there is a record or a part of a run.
func hasRun(ctx context.Context, s *store, run string) bool {
	return hasFile(ctx, s, recordName(run)) || hasPart(ctx, s, run)
}

// hasFile reports whether there is a file with this name.
func hasFile(ctx context.Context, s *store, name string) bool {
	f, err := s.Files.Open(ctx, name)
	if err == nil {
		f.Close()
	}
	return err == nil
}

// hasPart reports whether there is a part of a run.
func hasPart(ctx context.Context, s *store, run string) bool {
	for _, err := range s.Parts(ctx, run) {
		return err == nil || errors.Is(err, batch.ErrDamaged)
	}
	return false
}

// linesOf yields the lines of the parts of a run that are wanted. After the error of a part, it
// goes on with the next one.
func linesOf(
	ctx context.Context, s *store, run string, wants func(batch.Stored) bool,
) iter.Seq2[batch.Line, error] {
	return func(yield func(batch.Line, error) bool) {
		for part, err := range s.Parts(ctx, run) {
			if errors.Is(err, fs.ErrNotExist) { // an empty folder
				return
			}
			if err != nil && !yield(batch.Line{}, err) {
				return
			} else if err != nil || !wants(part) {
				continue
			}
			for line, err := range batch.ReadPart(ctx, s, part) {
				if !yield(line, err) {
					return
				}
			}
		}
	}
}

// errNoParts is the error for a run without parts. It names the command that makes them.
func errNoParts(location string) error {
	const text = "%s: no parts in it: sitemap batch LIST -o OUT makes parts, in OUT/RUN; " +
		"sitemap batch status OUT lists the runs"
	return fmt.Errorf(text, location)
}

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

// A record is kept for each run, in a file beside its parts.
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

// recordFile is the name of a record.
const recordFile = "run.json"

func recordName(run string) string { return run + "/" + recordFile }

func thisSecond() time.Time { return time.Now().UTC().Truncate(time.Second) }

// readRecord returns the record of a run. If it is missing, the record is zero.
func readRecord(ctx context.Context, s *store, run string) (r record, err error) {
	f, err := s.Files.Open(ctx, recordName(run))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	defer f.Close()
	text := make([]byte, f.Size)
	if _, err := f.ReadAt(text, 0); err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		const damaged = "%s: damaged: %w: remove it, and give the command that began the run again"
		return r, fmt.Errorf(damaged, f.Path, err)
	}
	return r, nil
}

func (r *record) save(ctx context.Context, s *store, run string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	file, err := s.Files.Create()
	if err != nil {
		return err
	}
	if _, err = file.Write(append(text, '\n')); err == nil {
		err = s.Files.Replace(ctx, recordName(run), file, batch.AnyVersion)
	}
	if err != nil {
		file.Close()
		os.Remove(file.Name())
	}
	return err
}

// beginRun begins a run, or resumes it if it exists. An existing run may have another mode.
func beginRun(ctx context.Context, s *store, run string, m mode) (record, error) {
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
		r.Bad = append(r.Bad, badLine{e.Line, e.Err.Error()})
	}
}
