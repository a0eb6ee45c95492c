package xmlscan

import (
	"encoding/binary"
	"math/bits"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// Sound reports whether b is valid UTF-8 and contains only characters that XML allows (XML 1.0,
// section 2.2).
func Sound(b []byte) bool { return soundLen(b) == len(b) }

// soundLen returns the length of the sound text at the start of b. It examines 32 bytes at once for
// non-ASCII characters and those below space.
func soundLen(b []byte) int {
	i := 0
	for i < len(b) {
		rest := b[i:]
		if len(rest) >= 32 {
			p := (*[32]byte)(rest)
			if suspect(binary.LittleEndian.Uint64(p[:8]))|
				suspect(binary.LittleEndian.Uint64(p[8:16]))|
				suspect(binary.LittleEndian.Uint64(p[16:24]))|
				suspect(binary.LittleEndian.Uint64(p[24:])) == 0 {
				i += 32
				continue
			}
		}
		if len(rest) >= 8 {
			found := suspect(binary.LittleEndian.Uint64(rest))
			if found == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(found) / 8
		}
		n := charLen(b[i:])
		if n == 0 {
			return i
		}
		i += n
	}
	return i
}

// suspect returns a word whose lowest high bit is that of the first byte in x that is not ASCII, or
// is below space and not LF. It returns 0 if there is no such byte.
func suspect(x uint64) uint64 {
	return (x | chars.Differ(x, '\n'*chars.Ones)&^chars.AtLeast(x, ' ')) & chars.Highs
}

// charLen returns the length of the ASCII character, or of all non-ASCII characters, at the start
// of b. It returns 0 if XML forbids the first one.
func charLen(b []byte) int {
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
			break
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
