// Package states keeps the states of a batch in a store whose small values have a fence and whose
// large objects have none. The small value of a domain names its state and the predecessor, and
// holds them if they are small. A large state is an object that never changes.
package states

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/internal/tempfile"
)

// A Store keeps a value and objects for each domain. It is safe for concurrent use.
type Store interface {
	// Value returns the value of a domain and its version, or nil and "".
	Value(ctx context.Context, domain string) (value []byte, version string, err error)
	// Replace replaces a value if it has this version, "" for the first one. If it has another one,
	// or a lost attempt of this call has replaced it, the error matches [batch.ErrStale].
	Replace(ctx context.Context, domain string, value []byte, version string) error
	// Put keeps an object under a new id, all of it or nothing.
	Put(ctx context.Context, domain, id string, object *io.SectionReader) error
	// Open reads an object.
	Open(ctx context.Context, domain, id string) (io.ReadCloser, error)
	// Delete removes an object. An object that stays only takes space.
	Delete(ctx context.Context, domain, id string)
}

// New returns the states in a store. A state of at most maxValue bytes is in the value, which can
// have two of them as base64.
func New(s Store, maxValue int64) batch.States { return &states{s, maxValue} }

type states struct {
	Store
	maxValue int64
}

// version is the number of the format of values.
const version = 1

// A saved is a state in the value of its domain.
type saved struct {
	Version     int    `json:"version"`
	ID          string `json:"id"` // no other Save has it
	Revision    uint64 `json:"revision"`
	Run         string `json:"run"`
	State       []byte `json:"state,omitempty"`
	Large       bool   `json:"large,omitempty"` // the state is an object
	Predecessor *saved `json:"predecessor,omitempty"`
}

// Load returns the state of a domain: see [batch.States].
func (s *states) Load(ctx context.Context, domain string) (batch.State, error) {
	v, _, err := s.value(ctx, domain)
	if err != nil || v.Revision == 0 {
		return batch.State{}, err
	}
	now := s.stateOf(domain, v)
	if v.Predecessor != nil {
		before := s.stateOf(domain, v.Predecessor)
		now.Predecessor = &before
	}
	return now, nil
}

func (s *states) stateOf(domain string, v *saved) batch.State {
	open := func(ctx context.Context) (io.ReadCloser, error) {
		if v.Large {
			return s.Open(ctx, domain, v.ID)
		}
		return io.NopCloser(bytes.NewReader(v.State)), nil
	}
	return batch.State{Revision: v.Revision, Run: v.Run, Open: open}
}

// value returns the value of a domain. It is zero if there is no value or it is damaged.
func (s *states) value(ctx context.Context, domain string) (*saved, string, error) {
	text, ver, err := s.Value(ctx, domain)
	if err != nil {
		return nil, "", err
	}
	v := new(saved)
	if json.Unmarshal(text, v) != nil {
		v = new(saved)
	}
	if v.Version > version {
		return nil, "", fmt.Errorf("state of %s: a newer version of this module wrote it", domain)
	}
	return v, ver, nil
}

// Save replaces the state of a domain: see [batch.States].
func (s *states) Save(
	ctx context.Context, domain, run string, revision uint64, write func(io.Writer) error,
) (uint64, error) {
	now, ver, err := s.value(ctx, domain)
	if err != nil {
		return 0, err
	}
	if now.Revision != revision {
		return 0, batch.ErrStale
	}
	next := &saved{Version: version, ID: rand.Text(), Revision: revision + 1, Run: run}
	next.Predecessor = now.Predecessor
	if now.Revision > 0 && now.Run != run {
		before := *now
		before.Predecessor = nil
		next.Predecessor = &before
	}
	if err := s.store(ctx, domain, next, write); err != nil {
		return 0, err
	}
	err = s.replace(ctx, domain, next, ver)
	switch {
	case err == nil:
		s.drop(ctx, domain, now, next)
		return next.Revision, nil
	case errors.Is(err, batch.ErrStale):
		s.drop(ctx, domain, next, now)
	}
	return 0, err
}

// store keeps the bytes that write writes, in v or in an object.
func (s *states) store(
	ctx context.Context, domain string, v *saved, write func(io.Writer) error,
) (err error) {
	in, out := io.Pipe()
	defer in.Close()
	go func() { out.CloseWithError(write(out)) }()
	v.State, err = io.ReadAll(io.LimitReader(in, s.maxValue+1))
	if err != nil || int64(len(v.State)) <= s.maxValue {
		return err
	}
	file, err := tempfile.Create("sitemap-state-")
	if err != nil {
		return err
	}
	defer file.Close()
	size, err := io.Copy(file, io.MultiReader(bytes.NewReader(v.State), in))
	if err != nil {
		return err
	}
	v.State, v.Large = nil, true
	return s.Put(ctx, domain, v.ID, io.NewSectionReader(file, 0, size))
}

// replace replaces the value of a domain. If the answer to an attempt was lost, the next one finds
// its own value.
func (s *states) replace(ctx context.Context, domain string, v *saved, ver string) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err = s.Replace(ctx, domain, value, ver); !errors.Is(err, batch.ErrStale) {
		return err
	}
	if now, _, getErr := s.value(ctx, domain); getErr == nil && now.ID == v.ID {
		return nil
	}
	return err
}

// drop deletes the objects of a value that are not in another value.
func (s *states) drop(ctx context.Context, domain string, v, other *saved) {
	for ; v != nil; v = v.Predecessor {
		if v.Large && v.ID != other.ID &&
			(other.Predecessor == nil || v.ID != other.Predecessor.ID) {
			s.Delete(ctx, domain, v.ID)
		}
	}
}
