package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/seed-322c453a/sitemap"
)

// A retry is a part that was committed and holds failures.
type retry struct {
	counts Counts
	failed map[string]bool // targets, as lines have them
}

// retryOf reads the failures of a part. It returns nil if there are none.
func (w *Worker) retryOf(ctx context.Context, t Task) (*retry, error) {
	r := &retry{failed: map[string]bool{}}
	err := w.eachLine(ctx, t, func(l *lineInfo, _ []byte) error {
		r.counts.add(l.counts())
		if l.Error != nil {
			r.failed[l.Target] = true
		}
		return nil
	})
	if err != nil || r.counts.Failed == 0 {
		return nil, err
	}
	return r, nil
}

// keep copies the lines of targets that did not fail to a new part. It returns what they count and
// the targets that are left.
func (r *retry) keep(ctx context.Context, w *Worker, t Task, p Part) (Counts, Task, error) {
	var sum Counts
	err := w.eachLine(ctx, t, func(l *lineInfo, line []byte) error {
		if r.failed[l.Target] {
			return nil
		}
		sum.add(l.counts())
		_, err := p.Write(line)
		return err
	})
	left := t
	left.Targets = nil
	for _, target := range t.Targets {
		if r.failed[sitemap.Redact(target)] {
			left.Targets = append(left.Targets, target)
		} else {
			sum.Targets++
		}
	}
	return sum, left, err
}

// keepOthers copies the lines of other targets than those of a task from its part, if there is one, to
// a new part, and returns what they count.
func (w *Worker) keepOthers(ctx context.Context, t Task, p Part) (sum Counts, err error) {
	known := map[string]bool{} // targets that are counted or done anew
	for _, target := range t.Targets {
		known[sitemap.Redact(target)] = true
	}
	anew := maps.Clone(known)
	err = w.eachLine(ctx, t, func(l *lineInfo, line []byte) error {
		if anew[l.Target] {
			return nil
		}
		if !known[l.Target] {
			known[l.Target] = true
			sum.Targets++
		}
		sum.add(l.counts())
		_, err := p.Write(line)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return sum, err
}

// A lineInfo is what retries want to know of a line.
type lineInfo struct {
	Type      string
	Target    string
	Severity  sitemap.Severity
	Skipped   string
	Untrusted int64
	Error     *Error
}

// counts returns what the line counts.
func (l *lineInfo) counts() (c Counts) {
	switch l.Type {
	case "":
		c.URLs = 1
	case typeDocument:
		c.Untrusted = l.Untrusted
		if l.Skipped == "" {
			c.Documents = 1
		}
	case typeFinding:
		c.finding(l.Severity)
	}
	if l.Error != nil {
		c.Failed, c.Cause = 1, l.Error.Code
	}
	return c
}

// eachLine calls f with the lines of a part, but for those that are about the part itself. The error
// of a part that cannot be read to its end matches ErrDamaged.
func (w *Worker) eachLine(ctx context.Context, t Task, f func(*lineInfo, []byte) error) error {
	in, err := w.Sink.Open(ctx, Stored{Task: Task{Run: t.Run, Domain: t.Domain}})
	if err != nil {
		return err
	}
	defer in.Close()
	for line, err := range textLines(in) {
		var l lineInfo
		if err == nil {
			err = json.Unmarshal(line, &l)
		}
		if err != nil {
			return cmp.Or(ctx.Err(), fmt.Errorf("%s in run %s: %w: %w", t.Domain, t.Run, ErrDamaged, err))
		}
		if l.Type == typePart || l.Type == typeEnd {
			continue
		}
		if err := f(&l, line); err != nil {
			return err
		}
	}
	return nil
}
