package input

import (
	"bytes"
	"encoding/binary"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// Position returns the position of the window's byte n, which may be the one after the last. It is
// cheap for places near the previous one.
func (in *Reader) Position(n int) sitemap.Position {
	to := in.r + n
	if to != in.lineAt && in.searched < in.w-1 {
		in.findCR()
	}
	if to > in.lineAt {
		if lines := in.countLines(in.lineAt, to); lines > 0 {
			in.line += lines
			in.start = in.startOf(to)
		}
	} else if to < in.lineAt {
		if lines := in.countLines(to, in.lineAt); lines > 0 {
			in.line -= lines
			in.start = in.startOf(to)
		}
	}
	in.lineAt = to
	at := in.base + int64(to)
	return sitemap.Position{Offset: at, Line: in.line, Column: int(at-in.start) + 1}
}

// startOf returns the offset of the line that buf[to] is on.
func (in *Reader) startOf(to int) int64 {
	for i, b := to-1, in.buf; i >= 0; i-- {
		if b[i] == '\n' || b[i] == '\r' && in.loneCR && in.endsWithCR(i) {
			return in.base + int64(i) + 1
		}
	}
	return in.first
}

// endsWithCR reports whether buf[i] is a CR without LF.
func (in *Reader) endsWithCR(i int) bool {
	return in.buf[i] == '\r' && in.buf[i+1] != '\n' && (i+1 < in.w || in.endCR)
}

// countLines counts the ends of lines in buf[from:to]: LF, and CR without LF.
func (in *Reader) countLines(from, to int) int {
	n := bytes.Count(in.buf[from:to], lf)
	if !in.loneCR {
		return n
	}
	for i := from; i < to; i++ {
		if in.endsWithCR(i) {
			n++
		}
	}
	return n
}

// noteEdge notes whether the new bytes end with a CR, for which the byte after it decides. If the
// place of such a CR was counted by then, noteEdge counts it.
func (in *Reader) noteEdge(fresh []byte) {
	if len(fresh) == 0 {
		return
	}
	if in.lastCR && fresh[0] != '\n' {
		in.loneCR = true
		in.endLine()
	}
	in.lastCR = fresh[len(fresh)-1] == '\r'
}

// findCR searches the bytes that were not searched before for a CR without an LF. After the first
// one, countLines searches for them too.
func (in *Reader) findCR() {
	b := in.buf[in.searched:in.w]
	in.searched = in.w - 1
	i := bytes.IndexByte(b[:len(b)-1], '\r')
	if i < 0 || in.loneCR {
		return
	}
	in.loneCR = hasLoneCR(b[i:])
}

// hasLoneCR reports whether b has a CR without an LF after it, not counting a CR at its end. It looks
// at eight bytes at once (see package chars), without a branch for each line. Bytes that are not
// ASCII differ from an LF in their high bit already, which Differ may miss.
func hasLoneCR(b []byte) bool {
	const lf = '\n' * chars.Ones
	found := uint64(0)
	for ; len(b) > 8; b = b[8:] {
		this, next := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[1:])
		found |= chars.Find(this, '\r') & ((next ^ lf) | chars.Differ(next, lf))
	}
	for i, c := range b[:len(b)-1] {
		if c == '\r' && b[i+1] != '\n' {
			return true
		}
	}
	return found != 0
}

// endsAtCR records that the document ends with a CR, which no LF can follow any more.
func (in *Reader) endsAtCR() {
	in.loneCR, in.endCR = true, true
	in.endLine()
}

// endLine ends the line before the end of the window, if that was counted.
func (in *Reader) endLine() {
	if in.lineAt == in.w {
		in.line++
		in.start = in.base + int64(in.w)
	}
}
