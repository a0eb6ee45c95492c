package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
)

// IsDone reports whether a task needs no worker: its part is committed, and those of its lots, if it
// is done in lots. A damaged part counts as missing: the worker that takes the task reports it.
func IsDone(ctx context.Context, s Sink, t Task) (bool, error) {
	for _, part := range append(t.lots(), t) {
		if has, err := s.Has(ctx, part); errors.Is(err, ErrDamaged) {
			return false, nil
		} else if !has || err != nil {
			return false, err
		}
	}
	return true, nil
}

// removeLots removes the lots that the part of a task lists, unless they are in keep. If the part cannot
// be read, there is none, or it is damaged and was reported.
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
	var first firstLine
	if json.Unmarshal(line, &first) != nil {
		return nil
	}
	names := map[string]bool{}
	for _, lot := range keep {
		names[lot.Domain] = true
	}
	for _, name := range first.lotNames() {
		if names[name] {
			continue
		}
		if err := sink.Remove(ctx, Stored{Task: Task{Run: t.Run, Domain: name}}); err != nil {
			return err
		}
	}
	return nil
}
