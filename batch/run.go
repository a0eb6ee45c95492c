package batch

import (
	"bufio"
	"bytes"
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

// loaded describes the state that a task goes on from.
type loaded struct {
	revision uint64 // which Save will replace
	saver    string // what will save the next state; see runOf
	ofRun    bool   // it belongs to the part of the task's own run
}

// load reads the state of a domain, or its predecessor if the part that belongs to the state never
// appeared. HasPart says that the task's own run has a whole part of the domain.
func (r *run) load(
	ctx context.Context, t Task, store *records.Temp, hasPart bool,
) (l loaded, err error) {
	s, err := r.States.Load(ctx, t.Domain)
	l = loaded{revision: s.Revision, saver: t.Run}
	if err != nil || s.Open == nil {
		return l, err
	}
	run, n := runOf(s.Run)
	isOwn := run == t.Run
	isLost := isOwn && !hasPart
	if !isLost {
		isLost, err = r.isOpen(ctx, s.Run, t.Domain)
	}
	if isLost && !isOwn { // unless the user has removed the run
		isLost, err = r.hasParts(ctx, run)
	}
	if err != nil {
		return l, err
	}
	from := &s
	if isLost {
		from = s.Predecessor
	}
	for ; from != nil && from.Open != nil; from = from.Predecessor {
		err := read(ctx, from, store)
		if err == nil {
			before, _ := runOf(from.Run)
			l.ofRun = before == t.Run
			break
		}
		if !errors.Is(err, records.ErrDamaged) {
			return l, err
		}
		r.report(t, fmt.Errorf("its state is forgotten: %w", err))
	}
	switch {
	case isLost && isOwn:
		l.saver = s.Run // a state with this name is dropped
	case isOwn:
		l.saver = fmt.Sprintf("%s/%d", run, n+1)
	case isLost: // it must not become the predecessor
		l.revision, err = r.save(ctx, t.Domain, s.Run, l.revision, store)
	}
	return l, err
}

// runOf returns the run of what has saved a state, and its number there. The first state of a run
// has the name of the run. One that belongs to a part that replaces another has a number too, which
// the part has in its second line; see stateLine. So the two count as two runs for the States.
func runOf(saver string) (run string, n int) {
	run, number, _ := strings.Cut(saver, "/")
	n, _ = strconv.Atoi(number)
	return run, max(n, 1)
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

// isOpen reports whether there is no part that belongs to the state of a domain that saver saved.
func (r *run) isOpen(ctx context.Context, saver, domain string) (bool, error) {
	run, n := runOf(saver)
	t := Task{Run: run, Domain: domain}
	has, err := r.has(ctx, t)
	if has && n > 1 {
		_, second, _ := r.begins(ctx, t)
		has = bytes.Equal(second, stateLine(saver))
	}
	return !has, err
}

// stateLine returns the second line of a part that has replaced another: what saved its state.
func stateLine(saver string) []byte {
	return typed(typeState, struct {
		Saver string `json:"saver"`
	}{saver})
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
