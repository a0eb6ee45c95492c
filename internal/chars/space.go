// Package chars classifies bytes and characters, for all packages of this module.
//
// The files, each independent of the others:
//
//	space.go   white space around values
//	url.go     characters and schemes of URLs, excerpts
//	number.go  numbers with leading zeros
//	word.go    eight bytes at once
package chars

import (
	"bytes"
	"unicode"
)

// IsSpace reports whether r counts as white space around a value. It is white space in Unicode, or
// an invisible character that is often copied along with a value: a zero width space, a word
// joiner, a byte order mark or a mark of text direction.
func IsSpace(r rune) bool {
	if r < 0x80 {
		return unicode.IsSpace(r)
	}
	return unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff' ||
		unicode.Is(unicode.Bidi_Control, r)
}

// TrimSpace removes leading and trailing white space, by [IsSpace].
func TrimSpace(b []byte) []byte { return bytes.TrimFunc(b, IsSpace) }
