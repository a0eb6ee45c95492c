package fetch

import (
	"context"

	"golang.org/x/sync/semaphore"
)

const (
	roomSize = 1 << 30 // bytes
	roomStep = 1 << 20 // bytes that are reserved at a time while a file grows
)

// A room bounds the temporary files of a Client. There is one for documents that are fetched ahead,
// and one for all others, which therefore never wait for those.
type room struct {
	size int64
	step int64
	free *semaphore.Weighted
}

func newRoom(size, step int64) *room {
	return &room{size: size, step: step, free: semaphore.NewWeighted(size)}
}

// A share is what one document has reserved of a room.
type share struct {
	*room
	held   int64
	whole  int64 // what the document may need in all, at most the room
	wanted int64 // the whole, after it could not grow and until wait reserves it
}

// grow reserves room for a file of n bytes. If there is none, nothing stays reserved.
func (s *share) grow(n int64) error {
	if n <= s.held || s.held == s.size {
		return nil
	}
	n = min(max(n, s.held+s.step), s.size)
	if !s.free.TryAcquire(n - s.held) {
		s.shrink(0)
		s.wanted = s.whole
		return ErrNoRoom
	}
	s.held = n
	return nil
}

// wait reserves what was wanted, once there is room.
func (s *share) wait(ctx context.Context) error {
	err := s.free.Acquire(ctx, s.wanted)
	if err == nil {
		s.held = s.wanted
	}
	s.wanted = 0
	return err
}

// shrink gives back all except n bytes.
func (s *share) shrink(n int64) {
	if s.held > n {
		s.free.Release(s.held - n)
		s.held = n
	}
}
