//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// umask returns the process's file mode creation mask. It can be read only by
// setting it; the command creates its files before it starts to work.
func umask() fs.FileMode {
	mask := syscall.Umask(0)
	syscall.Umask(mask)
	return fs.FileMode(mask)
}
