package xmlchar

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxName is the maximum length of a reference by name.
	maxName = 64
	// MaxReference is the maximum length of a reference: one by number may have leading zeros.
	MaxReference = 1 << 10
)

// A Kind says what a '&' starts.
type Kind uint8

// The kinds of references.
const (
	RawAmpersand Kind = iota // nothing: it is literal
	Predefined               // one of XML's five, or a character reference
	Undeclared               // a name that XML does not define
	Forbidden                // a character that XML forbids; dropped
)

// Reference decodes the reference at the start of b. Size is its length, 1 for a literal '&'. Names
// of HTML are decoded; other names are kept unchanged.
func Reference(b []byte) (text string, size int, kind Kind) {
	limit := maxName
	if len(b) > 1 && b[1] == '#' {
		limit = MaxReference
	}
	semicolon := bytes.IndexByte(b[:min(len(b), limit)], ';')
	if semicolon < 2 {
		return "&", 1, RawAmpersand
	}
	name := b[1:semicolon]
	size = semicolon + 1
	switch string(name) {
	case "amp":
		return "&", size, Predefined
	case "lt":
		return "<", size, Predefined
	case "gt":
		return ">", size, Predefined
	case "quot":
		return `"`, size, Predefined
	case "apos":
		return "'", size, Predefined
	}
	if name[0] == '#' {
		return characterReference(name[1:], size)
	}
	for i, c := range name {
		if !('a' <= c|0x20 && c|0x20 <= 'z') && c != '_' &&
			(i == 0 || (c < '0' || c > '9') && c != '-' && c != '.') {
			return "&", 1, RawAmpersand
		}
	}
	if text, ok := namedCharacter(string(b[:size])); ok {
		return text, size, Undeclared
	}
	return "&", 1, Undeclared
}

// namedCharacter returns the meaning of a reference by its name in HTML. Package html also decodes
// names that only start with one that HTML has without a semicolon, such as &notify;, and leaves
// the rest with the semicolon. These do not count.
func namedCharacter(ref string) (text string, ok bool) {
	text = html.UnescapeString(ref)
	return text, text != ref && (text == ";" || !strings.HasSuffix(text, ";"))
}

// characterReference decodes the digits of a character reference.
func characterReference(digits []byte, size int) (string, int, Kind) {
	base, kind := 10, Predefined
	if len(digits) > 0 && digits[0]|0x20 == 'x' {
		if digits[0] == 'X' {
			kind = Undeclared
		}
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	switch {
	case err != nil, n > utf8.MaxRune, 0xD800 <= n && n < 0xE000:
		return "&", 1, RawAmpersand
	case IsForbidden(rune(n)):
		return "", size, Forbidden
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
		text, size, _ := Reference(b[i:])
		dst = append(dst, text...)
		b = b[i+size:]
	}
}
