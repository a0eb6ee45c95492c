package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/discover/state"
)

// A folder is a store in a folder of files.
type folder struct {
	*batch.Folder
	dir string
}

func openFolder(dir string) (*folder, error) {
	f, err := batch.OpenFolder(dir)
	return &folder{f, dir}, err
}

// Runs returns the names of the runs, sorted.
func (f *folder) Runs(context.Context) ([]string, error) { return f.Folder.Runs() }

// States returns the folder, which keeps the states too.
func (f *folder) States(context.Context) (batch.States, error) { return f.Folder, nil }

// Record returns the record of a run.
func (f *folder) Record(_ context.Context, run string) ([]byte, error) {
	return os.ReadFile(filepath.Join(f.dir, run, "run.json"))
}

// SaveRecord replaces the record of a run.
func (f *folder) SaveRecord(_ context.Context, run string, record []byte) error {
	dir := filepath.Join(f.dir, run)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return output.Replace(filepath.Join(dir, "run.json"), func(w io.Writer) error {
		_, err := w.Write(record)
		return err
	})
}

// lock keeps other processes from a shard of a run until it is closed. The file is empty except for
// what keeps it locked.
func (f *folder) lock(run string, s shard) (io.Closer, error) {
	name := "run.lock"
	if s.n > 0 {
		name = fmt.Sprintf("run-%d-of-%d.lock", s.i, s.n)
	}
	lock, err := state.Open(filepath.Join(f.dir, run, name))
	if errors.Is(err, state.ErrLocked) {
		err = fmt.Errorf("%s: another process works on run %s", f.dir, run)
	}
	return lock, err
}
