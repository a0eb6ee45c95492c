package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/lanrat/extsort"
)

// Plan yields the tasks of a list: targets, one a line, grouped by their registrable domain. A "#"
// at the start of a line or after a space begins a comment. A target is a host, the URL of a site,
// or the URL of a sitemap. One that is repeated counts once.
//
// A line that is no target is a [*LineError]. These come first. Another error, of r or the disk, is
// the last element: the list was not read to its end. The order of tasks depends on the domains
// alone, and scatters them, so that sites of one hosting company do not come together.
//
// Memory is bounded by the largest task: the list is sorted on disk, where it takes about its own
// size in the folder of os.TempDir. Plan reads all of r before the first task.
func Plan(r io.Reader, run string) iter.Seq2[Task, error] {
	return func(yield func(Task, error) bool) {
		if err := CheckRun(run); err != nil {
			yield(Task{}, fmt.Errorf("batch: %w", err))
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		in := make(chan listed, 1_024)
		sorter, out, errs := extsort.Generic(in, decodeListed, encodeListed, compareListed,
			&extsort.Config{
				ChunkSize: 50_000, NumWorkers: 2, ChanBuffSize: 1, SortedChanBuffSize: 1_000,
			})
		sorted := make(chan struct{})
		go func() {
			defer close(sorted)
			sorter.Sort(ctx) // returns early if it cannot write
		}()
		defer func() {
			cancel()
			for range out {
			}
		}()
		readErr, more := sortList(r, in, sorted, func(err error) bool { return yield(Task{}, err) })
		close(in)
		if !more {
			return
		}
		<-sorted
		if !group(out, run, yield) {
			return
		}
		if err := cmp.Or(<-errs, readErr); err != nil {
			yield(Task{}, err)
		}
	}
}

// A LineError is a line of a list that is no target.
type LineError struct {
	Line uint64 // from 1
	Err  error
}

// Error returns the number of the line and what is wrong.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// group yields the tasks of sorted targets.
func group(out <-chan listed, run string, yield func(Task, error) bool) bool {
	task, seen := Task{Run: run}, map[string]bool{}
	for l := range out {
		if l.domain != task.Domain {
			if task.Domain != "" && !yield(task, nil) {
				return false
			}
			task, seen = Task{Run: run, Domain: l.domain}, map[string]bool{}
		}
		if !seen[l.target] {
			seen[l.target] = true
			task.Targets = append(task.Targets, l.target)
		}
	}
	return task.Domain == "" || yield(task, nil)
}

// sortList sends the targets of a list to in, unless done is closed, and passes errors of lines to
// report. It returns the error of r. More is false if report returned false.
func sortList(
	r io.Reader, in chan<- listed, done <-chan struct{}, report func(error) bool,
) (err error, more bool) {
	for l, err := range readList(r, DomainOf) {
		if e := (*LineError)(nil); errors.As(err, &e) {
			if !report(e) {
				return nil, false
			}
			continue
		}
		if err != nil {
			return err, true
		}
		select {
		case in <- l:
		case <-done: // it cannot write
			return nil, true
		}
	}
	return nil, true
}

// maxLine is how long a line of a list may be.
const maxLine = 64 << 10

// readList yields the targets of a list. A line of which domainOf returns an error is a [*LineError];
// another error is the last element.
func readList(r io.Reader, domainOf func(target string) (string, error)) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxLine)
		n := uint64(0)
		for lines.Scan() {
			n++
			line, _, _ := strings.Cut(" "+strings.TrimPrefix(lines.Text(), "\ufeff"), " #")
			target := strings.TrimSpace(line)
			if target == "" {
				continue
			}
			domain, err := domainOf(target)
			l := listed{hash(domain), domain, n, target}
			if err != nil {
				l, err = listed{}, &LineError{n, err}
			}
			if !yield(l, err) {
				return
			}
		}
		err := lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("batch: line %d: longer than %d bytes", n+1, maxLine)
		}
		if err != nil {
			yield(listed{}, err)
		}
	}
}

// A listed is a target of a list.
type listed struct {
	hash   uint64 // of the domain
	domain string
	line   uint64
	target string
}

func compareListed(a, b listed) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), strings.Compare(a.domain, b.domain),
		cmp.Compare(a.line, b.line))
}

func encodeListed(l listed) ([]byte, error) {
	b := binary.BigEndian.AppendUint64(nil, l.line)
	return append(append(append(b, l.domain...), 0), l.target...), nil
}

func decodeListed(b []byte) (listed, error) {
	domain, target, _ := bytes.Cut(b[8:], []byte{0})
	l := listed{line: binary.BigEndian.Uint64(b), domain: string(domain), target: string(target)}
	l.hash = hash(l.domain)
	return l, nil
}
