package input

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// A strict decodes a stateless charset like its decoder, except for invalid bytes: these do not
// become U+FFFD but stay, or become 0xff if they could be part of a character. So they are detected
// and handled like invalid UTF-8.
type strict struct {
	transform.Transformer
	wide    bool   // the charset is UTF-16 or UTF-32
	genuine []byte // U+FFFD in the charset, if it has that
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

// next decodes the first character of src and returns its length, or 0 if src does not hold all of
// it.
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

// invalid returns bytes for those of src that are invalid UTF-8 in any context: a byte that could
// start a character becomes 0xff.
func invalid(src []byte) []byte {
	out := bytes.Clone(src)
	for i, c := range out {
		if c >= 0xc0 {
			out[i] = 0xff
		}
	}
	return out
}

// before returns the number of bytes of src before those that are decoded to rest.
func (s *strict) before(src, rest []byte) int {
	var char [16]byte
	for n := 1; n < len(src); n++ {
		if m, size, _ := s.Transformer.Transform(char[:], src[n:], true); n+size == len(src) &&
			bytes.Equal(char[:m], rest) {
			return n
		}
	}
	return len(src)
}
