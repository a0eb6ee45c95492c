package input

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// A jisDecoder decodes ISO-2022-JP as its Transformer does, except that invalid bytes become 0xff,
// or stay if they could be neither UTF-8 nor part of a character. Escape sequences switch between
// ASCII and two-byte characters. An end tag or the end of a line shows that the one back to ASCII
// is missing.
type jisDecoder struct {
	transform.Transformer
	set  charSet
	char [2 * utf8.UTFMax]byte // the last one
}

// A charSet is the meaning of the bytes.
type charSet uint8

const (
	asciiSet charSet = iota
	katakanaSet
	kanjiSet // two bytes per character
)

// escapes are the escape sequences of the sets.
var escapes = []struct {
	sequence string
	set      charSet
}{
	{"\x1b(B", asciiSet}, {"\x1b(J", asciiSet}, {"\x1b(I", katakanaSet}, {"\x1b$@", kanjiSet},
	{"\x1b$B", kanjiSet}, {"\x1b$(D", kanjiSet},
}

// Reset implements transform.Transformer.
func (j *jisDecoder) Reset() {
	j.Transformer.Reset()
	j.set = asciiSet
}

// Transform implements transform.Transformer.
func (j *jisDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if j.set == asciiSet {
			n := copy(dst[nDst:], src[nSrc:nSrc+plainLen(src[nSrc:])])
			nDst, nSrc = nDst+n, nSrc+n
			if nSrc == len(src) {
				break
			}
		}
		if len(dst)-nDst < 2*utf8.UTFMax {
			return nDst, nSrc, transform.ErrShortDst
		}
		char, size := j.next(src[nSrc:], atEOF)
		if size < 0 {
			return nDst, nSrc, transform.ErrShortSrc
		}
		nDst += copy(dst[nDst:], char)
		nSrc += size
	}
	return nDst, nSrc, nil
}

// plainLen returns the length of the ASCII without escape sequences at the start of b.
func plainLen(b []byte) int {
	b = b[:asciiLen(b)]
	if esc := bytes.IndexByte(b, 0x1b); esc >= 0 {
		return esc
	}
	return len(b)
}

var invalidByte = []byte{0xff}

// next decodes the first character of src and returns its length. The length is 0 if src starts
// with ASCII that its set excludes, and -1 if src does not hold all of the character.
func (j *jisDecoder) next(src []byte, atEOF bool) (char []byte, size int) {
	switch c := src[0]; {
	case c == 0x1b:
		return j.escape(src, atEOF)
	case c >= utf8.RuneSelf:
		return invalid(src[:1]), 1
	case j.set == asciiSet:
		return src[:1], 1
	case c <= ' ':
		if c == '\n' || c == '\r' { // the end of the set
			j.ascii()
		}
		return src[:1], 1
	}
	if char, size = j.leave(src, atEOF); size <= 0 {
		return char, size
	}
	if j.set == katakanaSet {
		return j.decode(src[:1]), 1
	}
	return j.kanji(src, atEOF)
}

// leave switches to ASCII if an end tag starts at src or at its second byte, or if katakana cannot
// continue like that: no text has such characters in a row. The size is 0 then, or -1 if src does
// not hold enough to decide.
func (j *jisDecoder) leave(src []byte, atEOF bool) (char []byte, size int) {
	size = 2
	if j.set == katakanaSet {
		size = 1
	}
	for i := range min(size, len(src)) {
		switch ends, known := endTag(src[i:]); {
		case !known && !atEOF:
			return nil, -1
		case ends, i == 0 && j.set == katakanaSet && src[0] >= 0x60:
			j.ascii()
			return invalidByte, 0
		}
	}
	return nil, size
}

// escape decodes an escape sequence.
func (j *jisDecoder) escape(src []byte, atEOF bool) (char []byte, size int) {
	for _, e := range escapes {
		if bytes.HasPrefix(src, []byte(e.sequence)) {
			j.set = e.set
			return j.decode(src[:len(e.sequence)]), len(e.sequence)
		}
		if !atEOF && len(src) < len(e.sequence) && string(src) == e.sequence[:len(src)] {
			return nil, -1
		}
	}
	return invalidByte, 1
}

// kanji decodes a character of two bytes.
func (j *jisDecoder) kanji(src []byte, atEOF bool) (char []byte, size int) {
	if len(src) == 1 {
		if atEOF {
			return invalidByte, 1
		}
		return nil, -1
	}
	if src[0] == 0x7f || src[1] <= ' ' || src[1] >= 0x7f {
		return invalidByte, 1
	}
	return j.decode(src[:2]), 2
}

// maxEndTag is the maximum length of an end tag that shows a missing escape sequence.
const maxEndTag = 64

// endTag reports whether b starts with an end tag, or with the end of a CDATA section and an end
// tag. Known reports whether b holds enough to decide.
func endTag(b []byte) (ok, known bool) {
	tag := bytes.TrimPrefix(b[:min(len(b), maxEndTag)], []byte("]]>"))
	name, starts := bytes.CutPrefix(tag, []byte("</"))
	if !starts {
		return false, !strings.HasPrefix("]]></", string(tag)) &&
			!strings.HasPrefix("</", string(tag))
	}
	for i, c := range name {
		switch {
		case 'a' <= c && c <= 'z', i > 0 && ('A' <= c && c <= 'Z' || '0' <= c && c <= ':' ||
			c == '_' || c == '-' || c == '.'):
		default:
			return i > 0 && c == '>', true
		}
	}
	return false, len(b) >= maxEndTag
}

// ascii switches to ASCII.
func (j *jisDecoder) ascii() {
	j.decode([]byte(escapes[0].sequence))
	j.set = asciiSet
}

// decode decodes whole characters or an escape sequence.
func (j *jisDecoder) decode(src []byte) []byte {
	n, _, _ := j.Transformer.Transform(j.char[:], src, true)
	if bytes.HasPrefix(j.char[:n], replacement) {
		return invalidByte
	}
	return j.char[:n]
}
