// Package output prints records to standard output and to files.
//
// Each file builds on those below it:
//
//	printer.go    the printer that flags ask for, also of URLs that are chosen at random
//	rows.go       URLs, alternates, images, videos and documents as rows
//	table.go      rows as csv, jsonl and Parquet
//	columns.go    URLs as lines, and rows as csv and jsonl
//	output.go     standard output and files
package output

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A Writer writes the output of a command to standard output or a file. A new file is written
// beside the one that it replaces, and renamed at the end.
type Writer struct {
	app *cli.App
	*bufio.Writer
	to     io.Writer
	File   *os.File     // nil for standard output
	name   string       // of the file
	temp   string       // the name of the file until it is finished, "" if it is written in place
	stale  bool         // the file is written in place, and still has what it held before
	Length int64        // bytes of the file, without what is buffered
	plain  int64        // bytes before compression, without what is buffered
	Head   int64        // of these, those before the first record
	gz     *gzip.Writer // nil if the file is not compressed
	parts  bool         // each write is a member of gzip, so that the file may be cut after it
	mu     sync.Mutex   // of Reopen and SyncBefore
}

// New returns the output to standard output.
func New(a *cli.App) *Writer {
	o := &Writer{app: a, to: a.Results()}
	o.Writer = bufio.NewWriterSize(WriterFunc(o.compress), 64<<10)
	return o
}

// compress writes p to the file, compressed if its name says so.
func (o *Writer) compress(p []byte) (int, error) {
	o.plain += int64(len(p))
	switch {
	case o.gz == nil:
		return o.write(p)
	case !o.parts:
		return o.gz.Write(p)
	}
	var member bytes.Buffer // written at once: what follows half a member cannot be read
	o.gz.Reset(&member)
	o.gz.Write(p)
	o.gz.Close()
	_, err := o.write(member.Bytes())
	return len(p), err
}

// A WriterFunc is a function as an [io.Writer].
type WriterFunc func([]byte) (int, error)

func (f WriterFunc) Write(p []byte) (int, error) { return f(p) }

func (o *Writer) write(p []byte) (int, error) {
	if err := o.empty(); err != nil {
		return 0, err
	}
	n, err := o.to.Write(p)
	if err != nil && n > 0 && o.parts && o.cut(n) == nil {
		n = 0
	}
	o.Length += int64(n)
	if cli.IsClosedPipe(err) {
		err = cli.ErrStopped
	}
	return n, err
}

// cut removes the last n bytes of the file.
func (o *Writer) cut(n int) error {
	info, err := o.File.Stat()
	if err != nil {
		return err
	}
	return o.File.Truncate(info.Size() - int64(n))
}

// empty removes what the file held before, once.
func (o *Writer) empty() error {
	if !o.stale {
		return nil
	}
	o.stale = false
	return o.File.Truncate(0)
}

// Begin writes the text before the first record.
func (o *Writer) Begin(header string) {
	o.WriteString(header)
	o.EndHead()
}

// EndHead marks the output so far as a head, not a record.
func (o *Writer) EndHead() { o.Head = o.plain + int64(o.Buffered()) }

// isEmpty reports whether no record was written.
func (o *Writer) isEmpty() bool { return o.plain+int64(o.Buffered()) == o.Head }

// newFile returns the output to a file.
func newFile(a *cli.App, f *os.File, name string) *Writer {
	o := New(a)
	o.to, o.File, o.name = f, f, name
	if cli.IsGzip(name) {
		o.gz = gzip.NewWriter(WriterFunc(o.write))
	}
	return o
}

// Flush writes what is buffered, except for what a gzip stream holds back. It leaves an old file
// alone until there is a record.
func (o *Writer) Flush() error {
	if o.stale && o.isEmpty() {
		return nil
	}
	return o.Writer.Flush()
}

// end writes all buffered bytes. If there is no result, an old file stays.
func (o *Writer) end(isResult bool) error {
	if o.stale && !isResult {
		return nil
	}
	err := cmp.Or(o.empty(), o.Flush())
	if o.gz != nil && !o.parts {
		err = cmp.Or(err, o.gz.Close())
	}
	return err
}

// Create returns the output for the flag -o. "" and "-" mean standard output. The target of a link
// is replaced, not the link. The command ends the output with [Writer.Finish].
func Create(a *cli.App, name string) (*Writer, error) {
	if name == "" || name == cli.Stdin {
		return New(a), nil
	}
	if path, err := filepath.EvalSymlinks(name); err == nil {
		name = path
	}
	info, missing := os.Lstat(name)
	isFile := missing == nil && info.Mode().IsRegular()
	if missing != nil || isFile {
		if f, err := createBeside(name, info); err == nil {
			o := newFile(a, f, name)
			o.temp = f.Name()
			a.NoteTemp(o.temp)
			return o, nil
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	o := newFile(a, f, name)
	o.stale = isFile
	return o, nil
}

// createBeside creates a temporary file in the folder of name, with the permissions of the old
// file, unless old is nil.
func createBeside(name string, old os.FileInfo) (*os.File, error) {
	temp := fmt.Sprintf(".%s.%08x.tmp", filepath.Base(name), rand.Uint32())
	temp = filepath.Join(filepath.Dir(name), temp)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil && old != nil {
		f.Chmod(old.Mode().Perm())
	}
	return f, err
}

// Replace replaces a file with the bytes that write writes, in one step: if that fails, the old
// file stays. The target of a link is replaced, not the link. A device cannot be replaced.
func Replace(name string, write func(io.Writer) error) error {
	if path, err := filepath.EvalSymlinks(name); err == nil {
		name = path
	}
	info, missing := os.Stat(name)
	if missing == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	f, err := createBeside(name, info)
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

const appending = os.O_WRONLY | os.O_CREATE | os.O_APPEND

// Append returns the output of a run with --state, at the end of the file. If the run goes on,
// Append first cuts off everything after the first length bytes, or ends an unfinished line.
func Append(a *cli.App, name string, resumed bool, length int64) (*Writer, error) {
	if name == "" || name == cli.Stdin {
		return New(a), nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		resumed = false // what a pipe or device has got cannot be cut
	}
	size, isEnded := ending(name)
	if resumed && size < length {
		return nil, fmt.Errorf("%s: shorter than the stopped run left it; "+
			"restore it, or remove the file of --state to begin again", name)
	}
	if resumed && size > length {
		if err := os.Truncate(name, length); err != nil {
			return nil, err
		}
		size = length
	}
	f, err := os.OpenFile(name, appending, 0o666)
	if err != nil {
		return nil, err
	}
	o := newFile(a, f, name)
	o.Length, o.parts = size, true
	if !resumed && !isEnded {
		if _, err := o.write([]byte("\n")); err != nil {
			f.Close()
			return nil, err
		}
	}
	return o, nil
}

// Reopen opens a file of [Append] again if it was moved or removed, as by logrotate.
func (o *Writer) Reopen() error {
	if o.File == nil {
		return nil
	}
	old, err := o.File.Stat()
	if err != nil || !old.Mode().IsRegular() {
		return err
	}
	now, err := os.Stat(o.name)
	isGone := errors.Is(err, fs.ErrNotExist)
	if !isGone && (err != nil || os.SameFile(old, now)) {
		return nil
	}
	f, err := os.OpenFile(o.name, appending, 0o666)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	err = cmp.Or(o.File.Sync(), o.File.Close())
	o.to, o.File = f, f
	return err
}

// SyncBefore makes the output durable, if it is a file and no pipe or device, and then a store that
// remembers what was printed.
func (o *Writer) SyncBefore(store interface{ Sync() error }) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.File != nil {
		info, err := o.File.Stat()
		if err == nil && info.Mode().IsRegular() {
			err = o.File.Sync()
		}
		if err != nil {
			return err
		}
	}
	return store.Sync()
}

// ending returns the size of a file, and whether its last line is ended, if that can be read. A
// device and a missing file have the size 0.
func ending(name string) (size int64, isEnded bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return 0, true
	}
	if cli.IsGzip(name) {
		return info.Size(), true
	}
	f, err := os.Open(name)
	if err != nil {
		return info.Size(), true
	}
	defer f.Close()
	last := []byte("\n")
	f.ReadAt(last, info.Size()-1)
	return info.Size(), last[0] == '\n'
}

// Finish ends the output of a command that ended with err. It renames a file that is complete. It
// removes a file that is incomplete, or empty because nothing could be read, so that an old file
// stays.
func (o *Writer) Finish(err error) error {
	a := o.app
	complete := err == nil || errors.Is(err, cli.ErrStopped) || errors.Is(err, cli.ErrMaxTime)
	failed := a.Failed.Load() || errors.Is(err, cli.ErrMaxTime)
	unread := complete && o.isEmpty() && failed && (o.temp != "" || o.stale)
	if unread {
		a.Log.Printf("%s is not written: nothing could be read", o.name)
	}
	flushErr := o.end(complete && !unread)
	if o.File != nil {
		flushErr = cmp.Or(flushErr, o.File.Close())
	}
	if complete && flushErr != nil {
		err, complete = flushErr, false
	}
	switch {
	case o.temp == "":
	case !complete || unread:
		os.Remove(o.temp)
		a.NoteGone(o.temp)
	default:
		defer a.NoteGone(o.temp)
		if err := os.Rename(o.temp, o.name); err != nil {
			return fmt.Errorf("%w; all that was printed is in %s", err, o.temp)
		}
	}
	return err
}
