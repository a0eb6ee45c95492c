package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
)

// A Kind is a kind of token.
type Kind uint8

// The kinds of tokens.
const (
	EOF         Kind = iota // no more tokens; Raw is what an unfinished one left
	StartTag                // Name, Attrs, Empty; Cut where its '>' is missing
	EndTag                  // Name; Cut where its '>' is missing
	Text                    // Raw is text with its references
	CDATA                   // Data is text without references
	Comment                 //
	Instruction             // the XML declaration too
	Declaration             // <!DOCTYPE …> and other declarations
)

// MaxDoctype is how long a DOCTYPE may be; a longer one is cut at its first '>'.
const MaxDoctype = 64 << 10

// A Scanner cuts a document into tokens. It is not safe for concurrent use.
type Scanner struct {
	in     *input.Reader
	report func(sitemap.Problem)

	// The token: valid until the next call of Next.
	Kind  Kind
	Raw   []byte // all of it
	Name  []byte // of a tag, with its prefix
	Attrs []byte // of a start tag, unread
	Data  []byte // of a CDATA section
	Empty bool   // the start tag ends with "/>"
	Cut   bool   // the tag's '>' is missing

	owner   []byte // name of the last start tag: the element a CDATA section stands in
	doctype bool   // a DOCTYPE was seen
	// Where the next "-->" and "]]>" stand.
	commentEnd, cdataEnd closer
}

// A closer remembers where the next end of a comment or CDATA section is, so that
// a document full of openers is not searched again for each of them.
type closer struct {
	at    int64 // offset of the end that was found last
	known int64 // no other one ends before this offset
	given int64 // up to this offset, nothing is looked for beyond the window
}

// wait reports whether the window should hold more of what was opened at offset,
// of which it holds n bytes.
func (c *closer) wait(offset int64, n int) bool {
	if n < maxLook && offset >= c.given {
		return true
	}
	c.given = max(c.given, offset+maxLook/2)
	return false
}

// find returns where the closer is in b, which stands at this offset, or -1.
func (c *closer) find(b []byte, offset int64, index func([]byte) int) int {
	if c.at >= offset && c.known > 0 && c.at < offset+int64(len(b)) {
		return int(c.at - offset)
	}
	from := int(min(max(0, c.known-offset), int64(len(b))))
	n := index(b[from:])
	if n < 0 {
		c.known = max(c.known, offset+int64(len(b))-2)
		return -1
	}
	c.at = offset + int64(from+n)
	c.known = c.at + 1
	return from + n
}

// maxLook is how far the end of a comment or CDATA section is looked for; half as
// far where one was looked for in vain just before.
const maxLook = input.MaxWindow / 2

// NewScanner returns a scanner of the rest of in. Report, which may be nil, is
// called with what is wrong inside tokens: control characters, bytes that are no
// UTF-8, ampersands that start no reference, tags without end.
func NewScanner(in *input.Reader, report func(sitemap.Problem)) *Scanner {
	return &Scanner{in: in, report: report}
}

// Next scans the next token.
func (s *Scanner) Next() Kind {
	s.Sync()
	for last := false; ; {
		b := s.in.Window()
		if n := s.scan(b, last); n > 0 {
			s.Raw = b[:n]
			s.check()
			return s.Kind
		}
		if last {
			s.Kind, s.Raw = EOF, b
			return EOF
		}
		last = !s.in.More()
	}
}

// Sync moves the input past the token, whose bytes are not valid any more.
func (s *Scanner) Sync() {
	s.in.Advance(len(s.Raw))
	s.Raw = nil
}

// scan scans the token that b starts with and returns its length; 0 if b does
// not hold all of it. With last set, more than b cannot be had.
func (s *Scanner) scan(b []byte, last bool) int {
	switch {
	case len(b) == 0:
		return 0
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

// stuck is for markup that b does not hold all of: it is left for when the
// window holds more. At the document's end nothing is made of it; if it is only
// that the window cannot grow, its '<' is text.
func (s *Scanner) stuck(b []byte, last bool) int {
	if !last || s.in.AtEnd() {
		return 0
	}
	s.mismatched(b)
	s.Kind = Text
	return 1
}

// scanText scans text from b[from]. It is cut at the window's size, before a
// reference or a character that the window's end cuts.
func (s *Scanner) scanText(b []byte, from int, last bool) int {
	s.Kind = Text
	if from > 0 {
		s.mismatched(b)
	}
	if n := bytes.IndexByte(b[from:], '<'); n >= 0 {
		return from + n
	}
	if last && s.in.AtEnd() {
		return len(b)
	}
	if !last && len(b) < input.WindowSize {
		return 0
	}
	end := len(b) - maxReference
	if amp := bytes.LastIndexByte(b[end:], '&'); amp >= 0 {
		return end + amp
	}
	for end = len(b) - 1; end > len(b)-4 && b[end] >= 0x80; end-- {
	}
	return end
}

// scanEnd scans an end tag. One whose '>' is missing ends before the next '<'.
func (s *Scanner) scanEnd(b []byte, last bool) int {
	n := NameLen(b[2:])
	end := 2 + n
	for end < len(b) && isSpace(b[end]) {
		end++
	}
	switch {
	case end == len(b):
		return s.stuck(b, last)
	case n == 0 || b[end] != '>' && b[end] != '<':
		return s.scanOddEnd(b, n, last)
	}
	s.Kind, s.Name, s.Cut = EndTag, b[2:2+n], b[end] == '<'
	s.owner = s.owner[:0]
	if s.Cut {
		s.mismatched(b)
		return end
	}
	return end + 1
}

// scanOddEnd scans "</" with something else behind the name than XML allows: up
// to the '>' it is an end tag all the same, without one it is text.
func (s *Scanner) scanOddEnd(b []byte, name int, last bool) int {
	end := bytes.IndexByte(b[2:], '<') + 2
	if end < 2 {
		end = len(b)
	}
	gt := bytes.IndexByte(b[2:end], '>')
	switch {
	case gt < 0 && end == len(b) && !(last && s.in.AtEnd()):
		return s.stuck(b, last)
	case gt < 0 || name == 0:
		return s.scanText(b, 1, last)
	}
	s.mismatched(b)
	s.Kind, s.Name, s.Cut = EndTag, b[2:2+name], false
	return 2 + gt + 1
}

// scanStart scans a start tag.
func (s *Scanner) scanStart(b []byte, last bool) int {
	n := NameLen(b[1:]) + 1
	if n == len(b) {
		return s.stuck(b, last)
	}
	end, complete := TagEnd(b, n)
	if end == len(b) {
		return s.stuck(b, last)
	}
	s.Kind, s.Name, s.Cut = StartTag, b[1:n], !complete
	s.Attrs, s.Empty = b[n:end], false
	s.owner = append(s.owner[:0], s.Name...)
	if !complete {
		s.mismatched(b)
		return end
	}
	if b[end-1] == '/' && end-1 >= n {
		s.Attrs, s.Empty = b[n:end-1], true
		s.owner = s.owner[:0]
	}
	return end + 1
}

// TagEnd finds the '>' that ends the start tag whose name ends at from, or the
// '<' that cuts it, or the end of b.
func TagEnd(b []byte, from int) (end int, complete bool) {
	if from < len(b) && b[from] == '>' {
		return from, true
	}
	region, _ := markup(b, from)
	gt := bytes.IndexByte(region, '>')
	if gt < 0 {
		return from + len(region), false
	}
	if attrs := region[:gt]; bytes.Count(attrs, doubleQuote)%2 == 0 && bytes.IndexByte(attrs, '\'') < 0 {
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

// opensValue reports whether a quote behind b opens an attribute's value.
func opensValue(b []byte) bool {
	b = bytes.TrimRight(b, " \t\r\n")
	return len(b) > 0 && b[len(b)-1] == '='
}

// scanInstruction scans a processing instruction.
func (s *Scanner) scanInstruction(b []byte, last bool) int {
	s.Kind = Instruction
	region, cut := markup(b, 2)
	if end := bytes.Index(region, []byte("?>")); end >= 0 {
		return 2 + end + 2
	}
	if !cut {
		return s.stuck(b, last)
	}
	s.mismatched(b)
	if gt := bytes.IndexByte(region, '>'); gt >= 0 {
		return 2 + gt + 1
	}
	return 2 + len(region)
}

// markup returns b from there up to the next '<', if there is one.
func markup(b []byte, from int) (region []byte, cut bool) {
	if lt := bytes.IndexByte(b[from:], '<'); lt >= 0 {
		return b[from : from+lt], true
	}
	return b[from:], false
}

// scanDeclaration scans what "<!" starts.
func (s *Scanner) scanDeclaration(b []byte, last bool) int {
	switch {
	case bytes.HasPrefix(b, commentStart):
		return s.scanComment(b, last)
	case bytes.HasPrefix(b, cdataStart):
		return s.scanCDATA(b, last)
	case len(b) < len(cdataStart) && (bytes.HasPrefix(commentStart, b) || bytes.HasPrefix(cdataStart, b)):
		return s.stuck(b, last)
	case len(b) < len(doctypeStart) && bytes.EqualFold(doctypeStart[:len(b)], b):
		return s.stuck(b, last)
	}
	s.Kind = Declaration
	if !s.doctype && len(b) >= len(doctypeStart) && bytes.EqualFold(b[:len(doctypeStart)], doctypeStart) {
		n := doctypeEnd(b)
		if n == 0 && len(b) < MaxDoctype && !last {
			return 0
		}
		s.doctype = true
		if n > 0 {
			return n
		}
	}
	end := bytes.IndexAny(b[1:], "<>") + 1
	if end < 1 {
		return s.stuck(b, last)
	}
	s.mismatched(b)
	if b[end] == '>' {
		end++
	}
	return end
}

var (
	commentStart = []byte("<!--")
	commentEnd   = []byte("-->")
	cdataStart   = []byte("<![CDATA[")
	cdataEnd     = []byte("]]>")
	doctypeStart = []byte("<!DOCTYPE")
)

// IsDoctype reports whether the token is a DOCTYPE.
func (s *Scanner) IsDoctype() bool {
	return s.Kind == Declaration && len(s.Raw) >= len(doctypeStart) && bytes.EqualFold(s.Raw[:len(doctypeStart)], doctypeStart)
}

// doctypeEnd returns the length of the DOCTYPE that b starts with, its internal
// subset with quotes and comments included, or 0.
func doctypeEnd(b []byte) int {
	b = b[:min(len(b), MaxDoctype)]
	subset := false
	for i := len(doctypeStart); i < len(b); i++ {
		skip := 0
		switch b[i] {
		case '"', '\'':
			skip = bytes.IndexByte(b[i+1:], b[i]) + 1
		case '[':
			subset = true
			continue
		case ']':
			subset = false
			continue
		case '>':
			if !subset {
				return i + 1
			}
			continue
		case '<':
			if !bytes.HasPrefix(b[i:], commentStart) {
				continue
			}
			if skip = bytes.Index(b[i:], commentEnd); skip >= 0 {
				skip += 2
			}
		default:
			continue
		}
		if skip <= 0 {
			return 0
		}
		i += skip
	}
	return 0
}

// scanComment scans a comment, or its "<!--" alone where nothing closes it.
func (s *Scanner) scanComment(b []byte, last bool) int {
	s.Kind = Comment
	body := b[len(commentStart):]
	end := s.commentEnd.find(body, s.in.Offset()+int64(len(commentStart)), indexCommentEnd)
	switch {
	case end >= 0 && !bytes.Contains(body[:end], commentStart):
		return len(commentStart) + end + len(commentEnd)
	case end < 0 && !last && s.commentEnd.wait(s.in.Offset(), len(b)):
		return 0
	}
	s.mismatched(b)
	return len(commentStart)
}

func indexCommentEnd(b []byte) int { return bytes.Index(b, commentEnd) }

// scanCDATA scans a CDATA section, which ends at the next '<' where nothing closes it.
func (s *Scanner) scanCDATA(b []byte, last bool) int {
	s.Kind = CDATA
	body := b[len(cdataStart):]
	end := s.cdataEnd.find(body, s.in.Offset()+int64(len(cdataStart)), indexCDATAEnd)
	if end >= 0 {
		s.Data = body[:end]
		if nextCDATA(s.Data) {
			if own := s.ownerEnd(s.Data); own >= 0 && nextCDATA(s.Data[own:]) {
				s.mismatched(b)
				s.Data = body[:own]
				return len(cdataStart) + own
			}
		}
		return len(cdataStart) + end + len(cdataEnd)
	}
	if !last && s.cdataEnd.wait(s.in.Offset(), len(b)) {
		return 0
	}
	s.mismatched(b)
	s.Data, _ = markup(body, 0)
	return len(cdataStart) + len(s.Data)
}

// indexCDATAEnd is bytes.Index of "]]>", three times as fast on prose with tags.
func indexCDATAEnd(b []byte) int {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], ']')
		if j < 0 {
			return -1
		}
		if i += j; bytes.HasPrefix(b[i:], cdataEnd) {
			return i
		}
	}
}

// nextCDATA reports whether "<![CDATA[" stands in b.
func nextCDATA(b []byte) bool {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], '[')
		if j < 0 {
			return false
		}
		if i += j; bytes.HasPrefix(b[max(0, i-2):], cdataStart) {
			return true
		}
	}
}

// ownerEnd finds the end tag of the element that the CDATA section stands in.
func (s *Scanner) ownerEnd(b []byte) int {
	if len(s.owner) == 0 {
		return -1
	}
	for i := 0; ; i++ {
		j := bytes.Index(b[i:], []byte("</"))
		if j < 0 {
			return -1
		}
		if i += j; bytes.HasPrefix(b[i+2:], s.owner) {
			if rest := b[i+2+len(s.owner):]; len(rest) > 0 && (rest[0] == '>' || isSpace(rest[0])) {
				return i
			}
		}
	}
}

func (s *Scanner) mismatched(b []byte) { s.problem(sitemap.MismatchedTag, 0, b) }

// problem reports what is wrong at the token's byte at.
func (s *Scanner) problem(code sitemap.Code, at int, text []byte) {
	if s.report != nil {
		s.report(sitemap.Problem{Code: code, Pos: s.in.Position(at), Text: Excerpt(text)})
	}
}

// Excerpt returns the start of b as a Problem's Text.
func Excerpt(b []byte) string { return string(b[:min(len(b), 256)]) }

// isNameStart reports whether c may start a name; of non-ASCII characters XML
// allows most.
func isNameStart(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

// NameLen returns the length of the name that b starts with.
func NameLen(b []byte) int {
	if len(b) == 0 || !isNameStart(b[0]) {
		return 0
	}
	for i, c := range b {
		if !isNameStart(c) && c != '-' && c != '.' && (c < '0' || c > '9') {
			return i
		}
	}
	return len(b)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
