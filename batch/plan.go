package batch

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap/internal/disksort"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// Plan yields the tasks of a list: targets, one a line, grouped by their registrable domain. A "#"
// at the start of a line or after a blank begins a comment. A target is a host, the URL of a site,
// or the URL of a sitemap. Its bytes that are not UTF-8 are percent-encoded. A repeated target
// counts once. The list may be gzip-compressed.
//
// A line that is not a target yields a [*LineError], before all tasks. Any other error, of r or of
// the disk, is the last element: the list was not read to its end. The order of tasks depends on
// the domains alone. It scatters them, so that sites of one hosting company do not follow each
// other.
//
// Memory is bounded by the largest task. The list is sorted on disk, in the folder of os.TempDir,
// where it takes about its own size. Plan reads all of r before the first task.
func Plan(r io.Reader, run string) iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		if err := CheckRun(run); err != nil {
			yield(Task{}, fmt.Errorf("batch: %w", err))
			return
		}
		sorter := disksort.New(context.Background(), "", disksort.Chunk, disksort.Strings)
		defer sorter.Close()
		var broken error
		for l, err := range readList(r, DomainOf) {
			switch {
			case err == nil:
				if !utf8.ValidString(l.target) {
					l.target = invalid().ReplaceAllStringFunc(l.target, url.PathEscape)
				}
				sorter.Add(l.key())
			case !errors.As(err, new(*LineError)):
				broken = err
			case !yield(Task{}, err):
				return
			}
		}
		p, seen := &planner{task: Task{Run: run}, yield: yield}, map[string]bool{}
		for key := range sorter.Sorted() {
			l := listedOf(key)
			if l.domain != p.task.Domain {
				clear(seen)
			}
			if !seen[l.target] {
				seen[l.target] = true
				p.add(l)
			}
			if p.ended {
				return
			}
		}
		if err := cmp.Or(sorter.Err(), broken); p.flush() && err != nil {
			yield(Task{}, err)
		}
	}
}

// invalid matches what is not UTF-8. Queues may lose such bytes.
var invalid = pattern.Of(`\x{FFFD}`)

// A listed is a target of a list.
type listed struct {
	domain string
	line   uint64
	target string
}

// key returns a string by which targets are sorted: by the hash of their domain, the domain and the
// line.
func (l *listed) key() string {
	b := binary.BigEndian.AppendUint64(nil, hash(l.domain))
	b = binary.BigEndian.AppendUint64(append(append(b, l.domain...), 0), l.line)
	return string(append(b, l.target...))
}

// listedOf returns the target that has a key.
func listedOf(key string) listed {
	domain, rest, _ := strings.Cut(key[8:], "\x00")
	return listed{domain: domain, line: binary.BigEndian.Uint64([]byte(rest[:8])), target: rest[8:]}
}

// A LineError says why a line of a list is not a target.
type LineError struct {
	Line uint64 // from 1
	Err  error
}

// Error returns the number of the line and the cause.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// maxLine is how long a line of a list may be.
const maxLine = 64 << 10

// readList yields the targets of a list. For a line that is too long, and one for which
// domainOf fails, it yields a [*LineError]. Any other error is the last element.
func readList(r io.Reader, domainOf func(target string) (string, error)) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		lines := bufio.NewReaderSize(input.NewText(r), maxLine)
		for n := uint64(1); ; n++ {
			line, err := lines.ReadSlice('\n')
			l := listed{line: n, target: targetOf(string(line))}
			var lineErr error
			if err == bufio.ErrBufferFull {
				lineErr = fmt.Errorf("longer than %d bytes", maxLine)
			} else if l.target != "" {
				l.domain, lineErr = domainOf(l.target)
			}
			if lineErr != nil {
				lineErr = &LineError{n, lineErr}
			}
			for err == bufio.ErrBufferFull {
				_, err = lines.ReadSlice('\n')
			}
			if err != nil && err != io.EOF { // the line may be cut
				yield(listed{}, err)
				return
			}
			if l.target != "" && !yield(l, lineErr) || err == io.EOF {
				return
			}
		}
	}
}

// targetOf returns the target in a line of a list, or "" if there is none.
func targetOf(line string) string {
	line = " " + strings.TrimPrefix(line, "\ufeff")
	line, _, _ = strings.Cut(strings.ReplaceAll(line, "\t#", " #"), " #")
	return strings.TrimSpace(line)
}

// PlanInOrder yields the tasks of a list in its order, for a [MemoryQueue] and an [InOrder] sink.
// It yields each task as soon as its lines have been read: consecutive lines of one domain, as far
// as they are available together. So a domain may have several tasks, and a repeated target is done
// again. See [Plan] for lists and errors.
func PlanInOrder(r io.Reader, run string) iter.Seq2[Task, error] {
	return (&List{Reader: r}).Tasks(run)
}

// A List is a list of targets whose order matters, and which may be files or folders too.
type List struct {
	// First are targets that precede the lines of Reader. A "#" in them begins no comment.
	First  []string
	Reader io.Reader // nil: there are no lines
	// Domain returns the Domain for the task of a target: tasks of one Domain are done one after
	// the other. It returns "" for a file or a folder, which is then a task of its own and needs a
	// [Job] that reads it. An error becomes a [*LineError]. If Domain is nil, DomainOf is used.
	Domain func(target string) (string, error)
}

// Tasks yields the tasks of the list as [PlanInOrder] does.
func (l *List) Tasks(run string) iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		if err := CheckRun(run); err != nil {
			yield(Task{}, fmt.Errorf("batch: %w", err))
			return
		}
		domain := l.Domain
		if domain == nil {
			domain = DomainOf
		}
		p := &planner{task: Task{Run: run, Turn: 1}, yield: yield}
		add := func(target listed, err error) {
			if err == nil && checkDomain(target.domain) != nil { // a file, a task of its own
				p.flush()
				target.domain = fmt.Sprintf("target-%d", p.task.Turn)
			}
			if err == nil {
				p.add(target)
			} else if p.flush() {
				p.ended = !yield(Task{}, err)
			}
		}
		for _, target := range l.First {
			name, err := domain(target)
			add(listed{domain: name, target: target}, err)
		}
		if l.Reader != nil {
			for target, err := range readList(waitingReader{l.Reader, p.flush}, domain) {
				add(target, err)
			}
		}
		p.flush()
	}
}

// A waitingReader calls wait before each Read. If wait returns false, it reads nothing more.
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

// A planner makes tasks of targets.
type planner struct {
	task  Task // the open task, which may get further targets; its Turn is 0 if there is no order
	yield func(Task, error) bool
	ended bool // yield has returned false
}

// add adds a target to the task, or begins the next task with it.
func (p *planner) add(l listed) {
	if l.domain != p.task.Domain || p.task.Turn > 0 && len(p.task.Targets) == maxTargets {
		p.flush()
	}
	p.task.Domain, p.task.Targets = l.domain, append(p.task.Targets, l.target)
}

// flush yields the task, if it has targets. It returns false if yield does.
func (p *planner) flush() bool {
	if ready := p.task; len(ready.Targets) > 0 && !p.ended {
		p.task = Task{Run: ready.Run, Turn: ready.Turn}
		if ready.Turn > 0 {
			p.task.Turn++
		}
		p.ended = !p.yield(ready, nil)
	}
	return !p.ended
}
