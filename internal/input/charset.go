package input

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// A charsetChoice describes how to read a document as UTF-8.
type charsetChoice struct {
	name     string            // WHATWG name in lower case, or utf-32le, utf-32be
	encoding encoding.Encoding // nil for utf-8, which needs no decoder
	ascii    bool              // the label means ASCII, which the standard reads as windows-1252
	bom      int               // length of the byte order mark, to be skipped
	// a declared charset was refused, or none was declared and the bytes are not UTF-8
	fallback bool
	refused  string // the first label that was refused, as declared
	late     bool   // all bytes are ASCII; the first other ones decide
}

// wide reports whether the charset is UTF-16 or UTF-32.
func (c charsetChoice) wide() bool { return c.encoding != nil && strings.HasPrefix(c.name, "utf-") }

// legacy reports whether only non-ASCII bytes can show whether a document is in the charset or in
// UTF-8. ISO-2022-JP has no such bytes.
func (c charsetChoice) legacy() bool {
	return c.encoding != nil && !c.wide() && c.name != "iso-2022-jp"
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

// lookup finds the charset of a label, in any letter case: a label of the WHATWG Encoding standard,
// one of UTF-32, or a spelling of Java, Python or Windows, such as ISO8859_5, utf_8 and cp949. It
// does not find the charsets that the standard does not decode ("replacement").
func lookup(label string) (c charsetChoice, ok bool) {
	label = strings.ToLower(strings.TrimSpace(label))
	if page, ok := codePages[label]; ok {
		label = page
	}
	e, name := charset.Lookup(label)
	if e == nil {
		e, name = charset.Lookup(strings.ReplaceAll(label, "_", "-"))
	}
	switch {
	case strings.HasPrefix(label, "utf-32") || label == "utf32":
		if strings.HasSuffix(label, "be") {
			return utf32BEChoice, true
		}
		return utf32LEChoice, true
	case e == nil || name == "replacement":
		return charsetChoice{}, false
	case name == "utf-8":
		return utf8Choice, true
	}
	return charsetChoice{name: name, encoding: e, ascii: strings.Contains(label, "ascii")}, true
}

// codePages are the code pages of Windows with another name in the standard.
var codePages = map[string]string{
	"cp932": "shift_jis", "ms932": "shift_jis", "cp936": "gbk", "ms936": "gbk",
	"cp949": "euc-kr", "ms949": "euc-kr", "cp950": "big5", "ms950": "big5",
}

// sniffCharset chooses the charset of a document by its first bytes and its labels. In this order
// it considers
//
//   - a byte order mark;
//   - the NULs next to ASCII in UTF-16 and UTF-32 (XML 1.0, appendix F);
//   - the labels that it declares;
//   - UTF-8, if the bytes are valid UTF-8, or have more non-ASCII characters of it than invalid
//     bytes;
//   - windows-1252.
//
// A label that is unknown, or that the bytes contradict, is ignored. AtEOF reports whether prefix
// is the whole document. Then a sequence that is cut at its end is not UTF-8.
func sniffCharset(prefix []byte, atEOF bool, labels []string) charsetChoice {
	var e evidence
	if e.sure = byteOrderMark(prefix); e.sure.name == "" {
		e.sure = wideASCII(prefix)
	}
	if e.sure.name != "" {
		return e.choose(labels)
	}
	if onlyUTF8(labels) {
		return utf8Choice
	}
	e = newEvidence(prefix, atEOF)
	c := e.choose(labels)
	if e.ascii && !atEOF && c.name != "iso-2022-jp" {
		for _, label := range labels {
			named, _ := lookup(label)
			c.late = c.late || named.legacy()
		}
	}
	return c
}

// byteOrderMarks has UTF-32 before UTF-16, since their little-endian marks start alike.
var byteOrderMarks = []struct {
	mark   string
	choice charsetChoice
}{
	{"\xef\xbb\xbf", utf8Choice},
	{"\xff\xfe\x00\x00", utf32LEChoice},
	{"\x00\x00\xfe\xff", utf32BEChoice},
	{"\xff\xfe", utf16LEChoice},
	{"\xfe\xff", utf16BEChoice},
}

// byteOrderMark returns the charset of the byte order mark, without a name if there is no mark.
func byteOrderMark(prefix []byte) (c charsetChoice) {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(prefix, []byte(m.mark)) {
			c, c.bom = m.choice, len(m.mark)
			break
		}
	}
	return c
}

// wideASCII detects UTF-16 and UTF-32 without a mark. Documents start with markup or the scheme of
// a URL, both ASCII, so the other bytes of their units are NUL.
func wideASCII(prefix []byte) charsetChoice {
	for _, w := range []struct {
		unit, at int
		choice   charsetChoice
	}{
		{4, 0, utf32LEChoice}, {4, 3, utf32BEChoice}, {2, 0, utf16LEChoice}, {2, 1, utf16BEChoice},
	} {
		if isWide(prefix, w.unit, w.at) {
			return w.choice
		}
	}
	return charsetChoice{}
}

// isWide reports whether prefix starts with two units of the given size that hold a printable ASCII
// character each, at index at of the unit. Three in four of the next units must do so too.
func isWide(prefix []byte, unit, at int) bool {
	n := min(len(prefix)/unit, 8)
	narrow := 0
	for i := range n {
		c := prefix[i*unit+at]
		printable := c >= ' ' && c < 0x7f || c == '\t' || c == '\n' || c == '\r'
		if printable && bytes.Count(prefix[i*unit:(i+1)*unit], []byte{0}) == unit-1 {
			narrow++
		} else if i < 2 {
			return false
		}
	}
	return n >= 2 && 4*narrow >= 3*n
}

// evidence describes the bytes of a document with regard to their charset.
type evidence struct {
	sure  charsetChoice // the charset, if the bytes show it, or without a name
	ascii bool
	utf8  bool // valid UTF-8, except for a sequence cut at the end
	near  bool // UTF-8, with fewer invalid bytes than non-ASCII characters
	long  bool // has a byte that only starts characters of three or four bytes in UTF-8
}

func newEvidence(prefix []byte, atEOF bool) evidence {
	e := evidence{
		ascii: asciiLen(prefix) == len(prefix),
		long:  slices.ContainsFunc(prefix, func(c byte) bool { return c >= 0xe0 }),
	}
	if !atEOF {
		prefix = prefix[:completeRunes(prefix)]
	}
	e.utf8 = utf8.Valid(prefix)
	e.near = e.utf8 || isDamagedUTF8(prefix)
	return e
}

// isDamagedUTF8 reports whether b has more non-ASCII characters in UTF-8 than invalid bytes.
func isDamagedUTF8(b []byte) bool {
	sound, invalid := 0, 0
	for i, r := range string(b) {
		switch {
		case r == utf8.RuneError && !bytes.HasPrefix(b[i:], replacement):
			invalid++
		case r >= utf8.RuneSelf:
			sound++
		}
	}
	return sound > invalid
}

var replacement = []byte(string(utf8.RuneError))

// contradict reports whether the bytes cannot be in the charset. Non-ASCII text of single bytes is
// hardly ever valid UTF-8, and that of ISO-2022-JP never. Text of double bytes may be, as
// characters of two bytes each.
func (e evidence) contradict(c charsetChoice) bool {
	switch {
	case e.sure.name != "":
		return family(c.name) != family(e.sure.name)
	case c.wide():
		return true
	case c.ascii:
		return !e.ascii
	}
	return c.encoding != nil && e.utf8 && !e.ascii && (e.long || !doubleByte[c.name])
}

// doubleByte holds the legacy charsets in which a non-ASCII character has several bytes.
var doubleByte = map[string]bool{
	"gbk": true, "gb18030": true, "big5": true, "euc-jp": true, "shift_jis": true, "euc-kr": true,
}

// family returns the name of a charset without its byte order, which labels may omit.
func family(name string) string {
	if strings.HasPrefix(name, "utf-") {
		return strings.TrimRight(name, "bel")
	}
	return name
}

// choose returns the charset of the first label that is known and that the bytes do not contradict.
// A content type of UTF-8, which some servers add to every document, gives way to an XML
// declaration if only that can be right.
func (e evidence) choose(labels []string) (c charsetChoice) {
	var fallback bool
	var refused string
	for i, label := range labels {
		named, ok := lookup(label)
		if ok && !e.contradict(named) && (i == len(labels)-1 || !e.overrule(named, labels[i+1])) {
			c = named
			break
		}
		if !fallback {
			fallback, refused = true, label
		}
	}
	switch {
	case e.sure.name != "":
		c = e.sure
	case c.name != "":
	case e.near:
		c = utf8Choice
	default:
		c, fallback = latin1Choice, true
	}
	c.fallback, c.refused = fallback, refused
	return c
}

// overrule reports whether a label takes precedence over the charset c that is declared before it.
func (e evidence) overrule(c charsetChoice, label string) bool {
	x, _ := lookup(label)
	return c.name == "utf-8" && !e.utf8 && x.encoding != nil && !e.contradict(x)
}

// asciiLen returns the number of ASCII bytes at the start of b. It examines eight of them at once.
func asciiLen(b []byte) int {
	n := 0
	for n+8 <= len(b) && binary.LittleEndian.Uint64(b[n:])&chars.Highs == 0 {
		n += 8
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// completeRunes returns the length of b without a UTF-8 sequence that is cut by its end.
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
