//go:build !unix

package main

import "io/fs"

// umask returns no mask, where there is none.
func umask() fs.FileMode { return 0 }
