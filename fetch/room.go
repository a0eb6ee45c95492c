package fetch

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sync/semaphore"
)

const (
	roomSize = 1 << 30 // bytes
	roomStep = 8 << 20 // bytes that a document fetched ahead reserves at a time
)

// A room bounds the temporary files of a Client. There is one for documents that are fetched ahead,
// and one for all others, which therefore never wait for those.
type room struct {
	size int64
	step int64 // bytes that are reserved while a file grows; 0 if they are reserved at once
	free *semaphore.Weighted
}

func newRoom(size, step int64) *room {
	return &room{size: size, step: step, free: semaphore.NewWeighted(size)}
}

// A share is what one document has reserved of a room.
type share struct {
	*room
	held   int64
	wanted int64 // what the document could not reserve, until wait reserves it
}

// grow reserves n bytes in all. If there is no room for them, nothing stays reserved.
func (s *share) grow(n int64) error {
	if n <= s.held {
		return nil
	}
	if !s.free.TryAcquire(n - s.held) {
		s.shrink(0)
		s.wanted = n
		return ErrNoRoom
	}
	s.held = n
	return nil
}

// wait reserves what was wanted, once there is room.
func (s *share) wait(ctx context.Context) error {
	n := s.wanted
	s.wanted = 0
	if err := s.free.Acquire(ctx, n); err != nil {
		return err
	}
	s.held = n
	return nil
}

// shrink gives back all except n bytes.
func (s *share) shrink(n int64) {
	if s.held > n {
		s.free.Release(s.held - n)
		s.held = n
	}
}

// A tempFile is a temporary file that grows within a share.
type tempFile struct {
	*share
	file *os.File
	name string // "" if it could be removed while open
	size int64
}

// newTempFile makes a file for at most the given number of bytes.
func newTempFile(s *share, most int64) (*tempFile, error) {
	if s.step == 0 {
		if err := s.grow(min(most, s.size)); err != nil {
			return nil, err
		}
	}
	file, err := os.CreateTemp("", "sitemap-*")
	if err != nil {
		s.shrink(0)
		return nil, fmt.Errorf("no temporary file in %s (TMPDIR): %w", os.TempDir(), err)
	}
	f := &tempFile{share: s, file: file}
	if os.Remove(file.Name()) != nil { // some systems keep the name of an open file
		f.name = file.Name()
	}
	return f, nil
}

// Write fails with ErrNoRoom if a share that grows in steps cannot grow further.
func (f *tempFile) Write(p []byte) (int, error) {
	if n := int64(len(p)); f.step > 0 && f.size+n > f.held {
		if err := f.grow(f.held + max(f.step, n)); err != nil {
			return 0, err
		}
	}
	n, err := f.file.Write(p)
	f.size += int64(n)
	return n, err
}

// remove closes and removes the file.
func (f *tempFile) remove() error {
	f.shrink(0)
	err := f.file.Close()
	if f.name != "" {
		os.Remove(f.name)
	}
	return err
}
