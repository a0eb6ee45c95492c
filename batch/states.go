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

// A state in a folder is .state/xx/DOMAIN.state: a line with its revision and run, and then what was
// saved. Its predecessor ends in ".before".

const (
	stateFolder  = ".state/"
	stateSuffix  = ".state"
	beforeSuffix = ".before"
)

// A stateLine is the first line of a state.
type stateLine struct {
	Version  int    `json:"version"`
	Revision uint64 `json:"revision"`
	Run      string `json:"run"`
}

// Load returns the state of a domain: see [States].
func (f *Folder) Load(_ context.Context, domain string) (State, error) {
	s, err := readState(f.path(stateFolder + FileName(domain) + stateSuffix))
	if err != nil {
		return s, err
	}
	before, err := readState(f.path(stateFolder + FileName(domain) + beforeSuffix))
	switch {
	case err != nil:
		return s, err
	case s.Revision == 0: // it has just become the predecessor of one that was not saved
		return before, nil
	case before.Revision > 0:
		s.Predecessor = &before
	}
	return s, nil
}

// readState returns the state in a file, the zero State if there is none or it is damaged.
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

// openState opens a state behind its first line.
func openState(path string) (io.ReadCloser, stateLine, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, stateLine{}, err
	}
	r := bufio.NewReader(file)
	var line stateLine
	text, err := r.ReadSlice('\n')
	if err != nil && err != io.EOF {
		file.Close()
		return nil, line, err
	}
	if err := json.Unmarshal(text, &line); err != nil { // cut by a crash of the machine
		line = stateLine{}
	}
	if line.Version > version {
		file.Close()
		return nil, line, fmt.Errorf("%s: a newer version of this module wrote it", path)
	}
	return &partReader{r, file}, line, nil
}

// Save replaces the state of a domain: see [States]. If two processes save it at the same moment,
// both may succeed.
func (f *Folder) Save(
	ctx context.Context, domain, run string, revision uint64, write func(io.Writer) error,
) (uint64, error) {
	path := f.path(stateFolder + FileName(domain) + stateSuffix)
	s, err := f.create(path)
	if err != nil {
		return 0, err
	}
	saved := false
	defer func() {
		if !saved {
			s.discard()
		}
	}()
	out := bufio.NewWriter(s.temp)
	out.Write(append(jsonl.Marshal(stateLine{version, revision + 1, run}), '\n'))
	if err := cmp.Or(write(out), out.Flush(), s.close()); err != nil {
		return 0, err
	}
	f.saving.Lock()
	defer f.saving.Unlock()
	current, err := f.Load(ctx, domain)
	if err == nil && current.Revision != revision {
		err = ErrStale
	}
	if err == nil && current.Revision > 0 && current.Run != run {
		err = os.Rename(path, f.path(stateFolder+FileName(domain)+beforeSuffix))
		if errors.Is(err, fs.ErrNotExist) { // a kill came between the two renames once
			err = nil
		}
	}
	if err == nil {
		err = s.rename()
		saved = err == nil
	}
	if err != nil {
		return 0, err
	}
	return revision + 1, nil
}
