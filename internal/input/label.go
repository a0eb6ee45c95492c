package input

import (
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// declaredLabels are the charset labels of a document.
type declaredLabels struct {
	http     string // of the content type, or ""
	xml      string // of the XML declaration
	declared bool   // the XML declaration has an encoding, possibly ""
}

// choose returns the choice for the first label that is known and that the bytes do not contradict.
func (l declaredLabels) choose(e evidence) charsetChoice {
	var fallback bool
	var refused string
	refuse := func(label string) {
		if !fallback {
			fallback, refused = true, label
		}
	}
	accept := func(label string) (charsetChoice, bool) {
		c, ok := lookup(label)
		if !ok || e.contradict(c) || e.high > 0 && isASCII(label) {
			refuse(label)
			return c, false
		}
		c.label, c.fallback, c.refused = label, fallback, refused
		c.late = e.high == 0 && !e.atEOF && c.decidedLate()
		return c, true
	}

	if l.http != "" {
		if c, ok := accept(l.http); ok && !l.overrule(c, e) {
			return l.mayOverrule(c, e)
		}
		refuse(l.http)
	}
	if l.declared {
		if c, ok := accept(l.xml); ok {
			return c
		}
	}
	c := utf8Choice
	if !e.utf8 {
		c = latin1Choice
		fallback = true
	}
	c.fallback, c.refused = fallback, refused
	return c
}

// mayOverrule records in c, the charset of the content type, that bytes after the first window may
// give precedence to the XML declaration.
func (l declaredLabels) mayOverrule(c charsetChoice, e evidence) charsetChoice {
	x, ok := lookup(l.xml)
	if c.name == "utf-8" && e.high == 0 && !e.atEOF && l.declared && ok && x.decidedLate() {
		c.late, c.instead = true, &x
	}
	return c
}

// decidedLate reports whether only non-ASCII bytes can show whether a document is in the charset or
// in UTF-8.
func (c charsetChoice) decidedLate() bool {
	return !c.wide() && c.encoding != nil && c.name != "iso-2022-jp"
}

// overrule reports whether the XML declaration takes precedence over a content type of UTF-8, which
// some servers add to every document. It does if the bytes are not UTF-8 and may be in the charset
// that the declaration names.
func (l declaredLabels) overrule(c charsetChoice, e evidence) bool {
	if c.name != "utf-8" || e.utf8 || !l.declared {
		return false
	}
	x, ok := lookup(l.xml)
	return ok && x.name != "utf-8" && !e.contradict(x)
}

// check records in c, which is certain from the bytes, the first label that names another charset.
func (l declaredLabels) check(c charsetChoice) charsetChoice {
	for _, d := range []struct {
		label    string
		declared bool
	}{{l.http, l.http != ""}, {l.xml, l.declared}} {
		if !d.declared || c.fallback {
			continue
		}
		if named, ok := lookup(d.label); !ok || !c.isNamed(named.name, d.label) {
			c.fallback, c.refused = true, d.label
		}
	}
	return c
}

// isNamed reports whether c is the charset with this name, for which the label stands.
func (c charsetChoice) isNamed(name, label string) bool {
	label = strings.ToLower(strings.TrimSpace(label))
	if strings.HasSuffix(label, "le") || strings.HasSuffix(label, "be") {
		return name == c.name
	}
	return family(name) == family(c.name)
}

// isASCII reports whether a label means ASCII. The WHATWG standard reads it as windows-1252.
func isASCII(label string) bool {
	switch strings.ReplaceAll(strings.ToLower(strings.TrimSpace(label)), "_", "-") {
	case "ascii", "us-ascii", "ansi-x3.4-1968":
		return true
	}
	return false
}

// lookup finds the charset of a label, in any letter case. It does not find the charsets that the
// WHATWG standard does not decode ("replacement").
func lookup(label string) (charsetChoice, bool) {
	label = strings.ToLower(strings.TrimSpace(label))
	switch label {
	case "utf-32", "utf32", "utf-32le", "utf32le", "ucs-4", "ucs-4le", "iso-10646-ucs-4":
		return utf32LEChoice, true
	case "utf-32be", "utf32be", "ucs-4be":
		return utf32BEChoice, true
	}
	e, name := charset.Lookup(label)
	if e == nil {
		e, name = lookupAlias(label)
	}
	switch {
	case e == nil || name == "replacement":
		return charsetChoice{}, false
	case name == "utf-8":
		return utf8Choice, true
	case name == "utf-16le":
		return utf16LEChoice, true
	case name == "utf-16be":
		return utf16BEChoice, true
	}
	return charsetChoice{name: name, encoding: e}, true
}

// lookupAlias finds the charset of a label outside the WHATWG standard: a name of IANA, if the
// charset contains ASCII unchanged, or a spelling of Java, Python or Windows, such as ISO8859_5,
// utf_8 and cp949.
func lookupAlias(label string) (e encoding.Encoding, name string) {
	if page, ok := codePages[label]; ok {
		return charset.Lookup(page)
	}
	if e, name := charset.Lookup(strings.ReplaceAll(label, "_", "-")); e != nil {
		return e, name
	}
	e, err := ianaindex.IANA.Encoding(label)
	if err != nil || e == nil {
		return nil, ""
	}
	if name, _ := ianaindex.MIME.Name(e); name == "US-ASCII" {
		return nil, "" // never happens
	}
	if text, err := e.NewDecoder().String(asciiSample); err != nil || text != asciiSample {
		return nil, ""
	}
	if name, err := htmlindex.Name(e); err == nil {
		return e, name
	}
	return e, label
}

// codePages are the code pages of Windows with another name in the standard.
var codePages = map[string]string{
	"cp932": "shift_jis", "ms932": "shift_jis", "cp936": "gbk", "ms936": "gbk",
	"cp949": "euc-kr", "ms949": "euc-kr", "cp950": "big5", "ms950": "big5",
}

const asciiSample = `<?xml version="1.0"?><url><loc>http://a.example/~b_c\d[e]{f}|g^h`

// declarationWindow is how much of a document is searched for its XML declaration. It is as much as
// the leading junk that is skipped.
const declarationWindow = 1 << 10

// xmlEncoding finds the encoding in the XML declaration of ASCII-compatible text. Any letter case,
// any spacing, any quotes or none are accepted.
func xmlEncoding(b []byte) (label string, ok bool) {
	m := declaration.FindSubmatch(b[:min(len(b), declarationWindow)])
	if m == nil {
		return "", false
	}
	return unquote(string(m[1])), true
}

// declaration matches an XML declaration up to the value of its encoding and the text after that.
// The attribute may follow the one before without a space.
var declaration = regexp.MustCompile(`(?i)<\?xml\s(?:[^>]*?[\s"'])?encoding\s*=([^>?]*)`)

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

const space = " \t\r\n\f"

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// unquote returns the quoted string or the word at the start of s. The end of s may cut the string.
func unquote(s string) string {
	s = strings.Trim(s, space)
	if s == "" {
		return ""
	}
	end := strings.IndexAny(s, space)
	if isQuote(s[0]) {
		end = strings.IndexByte(s[1:], s[0])
		s = s[1:]
	}
	if end >= 0 {
		s = s[:end]
	}
	return strings.Trim(s, space+`"'`)
}
