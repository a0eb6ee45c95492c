package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"syscall"
	"time"
)

const (
	sinkSize   = 64 << 10
	flushAfter = 100 * time.Millisecond
)

// A sink buffers what is printed. What is written is passed on when the buffer
// is full, or a moment later, so that a slow walk shows its URLs as they come
// and a fast one writes large blocks. It is safe for concurrent use.
type sink struct {
	mu    sync.Mutex
	w     io.Writer
	buf   []byte
	err   error // of a write; it stays
	timer *time.Timer
	total int64 // bytes written to the sink

	name   string // of the file that w is, for errors; "" if it is none
	failed func() // called when a write fails, unless nil
}

func newSink(w io.Writer) *sink {
	return &sink{w: w, buf: make([]byte, 0, sinkSize+4096)}
}

// Write writes p. After a failed write it fails with the same error.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	if len(s.buf) == 0 {
		s.schedule()
	}
	s.buf = append(s.buf, p...)
	s.total += int64(len(p))
	if len(s.buf) >= sinkSize {
		s.flush()
	}
	return len(p), s.err
}

func (s *sink) schedule() {
	if s.timer == nil {
		s.timer = time.AfterFunc(flushAfter, func() { s.Flush() })
	} else {
		s.timer.Reset(flushAfter)
	}
}

// Flush passes on what is buffered.
func (s *sink) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	return s.err
}

func (s *sink) flush() {
	if len(s.buf) == 0 || s.err != nil {
		return
	}
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	if err != nil {
		switch {
		case isClosedPipe(err):
			err = errStopped
		case s.name != "":
			err = outputError(s.name, err)
		}
		s.err = err
		if s.failed != nil {
			s.failed()
		}
	}
}

// divert passes on what is written to w, as whole lines, until the function that
// it returns is called.
func (s *sink) divert(w io.Writer) (back func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.w
	s.w = w
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.flush()
		s.w = before
	}
}

// writeGrace is how long a write may take after the command was interrupted.
const writeGrace = time.Second

// A contextWriter writes to w until ctx ends, even where a write blocks: of a
// pipe that nobody reads. After a write that did not end there is no other.
type contextWriter struct {
	ctx  context.Context
	w    io.Writer
	todo chan []byte
	done chan error
	err  error
}

// Write writes p on a goroutine that is started with the first call.
func (c *contextWriter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if c.todo == nil {
		c.todo, c.done = make(chan []byte), make(chan error, 1)
		go c.pump()
	}
	c.todo <- p
	select {
	case err := <-c.done:
		return len(p), err
	case <-c.ctx.Done():
	}
	select {
	case err := <-c.done:
		return len(p), err
	case <-time.After(writeGrace):
		c.err = c.ctx.Err()
		return 0, c.err
	}
}

func (c *contextWriter) pump() {
	for p := range c.todo {
		_, err := c.w.Write(p)
		c.done <- err
	}
}

// close lets the goroutine end.
func (c *contextWriter) close() {
	if c.todo != nil {
		close(c.todo)
	}
}

// isClosedPipe reports whether the reader of what is printed has gone.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
