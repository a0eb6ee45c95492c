package batch

import (
	"context"
	"encoding/json"

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

// eachLine calls f with the lines of a part, but for those that are about the part itself.
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
		if err == nil && l.Type != typePart && l.Type != typeEnd {
			err = f(&l, line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
