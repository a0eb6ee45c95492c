package input

import (
	"io"
	"sync"

	"github.com/seed-322c453a/sitemap"
)

const (
	// WindowSize is the initial size of the window in bytes.
	WindowSize = 64 << 10
	// MaxWindow is the size up to which it grows for one record.
	MaxWindow = 1 << 20
	// Padding is the number of zero bytes after the window's last byte. With them, eight-byte loads
	// and one byte of look-ahead need no check.
	Padding = 16
)

var windows = sync.Pool{New: func() any { return new([WindowSize + Padding]byte) }}

// A Reader is a document as UTF-8 with a sliding window. It is not safe for concurrent use.
type Reader struct {
	src    io.Reader // UTF-8, with invalid bytes
	gz     *Gunzip
	late   *lateDecoder     // a declared charset that the first window does not confirm, or nil
	member sitemap.Position // start of the current gzip member, or of the document
	pooled *[WindowSize + Padding]byte
	report func(sitemap.Problem)
	// Sliding, if set, is called before bytes that were read leave the buffer.
	Sliding func()

	buf  []byte // the window is buf[r:w]; buf[w:w+Padding] is zero
	r, w int
	base int64 // offset in the document of buf[0]
	left int64 // bytes that the document may still have
	full bool  // the last read filled the buffer
	err  error // the error that src ended with; io.EOF at the end of the document

	lineCounter

	encoding string
}

// A lineCounter is the state of counting lines.
type lineCounter struct {
	lineAt   int // buf[lineAt] is on line number line
	line     int
	start    int64 // offset of that line in the document
	first    int64 // offset of the line that buf[0] is on
	loneCR   bool  // a CR without LF, which ends a line too, was seen
	searched int   // no CR without LF ends before buf[searched], unless loneCR is set
	lastCR   bool  // the last byte read is a CR
	endCR    bool  // it is the last one of the document, and ends a line
}

// Close releases the memory of the window, whose content must not be used any more. Closing again
// does nothing.
func (in *Reader) Close() {
	if in.pooled == nil {
		return
	}
	in.gz.Close()
	windows.Put(in.pooled)
	*in = Reader{
		base: in.base + int64(in.w), err: errClosed,
		lineCounter: lineCounter{line: in.line, start: in.start}, encoding: in.encoding, gz: in.gz,
	}
}

// Window returns the unread bytes in memory. They are valid until More or Close. Its capacity
// includes Padding zero bytes after its end.
func (in *Reader) Window() []byte { return in.buf[in.r:in.w] }

// Advance moves past the first n bytes of the window.
func (in *Reader) Advance(n int) { in.r += n }

// Offset returns the offset of the window's first byte in the document.
func (in *Reader) Offset() int64 { return in.base + int64(in.r) }

// Bytes returns the number of bytes of the document that were read into the window so far.
func (in *Reader) Bytes() int64 { return in.base + int64(in.w) }

// Encoding returns the document's charset, by its WHATWG name in lower case.
func (in *Reader) Encoding() string { return in.encoding }

// Layers returns the number of gzip layers of the document, except that of a Content-Encoding.
func (in *Reader) Layers() int { return in.gz.Layers() }

// AtEnd reports whether the document has no bytes after the window.
func (in *Reader) AtEnd() bool { return in.err != nil }

// Start returns all bytes in the buffer, read or not.
func (in *Reader) Start() []byte { return in.buf[:in.w] }

var lf = []byte{'\n'}

// documentStart is the position of problems of the whole document.
var documentStart = sitemap.Position{Line: 1}
