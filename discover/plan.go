package discover

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A plan is what a State knows of the walks of one run, and how far its output came.
// Its life, and the lines of the journal that tell it:
//
//   - linePlan: Resume is told which walks are to come; or a walk begins that Resume
//     was not told of, which is then the only one.
//   - lineBegin, lineEnd: a walk begins, and comes to its end.
//   - lineDone: all walks are over, and so is what they yielded: Close was called. A
//     plan that Resume was not told of is done when its walk has ended.
//
// A plan that is not done when its file is opened goes on if it is begun again: walks
// that had ended yield nothing then (replays counts those that are still to do so).
type plan struct {
	names    []string         // of the walks
	output   string           // where the walks' URLs go, and how, as Resume was told
	told     bool             // by Resume, and not done
	reopened bool             // it was told, and not done, when the file was opened
	replays  int              // walks that had ended then, and were not begun again yet
	begun    map[string]*line // the lineBegin of each walk that has one
	ended    map[string]bool
	failed   map[string]bool // whose site could not be walked at all
	out      int64           // the output's length after the last document
	noted    *int64          // to be written with the next line
	grown    bool            // a length came behind the plan's own lines
}

// planAge is how long a walk that was begun and cannot go on is waited for.
const planAge = 7 * 24 * time.Hour

func newPlan(output string, names []string, told bool) plan {
	return plan{output: output, names: names, told: told, begun: map[string]*line{}, ended: map[string]bool{}, failed: map[string]bool{}}
}

// take takes a line of the journal that tells of the plan.
func (p *plan) take(l *line) {
	if l.Out != nil {
		p.out, p.grown = *l.Out, true
	}
	switch l.Kind {
	case linePlan, lineDone:
		out := p.out
		*p = newPlan(l.Output, l.Plan, l.Told)
		p.out = out
	case lineBegin:
		p.begun[l.Walk] = l
	case lineEnd:
		p.ended[l.Walk] = true
	}
}

// lines gives the lines that say all of the plan.
func (p *plan) lines(emit func(*line)) {
	emit(&line{Kind: linePlan, Plan: p.names, Output: p.output, Told: p.told, Out: &p.out})
	for _, name := range slices.Sorted(maps.Keys(p.begun)) {
		emit(p.begun[name])
		if p.ended[name] {
			emit(&line{Kind: lineEnd, Walk: name})
		}
	}
}

// unfinished reports whether a walk is still to come to its end. One whose site could
// not be walked at all is not waited for, unless it was begun before, and not long ago.
func (p *plan) unfinished(now time.Time) bool {
	return slices.ContainsFunc(p.names, func(name string) bool {
		begun := p.begun[name]
		waits := begun != nil && !isOlder(begun.At, planAge, now)
		return !p.ended[name] && (!p.failed[name] || waits)
	})
}

// goesOn reports whether a walk is one of a plan that is not done.
func (p *plan) goesOn(name string, now time.Time) bool {
	return slices.Contains(p.names, name) && (p.unfinished(now) || p.replays > 0 || p.failed[name])
}

// resume reports whether the plan is not done and goes on with these walks: its own, and
// others if need be. The error is ErrOtherRun, with the plan's run, if what it wrote
// would be lost.
func (p *plan) resume(output string, names []string, now time.Time) (bool, error) {
	goesOn := p.reopened || p.unfinished(now)
	all := output == p.output && !slices.ContainsFunc(p.names, func(name string) bool { return !slices.Contains(names, name) })
	if goesOn && !all && (p.out > 0 || output != p.output && len(p.begun) > 0) {
		return false, fmt.Errorf("%w: %s, to %s", ErrOtherRun, strings.Join(p.names, " "), p.output)
	}
	p.reopened = false
	if !goesOn || !all {
		return false, nil
	}
	p.names = names
	p.replays = len(p.ended)
	return true, nil
}

// isDone reports whether a plan that was told has nothing to wait for any more.
func (p *plan) isDone(now time.Time) bool {
	return p.told && !p.unfinished(now) && p.replays == 0
}

// takeNoted returns the length that was noted, once.
func (p *plan) takeNoted() *int64 {
	n := p.noted
	if p.noted = nil; n != nil {
		p.out = *n
	}
	return n
}
