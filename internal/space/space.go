// Package space tells what counts as white space around a value, whatever it is of:
// what Unicode has as such, and what shows as little, a zero width space and a byte
// order mark.
package space

import (
	"bytes"
	"unicode"
)

// Is reports whether r is white space around a value.
func Is(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

// Trim cuts white space off both ends.
func Trim(b []byte) []byte { return bytes.TrimFunc(b, Is) }
