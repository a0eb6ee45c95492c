package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
		s.err = err
		if isClosedPipe(err) {
			s.err = errStopped
		}
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

// An output is where a command prints to: standard output, or a file that takes
// its name only when all is written.
type output struct {
	*sink
	file *os.File // nil: standard output, or what is no regular file
	name string
	kept int64 // bytes that the file had before
	head int64 // bytes before the first record
}

// begin writes what stands before the first record.
func (o *output) begin(header []byte) {
	o.Write(header)
	o.head = o.length()
}

// create returns the output that the flag -o names, "" or "-" for standard
// output. It is ended by commit or by discard.
func (a *app) create(name string) (*output, error) {
	if name == "" || name == stdin {
		return &output{sink: newSink(a.out)}, nil
	}
	if isDevice(name) {
		return a.openDevice(name)
	}
	// What a link leads to takes the name, not the link.
	target := name
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		target = resolved
	}
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*.tmp")
	if err != nil {
		return nil, outputError(name, err)
	}
	return &output{sink: newSink(f), file: f, name: target}, nil
}

// isDevice reports whether name is there and no regular file.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}

// openDevice returns an output to a device or a named pipe, which no file may
// take the place of. A folder is an error.
func (a *app) openDevice(name string) (*output, error) {
	f, err := openWithin(a.ctx, name, os.O_WRONLY)
	if err != nil {
		return nil, outputError(name, err)
	}
	return &output{sink: newSink(&contextWriter{ctx: a.ctx, w: f})}, nil
}

// commit writes the rest and gives a file its name.
func (o *output) commit() error {
	err := o.Flush()
	if o.file == nil {
		return err
	}
	if err == nil {
		err = o.file.Sync()
	}
	if err == nil {
		err = o.file.Chmod(modeOf(o.name))
	}
	if err != nil {
		o.discard()
		return outputError(o.name, err)
	}
	if err = o.file.Close(); err == nil {
		err = os.Rename(o.file.Name(), o.name)
	}
	if err != nil {
		os.Remove(o.file.Name())
		return outputError(o.name, err)
	}
	return nil
}

// discard writes the rest to standard output, and removes an unfinished file.
func (o *output) discard() {
	if o.file == nil {
		o.Flush()
		return
	}
	o.file.Close()
	os.Remove(o.file.Name())
}

// finishOutput commits the output of a command that ended with err, or discards a file
// that it did not finish, or that holds nothing because nothing could be read.
func (a *app) finishOutput(o *output, err error) error {
	if err != nil && !errors.Is(err, errStopped) {
		o.discard()
		return err
	}
	if a.failed && o.file != nil && o.length() == o.head {
		o.discard()
		a.diag.printf("%s is left as it was", o.name)
		return err
	}
	if failed := o.commit(); failed != nil {
		return failed
	}
	return err
}

// modeOf returns the permissions that a file of this name has or would have.
func modeOf(name string) fs.FileMode {
	if info, err := os.Stat(name); err == nil {
		return info.Mode().Perm()
	}
	return 0o666 &^ umask()
}

func outputError(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: name, Err: err}
}

// resume returns the output that an interrupted run goes on with: the file, cut
// to offset, grows in place.
func (a *app) resume(name string, offset int64) (*output, error) {
	if name == "" || name == stdin {
		return &output{sink: newSink(a.out)}, nil
	}
	if isDevice(name) {
		return a.openDevice(name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, outputError(name, err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() < offset {
		err = errors.New("shorter than the interrupted run left it; remove the state to begin anew")
	}
	if err == nil {
		err = f.Truncate(offset)
	}
	if err == nil {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, outputError(name, err)
	}
	return &output{sink: newSink(f), file: f, name: name, kept: offset}, nil
}

// length returns how long the output is, what is buffered included.
func (o *output) length() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept + o.total
}

// checkName sees to it that the file is still what its name leads to.
func (o *output) checkName() error {
	opened, err := o.file.Stat()
	if err != nil {
		return outputError(o.name, err)
	}
	if now, err := os.Stat(o.name); err != nil || !os.SameFile(opened, now) {
		return outputError(o.name, errors.New("removed or replaced while it was written"))
	}
	return nil
}

// close writes the rest and closes a file that grows in place, when it is on the disk.
func (o *output) close() error {
	err := o.Flush()
	if o.file == nil {
		return err
	}
	if err == nil {
		err = o.file.Sync()
	}
	if err == nil {
		err = o.checkName()
	}
	if closed := o.file.Close(); err == nil {
		err = closed
	}
	return err
}
