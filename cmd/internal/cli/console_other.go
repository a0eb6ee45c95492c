//go:build !windows

package cli

import "os"

// readsEscapes reports true: terminals read escape sequences.
func readsEscapes(*os.File) bool { return true }
