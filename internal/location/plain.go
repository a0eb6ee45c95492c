package location

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// plainRest reports whether the rest of a URL after its origin is plain.
func plainRest(b []byte) bool {
	if !isVisible(b) || bytes.Contains(b, []byte("]]")) ||
		bytes.IndexByte(b, '%') >= 0 && hasBadEscape(b) {
		return false
	}
	for i := bytes.IndexByte(b, '&'); i >= 0; i = bytes.IndexByte(b, '&') {
		if b = b[i+1:]; startsReference(b) {
			return false
		}
	}
	return true
}

// prefixLen returns the length of the plain scheme, host and port at the start of a URL, with the
// slash after them, or 0.
func prefixLen(b []byte) int {
	start := len("https://")
	if !bytes.HasPrefix(b, []byte("https://")) {
		if start--; !bytes.HasPrefix(b, []byte("http://")) {
			return 0
		}
	}
	for i := start; i < len(b); i++ {
		switch c := b[i]; {
		case chars.IsLetter(c), chars.IsDigit(c), i > start && (c == '-' || c == '.'):
		case i == start:
			return 0
		case c == '/':
			return i + 1
		case c == ':':
			end := i + 1 + portLen(string(b[i+1:min(len(b), i+7)]))
			if end == i+1 || end == len(b) || b[end] != '/' {
				return 0
			}
			return end + 1
		default:
			return 0
		}
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

// Recent recognizes plain locations of one document. Most of them have one of a few origins, such
// as those of the site and its images, so Recent remembers the last two. The zero Recent is ready
// for use. It is not safe for concurrent use.
type Recent struct {
	prefixes [2]prefix
	last     int // index of the last one that matched
}

type prefix struct {
	text [64]byte // with the slash after it
	size int
}

// starts reports whether b has the prefix, and a length that needs no further check.
func (o *prefix) starts(b []byte) bool {
	n := o.size
	return n > 0 && len(b) >= n+8 && len(b) <= sitemap.ProtocolLoc &&
		string(b[:n]) == string(o.text[:n])
}

// rest returns the part of b after its origin if the origin is known, else nil.
func (r *Recent) rest(b []byte) []byte {
	if o := &r.prefixes[r.last]; o.starts(b) {
		return b[o.size:]
	}
	if o := &r.prefixes[1-r.last]; o.starts(b) {
		r.last = 1 - r.last
		return b[o.size:]
	}
	return nil
}

// Plain reports whether b is an absolute URL that Clean returns unchanged and without problems. It
// recognizes only common ones. They have http or https in lower case, a host of letters, digits,
// dots and hyphens, possibly a port, and a slash. The rest is visible, without two closing brackets
// in a row, percent signs that start no escape and what may be a reference to an ampersand. In all,
// they have at most 2,048 bytes. Plain allocates nothing.
func (r *Recent) Plain(b []byte) bool {
	rest := r.rest(b)
	if rest == nil {
		n := prefixLen(b)
		if n == 0 || len(b) > sitemap.ProtocolLoc {
			return false
		}
		if o := &r.prefixes[1-r.last]; n <= len(o.text) {
			o.size = copy(o.text[:], b[:n])
			r.last = 1 - r.last
		}
		if rest = b[n:]; len(rest) < 8 {
			return plainRest(rest)
		}
	}
	return usual.all(rest) || plainRest(rest)
}

// PlainXML is Plain for raw text of an XML document. A plain location in it has no references but
// may have semicolons. PlainXML is faster than Plain, and recognizes fewer.
func (r *Recent) PlainXML(b []byte) bool {
	if rest := r.rest(b); rest != nil {
		return usualXML.all(rest)
	}
	return bytes.IndexByte(b, '&') < 0 && r.Plain(b)
}

// PlainLine returns the length of the plain URL at the start of b, if its origin is known and LF or
// CR LF follows, and the length with that. Otherwise it returns 0. Unlike Plain, it accepts closing
// brackets, and semicolons that end no reference to an ampersand. It accepts no comma before what
// may be a date or another URL.
func (r *Recent) PlainLine(b []byte) (n, withEnd int) {
	for range r.prefixes {
		o := &r.prefixes[r.last]
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
		case c == '&' && !startsReference(b[i+1:]), c == ',' && !startsField(b[i+1:]),
			'!' <= c && c < '-' && c != '%' && c != '&' && c != ',':
			i++
		default:
			return 0, 0
		}
	}
	return 0, 0
}

// oddInLine finds the bytes of the first word of b that are outside the range from the hyphen to
// the tilde, as the functions for words of package chars do.
func oddInLine(b []byte) uint64 {
	word := binary.LittleEndian.Uint64(b)
	return (^(word + (0x80-'-')*chars.Ones) | (word + chars.Ones)) & chars.Highs
}

// startsField reports whether b, after a comma, may be a date or another URL.
func startsField(b []byte) bool {
	return len(b) < 5 || b[4] == '-' || bytes.EqualFold(b[:4], []byte("http"))
}

// startsReference reports whether b, after an ampersand, may be the rest of a reference to one.
func startsReference(b []byte) bool {
	return len(b) < 4 || b[0] == '#' || b[3] == ';' && bytes.EqualFold(b[:3], []byte("amp"))
}
