package input

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap/internal/chars"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// A charsetChoice describes how to read a document as UTF-8.
type charsetChoice struct {
	name     string            // WHATWG name in lower case, or utf-32le, utf-32be
	encoding encoding.Encoding // nil for utf-8, which needs no decoder
	bom      int               // length of the byte order mark, to be skipped
	// a declared charset was refused, or none was declared and the bytes are not UTF-8
	fallback bool
	label    string // the label that declared it, or ""
	refused  string // the first label that was refused, as declared
	// all bytes are ASCII; the first other ones decide between encoding and UTF-8
	late    bool
	instead *charsetChoice // the encoding if late decides against UTF-8, or nil
}

// wide reports whether the charset is UTF-16 or UTF-32.
func (c charsetChoice) wide() bool {
	return c.name != "utf-8" && strings.HasPrefix(c.name, "utf-")
}

var (
	utf8Choice    = charsetChoice{name: "utf-8"}
	utf16LEChoice = charsetChoice{name: "utf-16le",
		encoding: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}
	utf16BEChoice = charsetChoice{name: "utf-16be",
		encoding: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}
	utf32LEChoice = charsetChoice{name: "utf-32le",
		encoding: utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}
	utf32BEChoice = charsetChoice{name: "utf-32be",
		encoding: utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)}
	latin1Choice = charsetChoice{name: "windows-1252", encoding: charmap.Windows1252}
)

// evidence describes the bytes of a document with regard to their charset.
type evidence struct {
	prefix []byte
	atEOF  bool
	high   int  // number of bytes that are not ASCII; accidental if there are more
	utf8   bool // valid UTF-8, except for a sequence cut at the end
}

// contradict reports whether the bytes cannot be in the charset.
func (e evidence) contradict(c charsetChoice) bool {
	switch {
	case c.name == "utf-8":
		return false
	case c.wide(): // each character of markup and URLs in it has a NUL
		return 8*bytes.Count(e.prefix, []byte{0}) < len(e.prefix)
	case !e.utf8 || e.high == 0:
		return false
	case multiByte[c.name]:
		return e.high >= accidental || !decodes(c.encoding, e.prefix, e.atEOF)
	}
	return true
}

// accidental is the number of non-ASCII bytes that may be valid UTF-8 by accident in a document
// with two-byte characters: some words of two and three characters in GBK are. In single-byte
// charsets this hardly happens.
const accidental = 8

// family returns the name of a charset without its byte order, which labels may omit.
func family(name string) string {
	if strings.HasPrefix(name, "utf-") {
		return strings.TrimRight(name, "bel")
	}
	return name
}

// multiByte holds the WHATWG charsets in which a non-ASCII character has several bytes.
var multiByte = map[string]bool{
	"gbk": true, "gb18030": true, "big5": true, "euc-jp": true, "shift_jis": true, "euc-kr": true,
}

// asciiLen returns the number of ASCII bytes at the start of b. It examines 32 of them at once.
func asciiLen(b []byte) int {
	n := 0
	for ; n+32 <= len(b); n += 32 {
		p := b[n : n+32]
		x := binary.LittleEndian.Uint64(p) | binary.LittleEndian.Uint64(p[8:]) |
			binary.LittleEndian.Uint64(p[16:]) | binary.LittleEndian.Uint64(p[24:])
		if x&chars.Highs != 0 {
			break
		}
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// decodes reports whether b is valid in the charset, except for a character cut at its end.
func decodes(e encoding.Encoding, b []byte, atEOF bool) bool {
	d := e.NewDecoder()
	var dst [1024]byte
	for {
		nDst, nSrc, err := d.Transform(dst[:], b, atEOF)
		if bytes.Contains(dst[:nDst], []byte(string(utf8.RuneError))) {
			return false
		}
		b = b[nSrc:]
		if err != transform.ErrShortDst {
			return true
		}
	}
}
