package location

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// Plain reports whether b is an absolute URL that Clean returns unchanged and without problems. It
// recognizes only common ones. They have http or https in lower case, a host of letters, digits,
// dots and hyphens, possibly a port, and a slash. The rest is ASCII without spaces, semicolons,
// closing brackets and percent signs that start no escape. In all, they have at most 2,048 bytes.
// Plain allocates nothing.
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

// schemeLen returns the length of the http:// or https:// in the first eight bytes of a URL, or 0.
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

// A class is the printable ASCII bytes except two. It is held in four variables, which a loop keeps
// in registers. Constants would be loaded again for each word, which takes as long as the work.
type class struct {
	low, full uint64 // 0x80 - '!' and 0x7f, in each byte
	c, d      uint64 // the two bytes that are not of the class, in each byte
}

func usualBut(c, d byte) class {
	return class{low: (0x80 - '!') * chars.Ones, full: 0x7f * chars.Ones,
		c: uint64(c) * chars.Ones, d: uint64(d) * chars.Ones}
}

var (
	usual    = usualBut(';', ']')
	usualXML = usualBut('&', ']') // for text whose references are not decoded yet
)

// of finds the bytes of word that are of the class, as the functions for words of package chars do.
// It may be wrong after the first byte that is not ASCII.
func (u class) of(word uint64) uint64 {
	return (word + u.low) & u.differ(word, u.full) &
		u.differ(word, u.c) & u.differ(word, u.d) &^ word
}

// differ is chars.Differ.
func (u class) differ(word, c uint64) uint64 { return (word ^ c) + u.full }

// all reports whether all bytes of b, eight or more, are of the class, and all percent signs start
// escapes.
func (u class) all(b []byte) bool {
	const percent = '%' * chars.Ones
	last := binary.LittleEndian.Uint64(b[len(b)-8:])
	ok, plain := u.of(last), u.differ(last, percent)
	for i := 0; i <= len(b)-8; i += 8 {
		word := binary.LittleEndian.Uint64(b[i : i+8])
		ok &= u.of(word)
		plain &= u.differ(word, percent)
	}
	return ok&chars.Highs == chars.Highs && (plain&chars.Highs == chars.Highs || !hasBadEscape(b))
}

// plainHost reports whether b starts with a host of letters, digits, hyphens and dots, which starts
// with a letter or a digit, and a slash.
func plainHost(b []byte) bool {
	if b[0] == '.' || b[0] == '-' {
		return false
	}
	for i := 0; i+8 <= len(b); i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		lower := word | 0x20*chars.Ones
		letter := chars.AtLeast(lower, 'a') &^ chars.AtLeast(lower, 'z'+1)
		digit := chars.AtLeast(word, '-') &^ chars.AtLeast(word, '9'+1) // and - . /
		allowed := (letter | digit) &^ word & chars.Highs
		// The lowest high bit is exact, and no higher one is used.
		slash := chars.Find(word, '/')
		if slash != 0 {
			before := slash&-slash - 1 // the bits of the bytes before the slash
			return allowed&before == chars.Highs&before &&
				(i > 0 || bits.TrailingZeros64(slash) > 7)
		}
		if allowed != chars.Highs {
			return false
		}
	}
	return plainTail(b[len(b)&^7:])
}

// plainPort reports whether b starts with a host as for plainHost, a port and a slash.
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

// plainTail is plainHost for the last bytes of a URL, fewer than eight, that continue a host.
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

// plainShort is Plain for URLs of less than two words. It pads them with slashes.
func plainShort(b []byte) bool {
	if len(b) <= len("http://x") {
		return false
	}
	padded := [16]byte{'/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/',
		'/'}
	copy(padded[:], b)
	return Plain(padded[:])
}

// Recent is Plain for the locations of one document. Most of them have one of a few origins, such
// as those of the site and its images, so Recent remembers the last two. The zero Recent is ready
// for use. It is not safe for concurrent use.
type Recent struct {
	origins [2]origin
	last    int // index of the last one that matched
}

type origin struct {
	text [64]byte // with the slash after it
	size int
}

// starts reports whether b has the origin, and a length that needs no further check.
func (o *origin) starts(b []byte) bool {
	n := o.size
	return n > 0 && len(b) >= n+8 && len(b) <= sitemap.ProtocolLoc &&
		string(b[:n]) == string(o.text[:n])
}

// rest returns the part of b after its origin if the origin is known, else nil.
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

// Plain reports the same as the function Plain.
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

// PlainXML is Plain for raw text of an XML document. A plain location in it has no references but
// may have semicolons.
func (r *Recent) PlainXML(b []byte) bool {
	if rest := r.rest(b); rest != nil {
		return usualXML.all(rest)
	}
	return bytes.IndexByte(b, '&') < 0 && r.Plain(b)
}

// PlainLine returns the length of the plain URL at the start of b, if its origin is known and LF or
// CR LF follows, and the length with that. Otherwise it returns 0. Unlike Plain, it accepts closing
// brackets, and semicolons that end no reference to an ampersand.
func (r *Recent) PlainLine(b []byte) (n, withEnd int) {
	for range r.origins {
		o := &r.origins[r.last]
		if o.size > 0 && bytes.HasPrefix(b, o.text[:o.size]) {
			return plainLine(b, o.size)
		}
		r.last = 1 - r.last
	}
	return 0, 0
}

// plainLine is PlainLine for b with an origin of i bytes.
func plainLine(b []byte, i int) (n, withEnd int) {
	for i <= len(b)-16 {
		words := b[i : i+16]
		odd, next := oddInLine(words), oddInLine(words[8:])
		if odd|next == 0 {
			i += 16
			continue
		}
		if odd == 0 {
			i, odd = i+8, next
		}
		i += bits.TrailingZeros64(odd) / 8
		switch c := b[i]; {
		case i > sitemap.ProtocolLoc:
			return 0, 0
		case c == '\n':
			return i, i + 1
		case c == '\r' && i+1 < len(b) && b[i+1] == '\n':
			return i, i + 2
		case c == '%' && chars.IsEscape(b, i):
			i += 3
		case c == '&' && !startsReference(b[i+1:]), '!' <= c && c < '%':
			i++
		default:
			return 0, 0
		}
	}
	return 0, 0
}

// oddInLine finds the bytes of the first word of b that are outside the range from the apostrophe
// to the tilde, as the functions for words of package chars do.
func oddInLine(b []byte) uint64 {
	word := binary.LittleEndian.Uint64(b)
	return (^(word + (0x80-'\'')*chars.Ones) | (word + chars.Ones)) & chars.Highs
}

// startsReference reports whether b, after an ampersand, may be the rest of a reference to one.
func startsReference(b []byte) bool {
	return len(b) < 4 || b[0] == '#' || b[3] == ';' && bytes.EqualFold(b[:3], []byte("amp"))
}
