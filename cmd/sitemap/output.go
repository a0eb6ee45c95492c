package main

import (
	"bufio"
	"cmp"
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
	file   *os.File // nil for standard output
	name   string   // of the file
	temp   string   // the name of the file until it is finished, "" if it is written in place
	length int64    // bytes of the file, without what is buffered
	head   int64    // bytes before the first record
}

func newOutput(to io.Writer) *output {
	o := &output{to: to}
	o.Writer = bufio.NewWriterSize(writerFunc(o.write), 64<<10)
	return o
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (o *output) write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	o.length += int64(n)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		err = errStopped
	}
	return n, err
}

// begin writes what comes before the first record.
func (o *output) begin(header string) {
	o.WriteString(header)
	o.Flush()
	o.head = o.length
}

func newFileOutput(f *os.File, name string) *output {
	o := newOutput(f)
	o.file, o.name = f, name
	return o
}

// create returns the output for the flag -o. "" and "-" mean standard output. The command ends it
// with finish.
func (a *app) create(name string) (*output, error) {
	if name == "" || name == stdin {
		return newOutput(a.out), nil
	}
	info, missing := os.Lstat(name)
	if missing != nil || info.Mode().IsRegular() {
		beside := fmt.Sprintf(".%s.%08x.tmp", filepath.Base(name), rand.Uint32())
		temp := filepath.Join(filepath.Dir(name), beside)
		if f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err == nil {
			if missing == nil {
				f.Chmod(info.Mode().Perm())
			}
			o := newFileOutput(f, name)
			o.temp = temp
			return o, nil
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	return newFileOutput(f, name), nil
}

// appendTo returns the output of a run with --state. It appends to the file; of a run that goes on,
// it first cuts off what came after the first length bytes.
func (a *app) appendTo(name string, resumed bool, length int64) (*output, error) {
	if name == "" || name == stdin {
		return newOutput(a.out), nil
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
	o.length = length
	return o, nil
}

// finish ends the output of a command that ended with err. It renames a file that is complete. It
// removes one that is not, or that is empty because nothing could be read.
func (a *app) finish(o *output, err error) error {
	complete := err == nil || errors.Is(err, errStopped)
	flushErr := o.Flush()
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
	case a.failed && o.length == o.head:
		os.Remove(o.temp)
		a.diag.printf("%s is not written: nothing could be read", o.name)
	default:
		if err := os.Rename(o.temp, o.name); err != nil {
			return fmt.Errorf("%w; all that was printed is in %s", err, o.temp)
		}
	}
	return err
}
