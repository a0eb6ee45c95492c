package xmlscan

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

// A Kind is a kind of token.
type Kind uint8

// The kinds of tokens.
const (
	EOF         Kind = iota // no more tokens; Raw is the rest of an unfinished one
	StartTag                // Name, Attrs, Empty; Cut if its '>' is missing
	EndTag                  // Name; Cut if its '>' is missing
	Text                    // Raw is text with its references
	CDATA                   // Data is text without references
	Comment                 //
	Instruction             // the XML declaration too
	Declaration             // <!DOCTYPE …> and other declarations
)

// A Token is a part of a document, at the start of the window. Its parts are valid until the next
// one. Most are held as places rather than slices: storing a pointer takes time while the garbage
// collector runs.
type Token struct {
	Kind     Kind
	Data     []byte // of a CDATA section
	Empty    bool   // the start tag ends with "/>"
	Cut      bool   // the tag's '>' is missing
	size     int
	nameAt   span      // of a tag, with its prefix
	colon    int       // index of the first colon in the name of a start tag, or -1
	has      nameClass // in the name of a start tag
	attrs    []attr    // of a start tag
	odd      bool      // the start tag is not well-formed
	prefixed bool      // an attribute has a prefix
}

// A span is a part of a token.
type span struct{ start, end int }

// A Scanner splits a document into tokens. It is not safe for concurrent use.
type Scanner struct {
	Token
	in     *input.Reader
	report func(sitemap.Problem)

	owner   []byte // the name of the last start tag, whose element contains a CDATA section
	until   []byte // what ends the comment, section or instruction of which a part was scanned
	doctype bool   // a DOCTYPE was seen
	sound   int64  // up to this offset, no byte needs a report
	looked  int64  // bytes that were searched to find out what is closed
	// The places of the next "-->" and "]]>".
	commentEnd, cdataEnd closer
}

// NewScanner returns a scanner of the rest of in. Report, which may be nil, is called with the
// problems inside tokens: control characters, bytes that are not UTF-8, ampersands that start no
// reference, tags without end.
func NewScanner(in *input.Reader, report func(sitemap.Problem)) *Scanner {
	return &Scanner{in: in, report: report}
}

// Next scans the next token.
func (s *Scanner) Next() Kind {
	s.Sync()
	for last := false; ; {
		b := s.in.Window()
		if n := s.scan(b, last); n > 0 {
			s.size = n
			if s.report != nil {
				s.check()
			}
			return s.Kind
		}
		if last {
			s.Kind, s.size = EOF, len(b)
			return EOF
		}
		last = !s.in.More()
	}
}

// Raw returns all bytes of the token.
func (s *Scanner) Raw() []byte { return s.in.Window()[:s.size] }

// Name returns the name of the tag, with its prefix.
func (s *Scanner) Name() []byte { return s.in.Window()[s.nameAt.start:s.nameAt.end] }

// Sync advances the input past the token, which is empty then.
func (s *Scanner) Sync() {
	s.in.Advance(s.size)
	s.size = 0
}

// scan scans the token at the start of b and returns its length. It returns 0 if b does not hold
// all of it. Last reports whether there are no more bytes than b.
func (s *Scanner) scan(b []byte, last bool) int {
	switch {
	case len(b) == 0:
		return 0
	case s.until != nil:
		return s.scanPart(b, 0, last)
	case b[0] != '<':
		return s.scanText(b, 0, last)
	case len(b) == 1:
	case b[1] == '/':
		return s.scanEnd(b, last)
	case b[1] == '!':
		return s.scanDeclaration(b, last)
	case b[1] == '?':
		return s.scanInstruction(b, last)
	case isNameStart(b[1]):
		return s.scanStart(b, last)
	default:
		return s.scanText(b, 1, last)
	}
	return s.stuck(b, last)
}

// stuck is called for markup of which b does not hold all. The markup is scanned again when the
// window holds more. At the end of the document it is no token. If only the window cannot grow, its
// '<' is text.
func (s *Scanner) stuck(b []byte, last bool) int {
	if !last || s.in.AtEnd() {
		return 0
	}
	s.mismatched(b)
	s.Kind = Text
	return 1
}

// scanText scans text. If b starts with a '<' that is text, the rest of the text starts at b[from].
func (s *Scanner) scanText(b []byte, from int, last bool) int {
	s.Kind = Text
	n := s.textLen(b, from, last)
	if from > 0 && n > 0 {
		s.mismatched(b[:n])
	}
	return n
}

// textLen returns the length of text of which the rest starts at b[from], or 0 if b does not hold
// all of it. Text longer than the initial window is cut before a reference, a "]]>" or a character
// that would be cut in two, whatever the size of the window.
func (s *Scanner) textLen(b []byte, from int, last bool) int {
	whole := len(b) <= input.WindowSize
	if !whole {
		b = b[:input.WindowSize]
	}
	if n := bytes.IndexByte(b[from:], '<'); n >= 0 {
		return from + n
	}
	if whole && last && s.in.AtEnd() {
		return len(b)
	}
	if !last && len(b) < input.WindowSize {
		return 0
	}
	end := len(b) - xmlchar.MaxReference
	if amp := bytes.LastIndexByte(b[end:], '&'); amp >= 0 {
		return end + amp
	}
	return cutLen(b)
}

// cutLen returns the length of b without what its end may cut in two: a character, or the end of a
// section, a comment or an instruction.
func cutLen(b []byte) int {
	end := len(b) - 1
	for end > len(b)-4 && (strings.IndexByte("]-?>", b[end]) >= 0 || !utf8.RuneStart(b[end])) {
		end--
	}
	return end
}

// scanEnd scans an end tag. If its '>' is missing, it ends before the next '<'.
func (s *Scanner) scanEnd(b []byte, last bool) int {
	n := NameLen(b[2:])
	end := 2 + n
	for end < len(b) && IsSpace(b[end]) {
		end++
	}
	switch {
	case end == len(b):
		return s.stuck(b, last)
	case n == 0 || b[end] != '>' && b[end] != '<':
		return s.scanOddEnd(b, n, last)
	}
	s.Kind, s.nameAt, s.Cut = EndTag, span{2, 2 + n}, b[end] == '<'
	s.owner = s.owner[:0]
	if s.Cut {
		s.mismatched(b[:end])
		return end
	}
	return end + 1
}

// scanOddEnd scans "</" with something around the name that XML forbids. With a '>' it is an end
// tag all the same, without one it is text.
func (s *Scanner) scanOddEnd(b []byte, name int, last bool) int {
	end := bytes.IndexByte(b[2:], '<') + 2
	if end < 2 {
		end = len(b)
	}
	gt := bytes.IndexByte(b[2:end], '>')
	start := 2
	for name == 0 && start < end && IsSpace(b[start]) { // white space before the name
		start++
	}
	name = NameLen(b[start:end])
	switch {
	case gt < 0 && end == len(b) && !(last && s.in.AtEnd()):
		return s.stuck(b, last)
	case gt < 0 || name == 0:
		return s.scanText(b, 1, last)
	}
	end = 2 + gt + 1
	s.mismatched(b[:end])
	s.Kind, s.nameAt, s.Cut = EndTag, span{start, start + name}, false
	return end
}

// scanStart scans a start tag. A tag longer than the window is cut.
func (s *Scanner) scanStart(b []byte, last bool) int {
	n, colon, has := scanName(b[1:])
	n++
	if n == len(b) {
		return s.stuck(b, last)
	}
	s.has, s.colon = has, colon
	s.attrs, s.prefixed, s.Empty = s.attrs[:0], false, false
	end, complete := n, b[n] == '>'
	if !complete {
		end, complete = s.scanAttrs(b, n)
	}
	if s.odd = !complete; s.odd {
		if end, complete = tagEnd(b, n); end == len(b) && (!last || s.in.AtEnd()) {
			return 0
		}
		s.Empty = complete && end > n && b[end-1] == '/'
		s.readAttrs(b[:end], n)
	}
	s.Kind, s.nameAt, s.Cut = StartTag, span{1, n}, !complete
	s.owner = append(s.owner[:0], b[1:n]...)
	if !complete {
		s.mismatched(b[:end])
		return end
	}
	if s.Empty {
		s.owner = s.owner[:0]
	}
	return end + 1
}

// tagEnd returns the offset of the '>' that ends the start tag whose name ends at from, of the '<'
// that cuts it, or of the end of b.
func tagEnd(b []byte, from int) (end int, complete bool) {
	region, _ := markup(b, from)
	gt := bytes.IndexByte(region, '>')
	if gt < 0 {
		return from + len(region), false
	}
	if attrs := region[:gt]; bytes.Count(attrs, doubleQuote)%2 == 0 &&
		bytes.IndexByte(attrs, '\'') < 0 {
		return from + gt, true
	}
	for i := 0; i < len(region); i++ {
		switch c := region[i]; c {
		case '>':
			return from + i, true
		case '"', '\'':
			if !opensValue(region[:i]) {
				continue
			}
			if closing := bytes.IndexByte(region[i+1:], c); closing >= 0 {
				i += 1 + closing
			} else if from+len(region) == len(b) {
				return len(b), false
			}
		}
	}
	return from + len(region), false
}

var doubleQuote = []byte{'"'}

// opensValue reports whether a quote after b starts an attribute's value.
func opensValue(b []byte) bool {
	b = bytes.TrimRight(b, " \t\r\n")
	return len(b) > 0 && b[len(b)-1] == '='
}

// mismatched reports malformed markup. The excerpt of b must not depend on how much of the document
// the window holds.
func (s *Scanner) mismatched(b []byte) { s.problem(sitemap.MismatchedTag, 0, b) }

// problem reports a problem at the window's byte at, which is the token's.
func (s *Scanner) problem(code sitemap.Code, at int, text []byte) {
	if s.report != nil {
		s.report(sitemap.Problem{Code: code, Pos: s.in.Position(at),
			Text: string(chars.Excerpt(text))})
	}
}

// isNameStart reports whether c may start a name. XML allows most non-ASCII characters.
func isNameStart(c byte) bool {
	return chars.IsLetter(c) || c == '_' || c == ':' || c >= 0x80
}

// NameLen returns the length of the name at the start of b.
func NameLen(b []byte) int {
	n, _, _ := scanName(b)
	return n
}

// scanName returns the length of the name at the start of b, the index of its first colon or -1,
// and the classes of its bytes.
func scanName(b []byte) (n, colon int, has nameClass) {
	colon = -1
	if len(b) == 0 || !isNameStart(b[0]) {
		return 0, colon, 0
	}
	for i, c := range b {
		class := nameClasses[c]
		if class == 0 {
			return i, colon, has
		}
		if class&isColon != 0 && colon < 0 {
			colon = i
		}
		has |= class
	}
	return len(b), colon, has
}

// A nameClass is a set of classes of the bytes of names.
type nameClass uint8

const (
	inName nameClass = 1 << iota
	isColon
	isUpper
	isOther // not ASCII
)

var nameClasses = func() (classes [256]nameClass) {
	for c := range classes {
		if isNameStart(byte(c)) || c == '-' || c == '.' || '0' <= c && c <= '9' {
			classes[c] = inName
		}
		if 'A' <= c && c <= 'Z' {
			classes[c] |= isUpper
		}
	}
	for c := 0x80; c < len(classes); c++ {
		classes[c] |= isOther
	}
	classes[':'] |= isColon
	return classes
}()

// IsSpace reports whether c is white space of XML.
func IsSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// SkipSpace returns the index of the first byte of b, from i on, that is not white space. There has
// to be one, such as the padding of the window.
func SkipSpace(b []byte, i int) int {
	for IsSpace(b[i]) {
		i++
	}
	return i
}

// TrimSpace removes leading and trailing white space of XML.
func TrimSpace(b []byte) []byte {
	b = b[spaceLen(b):]
	for len(b) > 0 && IsSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// spaceLen returns the length of the white space at the start of b.
func spaceLen(b []byte) int {
	for i, c := range b {
		if c > ' ' || !IsSpace(c) {
			return i
		}
	}
	return len(b)
}
