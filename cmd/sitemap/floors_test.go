package main

import (
	"testing"

	"github.com/seed-322c453a/sitemap/internal/testkit/floors"
)

// Each file of a package builds on those below it in the list of its documentation.
func TestFloors(t *testing.T) {
	floors.Check(t, "../internal/...")
}
