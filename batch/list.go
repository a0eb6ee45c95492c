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
		p := &listPlan{task: Task{Run: run}, yield: yield}
		for target, err := range l.targets(p.flush) {
			if p.add(target, err); p.ended {
				return
			}
		}
		p.flush()
	}
}

// targets yields the targets of the list. It calls wait whenever it may have to wait for the next line,
// and ends if wait returns false.
func (l *List) targets(wait func() bool) iter.Seq2[listed, error] {
	domain := l.Domain
	if domain == nil {
		domain = domainOf
	}
	return func(yield func(listed, error) bool) {
		for _, target := range l.First {
			name, err := domain(target)
			if !yield(listed{domain: name, target: target}, err) {
				return
			}
		}
		if l.Reader != nil {
			readList(waitingReader{l.Reader, wait}, domain)(yield)
		}
	}
}

// A waitingReader calls wait before it reads. If that returns false, nothing more is read.
type waitingReader struct {
	io.Reader
	wait func() bool
}

func (w waitingReader) Read(p []byte) (int, error) {
	if !w.wait() {
		return 0, io.EOF
	}
	return w.Reader.Read(p)
}

// A listPlan makes the tasks of a List.
type listPlan struct {
	task  Task // that may get further targets
	yield func(Task, error) bool
	ended bool // yield has returned false
}

// add adds a target to the task, or begins the next one with it. An error has its place between tasks.
func (p *listPlan) add(l listed, err error) {
	if err == nil && checkDomain(l.domain) != nil {
		l.domain = ""
	}
	if err != nil || l.domain == "" || l.domain != p.task.Domain || len(p.task.Targets) == maxTargets {
		p.flush()
	}
	if err == nil {
		p.task.Domain, p.task.Targets = l.domain, append(p.task.Targets, l.target)
	} else if !p.ended {
		p.ended = !p.yield(Task{}, err)
	}
}

// flush yields the task, if it has targets. It returns false if yield has.
func (p *listPlan) flush() bool {
	if ready := p.task; len(ready.Targets) > 0 && !p.ended {
		ready.Turn++
		p.task = Task{Run: ready.Run, Turn: ready.Turn}
		if ready.Domain == "" {
			ready.Domain = fmt.Sprintf("target-%d", ready.Turn)
		}
		p.ended = !p.yield(ready, nil)
	}
	return !p.ended
}
