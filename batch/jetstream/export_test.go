package jetstream

import "time"

// SetPatience sets how long a broker that does not answer is asked again, until restore is called.
func SetPatience(d time.Duration) (restore func()) {
	before := patience
	patience = d
	return func() { patience = before }
}
