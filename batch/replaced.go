package batch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A replaced part gives way to another one, of other targets or of the same ones, retried.
type replaced struct {
	isRetried bool                // all targets are in the part: some of them are walked again
	read      map[string][]string // the documents that were read, by target as it is in lines
	walked    map[string]bool     // the targets of the task: whether they are new, or walked again

	mu     sync.Mutex
	missed map[string]bool // of read, those that the retry has not read
}

// isImproved reports whether the new part of a retry has fewer failures and, while some are left,
// each document that was read before.
func (o *replaced) isImproved(before, now Counts) bool {
	return now.Failed == 0 || now.Failed < before.Failed && len(o.missed) == 0
}

// watch notes which documents of a task are read.
func (o *replaced) watch(t Task, options *discover.Options) {
	o.missed = map[string]bool{}
	for _, target := range t.Targets {
		for _, loc := range o.read[shown(target)] {
			o.missed[loc] = true
		}
	}
	done := options.Done
	options.Done = func(s *discover.Sitemap, sum discover.Summary) {
		if sum.Err == nil {
			o.mu.Lock()
			delete(o.missed, sitemap.Redact(s.Loc))
			o.mu.Unlock()
		}
		if done != nil {
			done(s, sum)
		}
	}
}

// previous reports whether a task is done by the part that is there, and needs no retry. Otherwise
// it returns what the new part keeps of that part, and the part unless it is damaged. A damaged part
// counts as missing, but lines of other tasks are kept as far as they can be read.
func (r *run) previous(
	ctx context.Context, t Task, part Stored,
) (old *replaced, before Stored, done bool, err error) {
	isSame := part.isOf(t)
	if isSame && !r.Retry || part.ID == "" && !t.More {
		return nil, part, isSame, nil
	}
	old = &replaced{read: map[string][]string{}, walked: map[string]bool{}}
	failed := map[string]bool{}
	for l, err := range ReadPart(ctx, r.Sink, Stored{Task: t}) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, Stored{}, false, nil
		}
		if errors.Is(err, ErrDamaged) {
			if part.ID != "" { // else it was reported before
				r.report(t, err)
			}
			if !t.More {
				return nil, Stored{}, false, nil
			}
			part, isSame = Stored{}, false
			clear(old.read)
			break
		}
		if err != nil {
			return nil, part, false, err
		}
		target, counts := l.about()
		read := old.read[target]
		if counts.Failed > 0 {
			failed[target] = true
		} else if l.Document != nil {
			read = append(read, l.Document.Sitemap)
		}
		old.read[target] = read
	}
	isNew, isWalked := false, false
	for _, target := range t.Targets {
		target = shown(target)
		_, has := old.read[target]
		old.walked[target] = !has || r.Retry && failed[target]
		isNew, isWalked = isNew || !has, isWalked || old.walked[target]
	}
	old.isRetried = isSame || t.More && !isNew
	return old, part, old.isRetried && !isWalked, nil
}

// carry copies lines from the old part of a task to a new part: those of targets that are not
// walked, and the changes of the others, which the state knows. It returns their counts.
func (r *run) carry(
	ctx context.Context, t Task, old *replaced, p io.Writer,
) (sum Counts, err error) {
	counted := map[string]bool{}
	for l, err := range ReadPart(ctx, r.Sink, Stored{Task: t}) {
		if t.More && errors.Is(err, ErrDamaged) {
			break
		}
		if err != nil {
			return sum, err
		}
		target, counts := l.about()
		isWalked, isListed := old.walked[target]
		switch {
		case !isWalked && (isListed || t.More):
			if !counted[target] {
				counted[target], counts.Targets = true, 1
			}
		case isWalked && l.URL != nil && r.Options.OnlyChanged:
		default:
			continue
		}
		sum.Add(counts)
		if _, err := p.Write(l.Text); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
