package location

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// hasBadEscape reports whether a percent sign in s starts no escape.
func hasBadEscape[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if !chars.IsEscape(s, i) {
			return true
		}
		i += 2
	}
	return false
}

// portLen returns the length of the port at the start of s: a number from 1 to 65535 without
// leading zeros. It returns 0 for anything else.
func portLen(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n == 0 || n > 5 || s[0] == '0' || n == 5 && s[:n] > "65535" {
		return 0
	}
	return n
}

// isPlainHost holds the characters of common hosts.
var isPlainHost = func() (t [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-.") {
		t[c] = true
	}
	return t
}()

// isVisible reports whether b has only UTF-8, without white space and control characters.
func isVisible(b []byte) bool {
	for b = b[visibleLen(b):]; len(b) > 0; b = b[visibleLen(b):] {
		r, size := utf8.DecodeRune(b)
		if r < utf8.RuneSelf || r == utf8.RuneError && size == 1 || isLineBreak(r) ||
			isControl(r) || chars.IsSpace(r) {
			return false
		}
		b = b[size:]
	}
	return true
}

// visibleLen returns the length of the visible ASCII characters at the start of text. It looks at
// eight at once.
func visibleLen(text []byte) int {
	n := 0
	for n+8 <= len(text) {
		x := binary.LittleEndian.Uint64(text[n:])
		ok := chars.AtLeast(x, '!') & chars.Differ(x, 0x7f*chars.Ones) &^ x
		if ok&chars.Highs != chars.Highs {
			break
		}
		n += 8
	}
	for n < len(text) && ' ' < text[n] && text[n] < 0x7f {
		n++
	}
	return n
}

// isLineBreak reports whether r ends a line in XML or in Unicode.
func isLineBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// isControl reports whether r is a control character other than a tab and the line breaks, or one
// of the two noncharacters that XML forbids.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && !isLineBreak(r) || r == 0xfffe || r == 0xffff
}
