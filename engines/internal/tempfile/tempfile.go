// Package tempfile makes files that nobody finds and that vanish with the process. It is the library's
// package of this name, which an engine, like anyone's own, cannot import.
package tempfile

import "os"

// A File vanishes when it is closed.
type File struct{ *os.File }

// Create makes a file in the folder of os.TempDir. Its name is removed at once where the system allows
// that.
func Create(pattern string) (*File, error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	return &File{f}, nil
}

// Close closes and removes the file.
func (f *File) Close() error {
	err := f.File.Close()
	os.Remove(f.Name())
	return err
}
