package datetime

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// A cursor reads a date from left to right.
type cursor struct{ rest []byte }

// digits consumes and returns the next digits.
func (c *cursor) digits() []byte {
	n := 0
	for n < len(c.rest) && chars.IsDigit(c.rest[n]) {
		n++
	}
	return c.take(n)
}

// word consumes and returns the next letters of ASCII.
func (c *cursor) word() []byte {
	n := 0
	for n < len(c.rest) && chars.IsLetter(c.rest[n]) {
		n++
	}
	return c.take(n)
}

// foreignWord consumes and returns the next letters and characters beyond ASCII.
func (c *cursor) foreignWord() []byte {
	n := 0
	for n < len(c.rest) && (c.rest[n] >= 0x80 || chars.IsLetter(c.rest[n])) {
		n++
	}
	return c.take(n)
}

// zoneName consumes and returns the name of a zone: words with single blanks between them. A word
// may have the slashes and low lines of the tz database.
func (c *cursor) zoneName() []byte {
	end := 0
	for n, r := range string(c.rest) {
		if unicode.IsLetter(r) || r == '/' || r == '_' {
			end = n + utf8.RuneLen(r)
		} else if r != ' ' || end < n {
			break
		}
	}
	return c.take(end)
}

// take consumes and returns the next n bytes.
func (c *cursor) take(n int) []byte {
	s := c.rest[:n]
	c.rest = c.rest[n:]
	return s
}

// next returns the next byte, or 0 at the end.
func (c *cursor) next() byte {
	if len(c.rest) == 0 {
		return 0
	}
	return c.rest[0]
}

// isNegative reports whether a number with a minus sign follows after a blank.
func (c *cursor) isNegative() bool {
	return len(c.rest) > 2 && c.rest[0] == ' ' && c.rest[1] == '-' && chars.IsDigit(c.rest[2])
}

// accept consumes b if it is the next byte.
func (c *cursor) accept(b byte) bool {
	if len(c.rest) == 0 || c.rest[0] != b {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

// gap consumes white space, comments and the characters in set. It reports whether there were any,
// and whether one was in set.
func (c *cursor) gap(set string) (found, inSet bool) {
	for start := len(c.rest); ; {
		before := len(c.rest)
		switch next := c.next(); {
		case next == ' ':
			c.take(1)
		case next < ' ' || next >= 0x80:
			c.rest = bytes.TrimLeftFunc(c.rest, chars.IsSpace)
		case next == '(':
			c.comment()
		case strings.IndexByte(set, next) >= 0:
			c.take(1)
			inSet = true
		}
		if len(c.rest) == before {
			return before < start, inSet
		}
	}
}

// comment consumes the comment of RFC 822 that starts here, if it ends. It may contain others, and
// parentheses escaped with a backslash (section 3.3).
func (c *cursor) comment() {
	depth := 0
	for i := 0; i < len(c.rest); i++ {
		switch c.rest[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			c.take(i + 1)
			return
		}
	}
}
