package state_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/state"
)

// A file that could not be created for lack of space can be created once there is some.
func TestOpen_FullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sites.db")
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	for _, size := range []uint64{1, 4096, 10_000} {
		full := syscall.Rlimit{Cur: size, Max: limit.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
			t.Fatal(err)
		}
		_, err := state.Open(path)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(err, syscall.EFBIG) {
			t.Errorf("within %d bytes: %v", size, err)
		}
	}
	f, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
