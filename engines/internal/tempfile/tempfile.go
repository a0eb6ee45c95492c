// Package tempfile creates files that have no name and vanish with the process. It is a copy of the
// library's package of this name, because the two modules are released separately.
package tempfile

import "os"

// Create creates a file in the folder of os.TempDir. It removes the name at once if the system
// allows that; otherwise Close of a [File] does.
func Create(pattern string) (*os.File, error) {
	f, err := os.CreateTemp("", pattern)
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}

// A File vanishes when it is closed.
type File struct{ *os.File }

// Close closes and removes the file.
func (f File) Close() error {
	err := f.File.Close()
	os.Remove(f.Name())
	return err
}
