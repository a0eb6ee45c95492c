package batch

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// NewStates returns [States] that are kept in files, .state/xx/DOMAIN.state; see [FileName]. A file
// has the state of a domain and its predecessor.
func NewStates(f StateFiles) States { return &fileStates{f} }

type fileStates struct{ files StateFiles }

// A stateHeader is a line at the start of a file, padded to headerSize. The bytes of the states
// follow.
type stateHeader struct {
	Version int          `json:"version"`
	ID      string       `json:"id"`     // no other Save has it
	States  []savedState `json:"states"` // the predecessor, if any, and the state
	file    string       // the Version of the file
}

// A savedState describes a state in a file.
type savedState struct {
	Revision uint64 `json:"revision"`
	Run      string `json:"run"`
	Size     int64  `json:"size"`
}

const headerSize = 512

func stateName(domain string) string { return ".state/" + FileName(domain) + ".state" }

// Load returns the state of a domain: see [States].
func (s *fileStates) Load(ctx context.Context, domain string) (State, error) {
	_, state, err := s.load(ctx, stateName(domain))
	return state, err
}

// load returns the state in a file, and the header. If the file is missing or its header is
// damaged, both are empty.
func (s *fileStates) load(ctx context.Context, name string) (h stateHeader, _ State, err error) {
	f, err := s.files.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return h, State{}, nil
	}
	if err != nil {
		return h, State{}, err
	}
	defer f.Close()
	text := make([]byte, min(f.Size, headerSize))
	if _, err := f.ReadAt(text, 0); err != nil && err != io.EOF {
		return h, State{}, err
	}
	if json.Unmarshal(text, &h) != nil {
		h = stateHeader{}
	}
	if h.Version > version {
		return h, State{}, fmt.Errorf("%s: a newer version of this module wrote it", f.Path)
	}
	h.file = f.Version
	state, start := &State{}, int64(headerSize)
	for i, saved := range h.States {
		next := &State{Revision: saved.Revision, Run: saved.Run}
		if i > 0 {
			next.Predecessor = state
		}
		from := start
		next.Open = func(ctx context.Context) (io.ReadCloser, error) {
			f, err := s.files.Open(ctx, name)
			if err != nil {
				return nil, err
			}
			if f.Version != h.file {
				f.Close()
				return nil, ErrStale
			}
			return f.reader(from, saved.Size), nil
		}
		state, start = next, start+saved.Size
	}
	return h, *state, nil
}

// Save replaces the state of a domain: see [States].
func (s *fileStates) Save(
	ctx context.Context, domain, run string, revision uint64, write func(io.Writer) error,
) (uint64, error) {
	h, before, err := s.load(ctx, stateName(domain))
	if err != nil {
		return 0, err
	}
	if before.Revision != revision {
		return 0, ErrStale
	}
	if before.Run == run && before.Predecessor != nil {
		before = *before.Predecessor
	}
	file, err := s.files.Create()
	if err != nil {
		return 0, err
	}
	next := stateHeader{Version: version, ID: rand.Text()}
	file.Seek(headerSize, io.SeekStart) // further calls have its error
	if before.Revision > 0 && before.Run != run {
		err = next.append(file, before.Revision, before.Run, func(out io.Writer) error {
			in, err := before.Open(ctx)
			if err == nil {
				defer in.Close()
				_, err = io.Copy(out, in)
			}
			return err
		})
	}
	if err == nil {
		err = next.append(file, revision+1, run, write)
	}
	if err == nil {
		text := fmt.Appendf(nil, "%-*s\n", headerSize-1, jsonl.Marshal(next))
		_, err = file.WriteAt(text, 0)
	}
	if err == nil {
		err = s.files.Replace(ctx, stateName(domain), file, h.file)
	}
	if errors.Is(err, ErrStale) { // perhaps by an attempt whose answer was lost
		if h, _, loadErr := s.load(ctx, stateName(domain)); loadErr == nil && h.ID == next.ID {
			err = nil
		}
	}
	file.Close()
	if err != nil {
		os.Remove(file.Name())
		return 0, err
	}
	return revision + 1, nil
}

// append appends what write writes to a file, and describes it.
func (h *stateHeader) append(
	file *os.File, revision uint64, run string, write func(io.Writer) error,
) error {
	start, _ := file.Seek(0, io.SeekCurrent)
	out := bufio.NewWriter(file)
	if err := cmp.Or(write(out), out.Flush()); err != nil {
		return err
	}
	end, err := file.Seek(0, io.SeekCurrent)
	h.States = append(h.States, savedState{revision, run, end - start})
	return err
}
