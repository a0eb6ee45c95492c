package batch

import (
	"context"
	"io"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A replaced is a part that another one replaces, because the targets have changed or are retried.
// A new part of which there was none replaces an empty one.
type replaced struct {
	part      Stored          // without an ID if there is none, or it is damaged
	isRetried bool            // all targets are in the part: some of them are walked again
	isLeft    bool            // a target has failed that is not walked again
	isLost    bool            // states were lost: the walk may yield its pages again
	walked    map[string]bool // the targets of the task: whether they are new, or walked again

	mu     sync.Mutex
	missed map[string]int64 // documents of walked that are not yet read to this entry, as before
}

// isWorseThan reports whether the new part, with these counts, has no failures, or has fewer of them
// or more URLs and has read each document as far as before.
func (o *replaced) isWorseThan(c Counts) bool {
	was := o.part.Counts
	return !o.isRetried || c.Failed == 0 ||
		len(o.missed) == 0 && (c.Failed < was.Failed || c.URLs > was.URLs)
}

// watch notes which documents are read.
func (o *replaced) watch(options *discover.Options) {
	done := options.Done
	options.Done = func(s *discover.Sitemap, sum discover.Summary) {
		o.mu.Lock()
		if loc := sitemap.Redact(s.Loc); sum.Err == nil || sum.Entries >= o.missed[loc] {
			delete(o.missed, loc)
		}
		o.mu.Unlock()
		if done != nil {
			done(s, sum)
		}
	}
}

// replace reports whether a task is done by the part that is there, and needs no retry. Otherwise it
// returns what a new part has to know of that part.
func (r *run) replace(
	ctx context.Context, t Task, part Stored,
) (old *replaced, done bool, err error) {
	isSame := part.isOf(t)
	if isSame && (!r.Retry || part.ID == "") {
		return nil, true, nil
	}
	old = &replaced{part: part, walked: map[string]bool{}, missed: map[string]int64{}}
	failed := map[string]bool{} // by target in the part: whether one of its lines has an error
	for l, err := range r.lines(ctx, t, part) {
		if isMissing(err) {
			if part.ID != "" { // else it was reported before
				r.report(t, err)
			}
			old.part, isSame = Stored{}, false
			clear(failed)
			break
		}
		if err != nil {
			return nil, false, err
		}
		target, counts := l.about()
		failed[target] = failed[target] || counts.Failed > 0
	}
	isNew := slices.ContainsFunc(t.Targets, func(target string) bool {
		_, has := failed[shown(target)]
		return !has
	})
	old.isRetried = isSame || t.More && !isNew
	isWalked := false
	for _, target := range t.Targets {
		target = shown(target)
		hasFailed, has := failed[target]
		walked := !has || hasFailed && r.Retry && old.isRetried
		old.walked[target] = walked
		isWalked, old.isLeft = isWalked || walked, old.isLeft || hasFailed && !walked
	}
	return old, old.isRetried && !isWalked, nil
}

// lines yields the lines of the part that a task replaces. Those of one that is damaged count only
// if it has lines of other tasks: these are kept as far as they can be read.
func (r *run) lines(ctx context.Context, t Task, part Stored) iter.Seq2[Line, error] {
	if part.ID == "" && !t.More {
		return func(func(Line, error) bool) {}
	}
	return ReadPart(ctx, r.Sink, Stored{Task: t})
}

// carry copies lines from the old part of a task to a new part: those of targets that are not
// walked, and the changes of the others and of those that have left the list, which the state knows.
// It returns their counts. It notes the documents of the others as missed.
func (r *run) carry(
	ctx context.Context, t Task, old *replaced, p io.Writer,
) (sum Counts, err error) {
	counted := map[string]bool{}
	for l, err := range r.lines(ctx, t, old.part) {
		if t.More && isMissing(err) {
			break
		}
		if err != nil {
			return sum, err
		}
		target, counts := l.about()
		isWalked, isListed := old.walked[target]
		switch {
		case !isWalked && (isListed || t.More || r.Options.OnlyChanged):
			if !counted[target] {
				counted[target], counts.Targets = true, 1
			}
		case isWalked && l.URL != nil && r.Options.OnlyChanged && !old.isLost:
		case isWalked && l.Document != nil && counts.Failed == 0:
			old.missed[l.Document.Sitemap] = math.MaxInt64 // to its end
			continue
		case isWalked && l.Document != nil && l.Document.Entries > 0:
			old.missed[l.Document.Sitemap] = l.Document.Entries
			continue
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
