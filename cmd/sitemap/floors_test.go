package main

import (
	"testing"

	"github.com/seed-322c453a/sitemap/internal/testkit/floors"
)

// Each file of a package builds on those below it in the list of its documentation. One test has
// the packages of all modules, since go list and what they import take longest.
func TestFloors(t *testing.T) {
	const module = "github.com/seed-322c453a/sitemap/"
	floors.Check(t, "../internal/...", module+"parse", module+"feed", module+"fetch",
		module+"discover", module+"discover/robots", module+"discover/trust",
		module+"discover/state", module+"audit", module+"batch", module+"watch",
		module+"internal/hostlimit", module+"internal/location", module+"internal/input",
		module+"internal/document", module+"internal/datetime", module+"internal/xmlchar")
}
