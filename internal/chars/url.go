package chars

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool { return IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// IsEscape reports whether the percent sign at s[i] starts a percent-encoded byte.
func IsEscape[T ~string | ~[]byte](s T, i int) bool {
	return i+2 < len(s) && IsHex(s[i+1]) && IsHex(s[i+2])
}

// AppendEscape appends c percent-encoded to b.
func AppendEscape(b []byte, c byte) []byte {
	const hex = "0123456789ABCDEF"
	return append(b, '%', hex[c>>4], hex[c&15])
}

// SchemeOf returns what precedes the first colon of s if it has the form of a scheme (RFC 3986,
// section 3.1), else "".
func SchemeOf[T ~string | ~[]byte](s T) T {
	for i := range len(s) {
		switch c := s[i]; {
		case IsLetter(c):
		case i > 0 && (IsDigit(c) || c == '+' || c == '-' || c == '.'):
		case c == ':':
			return s[:i]
		default:
			return s[:0]
		}
	}
	return s[:0]
}

// IsHTTP reports whether scheme is http or https, in any letter case.
func IsHTTP[T ~string | ~[]byte](scheme T) bool {
	return strings.EqualFold(string(scheme), "http") || strings.EqualFold(string(scheme), "https")
}

// Clip returns the first n bytes of s, or fewer if a character would be cut in two.
func Clip[T ~string | ~[]byte](s T, n int) T {
	if len(s) <= n {
		return s
	}
	for i := n; i > 0 && i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i]
		}
	}
	return s[:n] // it is not UTF-8
}

// maxExcerpt is the maximum length of the Text of a problem in bytes.
const maxExcerpt = 256

// Excerpt returns the start of s that the Text of a problem holds.
func Excerpt[T ~string | ~[]byte](s T) T { return Clip(s, maxExcerpt) }

// Shorten returns s, or at most n bytes of it with an ellipsis, for a message.
func Shorten(s string, n int) string {
	if short := Clip(s, n); len(short) < len(s) {
		return short + "…"
	}
	return s
}

// Quote returns s in quotes, at most 80 bytes of it, for a message.
func Quote(s string) string { return strconv.Quote(Shorten(s, 80)) }
