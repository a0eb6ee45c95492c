// Package tempfile creates files that have no name and vanish with the process. It copies the
// library's package of this name, which another module cannot import.
package tempfile

import "os"

// A File vanishes when it is closed.
type File struct{ *os.File }

// Create creates a file in the folder of os.TempDir. It removes the name at once if the system
// allows that.
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
