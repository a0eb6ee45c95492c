package input

import (
	"encoding/binary"
	"unicode/utf8"
)

// check looks whether the bytes that came in are UTF-8. A sequence that the
// window's end cuts is left for the next time.
func (in *Reader) check() {
	if in.invalid || in.encoding != "utf-8" {
		return
	}
	b := in.buf[in.checked:in.w]
	if in.err == nil {
		b = b[:completeRunes(b)]
	}
	in.invalid = !validUTF8(b)
	in.checked += len(b)
}

// validUTF8 is utf8.Valid, faster on what is ASCII for the most part.
func validUTF8(b []byte) bool {
	const block = 512
	for {
		b = b[asciiLen(b):]
		if len(b) == 0 {
			return true
		}
		part := b
		if len(b) > block {
			part = b[:completeRunes(b[:block])]
		}
		if !utf8.Valid(part) {
			return false
		}
		b = b[len(part):]
	}
}

// asciiLen returns how many bytes at the start of b are ASCII.
func asciiLen(b []byte) int {
	n := 0
	for ; n+32 <= len(b); n += 32 {
		p := b[n : n+32]
		x := binary.LittleEndian.Uint64(p) | binary.LittleEndian.Uint64(p[8:]) |
			binary.LittleEndian.Uint64(p[16:]) | binary.LittleEndian.Uint64(p[24:])
		if x&0x8080808080808080 != 0 {
			break
		}
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// completeRunes returns how long b is without a UTF-8 sequence that its end cuts.
func completeRunes(b []byte) int {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return len(b) - i
			}
			break
		}
	}
	return len(b)
}
