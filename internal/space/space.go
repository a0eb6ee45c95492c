// Package space tells what counts as white space around a value, whatever it is of:
// what Unicode has as such, and what shows as little: a zero width space, a word joiner,
// a byte order mark, and the marks of a text's direction, which are copied along with
// what they stand around.
package space

import (
	"bytes"
	"unicode"
)

// Is reports whether r is white space around a value.
func Is(r rune) bool {
	if r < 0x80 {
		return unicode.IsSpace(r)
	}
	return unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff' || unicode.Is(unicode.Bidi_Control, r)
}

// Trim cuts white space off both ends.
func Trim(b []byte) []byte { return bytes.TrimFunc(b, Is) }
