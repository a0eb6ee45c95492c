// Package tempfile makes files that nobody finds and that vanish with the process.
package tempfile

import "os"

// Create makes a file in the folder of os.TempDir. Its name is removed at once where the system allows
// that.
func Create(pattern string) (*os.File, error) {
	f, err := os.CreateTemp("", pattern)
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}

// Close closes a file that Create has made, and removes it. A nil file is none.
func Close(f *os.File) error {
	if f == nil {
		return nil
	}
	err := f.Close()
	os.Remove(f.Name())
	return err
}
