package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// An output is what a command prints to: standard output or a file. A new file is written beside
// the one that it replaces, and renamed at the end.
type output struct {
	*bufio.Writer
	to     io.Writer
	file   *os.File     // nil for standard output
	name   string       // of the file
	temp   string       // the name of the file until it is finished, "" if it is written in place
	length int64        // bytes of the file, without what is buffered
	plain  int64        // bytes before compression, without what is buffered
	head   int64        // of these, those before the first record
	dirty  bool         // gz holds something back
	gz     *gzip.Writer // nil if the file is not compressed
	parts  bool         // each Flush ends a member of gzip, so that the file may be cut there
}

func newOutput(to io.Writer) *output {
	o := &output{to: to}
	o.Writer = bufio.NewWriterSize(writerFunc(o.compress), 64<<10)
	return o
}

// compress writes p to the file, compressed if its name says so.
func (o *output) compress(p []byte) (int, error) {
	o.plain += int64(len(p))
	if o.gz == nil {
		return o.write(p)
	}
	o.dirty = true
	return o.gz.Write(p)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (o *output) write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	o.length += int64(n)
	if isClosedPipe(err) {
		err = errStopped
	}
	return n, err
}

// isClosedPipe reports whether err means that nobody reads what is written.
func isClosedPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // on Windows
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, brokenPipe) || errors.Is(err, noData)
}

// begin writes what comes before the first record.
func (o *output) begin(header string) {
	o.WriteString(header)
	o.Flush()
	o.head = o.plain
}

func newFileOutput(f *os.File, name string) *output {
	o := newOutput(f)
	o.file, o.name = f, name
	if isGzip(name) {
		o.gz = gzip.NewWriter(writerFunc(o.write))
	}
	return o
}

// Flush writes what is buffered, except for what a gzip stream holds back.
func (o *output) Flush() error {
	err := o.Writer.Flush()
	if o.parts && o.dirty {
		err = cmp.Or(err, o.gz.Close())
		o.gz.Reset(writerFunc(o.write))
		o.dirty = false
	}
	return err
}

// end writes all that is left.
func (o *output) end() error {
	err := o.Flush()
	if o.gz != nil && !o.parts {
		err = cmp.Or(err, o.gz.Close())
	}
	return err
}

// standardOutput returns the output to standard output.
func (a *app) standardOutput() (*output, error) {
	if f, ok := a.out.(*os.File); ok && !a.judges && wasClosed(f) {
		return nil, errors.New("standard output is closed")
	}
	return newOutput(a.out), nil
}

// create returns the output for the flag -o. "" and "-" mean standard output. The command ends it
// with finish.
func (a *app) create(name string) (*output, error) {
	if name == "" || name == stdin {
		return a.standardOutput()
	}
	info, missing := os.Lstat(name)
	if missing != nil || info.Mode().IsRegular() {
		if f, err := createBeside(name); err == nil {
			if missing == nil {
				f.Chmod(info.Mode().Perm())
			}
			o := newFileOutput(f, name)
			o.temp = f.Name()
			return o, nil
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	return newFileOutput(f, name), nil
}

// createBeside creates a temporary file in the folder of name.
func createBeside(name string) (*os.File, error) {
	temp := fmt.Sprintf(".%s.%08x.tmp", filepath.Base(name), rand.Uint32())
	temp = filepath.Join(filepath.Dir(name), temp)
	return os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// appendTo returns the output of a run with --state. It appends to the file; of a run that goes on,
// it first cuts off what came after the first length bytes.
func (a *app) appendTo(name string, resumed bool, length int64) (*output, error) {
	if name == "" || name == stdin {
		return a.standardOutput()
	}
	size := int64(0)
	if info, err := os.Stat(name); err == nil {
		size = info.Size()
	}
	if !resumed {
		length = size
	}
	if size < length {
		return nil, fmt.Errorf("%s: shorter than the stopped run left it; "+
			"restore it, or remove the file of --state to begin again", name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err == nil {
		_, err = f.Seek(length, io.SeekStart)
		err = cmp.Or(err, f.Truncate(length))
	}
	if err != nil {
		return nil, err
	}
	o := newFileOutput(f, name)
	o.length, o.parts = length, true
	return o, nil
}

// finish ends the output of a command that ended with err. It renames a file that is complete. It
// removes one that is not, or that is empty because nothing could be read.
func (a *app) finish(o *output, err error) error {
	complete := err == nil || errors.Is(err, errStopped) || errors.Is(err, errMaxTime)
	flushErr := o.end()
	if o.file != nil {
		flushErr = cmp.Or(flushErr, o.file.Close())
	}
	if complete && flushErr != nil {
		err, complete = flushErr, false
	}
	switch {
	case o.temp == "":
	case !complete:
		os.Remove(o.temp)
	case a.failed.Load() && o.plain == o.head:
		os.Remove(o.temp)
		a.diag.printf("%s is not written: nothing could be read", o.name)
	default:
		if err := os.Rename(o.temp, o.name); err != nil {
			return fmt.Errorf("%w; all that was printed is in %s", err, o.temp)
		}
	}
	return err
}
