package batch

import "testing"

// SetLimits sets how many bytes may wait in memory and in the file.
func (s *InOrder) SetLimits(memory int, file int64) { s.maxMemory, s.maxFile = memory, file }

// Limits returns how many bytes may wait in memory and in the file.
func (s *InOrder) Limits() (memory int, file int64) { return s.maxMemory, s.maxFile }

// SetMaxTargets sets the most targets of an undivided domain, for one test.
func SetMaxTargets(t testing.TB, n int) {
	old := maxTargets
	maxTargets = n
	t.Cleanup(func() { maxTargets = old })
}
