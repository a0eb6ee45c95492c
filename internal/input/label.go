package input

import (
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// declaredLabels are the charset labels that came with a document.
type declaredLabels struct {
	http     string // of the content type, or ""
	xml      string // of the XML declaration
	declared bool   // there is an encoding in the XML declaration, though maybe ""
}

// choose takes the first label that is known and that the bytes do not contradict.
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

// mayOverrule notes in c, which the content type names, that bytes behind the first window
// may tell that the XML declaration overrules it.
func (l declaredLabels) mayOverrule(c charsetChoice, e evidence) charsetChoice {
	x, ok := lookup(l.xml)
	if c.name == "utf-8" && e.high == 0 && !e.atEOF && l.declared && ok && x.decidedLate() {
		c.late, c.instead = true, &x
	}
	return c
}

// decidedLate reports whether bytes outside ASCII, and only these, can tell whether a document
// is in the charset or in UTF-8.
func (c charsetChoice) decidedLate() bool {
	return !c.wide() && c.encoding != nil && c.name != "iso-2022-jp"
}

// overrule reports whether the XML declaration knows better than a content type of
// UTF-8, which servers add to whatever they send: the bytes are not UTF-8, and the
// declaration names a charset that they can be.
func (l declaredLabels) overrule(c charsetChoice, e evidence) bool {
	if c.name != "utf-8" || e.utf8 || !l.declared {
		return false
	}
	x, ok := lookup(l.xml)
	return ok && x.name != "utf-8" && !e.contradict(x)
}

// check notes in c, which the bytes made certain, the first label that is not it.
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

// isNamed reports whether c is the charset of that name, which the label stands for.
func (c charsetChoice) isNamed(name, label string) bool {
	label = strings.ToLower(strings.TrimSpace(label))
	if strings.HasSuffix(label, "le") || strings.HasSuffix(label, "be") {
		return name == c.name
	}
	return family(name) == family(c.name)
}

// family is a charset's name without its byte order, which labels may leave open.
func family(name string) string {
	if strings.HasPrefix(name, "utf-") {
		return strings.TrimRight(name, "bel")
	}
	return name
}

// isASCII reports whether a label means ASCII alone, which the WHATWG standard takes
// for windows-1252.
func isASCII(label string) bool {
	switch strings.ReplaceAll(strings.ToLower(strings.TrimSpace(label)), "_", "-") {
	case "ascii", "us-ascii", "ansi-x3.4-1968":
		return true
	}
	return false
}

// lookup finds the charset of a label, in any case. It does not find the charsets
// that the WHATWG standard decodes to nothing ("replacement").
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

// lookupAlias finds the charset of a label that the WHATWG standard does not have: those of
// IANA, if ASCII is in it what it is elsewhere, and the spellings of Java, Python and
// Windows, such as ISO8859_5, utf_8 and cp949.
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
		return nil, "" // it is never so
	}
	if text, err := e.NewDecoder().String(asciiSample); err != nil || text != asciiSample {
		return nil, ""
	}
	if name, err := htmlindex.Name(e); err == nil {
		return e, name
	}
	return e, label
}

// codePages are the code pages of Windows that the standard knows by other names.
var codePages = map[string]string{
	"cp932": "shift_jis", "ms932": "shift_jis", "cp936": "gbk", "ms936": "gbk",
	"cp949": "euc-kr", "ms949": "euc-kr", "cp950": "big5", "ms950": "big5",
}

const asciiSample = `<?xml version="1.0"?><url><loc>http://a.example/~b_c\d[e]{f}|g^h`

// declarationWindow is how far into a document its XML declaration is looked for:
// as far as leading junk is skipped.
const declarationWindow = 1 << 10

// xmlEncoding finds the encoding in the XML declaration of ASCII-compatible text,
// in any case, with any spacing, quoted in any way or not at all.
func xmlEncoding(b []byte) (label string, ok bool) {
	m := declaration.FindSubmatch(b[:min(len(b), declarationWindow)])
	if m == nil {
		return "", false
	}
	return unquote(string(m[1])), true
}

// declaration matches an XML declaration from its start to its encoding's value
// and what follows that. An attribute may follow the one before without a space.
var declaration = regexp.MustCompile(`(?i)<\?xml\s(?:[^>]*?[\s"'])?encoding\s*=([^>?]*)`)

// contentTypeCharset finds the charset parameter of a content type. It is more
// tolerant than mime.ParseMediaType, which gives nothing for a header that has one
// bad parameter.
func contentTypeCharset(contentType string) string {
	_, params, _ := strings.Cut(contentType, ";")
	for param := range strings.FieldsFuncSeq(params, func(r rune) bool { return r == ';' || r == ',' }) {
		name, value, ok := strings.Cut(param, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "charset") {
			return unquote(value)
		}
	}
	return ""
}

const space = " \t\r\n\f"

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// unquote returns what s starts with: a quoted string, which its end may cut, or a
// word.
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
