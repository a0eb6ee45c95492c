package location

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/seed-322c453a/sitemap"
)

// Words of eight equal bytes, to treat eight bytes of a URL at once. For a byte
// x below 0x80 and n up to 0x80, the high bit of (x|0x80)-n tells whether x >= n,
// and no byte borrows from the next.
const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// Plain reports whether b is an absolute URL that Clean returns as it is, with
// no problem. It says so of the common ones only: http or https in lower case, a
// host of letters, digits, dots and hyphens, a slash, then ASCII without spaces,
// percent signs, semicolons and closing brackets, at most 2,048 bytes in all. It
// allocates nothing.
func Plain(b []byte) bool {
	if len(b) < 16 || len(b) > sitemap.ProtocolLoc {
		return len(b) < 16 && plainShort(b)
	}
	start := schemeLen(binary.LittleEndian.Uint64(b))
	if start == 0 || !plainHost(b[start:]) {
		return false
	}
	return allUsual(b[8:], ';')
}

// schemeLen returns the length of the http:// or https:// that a URL's first
// eight bytes are, or 0.
func schemeLen(word uint64) int {
	const (
		http  = 'h' | 't'<<8 | 't'<<16 | 'p'<<24 | ':'<<32 | '/'<<40 | '/'<<48
		https = 'h' | 't'<<8 | 't'<<16 | 'p'<<24 | 's'<<32 | ':'<<40 | '/'<<48 | '/'<<56
	)
	switch {
	case word == https:
		return 8
	case word&(1<<56-1) == http:
		return 7
	}
	return 0
}

// usual returns a word of whose bytes the high bits are set if word is printable
// ASCII other than % ] and the byte that references has eight of, and nothing else.
// Where it holds other bytes, those beyond the first need not tell.
func usual(word, references uint64) uint64 {
	const not = 0x7f * ones // x^c + not carries into the high bit where x is not c
	good := word + (0x80-'!')*ones
	good &= (word ^ '%'*ones) + not
	good &= (word ^ references) + not
	good &= (word ^ ']'*ones) + not
	good &= (word ^ 0x7f*ones) + not
	return good &^ word & high
}

// plainHost reports whether b starts with a host of letters, digits, hyphens and
// dots, a letter or a digit first, and a slash.
func plainHost(b []byte) bool {
	if b[0] == '.' || b[0] == '-' {
		return false
	}
	for i := 0; i+8 <= len(b); i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		set, lower := word|high, word|high|0x20*ones
		letter := (lower - 'a'*ones) &^ (lower - ('z'+1)*ones)
		digit := (set - '-'*ones) &^ (set - ('9'+1)*ones) // and - . /
		allowed := (letter | digit) &^ word & high
		// The lowest high bit is exact, and none beyond it is looked at.
		diff := word ^ '/'*ones
		slash := (diff - ones) &^ diff & high
		if slash != 0 {
			before := slash&-slash - 1 // the bits of the bytes before the slash
			return allowed&before == high&before && (i > 0 || bits.TrailingZeros64(slash) > 7)
		}
		if allowed != high {
			return false
		}
	}
	return plainTail(b[len(b)&^7:])
}

// plainTail is plainHost for the last bytes of a URL, less than eight, that
// continue a host.
func plainTail(b []byte) bool {
	for _, c := range b {
		switch {
		case c == '/':
			return true
		case !('a' <= c|0x20 && c|0x20 <= 'z' || '-' <= c && c <= '9'):
			return false
		}
	}
	return false
}

// plainShort is Plain for URLs shorter than two words: slashes make up for what
// is missing.
func plainShort(b []byte) bool {
	if len(b) <= len("http://x") {
		return false
	}
	padded := [16]byte{'/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/'}
	copy(padded[:], b)
	return Plain(padded[:])
}

// Recent is Plain for the locations of one document, most of which have the same
// origin: it remembers that of the last one. The zero Recent is ready for use. It is
// not safe for concurrent use.
type Recent struct {
	origin [64]byte // with the slash behind it
	size   int
}

// knows reports whether b has that origin, and a length that needs no further look.
func (r *Recent) knows(b []byte) bool {
	n := r.size
	return n > 0 && len(b) >= n+8 && len(b) <= sitemap.ProtocolLoc && string(b[:n]) == string(r.origin[:n])
}

// Plain reports what the function Plain does.
func (r *Recent) Plain(b []byte) bool {
	if r.knows(b) {
		return allUsual(b[r.size:], ';')
	}
	if !Plain(b) {
		return false
	}
	if len(b) < 8 {
		return true
	}
	host := schemeLen(binary.LittleEndian.Uint64(b))
	if slash := bytes.IndexByte(b[host:], '/'); slash >= 0 && host+slash < len(r.origin) {
		r.size = copy(r.origin[:], b[:host+slash+1])
	}
	return true
}

// PlainXML is Plain for what stands in an XML document, of which references, if it
// had any, would be decoded first: a plain one has none, but may have semicolons.
func (r *Recent) PlainXML(b []byte) bool {
	if r.knows(b) {
		return allUsual(b[r.size:], '&')
	}
	return bytes.IndexByte(b, '&') < 0 && r.Plain(b)
}

// allUsual reports whether all bytes of b, eight or more, are usual, and none is the
// one by which references are told.
func allUsual(b []byte, reference byte) bool {
	references := uint64(reference) * ones
	ok := usual(binary.LittleEndian.Uint64(b[len(b)-8:]), references)
	for ; len(b) >= 8; b = b[8:] {
		ok &= usual(binary.LittleEndian.Uint64(b), references)
	}
	return ok == high
}
