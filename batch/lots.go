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

// removeLots removes the lots of a task, if its part lists any, unless they are in keep. If the part
// cannot be read, there is none, or it is damaged and was reported.
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
	if json.Unmarshal(line, &first) != nil || first.Lots == "" {
		return nil
	}
	kept := map[string]bool{}
	for _, lot := range keep {
		kept[lot.Domain] = true
	}
	for i := range 256 {
		if name := lotName(t.Domain, i); !kept[name] {
			if err := sink.Remove(ctx, Stored{Task: Task{Run: t.Run, Domain: name}}); err != nil {
				return err
			}
		}
	}
	return nil
}
