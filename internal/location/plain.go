package location

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/swar"
)

// Plain reports whether b is an absolute URL that Clean returns as it is, with
// no problem. It says so of the common ones only: http or https in lower case, a
// host of letters, digits, dots and hyphens, with or without a port, a slash, then ASCII without spaces,
// semicolons, closing brackets and percent signs that start no escape, at most 2,048
// bytes in all. It allocates nothing.
func Plain(b []byte) bool {
	if len(b) < 16 || len(b) > sitemap.ProtocolLoc {
		return len(b) < 16 && plainShort(b)
	}
	start := schemeLen(binary.LittleEndian.Uint64(b))
	if start == 0 || !plainHost(b[start:]) && !plainPort(b[start:]) {
		return false
	}
	return usual.all(b[8:])
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

// A class is the bytes that are usual in a URL: printable ASCII, but for two. It is kept
// in variables, four of them, which a loop has in registers: the constants that they hold
// would be loaded anew for each word, which takes as long as what is done with them.
type class struct {
	low, full uint64 // 0x80 - '!' and 0x7f, in each byte
	c, d      uint64 // the two that are not of the class, in each byte
}

func usualBut(c, d byte) class {
	return class{low: (0x80 - '!') * swar.Ones, full: 0x7f * swar.Ones, c: uint64(c) * swar.Ones, d: uint64(d) * swar.Ones}
}

var (
	usual     = usualBut(';', ']')
	usualXML  = usualBut('&', ']') // of text whose references are not decoded yet
	usualLine = usualBut(';', '%')
)

// of tells which bytes of word are of the class, as package swar does: beyond the first
// that is not ASCII, it may be wrong.
func (u class) of(word uint64) uint64 {
	return (word + u.low) & u.differ(word, u.full) & u.differ(word, u.c) & u.differ(word, u.d) &^ word
}

// differ is swar.Differ.
func (u class) differ(word, c uint64) uint64 { return (word ^ c) + u.full }

// all reports whether all bytes of b, eight or more, are of the class, and percent signs
// start escapes.
func (u class) all(b []byte) bool {
	const percent = '%' * swar.Ones
	last := binary.LittleEndian.Uint64(b[len(b)-8:])
	ok, plain := u.of(last), u.differ(last, percent)
	for i := 0; i <= len(b)-8; i += 8 {
		word := binary.LittleEndian.Uint64(b[i : i+8])
		ok &= u.of(word)
		plain &= u.differ(word, percent)
	}
	return ok&swar.Highs == swar.Highs && (plain&swar.Highs == swar.Highs || !hasBadEscape(b))
}

// plainHost reports whether b starts with a host of letters, digits, hyphens and
// dots, a letter or a digit first, and a slash.
func plainHost(b []byte) bool {
	if b[0] == '.' || b[0] == '-' {
		return false
	}
	for i := 0; i+8 <= len(b); i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		lower := word | 0x20*swar.Ones
		letter := swar.AtLeast(lower, 'a') &^ swar.AtLeast(lower, 'z'+1)
		digit := swar.AtLeast(word, '-') &^ swar.AtLeast(word, '9'+1) // and - . /
		allowed := (letter | digit) &^ word & swar.Highs
		// The lowest high bit is exact, and none beyond it is looked at.
		slash := swar.Find(word, '/')
		if slash != 0 {
			before := slash&-slash - 1 // the bits of the bytes before the slash
			return allowed&before == swar.Highs&before && (i > 0 || bits.TrailingZeros64(slash) > 7)
		}
		if allowed != swar.Highs {
			return false
		}
	}
	return plainTail(b[len(b)&^7:])
}

// plainPort reports whether b starts with a host as plainHost has it, a port and a slash.
func plainPort(b []byte) bool {
	colon := bytes.IndexByte(b, ':')
	if colon <= 0 || b[0] == '.' || b[0] == '-' || b[0] == '/' {
		return false
	}
	for _, c := range b[:colon] {
		if classes[c|0x20]&inPlainHost == 0 || c == '/' {
			return false
		}
	}
	n := portLen(string(b[colon+1 : min(len(b), colon+7)]))
	return n > 0 && colon+1+n < len(b) && b[colon+1+n] == '/'
}

// portLen returns the length of the port that s starts with: a number from 1 to 65535 without
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

// Recent is Plain for the locations of one document, most of which have one of a few
// origins, such as the site's and that of its images: it remembers the last two. The
// zero Recent is ready for use. It is not safe for concurrent use.
type Recent struct {
	origins [2]origin
	last    int // which of them was met last
}

type origin struct {
	text [64]byte // with the slash behind it
	size int
}

// starts reports whether b has the origin, and a length that needs no further look.
func (o *origin) starts(b []byte) bool {
	n := o.size
	return n > 0 && len(b) >= n+8 && len(b) <= sitemap.ProtocolLoc && string(b[:n]) == string(o.text[:n])
}

// rest returns what follows the origin of b, if that is known; else nil.
func (r *Recent) rest(b []byte) []byte {
	if o := &r.origins[r.last]; o.starts(b) {
		return b[o.size:]
	}
	if o := &r.origins[1-r.last]; o.starts(b) {
		r.last = 1 - r.last
		return b[o.size:]
	}
	return nil
}

// Plain reports what the function Plain does.
func (r *Recent) Plain(b []byte) bool {
	if rest := r.rest(b); rest != nil {
		return usual.all(rest)
	}
	if !Plain(b) {
		return false
	}
	host := schemeLen(binary.LittleEndian.Uint64(b))
	o := &r.origins[1-r.last]
	if slash := bytes.IndexByte(b[host:], '/'); slash >= 0 && host+slash < len(o.text) {
		o.size = copy(o.text[:], b[:host+slash+1])
		r.last = 1 - r.last
	}
	return true
}

// PlainXML is Plain for what stands in an XML document, of which references, if it
// had any, would be decoded first: a plain one has none, but may have semicolons.
func (r *Recent) PlainXML(b []byte) bool {
	if rest := r.rest(b); rest != nil {
		return usualXML.all(rest)
	}
	return bytes.IndexByte(b, '&') < 0 && r.Plain(b)
}

// PlainLine returns the length of the URL that b starts with, if it is plain, of an
// origin met before, and a line's end follows: LF, or CR LF. Else it returns 0. It is as
// Plain, but allows closing brackets, and finds the URL's end on the way.
func (r *Recent) PlainLine(b []byte) int {
	o := &r.origins[r.last]
	if o.size == 0 || !bytes.HasPrefix(b, o.text[:o.size]) {
		return 0
	}
	u := usualLine
	for i := o.size; i <= len(b)-8; i += 8 {
		odd := ^u.of(binary.LittleEndian.Uint64(b[i:i+8])) & swar.Highs
		if odd == 0 {
			continue
		}
		i += bits.TrailingZeros64(odd) / 8
		switch {
		case i > sitemap.ProtocolLoc:
			return 0
		case b[i] == '\n', b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n':
			return i
		case b[i] == '%' && i+2 < len(b) && IsHex(b[i+1]) && IsHex(b[i+2]):
			i += 3 - 8
		default:
			return 0
		}
	}
	return 0
}
