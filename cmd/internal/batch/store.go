package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover/state"
)

// A folder keeps the parts of runs, their states, and a record of each run.
type folder struct {
	*batch.Folder
	dir string
}

func openFolder(dir string) (*folder, error) {
	f, err := batch.OpenFolder(dir)
	return &folder{f, dir}, err
}

// splitRun returns the folder and the run that OUT/RUN names.
func splitRun(path string) (dir, run string, err error) {
	path = filepath.Clean(path)
	run = filepath.Base(path)
	if err := batch.CheckRun(run); err != nil {
		return "", "", fmt.Errorf("%s: want OUT/RUN: %w", path, err)
	}
	return filepath.Dir(path), run, nil
}

// hasRun reports whether there is a record or a part of a run.
func (f *folder) hasRun(ctx context.Context, run string) bool {
	if _, err := f.record(run); err == nil {
		return true
	}
	next, stop := iter.Pull2(f.Parts(ctx, run))
	defer stop()
	_, err, ok := next()
	return ok && (err == nil || errors.Is(err, batch.ErrDamaged))
}

// record returns what saveRecord has saved. If there is nothing, the error matches fs.ErrNotExist.
func (f *folder) record(run string) ([]byte, error) {
	return os.ReadFile(filepath.Join(f.dir, run, "run.json"))
}

// saveRecord replaces the record of a run.
func (f *folder) saveRecord(run string, text []byte) error {
	dir := filepath.Join(f.dir, run)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, "run-*.tmp")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), filepath.Join(dir, "run.json"))
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
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

// errNoParts says how to make parts.
func errNoParts(path string) error {
	const text = "%s: no parts in it: sitemap batch LIST -o OUT makes parts, in OUT/RUN"
	return fmt.Errorf(text, path)
}

// errOfRuns names the runs in a folder that was given in place of one of them, nil if it has none.
func (f *folder) errOfRuns(path string) error {
	inside, err := openFolder(path)
	if err != nil {
		return nil
	}
	runs, err := inside.Runs()
	if err != nil || len(runs) == 0 || !inside.hasRun(context.Background(), runs[0]) {
		return nil
	}
	for i, run := range runs {
		runs[i] = filepath.Join(path, run)
	}
	return fmt.Errorf("%s: name one of its runs: %s", path, strings.Join(runs, ", "))
}

// isMissing reports whether a file does not exist.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
