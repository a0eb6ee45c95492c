//go:build !unix

package output

import "os"

// wasClosed reports false: elsewhere writing to a closed file fails.
func wasClosed(*os.File) bool { return false }
