// Package tempfile makes files that nobody finds and that vanish with the process.
package tempfile

import (
	"fmt"
	"os"
)

// A File vanishes when it is closed.
type File struct{ *os.File }

// Create makes a file in the folder of os.TempDir. Its name is removed at once where the system
// allows that.
func Create(pattern string) (*File, error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, fmt.Errorf("no temporary file in %s (TMPDIR): %w", os.TempDir(), err)
	}
	os.Remove(f.Name())
	return &File{f}, nil
}

// Close closes and removes the file. Closing a nil File does nothing.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	err := f.File.Close()
	os.Remove(f.Name())
	return err
}
