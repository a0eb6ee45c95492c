package xmlscan

import (
	"bytes"
	"encoding/binary"
	"html"
	"strconv"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
)

// maxReference is the longest "&name;" that is looked for.
const maxReference = 64

// check reports what is wrong inside the token.
func (s *Scanner) check() {
	if s.report == nil {
		return
	}
	if !sound(s.Raw) {
		s.checkCharacters()
	}
	switch {
	case s.Kind == Text:
		if bytes.Contains(s.Raw, cdataEnd) {
			s.mismatched(s.Raw)
		}
		s.checkReferences(0, len(s.Raw))
	case s.Kind == Comment && len(s.Raw) > len(commentStart):
		// Two hyphens may not stand in a comment, nor a third one before its end.
		if body := s.Raw[4 : len(s.Raw)-2]; bytes.Contains(body, []byte("--")) {
			s.mismatched(s.Raw)
		}
	case s.Kind == StartTag && len(s.Attrs) > 0:
		s.checkReferences(1+len(s.Name), 1+len(s.Name)+len(s.Attrs))
		if !s.Cut && !soundAttrs(s.Attrs) {
			s.mismatched(s.Raw)
		}
	}
}

// checkCharacters reports what XML forbids in the token, once for each kind.
func (s *Scanner) checkCharacters() {
	if i := indexControl(s.Raw); i >= 0 {
		s.problem(sitemap.ControlChar, i, s.Raw[i:])
	}
	if !utf8.Valid(s.Raw) {
		s.problem(sitemap.InvalidUTF8, 0, s.Raw)
	}
	if i := indexNoncharacter(s.Raw); i >= 0 {
		s.problem(sitemap.ControlChar, i, s.Raw[i:])
	}
}

// noncharacter starts U+FFFE and U+FFFF, which XML forbids, in UTF-8.
var noncharacter = []byte("\xef\xbf")

// indexNoncharacter finds U+FFFE or U+FFFF, or returns -1.
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

// checkReferences reports references in the token's bytes from at to end that XML
// does not define, once for each kind.
func (s *Scanner) checkReferences(at, end int) {
	b := s.Raw[at:end]
	var seen [2]bool
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
		case kind == forbidden:
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

// reference decodes the reference that b starts with. Size is its length, 1 for
// a literal '&'. Names of HTML are decoded; other names are kept as they are.
func reference(b []byte) (text string, size int, kind refKind) {
	semicolon := bytes.IndexByte(b[:min(len(b), maxReference)], ';')
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
		if !('a' <= c|0x20 && c|0x20 <= 'z') && c != '_' && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '.') {
			return "&", 1, rawAmpersand
		}
	}
	if decoded := html.UnescapeString(string(b[:size])); decoded != string(b[:size]) {
		return decoded, size, undeclared
	}
	return "&", 1, undeclared
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
	case n < ' ' && n != '\t' && n != '\n' && n != '\r', n == 0xFFFE, n == 0xFFFF:
		return "", size, forbidden
	}
	return string(rune(n)), size, kind
}

// Predefined reports whether all ampersands in b start references that XML defines.
func Predefined(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return true
		}
		_, size, kind := reference(b[i:])
		if kind != predefined {
			return false
		}
		b = b[i+size:]
	}
}

// Decode appends b with its references decoded once.
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

// indexControl finds a control character that XML forbids, or returns -1. It
// looks at eight bytes at once for one below space that is no tab, LF or CR.
func indexControl(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		y := x &^ highs                        // no sum below carries into the next byte
		low := ^(x | (y + 0x60*every)) & highs // bytes below 0x20
		if low == 0 {
			continue
		}
		allowed := (y + 0x77*every) &^ (y + 0x75*every) // 9 and 10
		allowed |= (y + 0x73*every) &^ (y + 0x72*every) // 13
		if low&^allowed != 0 {
			break
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return i
		}
	}
	return -1
}
