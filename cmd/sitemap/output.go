package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An output is where a command prints to: standard output, or a file that takes
// its name only when all is written.
type output struct {
	*sink          // with the name asked for
	file  *os.File // nil: standard output, or what is no regular file
	path  string   // whose place it takes: what a link of that name leads to
	kept  int64    // bytes that the file had before
	head  int64    // bytes before the first record
}

// maxBase bounds how much of the file's name that of the unfinished one has, which may be no
// longer than names are on most systems, with what else it has.
const maxBase = 200

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
	if _, err := os.Stat(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, outputError(name, err)
	}
	base := filepath.Base(target)
	base = strings.ToValidUTF8(base[:min(len(base), maxBase)], "")
	f, err := os.CreateTemp(filepath.Dir(target), "."+base+".*.tmp")
	if err != nil && isWritable(target) { // but its folder is not
		f, err = os.CreateTemp("", "sitemap.*.tmp")
	}
	if err != nil {
		return nil, outputError(name, err)
	}
	o := newOutput(f, name)
	o.path = target
	return o, nil
}

func newOutput(f *os.File, name string) *output {
	o := &output{sink: newSink(f), file: f, path: name}
	o.name = name
	return o
}

// isWritable reports whether the file is there and may be written to.
func isWritable(name string) bool {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
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

// sync writes the rest, of a file to the disk.
func (o *output) sync() error {
	err := o.Flush()
	if err == nil && o.file != nil {
		err = o.file.Sync()
	}
	return err
}

// commit writes the rest and gives a file its name.
func (o *output) commit() error {
	err := o.sync()
	if o.file == nil {
		return err
	}
	if err != nil {
		o.discard()
		return outputError(o.name, err)
	}
	if err = o.file.Close(); err == nil {
		err = replace(o.path, o.file.Name())
	}
	if err != nil {
		err = outputError(o.name, err)
		return fmt.Errorf("%w; all that was printed is in %s", err, o.file.Name())
	}
	return nil
}

// replace gives the file at from the name, or what is in it to the file of this name, where no
// other may take its place: as in a container that mounts it, or among the files of others.
func replace(name, from string) error {
	renamed := os.Chmod(from, modeOf(name))
	if renamed == nil {
		renamed = os.Rename(from, name)
	}
	if renamed == nil {
		return nil
	}
	if err := os.Chmod(from, 0o600); err != nil { // to read it, whatever the mode of the other
		return err
	}
	dst, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return renamed
	}
	err = copyFile(dst, from)
	if err == nil {
		err = dst.Sync()
	}
	if closed := dst.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Remove(from)
	}
	return err
}

// copyFile writes to dst what is in the file at from.
func copyFile(dst io.Writer, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	_, err = io.Copy(dst, src)
	return err
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
	stopped := err != nil && !errors.Is(err, errStopped)
	if stopped || a.failed && o.file != nil && o.length() == o.head {
		o.discard()
		if _, missing := os.Stat(o.name); o.file != nil && missing != nil {
			a.diag.printf("%s is not written", o.name)
		} else if o.file != nil {
			a.diag.printf("%s is left as it was", o.name)
		}
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
	flag := os.O_WRONLY
	if offset == 0 {
		flag |= os.O_CREATE
	}
	f, err := os.OpenFile(name, flag, 0o666)
	if offset > 0 && errors.Is(err, fs.ErrNotExist) {
		err = errors.New("gone since the interrupted run; remove the state to begin anew")
	}
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
	o := newOutput(f, name)
	o.kept = offset
	return o, nil
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
	err := o.sync()
	if o.file == nil {
		return err
	}
	if err == nil {
		err = o.checkName()
	}
	if closed := o.file.Close(); err == nil {
		err = closed
	}
	return err
}
