package input

import (
	"io"

	"github.com/seed-322c453a/sitemap"
)

// AdvanceLines is Advance for n bytes that are whole lines, each with its LF and without another CR.
// They need not be counted later.
func (in *Reader) AdvanceLines(lines, n int) {
	if in.lineAt == in.r {
		in.lineAt += n
		in.line += lines
		in.start = in.base + int64(in.lineAt)
	}
	in.r += n
}

// manyUnread is the number of unread bytes above which More waits for more than one read returns.
const manyUnread = 8 << 10

// More reads bytes into the window, after sliding it to the front of the buffer. It returns false
// if there are no more, or if MaxWindow bytes are unread. If more than 8 KiB are unread, More reads
// an eighth as much. So examining the window again from its start stays cheap even if each read
// returns little.
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
	if in.w > manyUnread {
		want = in.w / 8
	}
	for end := min(before+want, len(in.buf)-Padding); in.w < end && in.err == nil; {
		in.fill()
	}
	return in.w > before
}

// MoreAtHand is More if the last read filled the buffer, so that the next one will hardly block.
// Call it to avoid reading a record twice that the end of the window cuts.
func (in *Reader) MoreAtHand() {
	if in.full {
		in.More()
	}
}

// slide moves the window to the front of the buffer.
func (in *Reader) slide() {
	if in.Sliding != nil {
		in.Sliding()
	}
	if in.lineAt < in.r {
		in.Position(0)
	}
	if in.lineAt == in.r {
		in.first = in.start
	} else {
		in.first = in.startOf(in.r)
	}
	in.base += int64(in.r)
	in.lineAt -= in.r
	in.searched = max(0, in.searched-in.r)
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

// fill reads into the buffer once.
func (in *Reader) fill() {
	room := in.buf[in.w : len(in.buf)-Padding]
	n, err := in.src.Read(room)
	in.full = n == len(room)
	in.take(n, err)
}

// take adds n new bytes to the window, with the error that follows them.
func (in *Reader) take(n int, err error) {
	next := byte(0) // the byte after those, if the limit cuts them
	if int64(n) > in.left {
		n, err = int(in.left), sitemap.ErrTooLarge
		next = in.buf[in.w+n]
	}
	in.left -= int64(n)
	in.noteEdge(in.buf[in.w : in.w+n])
	before := in.Bytes()
	in.w += n
	clear(in.buf[in.w : in.w+Padding])
	if in.src == in.gz && err != sitemap.ErrTooLarge {
		in.noteMember(in.w - in.r - int(in.gz.read-in.gz.member))
	}
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

// noteMember records that a gzip member starts at the window's byte n, if that is in the buffer.
func (in *Reader) noteMember(n int) {
	if at := in.Offset() + int64(n); at > in.member.Offset && at <= in.Bytes() {
		in.member = in.Position(n)
	}
}

// end reports the findings of the decompressor and the decoder at the end.
func (in *Reader) end() {
	if in.late != nil {
		choice := in.late.choice
		if in.encoding = choice.name; choice.fallback && !choice.late {
			in.problem(sitemap.EncodingFallback, documentStart, choice.refused)
		}
		in.late = nil
	}
	if in.gz.TrailingJunk() {
		in.problem(sitemap.GzipTrailingJunk, in.Position(in.w-in.r), "")
	}
}

func (in *Reader) problem(code sitemap.Code, pos sitemap.Position, text string) {
	if in.report != nil {
		in.report(sitemap.Problem{Code: code, Pos: pos, Text: text})
	}
}

// Err returns the error that the document ended with: nil at its proper end, a
// [*sitemap.ParseError] for a defect of its bytes, or the error of the underlying reader. The
// position of sitemap.ErrGzip is the start of the damaged gzip member, which is where the decoded
// bytes become doubtful. In a document that is not UTF-8 it is the start of the document.
func (in *Reader) Err() error {
	switch in.err {
	case nil, io.EOF:
		return nil
	case sitemap.ErrGzip:
		return &sitemap.ParseError{Pos: in.member, Err: in.err}
	case sitemap.ErrTruncated, sitemap.ErrTooLarge:
		return &sitemap.ParseError{Pos: in.Position(in.w - in.r), Err: in.err}
	}
	return in.err
}

// Read reads the bytes from the start of the window, as an io.Reader. Its error is io.EOF at the
// end, or that of Err.
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

// Peek returns a Reader of only the window's bytes, which remain unread. It is valid as long as the
// window, and starts at offset 0.
func (in *Reader) Peek() *Reader {
	return &Reader{buf: in.buf[in.r : in.w+Padding], w: in.w - in.r, err: io.EOF,
		lineCounter: lineCounter{line: 1}, encoding: in.encoding}
}
