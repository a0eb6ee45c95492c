package input

import (
	"bytes"
	"io"

	"golang.org/x/text/transform"
)

// An aligner finds the units of UTF-16 or UTF-32 again after a byte was lost or inserted. Otherwise
// all following text would be other characters. It passes bytes on unchanged until it sees ASCII
// with markup or a URL between the units. The bytes before that become one invalid unit.
type aligner struct {
	transform.NopResetter
	unit int // bytes of a unit
	at   int // index of the byte of a unit that holds an ASCII character
}

// outOfStep is the number of ASCII characters in a row that must be between the units. Each of them
// is a character in the units as well, such as U+6100 for an "a". No text has that many of these in
// a row, one of them for a bracket, a slash, a colon or a line break.
const outOfStep = 8

// An alignedReader reads a source through an aligner.
type alignedReader struct {
	src     *quietReader
	aligned io.Reader
}

func newAlignedReader(src io.Reader, c charsetChoice) *alignedReader {
	quiet := &quietReader{src: src}
	return &alignedReader{quiet, transform.NewReader(quiet, newAligner(c))}
}

// Read implements io.Reader.
func (r *alignedReader) Read(p []byte) (int, error) {
	n, err := r.aligned.Read(p)
	if err == io.EOF {
		err = r.src.err
	}
	return n, err
}

// A quietReader ends where its source fails, so that the bytes that the aligner holds are not lost.
type quietReader struct {
	src io.Reader
	err error // that of the source, or io.EOF at its end
}

// Read implements io.Reader.
func (r *quietReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if err != nil {
		r.err, err = err, io.EOF
	}
	return n, err
}

func newAligner(c charsetChoice) *aligner {
	a := &aligner{unit: 2}
	if family(c.name) == "utf-32" {
		a.unit = 4
	}
	if c.name[len(c.name)-2:] == "be" {
		a.at = a.unit - 1
	}
	return a
}

// Transform implements transform.Transformer.
func (a *aligner) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		rest := src[nSrc:]
		pass, drop := a.next(rest)
		switch {
		case drop > 0 || pass == len(rest):
		case atEOF || len(rest) >= pass+a.unit*(outOfStep+1):
			pass = min(pass+a.unit, len(rest))
		case pass == 0: // it is not known yet whether the next unit is in step
			return nDst, nSrc, transform.ErrShortSrc
		}
		n := min(pass, (len(dst)-nDst)/a.unit*a.unit)
		nDst += copy(dst[nDst:], rest[:n])
		nSrc += n
		if n < pass || drop > 0 && len(dst)-nDst < a.unit {
			return nDst, nSrc, transform.ErrShortDst
		}
		if drop > 0 {
			nDst += copy(dst[nDst:], a.invalid())
			nSrc += drop
		}
	}
	return nDst, nSrc, nil
}

// next returns the number of bytes at the start of b that are ASCII in units, and the number of
// bytes after them to drop because ASCII between the units follows.
func (a *aligner) next(b []byte) (pass, drop int) {
	for a.isASCII(b[pass:]) {
		pass += a.unit
	}
	for drop = 1; drop < a.unit; drop++ {
		if len(b) > pass+drop && a.isMarkup(b[pass+drop:]) {
			return pass, drop
		}
	}
	return pass, 0
}

// isMarkup reports whether b starts with ASCII that cannot be accidental.
func (a *aligner) isMarkup(b []byte) bool {
	telling := false
	for range outOfStep {
		if !a.isASCII(b) {
			return false
		}
		telling = telling || bytes.IndexByte([]byte("<>/:\n\r"), b[a.at]) >= 0
		b = b[a.unit:]
	}
	return telling
}

// isASCII reports whether b starts with a unit that is a printable ASCII character or white space.
func (a *aligner) isASCII(b []byte) bool {
	if len(b) < a.unit {
		return false
	}
	c := b[a.at]
	return (c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == '\t') &&
		bytes.Count(b[:a.unit], []byte{0}) == a.unit-1
}

// invalid returns a unit that is not a character: half of a surrogate pair.
func (a *aligner) invalid() []byte {
	unit := make([]byte, a.unit)
	if a.at == 0 {
		unit[1] = 0xd8
	} else {
		unit[a.unit-2] = 0xd8
	}
	return unit
}
