package xmlscan

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// NextAttr returns the first of the attributes of a start tag, and the rest. The value is raw. A
// value without quotes ends at white space, and a name without a value has an empty one.
func NextAttr(attrs []byte) (name, value, rest []byte, ok bool) {
	attrs = bytes.TrimLeft(attrs, " \t\r\n/")
	if len(attrs) == 0 {
		return nil, nil, nil, false
	}
	end := 0
	for end < len(attrs) && !IsSpace(attrs[end]) && attrs[end] != '=' {
		end++
	}
	name, rest = attrs[:end], attrs[end:]
	after := bytes.TrimLeft(rest, " \t\r\n")
	if len(after) == 0 || after[0] != '=' {
		return name, nil, rest, true
	}
	after = bytes.TrimLeft(after[1:], " \t\r\n")
	if len(after) > 0 && (after[0] == '"' || after[0] == '\'') {
		if closing := bytes.IndexByte(after[1:], after[0]); closing >= 0 {
			return name, after[1 : 1+closing], after[closing+2:], true
		}
		after = after[1:]
	}
	end = 0
	for end < len(after) && !IsSpace(after[end]) {
		end++
	}
	return name, after[:end], after[end:], true
}

// Attr returns the raw value of the current start tag's attribute with this local name, which must
// be in lower case. It returns the attribute without a prefix, else the first one with a prefix in
// any namespace.
func (r *Reader) Attr(local string) (value []byte, ok bool) {
	for attrs := r.Attrs; ; {
		name, v, rest, more := NextAttr(attrs)
		if !more {
			return value, ok
		}
		attrs = rest
		colon := bytes.IndexByte(name, ':')
		name = name[colon+1:]
		switch {
		case len(name) != len(local) || !strings.EqualFold(string(name), local):
		case colon < 0:
			return v, true
		case !ok:
			value, ok = v, true
		}
	}
}

// maxAttrs is the number of attributes of a tag that are checked for duplicates.
const maxAttrs = 32

// soundName reports whether a name is valid (Namespaces in XML 1.0, section 4): it has at most one
// colon, and both parts start with a character that may start a name.
func soundName(name []byte) bool {
	colon := bytes.IndexByte(name, ':')
	if colon < 0 {
		return startsName(name)
	}
	prefix, local := name[:colon], name[colon+1:]
	return startsName(prefix) && startsName(local) && bytes.IndexByte(local, ':') < 0
}

// startsName reports whether the first character of b may start a name (XML 1.0, section 2.3).
func startsName(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if c := b[0]; c < utf8.RuneSelf {
		return isNameStart(c)
	}
	r, _ := utf8.DecodeRune(b)
	for _, except := range notNameStart {
		if except[0] <= r && r <= except[1] {
			return false
		}
	}
	return true
}

// notNameStart are the ranges of non-ASCII characters that may not start a name.
var notNameStart = [][2]rune{
	{0x80, 0xbf}, {0xd7, 0xd7}, {0xf7, 0xf7}, {0x300, 0x36f}, {0x37e, 0x37e}, {0x2000, 0x200b},
	{0x200e, 0x206f},
	{0x2190, 0x2bff}, {0x2ff0, 0x3000}, {0xd800, 0xf8ff}, {0xfdd0, 0xfdef}, {0xfffe, 0xffff},
	{0xf0000, 0x10ffff},
}

// soundAttrs reports whether the attributes of a start tag are valid: each follows white space and
// has a valid name and a quoted value, and no name occurs twice.
func soundAttrs(attrs []byte) bool {
	var names [maxAttrs][]byte
	for n := 0; ; n++ {
		trimmed := bytes.TrimLeft(attrs, " \t\r\n")
		if len(trimmed) == 0 {
			return true
		}
		size := NameLen(trimmed)
		if size == 0 || len(trimmed) == len(attrs) {
			return false
		}
		name := trimmed[:size]
		if !soundName(name) {
			return false
		}
		for i := range min(n, maxAttrs) {
			if bytes.Equal(names[i], name) {
				return false
			}
		}
		if n < maxAttrs {
			names[n] = name
		}
		value := bytes.TrimLeft(trimmed[size:], " \t\r\n")
		if len(value) < 2 || value[0] != '=' {
			return false
		}
		value = bytes.TrimLeft(value[1:], " \t\r\n")
		if len(value) < 2 || value[0] != '"' && value[0] != '\'' {
			return false
		}
		closing := bytes.IndexByte(value[1:], value[0])
		if closing < 0 {
			return false
		}
		attrs = value[closing+2:]
	}
}
