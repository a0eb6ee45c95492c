package discover

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A plan is what a State knows of the walks of one run, and how far its output came.
// Its life, and the lines of the journal that tell it:
//
//   - linePlan: Resume is told which walks are to come; or a walk begins that Resume
//     was not told of, which is then the only one. lineMore: there are more walks.
//   - lineBegin, lineEnd: a walk begins, and comes to its end.
//   - lineDone: all walks are over, and so is what they yielded: Close was called. A
//     plan that Resume was not told of is done when its walk has ended.
//
// A plan that is not done when its file is opened goes on if it is begun again: walks
// that had ended yield nothing then (replays counts those that are still to do so).
type plan struct {
	names    []string // of the walks
	walks    map[string]*planned
	output   string       // where the walks' URLs go, and how, as Resume was told
	told     bool         // by Resume, and not done
	reopened bool         // it was told, and not done, when the file was opened
	replays  int          // walks that had ended then, and were not begun again yet
	open     int          // walks that neither have ended nor failed
	ended    int          // walks that have
	running  map[int]bool // numbers of the walks that were begun and have not ended
	waiting  map[string]*line
	out      int64  // the output's length after the last document
	noted    *int64 // to be written with the next line
}

// A planned is a walk of a plan.
type planned struct {
	begun  *line // its lineBegin, nil before
	ended  bool
	limits []*LimitError // that left documents out of it, when it has ended
	failed bool          // its site could not be walked at all; if it was begun, the plan waits for it
}

const (
	// planAge is how long a walk that was begun and cannot go on is waited for.
	planAge = 7 * 24 * time.Hour
	// planLine is how many walks one line of the journal names.
	planLine = 1000
)

func newPlan(output string, names []string, told bool) plan {
	p := plan{output: output, told: told, walks: map[string]*planned{}, running: map[int]bool{}, waiting: map[string]*line{}}
	p.add(names)
	return p
}

// add adds walks, and returns those that are new.
func (p *plan) add(names []string) (added []string) {
	for _, name := range names {
		if p.walks[name] == nil {
			p.walks[name] = &planned{}
			added = append(added, name)
		}
	}
	p.names = append(p.names, added...)
	p.open += len(added)
	return added
}

// take takes a line of the journal that tells of the plan.
func (p *plan) take(l *line) {
	if l.Out != nil {
		p.out = *l.Out
	}
	switch l.Kind {
	case linePlan, lineDone:
		out := p.out
		*p = newPlan(l.Output, l.Plan, l.Told)
		p.out = out
	case lineMore:
		p.add(l.Plan)
	case lineBegin:
		p.begin(l)
	case lineEnd:
		p.end(l.Walk, l.Limits)
	}
}

// lines gives the lines that say all of the plan.
func (p *plan) lines(emit func(*line)) {
	first := min(len(p.names), planLine)
	emit(&line{Kind: linePlan, Plan: p.names[:first], Output: p.output, Told: p.told, Out: &p.out})
	moreLines(p.names[first:], emit)
	for _, name := range p.names {
		if w := p.walks[name]; w.begun != nil {
			emit(w.begun)
			if w.ended {
				emit(&line{Kind: lineEnd, Walk: name, Limits: w.limits})
			}
		}
	}
}

// moreLines gives the lines that add walks.
func moreLines(names []string, emit func(*line)) {
	for len(names) > 0 {
		n := min(len(names), planLine)
		emit(&line{Kind: lineMore, Plan: names[:n]})
		names = names[n:]
	}
}

// begin takes the line of a walk that begins.
func (p *plan) begin(l *line) {
	if w := p.walks[l.Walk]; w != nil {
		w.begun = l
		p.running[l.Run] = true
	}
}

// begun returns the line of a walk that was begun, or nil.
func (p *plan) begun(name string) *line {
	if w := p.walks[name]; w != nil {
		return w.begun
	}
	return nil
}

// end notes that a walk has come to its end, and the limits that left documents out.
func (p *plan) end(name string, limits []*LimitError) {
	w := p.walks[name]
	if w == nil || w.ended {
		return
	}
	p.retry(name)
	w.ended, w.limits = true, limits
	p.open--
	p.ended++
	if w.begun != nil {
		delete(p.running, w.begun.Run)
	}
}

// fail notes that the site of a walk could not be walked at all.
func (p *plan) fail(name string) {
	w := p.walks[name]
	if w == nil || w.failed {
		return
	}
	w.failed = true
	if !w.ended {
		p.open--
	}
	if w.begun != nil && !w.ended {
		p.waiting[name] = w.begun
	}
}

// retry takes back that the site of a walk could not be walked.
func (p *plan) retry(name string) {
	w := p.walks[name]
	if !w.failed {
		return
	}
	w.failed = false
	if !w.ended {
		p.open++
	}
	delete(p.waiting, name)
}

// restart makes all walks of the plan such as have not ended, and none of their output known.
func (p *plan) restart() {
	p.out, p.open, p.ended = 0, len(p.names), 0
	for _, w := range p.walks {
		w.ended = false
		if w.begun != nil {
			p.running[w.begun.Run] = true
		}
	}
}

// firstRun returns the least number of a walk that was begun, 0 if none was.
func (p *plan) firstRun() (first int) {
	for _, w := range p.walks {
		if w.begun != nil && (first == 0 || w.begun.Run < first) {
			first = w.begun.Run
		}
	}
	return first
}

// stillOpen returns the walks that have read a document, of which e may be known, and have not
// ended, without one.
func (p *plan) stillOpen(e *entry, but int) []int {
	if e == nil {
		return nil
	}
	return slices.DeleteFunc(e.runs(), func(run int) bool { return run == but || !p.running[run] })
}

// unfinished reports whether a walk is still to come to its end. One whose site could
// not be walked at all is not waited for, unless it was begun before, and not long ago.
func (p *plan) unfinished(now time.Time) bool {
	if p.open > 0 {
		return true
	}
	for _, begun := range p.waiting {
		if !isOlder(begun.At, planAge, now) {
			return true
		}
	}
	return false
}

// goesOn reports whether a walk is one of a plan that is not done.
func (p *plan) goesOn(name string, now time.Time) bool {
	w := p.walks[name]
	return w != nil && (p.unfinished(now) || p.replays > 0 || w.failed)
}

// isOpen reports whether what the plan's walks yielded may still be asked for.
func (p *plan) isOpen(now time.Time) bool { return p.told || p.unfinished(now) }

// resume reports whether the plan is not done and goes on with these walks: its own, and
// others if need be, which it returns. The error is ErrOtherRun, with the plan's run, if what
// it wrote would be lost.
func (p *plan) resume(output string, names []string, now time.Time) (goesOn bool, added []string, err error) {
	goesOn = p.reopened || p.unfinished(now)
	all := output == p.output && p.areIn(names)
	if goesOn && !all && (p.out > 0 || output != p.output && p.firstRun() > 0) {
		return false, nil, fmt.Errorf("%w: %s, to %s", ErrOtherRun, strings.Join(p.names, " "), p.output)
	}
	p.reopened = false
	if !goesOn || !all {
		return false, nil, nil
	}
	p.replays = p.ended
	return true, p.add(names), nil
}

// areIn reports whether all walks of the plan are among names.
func (p *plan) areIn(names []string) bool {
	known := map[string]bool{}
	for _, name := range names {
		if p.walks[name] != nil {
			known[name] = true
		}
	}
	return len(known) == len(p.names)
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
