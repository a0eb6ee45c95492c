package input

import (
	"bytes"
	"slices"
	"strings"
)

// declaredLabels returns the charset labels of a document, in order of precedence: the charset
// parameter of the content type (RFC 7303, section 3.2), and the encoding of the XML declaration in
// the first bytes of the document.
func declaredLabels(prefix []byte, contentType string) (labels []string) {
	if label := contentTypeCharset(contentType); label != "" {
		labels = append(labels, label)
	}
	if label, ok := xmlEncoding(narrow(prefix)); ok {
		labels = append(labels, label)
	}
	return labels
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

// onlyUTF8 reports whether the document declares UTF-8 and nothing else.
func onlyUTF8(labels []string) bool {
	return len(labels) > 0 &&
		!slices.ContainsFunc(labels, func(s string) bool { return !strings.EqualFold(s, "utf-8") })
}

// declarationWindow is how much of a document is searched for its XML declaration. It is as much as
// the leading junk that is skipped.
const declarationWindow = 1 << 10

// xmlEncoding finds the encoding in the XML declaration of ASCII-compatible text. It accepts any
// letter case, any spacing, any quotes or none. The attribute may follow the one before without a
// space.
func xmlEncoding(b []byte) (label string, ok bool) {
	b = b[:min(len(b), declarationWindow)]
	start := indexFold(b, "<?xml")
	if start < 0 {
		return "", false
	}
	b, _, _ = bytes.Cut(b[start+len("<?xml"):], []byte(">"))
	at := indexFold(b, "encoding")
	if at < 1 || !strings.ContainsRune(space+quotes, rune(b[at-1])) ||
		!strings.ContainsRune(space, rune(b[0])) {
		return "", false
	}
	value, ok := strings.CutPrefix(strings.TrimLeft(string(b[at+len("encoding"):]), space), "=")
	return unquote(strings.TrimSuffix(value, "?")), ok
}

// indexFold returns the index of the ASCII text s in b in any letter case, or -1.
func indexFold(b []byte, s string) int {
	for i := 0; i+len(s) <= len(b); i++ {
		if b[i]|0x20 == s[0]|0x20 && strings.EqualFold(string(b[i:i+len(s)]), s) {
			return i
		}
	}
	return -1
}

// contentTypeCharset finds the charset parameter of a content type. Unlike mime.ParseMediaType, it
// finds it next to a malformed parameter too.
func contentTypeCharset(contentType string) string {
	_, params, _ := strings.Cut(contentType, ";")
	for param := range strings.FieldsFuncSeq(params, func(r rune) bool {
		return r == ';' || r == ','
	}) {
		name, value, ok := strings.Cut(param, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "charset") {
			return unquote(value)
		}
	}
	return ""
}

const (
	space  = " \t\r\n\f"
	quotes = `"'`
)

// unquote returns the quoted string or the word at the start of s. The end of s may cut the string.
func unquote(s string) string {
	s = strings.Trim(s, space)
	end := strings.IndexAny(s, space)
	if s != "" && strings.ContainsRune(quotes, rune(s[0])) {
		end = strings.IndexByte(s[1:], s[0])
		s = s[1:]
	}
	if end >= 0 {
		s = s[:end]
	}
	return strings.Trim(s, space+quotes)
}
