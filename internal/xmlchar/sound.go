package xmlchar

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// Sound reports whether b is valid UTF-8 and contains only characters that XML allows (XML 1.0,
// section 2.2).
func Sound(b []byte) bool { return SoundLen(b) == len(b) }

// SoundLen returns the length of the sound text at the start of b. It examines 32 bytes at once for
// non-ASCII characters and those below space.
func SoundLen(b []byte) int {
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
		if ' ' <= b[i] && b[i] < utf8.RuneSelf {
			i++
			continue
		}
		for ok := true; ok; ok = i < len(b) && b[i] >= utf8.RuneSelf {
			n := charLen(b[i:])
			if n == 0 {
				return i
			}
			i += n
		}
	}
	return i
}

// IsPlain reports whether b has only ASCII characters from the space on, and neither '&' nor ']'.
func IsPlain(b []byte) bool {
	if len(b) < 8 {
		for _, c := range b {
			if c < ' ' || c >= 0x80 || c == '&' || c == ']' {
				return false
			}
		}
		return true
	}
	ok := ^uint64(0)
	for i := 0; ; i += 8 {
		i = min(i, len(b)-8)
		word := binary.LittleEndian.Uint64(b[i : i+8])
		ok &= chars.AtLeast(word, ' ') & chars.Differ(word, '&'*chars.Ones) &
			chars.Differ(word, ']'*chars.Ones) &^ word
		if i == len(b)-8 {
			return ok&chars.Highs == chars.Highs
		}
	}
}

// suspect returns a word whose lowest high bit is that of the first byte in x that is not ASCII, or
// is below space and not LF. It returns 0 if there is no such byte.
func suspect(x uint64) uint64 {
	return (x | chars.Differ(x, '\n'*chars.Ones)&^chars.AtLeast(x, ' ')) & chars.Highs
}

// charLen returns the length of the character at the start of b, or 0 if XML forbids it or b is not
// UTF-8.
func charLen(b []byte) int {
	if c := b[0]; c < utf8.RuneSelf {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return 0
		}
		return 1
	}
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 || r == 0xfffe || r == 0xffff {
		return 0
	}
	return size
}

// HasForbidden reports whether b contains a character that XML forbids (XML 1.0, section 2.2).
func HasForbidden(b []byte) bool { return IndexControl(b) >= 0 || IndexNoncharacter(b) >= 0 }

// IsForbidden reports whether XML forbids a character.
func IsForbidden(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

// IndexControl returns the index of a control character that XML forbids, or -1.
func IndexControl(b []byte) int {
	for i := 0; i < len(b); i++ {
		for i+8 <= len(b) && chars.AtLeast(binary.LittleEndian.Uint64(b[i:])&^chars.Highs, ' ')&
			chars.Highs == chars.Highs {
			i += 8
		}
		if i < len(b) && b[i] < ' ' && b[i] != '\t' && b[i] != '\n' && b[i] != '\r' {
			return i
		}
	}
	return -1
}

// noncharacter is the start of U+FFFE and U+FFFF, which XML forbids, in UTF-8.
var noncharacter = []byte("\xef\xbf")

// IndexNoncharacter returns the index of U+FFFE or U+FFFF, or -1.
func IndexNoncharacter(b []byte) int {
	for i := 0; ; i++ {
		j := bytes.Index(b[i:], noncharacter)
		if j < 0 {
			return -1
		}
		if i += j; i+2 < len(b) && b[i+2] >= 0xbe {
			return i
		}
	}
}
