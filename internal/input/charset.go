package input

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// sniffCharset chooses the charset of a document by its first bytes and its content type. In this
// order it considers
//
//   - a byte order mark;
//   - the NULs next to ASCII in UTF-16 and UTF-32 (XML 1.0, appendix F);
//   - the charset parameter of the content type (RFC 7303, section 3.2);
//   - the encoding of the XML declaration;
//   - UTF-8, if the bytes are valid UTF-8;
//   - windows-1252.
//
// Labels are those of the WHATWG Encoding standard and of UTF-32. A label that is unknown, or that
// the bytes contradict, is ignored. AtEOF reports whether prefix is the whole document. Then a
// sequence that is cut at its end is not UTF-8.
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

// wideASCII detects UTF-16 and UTF-32 without a mark. Documents start with markup or the scheme of
// a URL, both ASCII, so the other bytes of their units are NUL.
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

// narrow returns the start of UTF-16 or UTF-32 text as ASCII, as far as it is ASCII, to search it
// for an XML declaration. UTF-8 contains no NUL, so narrow leaves it unchanged.
func narrow(b []byte) []byte {
	b = b[:min(len(b), 4*declarationWindow)]
	if bytes.IndexByte(b, 0) < 0 {
		return b
	}
	return bytes.ReplaceAll(b, []byte{0}, nil)
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

// decoder returns src as UTF-8 without its byte order mark. Bytes that are invalid in the charset
// become invalid UTF-8. The choice must have an encoding, or be decided late.
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

// lateWindow is the number of bytes, from the first non-ASCII one, by which a lateDecoder decides.
const lateWindow = 8 << 10

// A lateDecoder passes ASCII through up to the first other byte. The bytes after that decide
// whether the document is in the declared charset, in UTF-8, or, if the content type declared the
// charset, in that of the XML declaration. Before them, the charset that a server adds to every
// document cannot be refuted.
type lateDecoder struct {
	buf     *bufio.Reader
	choice  charsetChoice
	rest    io.Reader // set once decided
	refuted bool
}

// Refuted reports whether the declared charset turned out to be wrong. It returns the declared
// label, for a [sitemap.EncodingFallback], and the actual charset. They are known after the first
// non-ASCII byte was read.
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

// decide examines the bytes after the ASCII.
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

// A skipper skips the first bytes of a reader.
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

// newStrict returns the strict decoder of a charset.
func newStrict(c charsetChoice) transform.Transformer {
	d := c.encoding.NewDecoder().Transformer
	if c.name == "iso-2022-jp" {
		return &jisDecoder{Transformer: d}
	}
	genuine, err := c.encoding.NewEncoder().Bytes(replacement)
	if err != nil {
		genuine = nil
	}
	return &strict{d, c.wide(), genuine}
}
