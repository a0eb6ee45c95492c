package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	in, err := r.Sink.Open(ctx, Stored{Task: t})
	if err != nil {
		return nil
	}
	line, _ := bufio.NewReader(in).ReadBytes('\n')
	in.Close()
	var first header
	if json.Unmarshal(line, &first) != nil || first.Lots == 0 {
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

// load reads the state of a domain and returns its revision, which Save will replace. If the part
// that belongs to the state never appeared, or is to be done again, load reads the predecessor. But
// a retry of a full run, and one of a task with More, continue with the state itself.
func (r *run) load(ctx context.Context, t Task, store *records.Temp, retry bool) (uint64, error) {
	s, err := r.States.Load(ctx, t.Domain)
	if err != nil || s.Open == nil {
		return s.Revision, err
	}
	again := !retry || r.Options.OnlyChanged && !t.More
	if run, _, _ := strings.Cut(s.Run, moreMark); run != t.Run {
		if again, err = r.lacks(ctx, run, t.Domain); err != nil {
			return 0, err
		}
	} else if t.More && s.Run != t.saver() { // another task of the domain is done
		again = false
	}
	from := &s
	if again {
		from = s.Predecessor
	}
	for ; from != nil && from.Open != nil; from = from.Predecessor {
		if err = read(ctx, from, store); err == nil {
			break
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		r.report(t, fmt.Errorf("its state is forgotten: %w", err))
	}
	return s.Revision, nil
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

// lacks reports whether a run has parts, but none for a domain. The user may have removed runs.
func (r *run) lacks(ctx context.Context, run, domain string) (bool, error) {
	if has, err := r.has(ctx, Task{Run: run, Domain: domain}); has || err != nil {
		return false, err
	}
	for _, err := range r.Sink.Parts(ctx, run) {
		if errors.Is(err, ErrDamaged) {
			err = nil
		}
		return err == nil, err
	}
	return false, nil
}
