// Package filename makes names of files that every system allows.
package filename

import (
	"fmt"

	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// device matches the names that Windows keeps for devices, with any suffix.
var device = pattern.Of(`(?i)^(?:aux|con|nul|prn|com\d|lpt\d)(?:\.|$)`)

// NoDevice returns a name with its first letter percent-encoded if Windows keeps the name for a
// device, and other names as they are: con.com is %63on.com.
func NoDevice(name string) string {
	if device().MatchString(name) {
		return fmt.Sprintf("%%%02x%s", name[0], name[1:])
	}
	return name
}
