package batch

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A stateLine is the first line of a state.
type stateLine struct {
	Version  int    `json:"version"`
	Revision uint64 `json:"revision"`
	Run      string `json:"run"`
}

// statePath returns the path of a state: .state/xx/DOMAIN.state. The file has a line with the
// revision and the run, followed by the saved bytes. The name of its predecessor ends in ".before".
func (f *Folder) statePath(domain, suffix string) string {
	return f.path(".state/" + FileName(domain) + suffix)
}

// Load returns the state of a domain: see [States].
func (f *Folder) Load(_ context.Context, domain string) (State, error) {
	s, err := readState(f.statePath(domain, ".state"))
	before, beforeErr := readState(f.statePath(domain, ".before"))
	switch {
	case cmp.Or(err, beforeErr) != nil:
		return State{}, cmp.Or(err, beforeErr)
	case s.Revision == 0: // it became a predecessor, but its successor was not saved
		return before, nil
	case before.Revision > 0:
		s.Predecessor = &before
	}
	return s, nil
}

// readState returns the state in a file, or the zero State if the file is missing or damaged.
func readState(path string) (State, error) {
	file, line, err := openState(path)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil
	}
	if err != nil {
		return State{}, err
	}
	if err := file.Close(); err != nil || line.Revision == 0 {
		return State{}, err
	}
	open := func(context.Context) (io.ReadCloser, error) {
		r, _, err := openState(path)
		return r, err
	}
	return State{Revision: line.Revision, Run: line.Run, Open: open}, nil
}

// openState opens a state after its first line.
func openState(path string) (_ io.ReadCloser, line stateLine, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, line, err
	}
	r := bufio.NewReader(file)
	text, err := r.ReadSlice('\n')
	if err == io.EOF {
		err = nil
	}
	if json.Unmarshal(text, &line) != nil { // cut by a crash of the machine
		line = stateLine{}
	}
	if line.Version > version {
		err = fmt.Errorf("%s: a newer version of this module wrote it", path)
	}
	if err != nil {
		file.Close()
		return nil, line, err
	}
	return &fileReader{r, file}, line, nil
}

// Save replaces the state of a domain: see [States]. If two processes save it at the same moment,
// both may succeed.
func (f *Folder) Save(
	ctx context.Context, domain, run string, revision uint64, write func(io.Writer) error,
) (uint64, error) {
	file, err := f.create()
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriter(file)
	out.Write(append(jsonl.Marshal(stateLine{version, revision + 1, run}), '\n'))
	err = cmp.Or(write(out), out.Flush(), seal(file))
	if err == nil {
		err = f.replace(ctx, domain, run, revision, file.Name())
	}
	if err != nil {
		file.Close()
		os.Remove(file.Name())
		return 0, err
	}
	return revision + 1, nil
}

// replace makes a file the state of a domain, if it has this revision.
func (f *Folder) replace(
	ctx context.Context, domain, run string, revision uint64, file string,
) error {
	f.saving.Lock()
	defer f.saving.Unlock()
	current, err := f.Load(ctx, domain)
	if err == nil && current.Revision != revision {
		err = ErrStale
	}
	path := f.statePath(domain, ".state")
	if err == nil && current.Revision > 0 && current.Run != run {
		err = os.Rename(path, f.statePath(domain, ".before"))
		if errors.Is(err, fs.ErrNotExist) { // a process was killed between the two renames
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return move(file, path)
}
