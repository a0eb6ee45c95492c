package batch

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A Folder keeps parts and states as files. It implements [Sink] and [States], and is safe for
// concurrent use. Workers in several processes may share one as long as no two of them do the same
// domain at once.
//
// A part has the name that [PartName] returns. To forget a run, remove its folder. States are in
// ".state". Files are written in ".tmp" and renamed.
type Folder struct {
	FileSink
	States
	files *folderFiles
}

// OpenFolder opens a folder. The folder is created when something is written. OpenFolder removes
// temporary files of killed processes once they are a day old.
func OpenFolder(dir string) (*Folder, error) {
	files := &folderFiles{dir: dir}
	left, err := readDir(files.path(temporary))
	for _, entry := range left {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.Remove(files.path(temporary + entry.Name()))
		}
	}
	return &Folder{FileSink{files}, NewStates(files), files}, err
}

// readDir lists a folder. A folder that does not exist is empty.
func readDir(path string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return entries, err
}

// Runs returns the names of the runs, sorted.
func (f *Folder) Runs() (runs []string, err error) {
	entries, err := readDir(f.files.path(""))
	for _, e := range entries {
		if e.IsDir() && CheckRun(e.Name()) == nil {
			runs = append(runs, e.Name())
		}
	}
	return runs, err
}

// folderFiles are the [Files] in a folder.
type folderFiles struct {
	dir       string
	replacing sync.Mutex // files that have versions
}

// temporary is the folder of temporary files.
const temporary = ".tmp/"

// path returns the path of a file.
func (f *folderFiles) path(name string) string {
	return filepath.Join(f.dir, filepath.FromSlash(name))
}

// Create creates a temporary file: see [Files].
func (f *folderFiles) Create() (*os.File, error) {
	name := f.path(temporary + rand.Text())
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// Replace renames a temporary file: see [Files]. If two processes replace a version at the same
// moment, both may succeed.
func (f *folderFiles) Replace(
	ctx context.Context, name string, file *os.File, version string,
) error {
	if err := cmp.Or(file.Sync(), file.Close()); err != nil {
		return err
	}
	if version != AnyVersion {
		f.replacing.Lock()
		defer f.replacing.Unlock()
		current := &File{}
		if now, err := f.Open(ctx, name); err == nil {
			now.Close()
			current = now
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if current.Version != version {
			return ErrStale
		}
	}
	path := f.path(name)
	return cmp.Or(os.MkdirAll(filepath.Dir(path), 0o777), os.Rename(file.Name(), path))
}

// Open opens a file: see [Files]. Its version is what it begins with: a state has the ID of its part
// there.
func (f *folderFiles) Open(_ context.Context, name string) (*File, error) {
	path := f.path(name)
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, statErr := file.Stat()
	head, err := io.ReadAll(io.NewSectionReader(file, 0, headerSize))
	if err = cmp.Or(statErr, err); err != nil {
		file.Close()
		return nil, err
	}
	return &File{
		ReaderAt: file, Closer: file, Size: info.Size(), Path: path, Version: string(head),
	}, nil
}

// List yields the names of files: see [Files]. It goes on after the error of a folder, and ends
// with that of ctx.
func (f *folderFiles) List(ctx context.Context, folder string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		walk := func(name string, d fs.DirEntry, err error) error {
			ended := ctx.Err()
			if err = cmp.Or(ended, err); errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && d.IsDir() {
				return nil
			}
			if !yield(folder+"/"+name, err) || ended != nil {
				return fs.SkipAll
			}
			return nil
		}
		fs.WalkDir(os.DirFS(f.path(folder)), ".", walk)
	}
}
