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
	"github.com/seed-322c453a/sitemap/internal/records"
)

// NewStates returns [States] that are kept in files, .state/xx/DOMAIN.state; see [FileName]. A file
// has the state of a domain and its predecessor.
func NewStates(f StateFiles) States { return &fileStates{f} }

type fileStates struct{ files StateFiles }

// A stateHeader is a line at the start of a file, as a gzip member of headerSize. The bytes of the
// states follow.
type stateHeader struct {
	Version int          `json:"version"`
	States  []savedState `json:"states"` // the predecessor, if any, and the state
}

// A savedState describes a state in a file.
type savedState struct {
	Run  string `json:"run"`
	Part string `json:"part"`
	Size int64  `json:"size"`
}

const headerSize = 512

func stateName(domain string) string { return ".state/" + FileName(domain) + ".state" }

// Load returns the state of a domain: see [States]. If the header of the file is damaged, the error
// matches records.ErrDamaged, and the State has only its Version.
func (s *fileStates) Load(ctx context.Context, domain string) (State, error) {
	name := stateName(domain)
	f, err := s.files.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil
	}
	if err != nil {
		return State{}, err
	}
	defer f.Close()
	text := make([]byte, min(f.Size, headerSize))
	if _, err := f.ReadAt(text, 0); err != nil && err != io.EOF {
		return State{}, err
	}
	var h stateHeader
	if line, whole := member(text); !whole || json.Unmarshal(line, &h) != nil {
		return State{Version: f.Version}, fmt.Errorf("%s: %w", f.Path, records.ErrDamaged)
	}
	if h.Version > version {
		return State{}, fmt.Errorf("%s: a newer version of this module wrote it", f.Path)
	}
	state, start := &State{Version: f.Version}, int64(headerSize)
	for i, saved := range h.States {
		next := &State{Version: f.Version, Run: saved.Run, Part: saved.Part}
		if i > 0 {
			next.Predecessor = state
		}
		from := start
		next.Open = func(ctx context.Context) (io.ReadCloser, error) {
			f, err := s.files.Open(ctx, name)
			if err != nil {
				return nil, err
			}
			if f.Version != next.Version {
				f.Close()
				return nil, ErrStale
			}
			return f.reader(from, saved.Size), nil
		}
		state, start = next, start+saved.Size
	}
	return *state, nil
}

// Save replaces the state of a domain: see [States].
func (s *fileStates) Save(
	ctx context.Context, domain string, next State, write func(io.Writer) error,
) error {
	file, err := s.files.Create()
	if err != nil {
		return err
	}
	h := stateHeader{Version: version}
	file.Seek(headerSize, io.SeekStart) // further calls have its error
	if before := next.Predecessor; before != nil {
		err = h.append(file, before, func(out io.Writer) error {
			in, err := before.Open(ctx)
			if err == nil {
				defer in.Close()
				_, err = io.Copy(out, in)
			}
			return err
		})
	}
	if err == nil {
		err = h.append(file, &next, write)
	}
	if err == nil {
		const size = headerSize - memberHead - memberTail
		line := fmt.Appendf(nil, "%-*s\n", size-1, jsonl.Marshal(h))
		_, err = file.WriteAt(newMember(line), 0)
	}
	if err == nil {
		err = s.files.Replace(ctx, stateName(domain), file, next.Version)
	}
	if errors.Is(err, ErrStale) { // perhaps by an attempt whose answer was lost
		now, loadErr := s.Load(ctx, domain)
		if loadErr == nil && now.Part == next.Part {
			err = nil
		}
	}
	file.Close()
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// append appends what write writes to a file, as the bytes of a state.
func (h *stateHeader) append(file *os.File, s *State, write func(io.Writer) error) error {
	start, _ := file.Seek(0, io.SeekCurrent)
	out := bufio.NewWriter(file)
	if err := cmp.Or(write(out), out.Flush()); err != nil {
		return err
	}
	end, err := file.Seek(0, io.SeekCurrent)
	h.States = append(h.States, savedState{s.Run, s.Part, end - start})
	return err
}
