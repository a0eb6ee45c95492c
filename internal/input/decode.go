package input

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// lateWindow is the number of bytes, from the first non-ASCII one, by which a lateDecoder decides.
const lateWindow = 8 << 10

// A lateDecoder passes ASCII through up to the first other byte. The bytes after that decide in
// which charset the document is. Before them, the charset that a server adds to every document
// cannot be refuted.
type lateDecoder struct {
	buf    *bufio.Reader
	labels []string
	rest   io.Reader     // set once decided
	choice charsetChoice // the charset of rest
}

// Read implements io.Reader.
func (d *lateDecoder) Read(p []byte) (int, error) {
	if d.rest != nil {
		return d.rest.Read(p)
	}
	if _, err := d.buf.Peek(1); err != nil {
		return 0, err
	}
	head, _ := d.buf.Peek(min(d.buf.Buffered(), len(p)))
	n := asciiLen(head)
	if n == 0 && len(p) > 0 {
		head, err := d.buf.Peek(lateWindow)
		d.choice = newEvidence(head, err == io.EOF).choose(d.labels)
		d.rest = decoder(d.buf, d.choice)
		return d.rest.Read(p)
	}
	n = copy(p, head[:n])
	d.buf.Discard(n)
	return n, nil
}

// decoder returns src, which has no byte order mark, as UTF-8. Bytes that are invalid in the
// charset become invalid UTF-8, so that they are detected and handled alike.
func decoder(src io.Reader, c charsetChoice) io.Reader {
	if c.encoding == nil {
		return src
	}
	genuine, _ := c.encoding.NewEncoder().Bytes(replacement)
	return transform.NewReader(src, &strict{c.encoding.NewDecoder().Transformer, c, genuine})
}

// A strict decodes a charset like its decoder, except for invalid bytes: these do not become U+FFFD
// but stay, or become 0xff if they could be part of a character.
type strict struct {
	transform.Transformer
	charset charsetChoice
	genuine []byte // U+FFFD in the charset, if it has that
}

// Transform implements transform.Transformer. Most characters are ASCII, which needs no decoder.
func (s *strict) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for {
		n, m := s.ascii(dst[nDst:], src[nSrc:])
		nDst, nSrc = nDst+n, nSrc+m
		end := min(len(src), nSrc+maxDecoded)
		n, m, err = s.decode(dst[nDst:], src[nSrc:end], atEOF && end == len(src))
		nDst, nSrc = nDst+n, nSrc+m
		if end == len(src) || err != nil && err != transform.ErrShortSrc {
			return nDst, nSrc, err
		}
	}
}

// maxDecoded is the number of bytes after which ASCII is looked for again. It is longer than any
// character.
const maxDecoded = 64

// ascii decodes the ASCII characters at the start of src.
func (s *strict) ascii(dst, src []byte) (nDst, nSrc int) {
	if s.charset.legacy() {
		n := copy(dst, src[:asciiLen(src)])
		return n, n
	}
	low := 0 // index of the low byte of a unit
	switch s.charset.name {
	case "utf-16le":
	case "utf-16be":
		low = 1
	default:
		return 0, 0
	}
	for nDst < len(dst) && nSrc+1 < len(src) && src[nSrc+low] < utf8.RuneSelf &&
		src[nSrc+1-low] == 0 {
		dst[nDst] = src[nSrc+low]
		nDst, nSrc = nDst+1, nSrc+2
	}
	return nDst, nSrc
}

// decode is Transform for text that does not start with ASCII.
func (s *strict) decode(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = s.Transformer.Transform(dst, src, atEOF)
	if !bytes.Contains(dst[:nDst], replacement) {
		return nDst, nSrc, err
	}
	if s.charset.name == "iso-2022-jp" { // has no U+FFFD, and cannot decode anything twice
		return copy(dst, bytes.ReplaceAll(dst[:nDst], replacement, []byte{0xff})), nSrc, err
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

// next decodes the first characters of src, or one that is invalid. It returns their length, or 0
// if src does not hold all of the first one.
func (s *strict) next(src []byte, atEOF bool) (char []byte, size int) {
	char = make([]byte, utf8.UTFMax)
	n, size, _ := s.Transformer.Transform(char, src, atEOF)
	if n == len(char) && bytes.Contains(char, replacement) { // and an ASCII character
		n, size, _ = s.Transformer.Transform(char[:len(replacement)], src, atEOF)
	}
	switch char = char[:n]; {
	case !bytes.Equal(char, replacement) || bytes.Equal(src[:size], s.genuine):
		return char, size
	case s.charset.wide():
		return []byte{0xff}, size
	}
	char = bytes.Clone(src[:size])
	for i, c := range char { // the first byte of a character in UTF-8
		if c >= 0xc0 {
			char[i] = 0xff
		}
	}
	return char, size
}
