package objects

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
)

// ErrNoFence means that a store ignores If-Match or If-None-Match, so that one worker could undo
// what another one has saved.
var ErrNoFence = errors.New("the store ignores If-Match or If-None-Match")

// States returns the states in the store. It first tests whether the store honours If-Match and
// If-None-Match. If it does not, the error matches [ErrNoFence].
func (s *Store) States(ctx context.Context) (batch.States, error) {
	ctx, stop := context.WithTimeout(ctx, openTime)
	defer stop()
	err := s.bucket.tryFence(ctx)
	if errors.Is(err, batch.ErrStale) { // of a lost answer: its request was repeated
		err = s.bucket.tryFence(ctx)
	}
	if err != nil {
		return nil, err
	}
	return batch.NewStates(s.bucket), nil
}

// tryFence tests whether the store honours If-Match and If-None-Match: it writes objects that the
// store must accept, and objects that it must refuse.
func (b *bucket) tryFence(ctx context.Context) error {
	name, missing := ".fence/"+rand.Text(), ".fence/"+rand.Text()
	write := func(name, text, version string) error {
		r := io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
		return b.put(ctx, name, r, version)
	}
	defer b.remove(ctx, name)
	if err := write(name, "1", ""); err != nil {
		return b.wrap(name, err)
	}
	o, err := b.Open(ctx, name)
	if err != nil {
		return err
	}
	if err := write(name, "2", o.Version); err != nil {
		return b.wrap(name, err)
	}
	for _, try := range []struct{ name, version, what string }{
		{name, o.Version, "with a stale ETag"},
		{name, "", "in place of another one as the first"},
		{missing, o.Version, "with an ETag where there is none"},
	} {
		err := write(try.name, "3", try.version)
		if err == nil {
			b.remove(ctx, try.name)
			return b.wrap(try.name, fmt.Errorf("%w: it wrote an object %s", ErrNoFence, try.what))
		}
		if !errors.Is(err, batch.ErrStale) {
			return err
		}
	}
	return nil
}
