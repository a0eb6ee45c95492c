package spool

import (
	"context"
	"errors"

	"golang.org/x/sync/semaphore"
)

// ErrNoRoom means that a body needs a temporary file and its room is full.
var ErrNoRoom = errors.New("no room in temporary files")

const roomStep = 1 << 20 // bytes that are reserved at a time while a file grows

// A Room bounds the temporary files of bodies. Only a body larger than the Room takes more.
type Room struct {
	size int64
	free *semaphore.Weighted
}

// NewRoom returns a Room for files of a number of bytes together.
func NewRoom(size int64) *Room { return &Room{size, semaphore.NewWeighted(size)} }

// A Share is the room that one body has reserved.
type Share struct {
	*Room
	held   int64
	wanted int64 // bytes that a body without room may need, until Wait reserves them
}

// Share returns a Share that has reserved nothing.
func (r *Room) Share() Share { return Share{Room: r} }

// grow reserves room for a file of n bytes. If there is no room, nothing stays reserved.
func (s *Share) grow(n int64) error {
	if n <= s.held || s.held == s.size {
		return nil
	}
	n = min(max(n, s.held+roomStep), s.size)
	if !s.free.TryAcquire(n - s.held) {
		s.Release()
		return ErrNoRoom
	}
	s.held = n
	return nil
}

// IsWaiting reports whether a body had no room, and Wait was not called since.
func (s *Share) IsWaiting() bool { return s.wanted > 0 }

// Wait reserves room for the whole body, once there is room.
func (s *Share) Wait(ctx context.Context) error {
	err := s.free.Acquire(ctx, s.wanted)
	if err == nil {
		s.held = s.wanted
	}
	s.wanted = 0
	return err
}

// Release gives back everything.
func (s *Share) Release() { s.shrink(0) }

// shrink gives back all except n bytes.
func (s *Share) shrink(n int64) {
	if s.held > n {
		s.free.Release(s.held - n)
		s.held = n
	}
}
