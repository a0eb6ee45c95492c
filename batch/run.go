package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-322c453a/sitemap/internal/records"
)

// A run is a Worker that runs.
type run struct {
	*Worker
	first  sync.Once
	failed error // of the first task that could not be done
}

// report reports an error of a task.
func (r *run) report(t Task, err error) {
	if r.Report != nil {
		r.Report(t, err)
	}
}

// has reports whether the part of a task exists. A damaged part is reported and counts as missing.
func (r *run) has(ctx context.Context, t Task) (bool, error) {
	has, err := r.Sink.Has(ctx, t)
	if errors.Is(err, ErrDamaged) {
		r.report(t, err)
		return false, nil
	}
	return has, err
}

// removeLots removes the lots of a task whose part says that it has some or is damaged, except
// those in keep.
func (r *run) removeLots(ctx context.Context, t Task, keep []Task) error {
	sink, ok := r.Sink.(Remover)
	if !ok {
		return nil
	}
	first, _, err := r.begins(ctx, t)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var h header
	if json.Unmarshal(first, &h) == nil && h.Lots == 0 {
		return nil
	}
	for i := range 256 {
		lot := Task{Run: t.Run, Domain: lotName(t.Domain, i)}
		isLot := func(t Task) bool { return t.Domain == lot.Domain }
		if slices.ContainsFunc(keep, isLot) {
			continue
		}
		if err := sink.Remove(ctx, Stored{Task: lot}); err != nil {
			return err
		}
	}
	return nil
}

// begins returns the first two lines of a part, or what can be read of them.
func (r *run) begins(ctx context.Context, t Task) (first, second []byte, err error) {
	in, err := r.Sink.Open(ctx, Stored{Task: t})
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	lines := bufio.NewReader(in)
	first, _ = lines.ReadBytes('\n')
	second, _ = lines.ReadBytes('\n')
	return first, second, nil
}

// A stateLine is the line that a part begins with that has replaced another, after the header.
type stateLine struct {
	Saver string `json:"saver"` // of the state that belongs to the part
}

// runOf returns the run of what has saved a state, and its number there. The state of the first
// part of a domain in a run has the name of the run. That of a part that replaces another has a
// number too, which the part has in its stateLine. So the two count as two runs for the States.
func runOf(saver string) (run string, n int) {
	run, number, _ := strings.Cut(saver, "/")
	n, _ = strconv.Atoi(number)
	return run, max(n, 1)
}

// saverOf returns what has saved the state that belongs to the part of a domain in a run. It is ""
// if there is no such part, or if that counts lots.
func (r *run) saverOf(ctx context.Context, run, domain string) (string, error) {
	t := Task{Run: run, Domain: domain}
	if has, err := r.has(ctx, t); !has || err != nil {
		return "", err
	}
	first, second, err := r.begins(ctx, t)
	var h header
	if json.Unmarshal(first, &h); h.Lots > 0 || err != nil {
		return "", err
	}
	s := stateLine{run}
	for _, line := range [][]byte{first, second} { // a Sink need not keep the header
		if typeOf(line) == typeState {
			json.Unmarshal(line, &s)
		}
	}
	return s.Saver, nil
}

// load reads the newest state of a domain whose part is there: that of a part that never appeared
// or is gone has changes that no part has. Saver is of the part that the task replaces, or "". Load
// returns the revision that Save will replace.
func (r *run) load(
	ctx context.Context, t Task, store *records.Temp, saver string,
) (revision uint64, err error) {
	s, err := r.States.Load(ctx, t.Domain)
	if err != nil || s.Open == nil {
		return s.Revision, err
	}
	run, _ := runOf(s.Run)
	isOwn := run == t.Run
	if !isOwn {
		if saver, err = r.saverOf(ctx, run, t.Domain); err != nil {
			return s.Revision, err
		}
	}
	isLost := saver != s.Run
	if saver == "" && !isOwn { // unless the user has removed the run
		if isLost, err = r.hasParts(ctx, run); err != nil {
			return s.Revision, err
		}
	}
	for from := &s; from != nil && from.Open != nil; from = from.Predecessor {
		before, _ := runOf(from.Run)
		if isLost && before == run && from.Run != saver {
			continue
		}
		err := read(ctx, from, store)
		if err == nil {
			break
		}
		if !errors.Is(err, records.ErrDamaged) {
			return s.Revision, err
		}
		r.report(t, fmt.Errorf("its state is forgotten: %w", err))
	}
	if isLost && !isOwn { // it must not become the predecessor
		return r.save(ctx, t.Domain, s.Run, s.Revision, store)
	}
	return s.Revision, nil
}

// save replaces the state of a domain.
func (r *run) save(
	ctx context.Context, domain, saver string, revision uint64, store *records.Temp,
) (next uint64, err error) {
	return r.States.Save(ctx, domain, saver, revision, func(out io.Writer) error {
		_, err := store.WriteTo(out)
		return err
	})
}

func read(ctx context.Context, s *State, store *records.Temp) error {
	in, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = store.ReadFrom(in)
	return err
}

// hasParts reports whether a run has parts.
func (r *run) hasParts(ctx context.Context, run string) (bool, error) {
	for _, err := range r.Sink.Parts(ctx, run) {
		if errors.Is(err, ErrDamaged) {
			err = nil
		}
		return err == nil, err
	}
	return false, nil
}
