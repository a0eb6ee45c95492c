package batch

import (
	"bytes"
	"context"
	"io"
	"os"

	"golang.org/x/sync/semaphore"
)

// A targetJob does one target: it writes its lines to w.
type targetJob func(ctx context.Context, target string, w io.Writer) (Counts, error)

// eachTarget does the targets of a task and writes their lines in the order of the targets. Those on
// different hosts are done side by side, as far as extra has room, and those on one host one after the
// other.
func eachTarget(
	ctx context.Context, extra *semaphore.Weighted, t Task, out io.Writer, do targetJob,
) (sum Counts, err error) {
	if len(t.Targets) == 1 {
		return do(ctx, t.Targets[0], out)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &schedule{
		do: do, extra: extra, busy: map[string]bool{}, ended: make(chan *turn),
		turns: make([]*turn, len(t.Targets)),
	}
	for i, target := range t.Targets {
		host, _ := hostOf(target)
		s.turns[i] = &turn{target: target, host: host}
	}
	defer func() {
		cancel()
		for s.running > 0 {
			s.wait()
		}
		for _, turn := range s.turns {
			turn.lines.Close()
		}
	}()
	for len(s.turns) > 0 {
		for s.start(ctx) {
		}
		s.wait()
		for len(s.turns) > 0 && s.turns[0].over {
			turn := s.turns[0]
			if turn.err == nil {
				turn.err = turn.lines.copyTo(out)
			}
			if turn.err != nil {
				return sum, turn.err
			}
			sum.add(turn.counts)
			s.turns = s.turns[1:]
		}
	}
	return sum, nil
}

// A schedule is the targets of a task that have not been written yet. One goroutine uses it.
type schedule struct {
	do      targetJob
	extra   *semaphore.Weighted // for all that run but one, which the task has a right to
	turns   []*turn
	busy    map[string]bool // hosts
	running int
	ended   chan *turn
}

// A turn is one target.
type turn struct {
	target, host  string
	started, over bool
	lines         spool
	counts        Counts
	err           error
}

// lookAhead is how many targets may wait to be written behind the first that is not over.
const lookAhead = 64

// start starts the first target whose host is free. It returns false if there is none, or no room.
func (s *schedule) start(ctx context.Context) bool {
	for _, t := range s.turns[:min(len(s.turns), lookAhead)] {
		if t.started || s.busy[t.host] {
			continue
		}
		if s.running > 0 && !s.extra.TryAcquire(1) {
			return false
		}
		s.running++
		t.started, s.busy[t.host] = true, true
		go func() {
			t.counts, t.err = s.do(ctx, t.target, &t.lines)
			s.ended <- t
		}()
		return true
	}
	return false
}

// wait waits until a target is over.
func (s *schedule) wait() {
	t := <-s.ended
	t.over = true
	delete(s.busy, t.host)
	if s.running--; s.running > 0 {
		s.extra.Release(1)
	}
}

// A spool holds lines until their turn: in memory, and more of them in a temporary file.
type spool struct {
	head bytes.Buffer
	file *os.File
}

const spoolHead = 64 << 10

func (s *spool) Write(p []byte) (n int, err error) {
	if s.file == nil && s.head.Len()+len(p) <= spoolHead {
		return s.head.Write(p)
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "sitemap-lines-"); err != nil {
			return 0, err
		}
		os.Remove(s.file.Name()) // where the system allows it
	}
	if _, err := s.head.WriteTo(s.file); err != nil {
		return 0, err
	}
	return s.file.Write(p)
}

// copyTo writes the lines to w and closes the spool.
func (s *spool) copyTo(w io.Writer) error {
	defer s.Close()
	if s.file == nil {
		_, err := s.head.WriteTo(w)
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, s.file)
	return err
}

// Close removes what the spool holds.
func (s *spool) Close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
	*s = spool{}
}
