package batch

import (
	"fmt"
	"io"
	"iter"
)

// PlanInOrder yields the tasks of a list in its order, for a [MemoryQueue] and an [InOrder] sink, as
// soon as their lines are there. Lines of one domain that follow each other, and are there together,
// are one task. A domain may have several. What else holds of lines is said at [Plan].
func PlanInOrder(r io.Reader, run string) iter.Seq2[Task, error] {
	return (&List{Reader: r}).Tasks(run)
}

// A List is targets whose order matters, some of which may be no sites.
type List struct {
	// First are targets before the lines of Reader. They stand as they are: they have no comments.
	First  []string
	Reader io.Reader // nil: there are no lines
	// Domain returns the Domain that the task of a target gets: tasks of one Domain are done one after
	// the other. That of a file or a folder is "": each is a task of its own, which needs a [Job] that
	// reads it. The line of an error is a [*LineError]. nil means the registrable domain, and no files.
	Domain func(target string) (string, error)
}

// Tasks yields the tasks of the list as [PlanInOrder] does.
func (l *List) Tasks(run string) iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		if err := CheckRun(run); err != nil {
			yield(Task{}, fmt.Errorf("batch: %w", err))
			return
		}
		p := &listPlan{task: Task{Run: run}, domainOf: l.Domain, yield: yield}
		if p.domainOf == nil {
			p.domainOf = DomainOf
		}
		if p.first(l.First) && (l.Reader == nil || p.lines(l.Reader)) {
			p.flush()
		}
	}
}

// A listPlan makes the tasks of a List. Its methods return false if yield has.
type listPlan struct {
	task     Task // that may get further targets
	domainOf func(target string) (string, error)
	yield    func(Task, error) bool
}

func (p *listPlan) first(targets []string) bool {
	for _, target := range targets {
		domain, err := p.domainOf(target)
		if err != nil && !p.fail(err) || err == nil && !p.add(domain, target) {
			return false
		}
	}
	return true
}

func (p *listPlan) lines(r io.Reader) bool {
	in := &waitingReader{r: r, wait: p.flush}
	for l, err := range readList(in, p.domainOf) {
		if in.ended || err != nil && !p.fail(err) || err == nil && !p.add(l.domain, l.target) {
			return false
		}
	}
	return !in.ended
}

// add adds a target to the task, or begins the next one with it.
func (p *listPlan) add(domain, target string) bool {
	if checkDomain(domain) != nil {
		domain = ""
	}
	follows := domain != "" && domain == p.task.Domain && len(p.task.Targets) < maxTargets
	if !follows && !p.flush() {
		return false
	}
	p.task.Domain, p.task.Targets = domain, append(p.task.Targets, target)
	return true
}

// flush yields the task, if it has targets.
func (p *listPlan) flush() bool {
	ready := p.task
	if len(ready.Targets) == 0 {
		return true
	}
	ready.Turn++
	p.task = Task{Run: ready.Run, Turn: ready.Turn}
	if ready.Domain == "" {
		ready.Domain = fmt.Sprintf("target-%d", ready.Turn)
	}
	return p.yield(ready, nil)
}

// fail yields an error in its place.
func (p *listPlan) fail(err error) bool { return p.flush() && p.yield(Task{}, err) }

// A waitingReader calls wait before it reads: whoever reads may have to wait for more. If wait returns
// false, nothing more is read.
type waitingReader struct {
	r     io.Reader
	wait  func() bool
	ended bool
}

func (w *waitingReader) Read(p []byte) (int, error) {
	if w.ended = w.ended || !w.wait(); w.ended {
		return 0, io.EOF
	}
	return w.r.Read(p)
}
