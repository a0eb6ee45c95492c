package xmlscan

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
)

const (
	// maxName is the maximum length of a reference by name.
	maxName = 64
	// maxReference is the maximum length of a reference: one by number may have leading zeros.
	maxReference = 1 << 10
)

// check reports the problems inside the token.
func (s *Scanner) check() {
	if !s.isSound(len(s.Raw)) {
		s.checkCharacters(0, len(s.Raw))
	}
	switch {
	case s.Kind == Text:
		s.checkText(0, len(s.Raw))
	case s.Kind == Comment && len(s.Raw) > len(commentStart):
		// A comment may not contain two hyphens in a row, nor a third one before its end.
		if body := s.Raw[4 : len(s.Raw)-2]; bytes.Contains(body, []byte("--")) {
			s.mismatched(s.Raw)
		}
	case s.Kind == StartTag && len(s.Raw) > len("<>")+len(s.Name):
		s.checkReferences(1+len(s.Name), len(s.Raw))
		if s.odd && !s.Cut {
			s.mismatched(s.Raw)
		}
	}
}

// isSound reports whether the first n bytes of the window, a token, are sound. It examines the
// window as far as possible at once.
func (s *Scanner) isSound(n int) bool {
	offset := s.in.Offset()
	if s.sound >= offset+int64(n) {
		return true
	}
	from := max(s.sound-offset, 0)
	s.sound = offset + from + int64(soundLen(s.in.Window()[from:]))
	return s.sound >= offset+int64(n)
}

// checkText reports the problems of text, the token's bytes from at to end, except its characters.
func (s *Scanner) checkText(at, end int) {
	if i := indexCDATAEnd(s.Raw[at:end]); i >= 0 {
		s.problem(sitemap.MismatchedTag, at+i, s.Raw[at+i:end])
	}
	s.checkReferences(at, end)
}

// checkCharacters reports characters in the token's bytes from at to end that XML forbids, once for
// each kind.
func (s *Scanner) checkCharacters(at, end int) {
	b := s.Raw[at:end]
	if i := indexControl(b); i >= 0 {
		s.problem(sitemap.ControlChar, at+i, b[i:])
	}
	if !utf8.Valid(b) {
		s.problem(sitemap.InvalidUTF8, at, b)
	}
	if i := indexNoncharacter(b); i >= 0 {
		s.problem(sitemap.ControlChar, at+i, b[i:])
	}
}

// noncharacter is the start of U+FFFE and U+FFFF, which XML forbids, in UTF-8.
var noncharacter = []byte("\xef\xbf")

// indexNoncharacter returns the index of U+FFFE or U+FFFF, or -1.
func indexNoncharacter(b []byte) int {
	for i := 0; ; i++ {
		j := bytes.Index(b[i:], noncharacter)
		if j < 0 {
			return -1
		}
		if i += j; i+2 < len(b) && b[i+2] >= 0xbe {
			return i
		}
	}
}

// checkReferences reports references in the token's bytes from at to end that XML does not define,
// once for each kind.
func (s *Scanner) checkReferences(at, end int) {
	b := s.Raw[at:end]
	var seen [3]bool
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], '&')
		if j < 0 {
			return
		}
		i += j
		_, _, kind := reference(b[i:])
		switch {
		case kind == rawAmpersand && !seen[0]:
			seen[0] = true
			s.problem(sitemap.RawAmpersand, at+i, b[i:])
		case kind == undeclared && !seen[1]:
			seen[1] = true
			s.problem(sitemap.UndeclaredEntity, at+i, b[i:])
		case kind == forbidden && !seen[2]:
			seen[2] = true
			s.problem(sitemap.ControlChar, at+i, b[i:])
		}
	}
}

// A refKind says what a '&' starts.
type refKind uint8

const (
	rawAmpersand refKind = iota // nothing: it is literal
	predefined                  // one of XML's five, or a character reference
	undeclared                  // a name that XML does not define
	forbidden                   // a character that XML forbids; dropped
)

// reference decodes the reference at the start of b. Size is its length, 1 for a literal '&'. Names
// of HTML are decoded; other names are kept unchanged.
func reference(b []byte) (text string, size int, kind refKind) {
	limit := maxName
	if len(b) > 1 && b[1] == '#' {
		limit = maxReference
	}
	semicolon := bytes.IndexByte(b[:min(len(b), limit)], ';')
	if semicolon < 2 {
		return "&", 1, rawAmpersand
	}
	name := b[1:semicolon]
	size = semicolon + 1
	switch string(name) {
	case "amp":
		return "&", size, predefined
	case "lt":
		return "<", size, predefined
	case "gt":
		return ">", size, predefined
	case "quot":
		return `"`, size, predefined
	case "apos":
		return "'", size, predefined
	}
	if name[0] == '#' {
		return characterReference(name[1:], size)
	}
	for i, c := range name {
		if !('a' <= c|0x20 && c|0x20 <= 'z') && c != '_' &&
			(i == 0 || (c < '0' || c > '9') && c != '-' && c != '.') {
			return "&", 1, rawAmpersand
		}
	}
	if text, ok := namedCharacter(string(b[:size])); ok {
		return text, size, undeclared
	}
	return "&", 1, undeclared
}

// namedCharacter returns the meaning of a reference by its name in HTML. Package html also decodes
// names that only start with one that HTML has without a semicolon, such as &notify;, and leaves
// the rest with the semicolon. These do not count.
func namedCharacter(ref string) (text string, ok bool) {
	text = html.UnescapeString(ref)
	return text, text != ref && (text == ";" || !strings.HasSuffix(text, ";"))
}

// characterReference decodes the digits of a character reference.
func characterReference(digits []byte, size int) (string, int, refKind) {
	base, kind := 10, predefined
	if len(digits) > 0 && digits[0]|0x20 == 'x' {
		if digits[0] == 'X' {
			kind = undeclared
		}
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	switch {
	case err != nil, n > utf8.MaxRune, 0xD800 <= n && n < 0xE000:
		return "&", 1, rawAmpersand
	case IsForbidden(rune(n)):
		return "", size, forbidden
	}
	return string(rune(n)), size, kind
}

// Decode appends b to dst with its references decoded once.
func Decode(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		text, size, _ := reference(b[i:])
		dst = append(dst, text...)
		b = b[i+size:]
	}
}

// HasForbidden reports whether b contains a character that XML forbids (XML 1.0, section 2.2).
func HasForbidden(b []byte) bool { return indexControl(b) >= 0 || indexNoncharacter(b) >= 0 }

// IsForbidden reports whether XML forbids a character.
func IsForbidden(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

// indexControl returns the index of a control character that XML forbids, or -1.
func indexControl(b []byte) int {
	return slices.IndexFunc(b, func(c byte) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r'
	})
}
