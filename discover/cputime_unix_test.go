//go:build unix

package discover_test

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that the process has taken.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
