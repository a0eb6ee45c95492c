// Package batchtest tests the contracts of package batch. Call its functions from the tests of a
// queue, of states or of a sink:
//
//	func TestQueue(t *testing.T) {
//		batchtest.Queue(t, func(t *testing.T) batch.Queue { return newQueue(t) })
//	}
package batchtest

import (
	"testing"
	"time"
)

// A promise is a test of what T promises.
type promise[T any] struct {
	name string
	test func(t testing.TB, of T)
}

func run[T any](t *testing.T, promises []promise[T], open func(t *testing.T) T) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) { p.test(t, open(t)) })
	}
}

// must ends a test if what it did has failed.
func must(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// short is how long a test waits for an event that must not happen.
const short = 100 * time.Millisecond

// hang is how long a test waits for an event that must happen.
var hang = time.Minute
