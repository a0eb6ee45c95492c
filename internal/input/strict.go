package input

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// A strict decodes a charset whose decoder has no state as that does, but for what is
// invalid: it becomes not U+FFFD, but the bytes that it is, or 0xff where these could be part
// of a character. So it is known, and treated, as what is invalid in UTF-8 is.
type strict struct {
	transform.Transformer
	wide    bool   // the charset is UTF-16 or UTF-32
	genuine []byte // U+FFFD in it, if it has that
}

// newStrict returns the strict decoder of a charset.
func newStrict(c charsetChoice) transform.Transformer {
	d := c.encoding.NewDecoder().Transformer
	if c.name == "iso-2022-jp" {
		return &jisDecoder{Transformer: d}
	}
	genuine, err := c.encoding.NewEncoder().Bytes(replacement)
	if err != nil {
		genuine = nil
	}
	return &strict{d, c.wide(), genuine}
}

var replacement = []byte(string(utf8.RuneError))

// Transform implements transform.Transformer.
func (s *strict) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = s.Transformer.Transform(dst, src, atEOF)
	if !bytes.Contains(dst[:nDst], replacement) {
		return nDst, nSrc, err
	}
	nDst, nSrc = 0, 0
	for nSrc < len(src) {
		char, size := s.next(src[nSrc:], atEOF)
		if size == 0 {
			return nDst, nSrc, transform.ErrShortSrc
		}
		if nDst+len(char) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += copy(dst[nDst:], char)
		nSrc += size
	}
	return nDst, nSrc, nil
}

// next decodes the first character of src, and returns how many bytes it has there; 0 if
// src does not hold all of it.
func (s *strict) next(src []byte, atEOF bool) (char []byte, size int) {
	char = make([]byte, 16)
	n := 0
	for k := 1; k <= len(src) && size == 0; k++ {
		n, size, _ = s.Transformer.Transform(char, src[:k], atEOF && k == len(src))
	}
	if char = char[:n]; !bytes.HasPrefix(char, replacement) || bytes.Equal(src[:size], s.genuine) {
		return char, size
	}
	if rest := char[len(replacement):]; len(rest) > 0 {
		size = s.before(src[:size], rest)
	}
	if s.wide {
		return []byte{0xff}, size
	}
	return invalid(src[:size]), size
}

// invalid returns what of src is no UTF-8 whatever stands around it: a byte that could start
// a character becomes 0xff.
func invalid(src []byte) []byte {
	out := bytes.Clone(src)
	for i, c := range out {
		if c >= 0xc0 {
			out[i] = 0xff
		}
	}
	return out
}

// before returns how many bytes of src stand before what is decoded to rest.
func (s *strict) before(src, rest []byte) int {
	var char [16]byte
	for n := 1; n < len(src); n++ {
		if m, size, _ := s.Transformer.Transform(char[:], src[n:], true); n+size == len(src) && bytes.Equal(char[:m], rest) {
			return n
		}
	}
	return len(src)
}
