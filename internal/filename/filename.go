// Package filename makes names of files that every system allows.
package filename

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// device matches the names that Windows keeps for devices, with any suffix.
var device = pattern.Of(`(?i)^(?:aux|con|nul|prn|com\d|lpt\d)(?:\.|$)`)

// maxName leaves room for a suffix in the 255 bytes that file systems allow.
const maxName = 200

// Escape returns text as the name of a file. It keeps "a" to "z", "0" to "9", "-", "_", the bytes
// in plain, and "." unless it is the first or the last byte. It percent-encodes all other bytes,
// and the first letter of a name that Windows keeps for a device: con.com is %63on.com. A long name
// ends with a hash. No two texts have the same name, even on file systems that ignore case.
func Escape(text, plain string) string {
	plain += "abcdefghijklmnopqrstuvwxyz0123456789-_"
	isDevice := device().MatchString(text)
	var name []byte
	for i, c := range []byte(text) {
		isPlain := strings.IndexByte(plain, c) >= 0 || c == '.' && i > 0 && i < len(text)-1
		if isPlain && !(isDevice && i == 0) {
			name = append(name, c)
		} else {
			name = fmt.Appendf(name, "%%%02x", c)
		}
	}
	if len(name) > maxName {
		name = fmt.Appendf(name[:maxName/2], "%%-%x", sha256.Sum256([]byte(text)))
	}
	return string(name)
}
