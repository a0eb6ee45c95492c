// Package input turns the bytes of a document into UTF-8: it undoes gzip, byte
// order marks and charsets in one place, so that a file on disk and a body from
// the network read alike, and hands them out through a window that slides over
// them.
//
// # The window
//
// A Reader holds the unread bytes of the document that are in memory: Window
// returns them, Advance moves past some, More slides the rest to the front of the
// buffer and reads on behind it. A reader of records looks at the window only:
// where a record runs off its end, it calls More and reads the record again from
// its start. So no hot path has refill logic, memory does not depend on the
// document, and a record may be as long as MaxWindow.
package input

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/tally"
)

const (
	// WindowSize is how many bytes the window starts with.
	WindowSize = 64 << 10
	// MaxWindow is how far it grows for one record.
	MaxWindow = 1 << 20
	// Padding is how many zero bytes follow the window's last byte, so that
	// eight-byte loads and one-byte look-ahead need no check.
	Padding = 16
)

var windows = sync.Pool{New: func() any { return new([WindowSize + Padding]byte) }}

// A Reader is a document as UTF-8 behind a sliding window. It is not safe for
// concurrent use.
type Reader struct {
	// Tally, if set, is where the reader of the document's entries counts them. It goes
	// with the document since package parse has no other way to hand it to packages
	// feed and text, whose Entries take an io.Reader.
	Tally *tally.Tally

	src    io.Reader // UTF-8, but for bytes that are no UTF-8 at all
	gz     *inflater
	late   *lateDecoder // a declared charset that the first window did not prove, or nil
	pooled *[WindowSize + Padding]byte
	report func(sitemap.Problem)

	buf  []byte // the window is buf[r:w]; buf[w:w+Padding] is zero
	r, w int
	base int64 // offset in the document of buf[0]
	left int64 // bytes that the document may still have
	full bool  // the last read gave all that was asked for
	err  error // why src ended; io.EOF at the end of the document

	lineAt int // line is the number of the line that buf[lineAt] is on
	line   int
	loneCR bool // a CR without LF was seen, which ends a line too
	lastCR bool // the last byte read is a CR
	endCR  bool // it is the document's, and ends a line

	encoding string
	layers   int
}

// A body from the network can be read as it came: with its Content-Encodings, of
// which it tells how many are gzip.
type encoded interface {
	io.Reader
	Raw() io.Reader
	Encodings() int
}

// Open returns r as UTF-8 without a byte order mark: gzip is undone by its magic
// number, at most two layers, and the charset is told from the bytes, the content
// type and the XML declaration. If r already is a *Reader, it is returned as it
// is. Open reads the first window; what goes wrong there or later is told by
// Err when the bytes before it have been read. Limits.Bytes and all offsets count
// bytes of UTF-8, without a byte order mark. Nothing is decompressed ahead of the
// reader before Ahead is called.
func Open(r io.Reader, o *sitemap.Options) *Reader {
	if in, ok := r.(*Reader); ok {
		return in
	}
	if o == nil {
		o = new(sitemap.Options)
	}
	encodings := 0
	if body, ok := r.(encoded); ok {
		r, encodings = body.Raw(), body.Encodings()
	}
	in := &Reader{
		gz:     newInflater(r, encodings),
		pooled: windows.Get().(*[WindowSize + Padding]byte),
		report: o.Report,
		left:   o.Limits.MaxBytes(),
		line:   1,
	}
	in.buf = in.pooled[:]
	in.src = in.gz
	in.decode(o.ContentType, encodings)
	return in
}

// Ahead lets a large gzip document be decompressed on another core, ahead of its
// reader, which must read it to its end or Close it then.
func (in *Reader) Ahead() {
	if in.gz != nil {
		in.gz.ahead = true
	}
}

// decode tells the charset from the first window and puts a decoder in front of
// the source where it is not UTF-8.
func (in *Reader) decode(contentType string, encodings int) {
	n, err := in.prefix(0, utf8Window)
	if err == nil && !declaresUTF8(in.buf[:n], contentType) {
		n, err = in.prefix(n, WindowSize)
	}
	prefix := in.buf[:n]
	in.layers = max(0, in.gz.Layers()-encodings)
	if in.layers > 1 {
		in.problem(sitemap.DoubleGzip, documentStart, "")
	}
	choice := sniffCharset(prefix, err == io.EOF, contentType)
	in.encoding = choice.name
	if choice.fallback && (choice.refused != "" || !isMedia(prefix)) {
		in.problem(sitemap.EncodingFallback, documentStart, choice.refused)
	}
	if choice.encoding == nil && !choice.late {
		in.r, in.w, in.lineAt = choice.bom, choice.bom, choice.bom
		in.base = -int64(choice.bom)
		in.take(n-choice.bom, err)
		return
	}
	raw := io.MultiReader(bytes.NewReader(bytes.Clone(prefix)), &rest{in.src, err})
	in.src = decoder(raw, choice)
	in.late, _ = in.src.(*lateDecoder)
	in.More()
}

// isMedia reports whether a document is an image, an archive or the like by its
// signature: no charset is missed of these.
func isMedia(prefix []byte) bool {
	media := http.DetectContentType(prefix)
	return !strings.HasPrefix(media, "text/") && media != "application/octet-stream"
}

// prefix reads bytes as they are into the buffer, which holds n of them, until it
// holds size. It returns how many it holds.
func (in *Reader) prefix(n, size int) (int, error) {
	for n < size {
		m, err := in.readSource(in.buf[n : len(in.buf)-Padding])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// utf8Window is how much of a document is waited for that declares to be UTF-8, so
// that the entries of one that comes slowly come as it does.
const utf8Window = 1 << 10

// declaresUTF8 reports whether a document with this start is UTF-8 whatever follows.
func declaresUTF8(prefix []byte, contentType string) bool {
	if bytes.HasPrefix(prefix, []byte("\xef\xbb\xbf")) {
		return true
	}
	if label := contentTypeCharset(contentType); label != "" && !strings.EqualFold(label, "utf-8") {
		return false
	}
	label, ok := xmlEncoding(prefix)
	return ok && strings.EqualFold(label, "utf-8")
}

// rest is what follows a prefix: the source, or the error that it already gave.
type rest struct {
	src io.Reader
	err error
}

func (r *rest) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return r.src.Read(p)
}

// Close gives the memory of the window back; what it showed must not be used any
// more. Closing again does nothing.
func (in *Reader) Close() {
	if in.pooled == nil {
		return
	}
	in.gz.Close()
	windows.Put(in.pooled)
	*in = Reader{
		base: in.base + int64(in.w), err: errClosed, line: in.line,
		encoding: in.encoding, layers: in.layers,
	}
}

var errClosed = errors.New("sitemap: document read after its end")

// Window returns the unread bytes in memory. They are valid until More or Close.
// Padding zero bytes may be read behind them, through the slice's capacity.
func (in *Reader) Window() []byte { return in.buf[in.r:in.w] }

// Advance moves past the first n bytes of the window.
func (in *Reader) Advance(n int) { in.r += n }

// AdvanceLine moves past the first n bytes of the window, which are one line with
// its LF: Advance for who knows that, so that lines need not be counted again.
func (in *Reader) AdvanceLine(n int) {
	if in.lineAt == in.r && !in.loneCR {
		in.lineAt += n
		in.line++
	}
	in.r += n
}

// Offset is the document's offset of the window's first byte.
func (in *Reader) Offset() int64 { return in.base + int64(in.r) }

// Bytes is how many bytes of the document were read into the window so far.
func (in *Reader) Bytes() int64 { return in.base + int64(in.w) }

// Encoding is the document's charset, by its WHATWG name in lower case.
func (in *Reader) Encoding() string { return in.encoding }

// Layers is how many layers of gzip the document came in, Content-Encoding aside.
func (in *Reader) Layers() int { return in.layers }

// patient is how much may be unread before More waits for more than comes at once.
const patient = 8 << 10

// More reads bytes behind the window, after sliding the window to the front of
// the buffer. It returns false if there are none, or if MaxWindow bytes are unread.
// Where over 8 KiB are unread it reads on for an eighth as much, so that to look at
// the window again from its start stays cheap however little a read returns.
func (in *Reader) More() bool {
	if in.err != nil {
		return false
	}
	if in.r > 0 {
		in.slide()
	}
	if in.w == len(in.buf)-Padding && !in.grow() {
		return false
	}
	before, want := in.w, 1
	if in.w > patient {
		want = in.w / 8
	}
	for end := min(before+want, len(in.buf)-Padding); in.w < end && in.err == nil; {
		in.fill()
	}
	return in.w > before
}

// MoreAtHand is More, but only if the last read gave all that was asked for, so that the
// next one will hardly be waited for. It is for who would else read twice what the
// window's end cuts.
func (in *Reader) MoreAtHand() {
	if in.full {
		in.More()
	}
}

// AtEnd reports whether the document has no bytes behind the window.
func (in *Reader) AtEnd() bool { return in.err != nil }

// slide moves the window to the front of the buffer.
func (in *Reader) slide() {
	if in.lineAt < in.r {
		in.Position(0)
	}
	in.base += int64(in.r)
	in.lineAt -= in.r
	in.w = copy(in.buf, in.buf[in.r:in.w])
	in.r = 0
	clear(in.buf[in.w : in.w+Padding])
}

// grow doubles the buffer, up to MaxWindow.
func (in *Reader) grow() bool {
	size := len(in.buf) - Padding
	if size >= MaxWindow {
		return false
	}
	buf := make([]byte, 2*size+Padding)
	copy(buf, in.buf[:in.w])
	in.buf = buf
	return true
}

// fill reads behind the window once, or until something comes.
func (in *Reader) fill() {
	room := in.buf[in.w : len(in.buf)-Padding]
	n, err := in.readSource(room)
	in.full = n == len(room)
	in.take(n, err)
}

// readSource reads once, or until something comes.
func (in *Reader) readSource(p []byte) (int, error) {
	for range maxEmptyReads {
		if n, err := in.src.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// take takes n new bytes behind the window into it, and the error that follows them.
func (in *Reader) take(n int, err error) {
	next := byte(0) // behind what is taken, if that is cut
	if int64(n) > in.left {
		n, err = int(in.left), sitemap.ErrTooLarge
		next = in.buf[in.w+n]
	}
	in.left -= int64(n)
	in.noteCR(in.buf[in.w : in.w+n])
	before := in.Bytes()
	in.w += n
	clear(in.buf[in.w : in.w+Padding])
	if err != nil && in.lastCR && next != '\n' {
		in.endsAtCR()
	}
	if before <= sitemap.ProtocolBytes && in.Bytes() > sitemap.ProtocolBytes && in.report != nil {
		in.problem(sitemap.TooLarge, in.Position(int(sitemap.ProtocolBytes-in.Offset())), "")
	}
	in.err = err
	if err != nil {
		in.end()
	}
}

// noteCR looks for a CR that no LF follows in the bytes that come behind the
// window. The first one makes countLines look for them too. Whether a CR at the
// end of the bytes is one is told by the next; if its place was counted by then,
// it is counted here.
func (in *Reader) noteCR(fresh []byte) {
	if len(fresh) == 0 {
		return
	}
	if in.lastCR && fresh[0] != '\n' {
		in.loneCR = true
		if in.lineAt == in.w {
			in.line++
		}
	}
	in.lastCR = fresh[len(fresh)-1] == '\r'
	for i := 0; !in.loneCR && i < len(fresh)-1; i++ {
		j := bytes.IndexByte(fresh[i:len(fresh)-1], '\r')
		if j < 0 {
			return
		}
		i += j
		in.loneCR = fresh[i+1] != '\n'
	}
}

// endsAtCR notes that the document ends at a CR, behind which no LF can come any more.
func (in *Reader) endsAtCR() {
	in.loneCR, in.endCR = true, true
	if in.lineAt == in.w { // its place was counted
		in.line++
	}
}

// end notes what the decompressor and the decoder learnt at the end.
func (in *Reader) end() {
	if in.late != nil {
		if label, name, refuted := in.late.Refuted(); refuted {
			in.encoding = name
			in.problem(sitemap.EncodingFallback, documentStart, label)
		}
		in.late = nil
	}
	if in.gz.TrailingJunk() {
		in.problem(sitemap.GzipTrailingJunk, in.Position(in.w-in.r), "")
	}
}

// documentStart is where problems of the whole document are.
var documentStart = sitemap.Position{Line: 1}

func (in *Reader) problem(code sitemap.Code, pos sitemap.Position, text string) {
	if in.report != nil {
		in.report(sitemap.Problem{Code: code, Pos: pos, Text: text})
	}
}

// Err returns why the document ended: nil at its proper end, a *sitemap.ParseError
// for what is wrong with its bytes, or the error of the reader under it.
func (in *Reader) Err() error {
	switch in.err {
	case nil, io.EOF:
		return nil
	case sitemap.ErrGzip, sitemap.ErrTruncated, sitemap.ErrTooLarge:
		return &sitemap.ParseError{Pos: in.Position(in.w - in.r), Err: in.err}
	}
	return in.err
}

// Position returns the place of the window's byte n, which may be one behind the
// last. It is cheap for places near the one asked for before.
func (in *Reader) Position(n int) sitemap.Position {
	to := in.r + n
	if to == in.lineAt {
		return sitemap.Position{Offset: in.base + int64(to), Line: in.line}
	}
	if to > in.lineAt {
		in.line += in.countLines(in.lineAt, to)
	} else {
		in.line -= in.countLines(to, in.lineAt)
	}
	in.lineAt = to
	return sitemap.Position{Offset: in.base + int64(to), Line: in.line}
}

// countLines counts the lines that end in buf[from:to], at LF and at CR without LF.
func (in *Reader) countLines(from, to int) int {
	n := bytes.Count(in.buf[from:to], lf)
	if !in.loneCR {
		return n
	}
	for i := from; i < to; i++ {
		if in.buf[i] == '\r' && in.buf[i+1] != '\n' && (i+1 < in.w || in.endCR) {
			n++
		}
	}
	return n
}

var lf = []byte{'\n'}

// Read gives the bytes behind the window's start, for a reader that wants no
// window. It returns io.EOF at the end, or the error that Err returns.
func (in *Reader) Read(p []byte) (int, error) {
	if in.r == in.w && !in.More() {
		if err := in.Err(); err != nil {
			return 0, err
		}
		return 0, io.EOF
	}
	n := copy(p, in.Window())
	in.r += n
	return n, nil
}

// OpenPrefix is Open for the start of a document, whose end is none.
func OpenPrefix(prefix []byte) *Reader { return Open(bytes.NewReader(prefix), nil) }

// Peek returns a reader of the window's bytes alone, which stay unread. It is
// valid as long as the window is, and starts at offset 0.
func (in *Reader) Peek() *Reader {
	return &Reader{buf: in.buf[in.r : in.w+Padding], w: in.w - in.r, err: io.EOF, line: 1, encoding: in.encoding}
}

// Start returns all bytes that the buffer holds, read or not.
func (in *Reader) Start() []byte { return in.buf[:in.w] }
