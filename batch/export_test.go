package batch

import "testing"

// SetMaxFile sets how much may wait in the file.
func (s *InOrder) SetMaxFile(n int64) { s.maxFile = n }

// SetMaxTargets sets the most targets of an undivided domain, for one test.
func SetMaxTargets(t testing.TB, n int) {
	old := maxTargets
	maxTargets = n
	t.Cleanup(func() { maxTargets = old })
}
