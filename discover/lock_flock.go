//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package discover

import (
	"errors"
	"os"
	"syscall"
)

// locks says that lock does something.
const locks = true

// lock keeps others from opening a State in the same file until f is closed, where
// its file system knows locks.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrStateInUse
	}
	return nil
}
