package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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

// removeLots removes the lots of a task whose part says that it has some, except those in keep. It
// ignores a part that cannot be read: it is missing, or its damage was reported.
func (r *run) removeLots(ctx context.Context, t Task, keep []Task) error {
	sink, ok := r.Sink.(Remover)
	if !ok {
		return nil
	}
	var h header
	if first, _ := r.begins(ctx, t); json.Unmarshal(first, &h) != nil || h.Lots == 0 {
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
func (r *run) begins(ctx context.Context, t Task) (first, second []byte) {
	in, err := r.Sink.Open(ctx, Stored{Task: t})
	if err != nil {
		return nil, nil
	}
	defer in.Close()
	lines := bufio.NewReader(in)
	first, _ = lines.ReadBytes('\n')
	second, _ = lines.ReadBytes('\n')
	return first, second
}

// load reads the state of a domain and returns its revision, which Save will replace, and the name
// of what will save it. If the part that belongs to the state never appeared, or is to be done
// again, load reads the predecessor. But a retry of a full run continues with the state itself.
//
// If a run has several tasks of a domain, each counts as a run for the states, with a name of its
// own, which its part has too.
func (r *run) load(
	ctx context.Context, t Task, store *records.Temp, retry bool,
) (revision uint64, saver string, err error) {
	s, err := r.States.Load(ctx, t.Domain)
	if err != nil {
		return 0, "", err
	}
	saver = saverOf(t, s.Revision+1)
	if s.Open == nil {
		return s.Revision, saver, nil
	}
	again, isLost := !retry || r.Options.OnlyChanged, false
	if run, _ := runOf(s.Run); run != t.Run {
		isLost, err = r.lacks(ctx, s.Run, t.Domain)
		again = isLost
	} else if t.More {
		if again, err = r.isOpen(ctx, s.Run, t.Domain); again {
			saver = s.Run // which is dropped
		}
	}
	if err != nil {
		return 0, "", err
	}
	from := &s
	if again {
		from = s.Predecessor
	}
	for ; from != nil && from.Open != nil; from = from.Predecessor {
		err := read(ctx, from, store)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return 0, "", ctx.Err()
		}
		r.report(t, fmt.Errorf("its state is forgotten: %w", err))
	}
	revision = s.Revision
	if isLost { // it must not become the predecessor
		revision, err = r.save(ctx, t.Domain, s.Run, revision, store)
	}
	return revision, saver, err
}

// saverOf names what saves a state of this revision: the run, or a task if the run has several of a
// domain.
func saverOf(t Task, revision uint64) string {
	if t.More {
		return fmt.Sprintf("%s/%d", t.Run, revision)
	}
	return t.Run
}

// runOf returns the run of what has saved a state, and whether it was one of several tasks.
func runOf(saver string) (run string, more bool) {
	run, _, more = strings.Cut(saver, "/")
	return run, more
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
	run, more := runOf(saver)
	t := Task{Run: run, Domain: domain}
	has, err := r.has(ctx, t)
	if has && more {
		_, second := r.begins(ctx, t)
		has = bytes.Equal(second, stateLine(saver))
	}
	return !has, err
}

// stateLine returns the second line of the part of a task with More: what saved its state.
func stateLine(saver string) []byte {
	return typed(typeState, struct {
		Saver string `json:"saver"`
	}{saver})
}

// lacks reports whether a run has parts, but not the one of isOpen. The user may have removed runs.
func (r *run) lacks(ctx context.Context, saver, domain string) (bool, error) {
	if open, err := r.isOpen(ctx, saver, domain); !open || err != nil {
		return false, err
	}
	run, _ := runOf(saver)
	for _, err := range r.Sink.Parts(ctx, run) {
		if errors.Is(err, ErrDamaged) {
			err = nil
		}
		return err == nil, err
	}
	return false, nil
}
