// Package pattern compiles regular expressions when they are first used, so that the start of a
// command does not wait for all of them.
package pattern

import (
	"regexp"
	"sync"
)

// Of returns a function that returns the compiled expression, and panics if it does not compile.
func Of(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
