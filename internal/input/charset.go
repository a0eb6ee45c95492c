package input

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/seed-322c453a/sitemap/internal/swar"
)

// A charsetChoice says how to read a document as UTF-8.
type charsetChoice struct {
	name     string            // WHATWG name in lower case, or utf-32le, utf-32be
	encoding encoding.Encoding // nil for utf-8: the bytes stay as they are
	bom      int               // length of the byte order mark, to be skipped
	fallback bool              // a declared charset was refused, or none was declared and the bytes are not UTF-8
	label    string            // the label it was declared by, or ""
	refused  string            // the first label that was refused, as declared
	late     bool              // the bytes were all ASCII: the first others decide between encoding and UTF-8
	instead  *charsetChoice    // what it is then, if it is UTF-8 until they do, or nil
}

// sniffCharset chooses the charset of a document from its first bytes and the
// content type it came with. In this order:
//
//   - a byte order mark;
//   - the NULs beside ASCII that UTF-16 and UTF-32 have (XML 1.0, appendix F);
//   - the content type's charset parameter (RFC 7303, section 3.2);
//   - the encoding of the XML declaration;
//   - UTF-8, if the bytes are that;
//   - windows-1252.
//
// Labels are those of the WHATWG Encoding standard and UTF-32's. One that is
// unknown, or that the bytes contradict, is passed over. atEOF says that prefix is
// the whole document, so that a sequence cut at its end is no UTF-8.
func sniffCharset(prefix []byte, atEOF bool, contentType string) charsetChoice {
	labels := declaredLabels{http: contentTypeCharset(contentType)}
	if c, ok := byteOrderMark(prefix); ok {
		labels.xml, labels.declared = xmlEncoding(narrow(prefix[c.bom:]))
		return labels.check(c)
	}
	if c, ok := wideASCII(prefix); ok {
		labels.xml, labels.declared = xmlEncoding(narrow(prefix))
		return labels.check(c)
	}
	labels.xml, labels.declared = xmlEncoding(prefix)
	return labels.choose(newEvidence(prefix, atEOF))
}

// wide reports whether the charset is UTF-16 or UTF-32.
func (c charsetChoice) wide() bool {
	return c.name != "utf-8" && strings.HasPrefix(c.name, "utf-")
}

var (
	utf8Choice    = charsetChoice{name: "utf-8"}
	utf16LEChoice = charsetChoice{name: "utf-16le", encoding: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}
	utf16BEChoice = charsetChoice{name: "utf-16be", encoding: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}
	utf32LEChoice = charsetChoice{name: "utf-32le", encoding: utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}
	utf32BEChoice = charsetChoice{name: "utf-32be", encoding: utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)}
	latin1Choice  = charsetChoice{name: "windows-1252", encoding: charmap.Windows1252}
)

// byteOrderMarks has UTF-32 before UTF-16, whose little-endian mark starts the same.
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

func byteOrderMark(prefix []byte) (charsetChoice, bool) {
	for _, m := range byteOrderMarks {
		if len(prefix) >= len(m.mark) && string(prefix[:len(m.mark)]) == m.mark {
			c := m.choice
			c.bom = len(m.mark)
			return c, true
		}
	}
	return charsetChoice{}, false
}

// wideASCII tells UTF-16 and UTF-32 without a mark: documents start with markup or
// the scheme of a URL, both ASCII, so the other bytes of their units are NUL.
func wideASCII(prefix []byte) (charsetChoice, bool) {
	for _, w := range []struct {
		unit, at int
		choice   charsetChoice
	}{
		{4, 0, utf32LEChoice},
		{4, 3, utf32BEChoice},
		{2, 0, utf16LEChoice},
		{2, 1, utf16BEChoice},
	} {
		if isWide(prefix, w.unit, w.at) {
			return w.choice, true
		}
	}
	return charsetChoice{}, false
}

// isWide reports whether prefix starts with two units of the given size that hold a
// printable ASCII character each, at the given byte of the unit, and so do three in
// four of the next ones.
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

// narrow gives the start of UTF-16 or UTF-32 text as ASCII, as far as it is that,
// to look for an XML declaration; UTF-8 has no NUL to lose.
func narrow(b []byte) []byte {
	b = b[:min(len(b), 4*declarationWindow)]
	if bytes.IndexByte(b, 0) < 0 {
		return b
	}
	return bytes.ReplaceAll(b, []byte{0}, nil)
}

// evidence is what the bytes say of their charset.
type evidence struct {
	prefix []byte
	atEOF  bool
	high   int  // bytes that are not ASCII; accidental if there are more
	utf8   bool // valid UTF-8, but for a sequence cut at the end
}

func newEvidence(prefix []byte, atEOF bool) evidence {
	whole := prefix
	if !atEOF {
		whole = prefix[:completeRunes(prefix)]
	}
	e := evidence{prefix: prefix, atEOF: atEOF, utf8: utf8.Valid(whole)}
	for e.high < accidental {
		if prefix = prefix[asciiLen(prefix):]; len(prefix) == 0 {
			break
		}
		prefix = prefix[1:]
		e.high++
	}
	return e
}

// accidental is how many bytes outside ASCII may be valid UTF-8 by accident in a
// document of two-byte characters: GBK has words of two and three characters that
// are. Single-byte charsets have none worth the name.
const accidental = 8

// contradict reports whether the bytes cannot be in the charset.
func (e evidence) contradict(c charsetChoice) bool {
	switch {
	case c.name == "utf-8":
		return false
	case c.wide(): // markup and URLs in it have a NUL with each character
		return 8*bytes.Count(e.prefix, []byte{0}) < len(e.prefix)
	case !e.utf8 || e.high == 0:
		return false
	case multiByte[c.name]:
		return e.high >= accidental || !decodes(c.encoding, e.prefix, e.atEOF)
	}
	return true
}

// multiByte has the WHATWG charsets with characters of several bytes outside ASCII.
var multiByte = map[string]bool{
	"gbk": true, "gb18030": true, "big5": true, "euc-jp": true, "shift_jis": true, "euc-kr": true,
}

// decodes reports whether b, up to a character cut at its end, is in the charset.
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

// decoder returns src as UTF-8 without its byte order mark. What is invalid in the
// charset is no UTF-8 either. The choice must have an encoding, or be decided late.
func decoder(src io.Reader, choice charsetChoice) io.Reader {
	if choice.late {
		return &lateDecoder{buf: bufio.NewReaderSize(src, lateWindow), choice: choice}
	}
	src = &skipper{src, choice.bom}
	if choice.wide() {
		src = newAlignedReader(src, choice)
	}
	return transform.NewReader(src, newStrict(choice))
}

// lateWindow is how many bytes, from the first outside ASCII, a lateDecoder judges by.
const lateWindow = 8 << 10

// A lateDecoder passes ASCII through until the first other byte, and decides by
// what follows whether the document is in the declared charset or, after all, in
// UTF-8; or, where that is the charset of the content type, in another that is declared. A server that adds one charset to whatever it sends is not refuted before.
type lateDecoder struct {
	buf     *bufio.Reader
	choice  charsetChoice
	rest    io.Reader // once decided
	refuted bool
}

// Refuted reports whether the declared charset turned out to be wrong, which is to
// be reported as sitemap.EncodingFallback with its label, and which it is instead. It is not
// known before the first byte outside ASCII was read.
func (d *lateDecoder) Refuted() (label, name string, ok bool) {
	name = "utf-8"
	if d.choice.instead != nil {
		name = d.choice.instead.name
	}
	return d.choice.label, name, d.refuted
}

func (d *lateDecoder) Read(p []byte) (int, error) {
	if d.rest != nil {
		return d.rest.Read(p)
	}
	if _, err := d.buf.Peek(1); err != nil {
		return 0, err
	}
	head, _ := d.buf.Peek(min(d.buf.Buffered(), len(p)))
	n := asciiLen(head)
	if n == 0 && len(p) > 0 {
		d.decide()
		return d.rest.Read(p)
	}
	n = copy(p, head[:n])
	d.buf.Discard(n)
	return n, nil
}

// decide looks at the bytes behind the ASCII.
func (d *lateDecoder) decide() {
	head, err := d.buf.Peek(lateWindow)
	e, c := newEvidence(head, err == io.EOF), d.choice
	if c.instead != nil {
		c = *c.instead
		d.refuted = !e.utf8 && !e.contradict(c)
	} else {
		d.refuted = isASCII(c.label) || e.contradict(c)
	}
	if d.refuted == (d.choice.instead == nil) {
		d.rest = d.buf
		return
	}
	d.rest = transform.NewReader(d.buf, newStrict(c))
}

// A skipper leaves out the first bytes of a reader.
type skipper struct {
	src  io.Reader
	skip int
}

func (s *skipper) Read(p []byte) (int, error) {
	n, err := s.src.Read(p)
	if s.skip == 0 {
		return n, err
	}
	k := min(n, s.skip)
	s.skip -= k
	return copy(p, p[k:n]), err
}

// asciiLen returns how many bytes at the start of b are ASCII. It looks at 32 of them at
// once.
func asciiLen(b []byte) int {
	n := 0
	for ; n+32 <= len(b); n += 32 {
		p := b[n : n+32]
		x := binary.LittleEndian.Uint64(p) | binary.LittleEndian.Uint64(p[8:]) |
			binary.LittleEndian.Uint64(p[16:]) | binary.LittleEndian.Uint64(p[24:])
		if x&swar.Highs != 0 {
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
