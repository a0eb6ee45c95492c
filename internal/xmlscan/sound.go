package xmlscan

import (
	"encoding/binary"
	"math/bits"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// Sound reports whether b is valid UTF-8 and contains only characters that XML allows (XML 1.0,
// section 2.2). It examines 32 bytes at once for non-ASCII characters and those below space.
func Sound(b []byte) bool {
	for len(b) >= 32 {
		p := (*[32]byte)(b)
		x0 := suspect(binary.LittleEndian.Uint64(p[:8]))
		x1 := suspect(binary.LittleEndian.Uint64(p[8:16]))
		x2 := suspect(binary.LittleEndian.Uint64(p[16:24]))
		x3 := suspect(binary.LittleEndian.Uint64(p[24:]))
		if x0|x1|x2|x3 == 0 {
			b = b[32:]
			continue
		}
		x0, at := firstOf(x0, x1, x2, x3)
		n := soundLen(b[at+bits.TrailingZeros64(x0)/8:])
		if n == 0 {
			return false
		}
		b = b[at+bits.TrailingZeros64(x0)/8+n:]
	}
	for len(b) > 0 {
		if len(b) >= 8 && suspect(binary.LittleEndian.Uint64(b)) == 0 {
			b = b[8:]
			continue
		}
		n := soundLen(b)
		if n == 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

// suspect returns a word whose lowest high bit is that of the first byte in x that is not ASCII, or
// is below space and not LF. It returns 0 if there is no such byte.
func suspect(x uint64) uint64 {
	return (x | chars.Differ(x, '\n'*chars.Ones)&^chars.AtLeast(x, ' ')) & chars.Highs
}

// firstOf returns the first of four words that is not zero, and its offset in bytes.
func firstOf(x0, x1, x2, x3 uint64) (x uint64, at int) {
	switch {
	case x0 != 0:
		return x0, 0
	case x1 != 0:
		return x1, 8
	case x2 != 0:
		return x2, 16
	}
	return x3, 24
}

// soundLen returns the length of the ASCII character, or of all non-ASCII characters, at the start
// of b. It returns 0 if XML forbids one.
func soundLen(b []byte) int {
	if c := b[0]; c < 0x80 {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return 0
		}
		return 1
	}
	n := 0
	for n < len(b) && b[n] >= 0x80 {
		size := multibyte(b[n:])
		if size == 0 {
			return 0
		}
		n += size
	}
	return n
}

// multibyte returns the length of the UTF-8 sequence of a non-ASCII character at the start of b
// (RFC 3629, section 4). It returns 0 if it is invalid or XML forbids the character.
func multibyte(b []byte) int {
	c := b[0]
	switch {
	case c < 0xc2:
	case c < 0xe0:
		if len(b) > 1 && b[1]&0xc0 == 0x80 {
			return 2
		}
	case c < 0xf0:
		if len(b) < 3 || b[1]&0xc0 != 0x80 || b[2]&0xc0 != 0x80 || c == 0xe0 && b[1] < 0xa0 ||
			c == 0xed && b[1] >= 0xa0 || c == 0xef && b[1] == 0xbf && b[2] >= 0xbe {
			return 0
		}
		return 3
	case c < 0xf5:
		if len(b) < 4 || b[1]&0xc0 != 0x80 || b[2]&0xc0 != 0x80 || b[3]&0xc0 != 0x80 ||
			c == 0xf0 && b[1] < 0x90 || c == 0xf4 && b[1] >= 0x90 {
			return 0
		}
		return 4
	}
	return 0
}

// soundText reports whether text has no problem.
func soundText(b []byte) bool {
	return Sound(b) && Predefined(b) && indexCDATAEnd(b) < 0
}

// plain reports whether b contains nothing that may need a report or decoding: control characters,
// '&', '<', ']' and non-ASCII characters.
func plain(b []byte) bool {
	if len(b) < 8 {
		for _, c := range b {
			if notPlain[c] {
				return false
			}
		}
		return true
	}
	for i := 0; i+8 < len(b); i += 8 {
		if special(binary.LittleEndian.Uint64(b[i:])) != 0 {
			return false
		}
	}
	return special(binary.LittleEndian.Uint64(b[len(b)-8:])) == 0
}

// notPlain are the bytes that are not plain.
var notPlain = func() (set [256]bool) {
	for c := range set {
		set[c] = c < ' ' || c == '&' || c == '<' || c == ']' || c >= 0x80
	}
	return set
}()

// special returns a word whose lowest high bit is that of the first byte in x that is not plain. It
// returns 0 if all are plain.
func special(x uint64) uint64 {
	ok := chars.AtLeast(x, ' ') & chars.Differ(x, '&'*chars.Ones) &
		chars.Differ(x, '<'*chars.Ones) & chars.Differ(x, ']'*chars.Ones)
	return (x | ^ok) & chars.Highs
}
