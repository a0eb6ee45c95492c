package batch

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// A Folder keeps parts and states as files. It implements [Sink], [Remover] and [States], and is
// safe for concurrent use. Workers in several processes may share one as long as no two of them do
// the same domain at once.
//
// A part has the name that [PartName] returns. To forget a run, remove its folder. States are in
// ".state". Files are written in ".tmp" and renamed.
type Folder struct {
	dir    string
	saving sync.Mutex // states
}

// OpenFolder opens a folder. The folder is created when something is written. OpenFolder removes
// temporary files of killed processes once they are a day old.
func OpenFolder(dir string) (*Folder, error) {
	f := &Folder{dir: dir}
	left, err := readDir(f.path(".tmp"))
	for _, entry := range left {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.Remove(f.path(".tmp/" + entry.Name()))
		}
	}
	return f, err
}

// readDir lists a folder. A folder that does not exist is empty.
func readDir(path string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return entries, err
}

// path returns the path of a file with this name, which has slashes.
func (f *Folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// partPath returns the path of a part.
func (f *Folder) partPath(run, domain string) (string, error) {
	return f.path(PartName(run, domain)), CheckRun(run)
}

// Part begins the part of a task: see [Sink].
func (f *Folder) Part(_ context.Context, t Task) (Part, error) {
	path, err := f.partPath(t.Run, t.Domain)
	if err != nil {
		return nil, err
	}
	file, err := f.create()
	if err != nil {
		return nil, err
	}
	return NewFilePart(file, t, func(context.Context) error {
		if err := seal(file); err != nil {
			return err
		}
		return move(file.Name(), path)
	}), nil
}

// Has reports whether the part of a task was committed: see [Sink].
func (f *Folder) Has(_ context.Context, t Task) (bool, error) {
	path, err := f.partPath(t.Run, t.Domain)
	if err != nil {
		return false, err
	}
	s, err := readPart(path)
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
func (f *Folder) Runs() (runs []string, err error) {
	entries, err := readDir(f.dir)
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
			dir := f.path(fmt.Sprintf("%s/%02x", run, x))
			files, err := readDir(dir)
			if err != nil && !yield(Stored{}, err) {
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
	path, err := f.partPath(part.Run, part.Domain)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	plain, err := gzip.NewReader(bufio.NewReaderSize(file, 16<<10))
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &fileReader{plain, file}, nil
}

// A fileReader decompresses a file, and closes it with the gzip reader.
type fileReader struct {
	io.Reader
	io.Closer
}

// Remove removes a part: see [Remover].
func (f *Folder) Remove(_ context.Context, part Stored) error {
	path, err := f.partPath(part.Run, part.Domain)
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// create creates a temporary file, which is to be sealed and moved to its place.
func (f *Folder) create() (*os.File, error) {
	name := f.path(".tmp/" + rand.Text())
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// seal makes a file durable and closes it.
func seal(file *os.File) error { return cmp.Or(file.Sync(), file.Close()) }

// move renames a file.
func move(from, to string) error {
	return cmp.Or(os.MkdirAll(filepath.Dir(to), 0o777), os.Rename(from, to))
}
