//go:build !unix

package discover

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
