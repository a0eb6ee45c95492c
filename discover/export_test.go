package discover

import "testing"

// MaxQueued returns the memory of the documents that wait for their turn.
func MaxQueued() int { return maxQueued }

// SetMaxQueued sets the memory of the documents that wait for their turn, for one test.
func SetMaxQueued(t *testing.T, n int) {
	was := maxQueued
	maxQueued = n
	t.Cleanup(func() { maxQueued = was })
}
