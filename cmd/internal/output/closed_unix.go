//go:build unix

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// wasClosed reports whether a standard file was closed when the process began. Go's runtime opens
// the null device for reading and writing in its place, which no shell does, but some
// programs that discard the output of others do.
func wasClosed(f *os.File) bool {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR && os.SameFile(info, null)
}
