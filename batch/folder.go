package batch

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// A Folder keeps parts and states as files. It is a [Sink], a [Remover] and [States], and safe for
// concurrent use. Workers in several processes may share one if each domain is with one of them at a
// time.
//
// A part has the name that [PartName] returns. To forget a run, remove its folder. States are in
// ".state". Files are written in ".tmp" and renamed.
type Folder struct {
	dir    string
	saving sync.Mutex // states
}

// OpenFolder opens a folder, which is made when something is written. It removes what processes that
// were killed have left, a day later.
func OpenFolder(dir string) (*Folder, error) {
	f := &Folder{dir: dir}
	left, err := os.ReadDir(f.temp())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, entry := range left {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.Remove(filepath.Join(f.temp(), entry.Name()))
		}
	}
	return f, err
}

func (f *Folder) temp() string { return filepath.Join(f.dir, ".tmp") }

// path returns the path of a file with this name, which has slashes.
func (f *Folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *Folder) partPath(run, domain string) string { return f.path(PartName(run, domain)) }

// Part begins the part of a task: see [Sink].
func (f *Folder) Part(_ context.Context, t Task) (Part, error) {
	if err := CheckRun(t.Run); err != nil {
		return nil, err
	}
	file, err := f.create(f.partPath(t.Run, t.Domain))
	if err != nil {
		return nil, err
	}
	p := &filePart{file: file, buf: bufio.NewWriterSize(file.temp, 16<<10)}
	if p.PartWriter, err = NewPartWriter(p.buf, t); err != nil {
		file.discard()
		return nil, err
	}
	return p, nil
}

// A filePart is a part in a folder.
type filePart struct {
	*PartWriter
	*file
	buf   *bufio.Writer
	ended bool
}

func (p *filePart) Commit(_ context.Context, c Counts) error {
	if err := cmp.Or(p.End(c), p.buf.Flush(), p.close()); err != nil {
		return err
	}
	if err := p.rename(); err != nil {
		return err
	}
	p.ended = true
	p.Release()
	return nil
}

func (p *filePart) Discard() {
	if !p.ended {
		p.ended = true
		p.Release()
		p.discard()
	}
}

// Has reports whether the part of a task was committed: see [Sink].
func (f *Folder) Has(_ context.Context, t Task) (bool, error) {
	s, err := readPart(f.partPath(t.Run, t.Domain))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && s.Of(t), err
}

// readPart reads the ends of a part. Its error names the path.
func readPart(path string) (Stored, error) {
	file, err := os.Open(path)
	if err != nil {
		return Stored{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Stored{}, err
	}
	s, err := ReadStored(file, info.Size())
	if err != nil {
		return Stored{}, fmt.Errorf("%s: %w", path, err)
	}
	s.Path = path
	return s, nil
}

// Runs returns the names of the runs, sorted.
func (f *Folder) Runs() ([]string, error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var runs []string
	for _, e := range entries {
		if e.IsDir() && CheckRun(e.Name()) == nil {
			runs = append(runs, e.Name())
		}
	}
	return runs, err
}

// Parts yields the parts of a run: see [Sink].
func (f *Folder) Parts(ctx context.Context, run string) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		if err := CheckRun(run); err != nil {
			yield(Stored{}, err)
			return
		}
		for x := range 256 {
			dir := filepath.Join(f.dir, run, fmt.Sprintf("%02x", x))
			files, err := os.ReadDir(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !yield(Stored{}, err) {
				return
			}
			for _, entry := range files {
				if !strings.HasSuffix(entry.Name(), PartSuffix) {
					continue
				}
				p, err := readPart(filepath.Join(dir, entry.Name()))
				if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
					continue
				}
				if err = cmp.Or(ctx.Err(), err); !yield(p, err) || ctx.Err() != nil {
					return
				}
			}
		}
	}
}

// Open reads the lines of a part: see [Sink].
func (f *Folder) Open(_ context.Context, part Stored) (io.ReadCloser, error) {
	if err := CheckRun(part.Run); err != nil {
		return nil, err
	}
	path := f.partPath(part.Run, part.Domain)
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	plain, err := gzip.NewReader(bufio.NewReaderSize(file, 16<<10))
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &partReader{plain, file}, nil
}

type partReader struct {
	io.Reader
	io.Closer
}

// Remove removes a part: see [Remover].
func (f *Folder) Remove(_ context.Context, part Stored) error {
	err := CheckRun(part.Run)
	if err == nil {
		err = os.Remove(f.partPath(part.Run, part.Domain))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// A file is written beside its place.
type file struct {
	temp *os.File
	path string // its place
}

// create begins a file.
func (f *Folder) create(path string) (*file, error) {
	name := filepath.Join(f.temp(), fmt.Sprintf("%016x", rand.Uint64()))
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	temp, err := os.OpenFile(name, flags, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(f.temp(), 0o777); err == nil {
			temp, err = os.OpenFile(name, flags, 0o666)
		}
	}
	return &file{temp: temp, path: path}, err
}

// close makes the file durable.
func (f *file) close() error { return cmp.Or(f.temp.Sync(), f.temp.Close()) }

// rename puts the file, which was closed, in its place.
func (f *file) rename() error {
	err := os.Rename(f.temp.Name(), f.path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(f.path), 0o777); err == nil {
			err = os.Rename(f.temp.Name(), f.path)
		}
	}
	return err
}

// discard removes the file, which is not in its place.
func (f *file) discard() {
	f.temp.Close()
	os.Remove(f.temp.Name())
}
