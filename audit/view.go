package audit

import (
	"bytes"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
)

const (
	lookBehind = 32 << 10 // bytes before a place that stay in the window
	lookAhead  = 256      // bytes after a place that are read for an excerpt
)

// A view is the decoded text of a document around a place that moves forward.
type view struct {
	in     *input.Reader
	before int // characters of the window's first line that are before the window
	slides int // how often the window has moved

	known   int64 // the offset of a place in the window whose column is known, or -1
	columns int   // the characters before it in its line
}

func newView(in *input.Reader) *view { return &view{in: in, known: -1} }

// reach moves the window so that it holds the byte at offset and those that follow it, and returns
// its index in the window, or -1 if the window has passed it or the document ends before it.
func (v *view) reach(offset int64) int {
	for offset+lookAhead > v.in.Bytes() && v.more(offset-lookBehind) {
	}
	i := offset - v.in.Offset()
	if i < 0 || i > int64(len(v.in.Window())) {
		return -1
	}
	return int(i)
}

// more reads further bytes. Those before the offset keep are not needed any more.
func (v *view) more(keep int64) bool {
	if v.in.AtEnd() {
		return false
	}
	if n := min(keep-v.in.Offset(), int64(len(v.in.Window()))); n > 0 {
		head := v.in.Window()[:n]
		if start := lineStart(head); start > 0 {
			v.before = 0
			head = head[start:]
		}
		v.before += utf8.RuneCount(head)
		v.in.Advance(int(n))
	}
	v.slides++
	return v.in.More()
}

// lineStart returns the index after the last end of a line in b, or 0.
func lineStart(b []byte) int {
	start := bytes.LastIndexByte(b, '\n') + 1
	if i := bytes.LastIndexByte(b[start:], '\r'); i >= 0 && start+i+1 < len(b) {
		start += i + 1
	}
	return start
}

// place returns the position and the column of an offset. The column is 0 if it is not known.
func (v *view) place(offset int64) (sitemap.Position, int) {
	i := v.reach(offset)
	if i < 0 {
		return sitemap.Position{Offset: offset}, 0
	}
	w := v.in.Window()[:i]
	from, columns := 0, v.before
	if k := v.known - v.in.Offset(); 0 <= k && k <= int64(i) {
		from, columns = int(k), v.columns
	}
	if start := lineStart(w[from:]); start > 0 {
		from, columns = from+start, 0
	}
	columns += utf8.RuneCount(w[from:])
	v.known, v.columns = offset, columns
	return v.in.Position(i), columns + 1
}

// locAt returns the offset of the loc of the entry that starts at offset, or offset if it has none
// close by.
func (v *view) locAt(offset int64) int64 {
	i := v.reach(offset)
	if i < 0 {
		return offset
	}
	w := v.in.Window()[i:]
	w = w[:min(len(w), lookAhead)]
	end := bytes.Index(w, []byte("loc>"))
	if end < 0 || bytes.HasPrefix(w, []byte("<loc>")) {
		return offset
	}
	if start := bytes.LastIndexByte(w[:end], '<'); start > 0 && w[start+1] != '/' {
		return offset + int64(start)
	}
	return offset
}

const (
	excerptBefore = 50 // bytes of a line before the place
	excerptAfter  = 50 // and after it
)

// excerpt returns the line around an offset.
func (v *view) excerpt(offset int64) Excerpt {
	at := v.reach(offset)
	w := v.in.Window()
	if at < 0 || at >= len(w) {
		return Excerpt{}
	}
	near := max(0, at-excerptBefore-1)
	from := near + lineStart(w[near:at])
	from += len(w[from:at]) - len(bytes.TrimLeft(w[from:at], " \t"))
	head := ""
	if at-from > excerptBefore {
		for from = at - excerptBefore; !utf8.RuneStart(w[from]); from++ {
		}
		head = "…"
	}
	to, tail := len(w), ""
	if end := bytes.IndexAny(w[at:min(len(w), at+excerptAfter+1)], "\r\n"); end >= 0 {
		to = at + end
	}
	if to-at > excerptAfter {
		for to = at + excerptAfter; !utf8.RuneStart(w[to]); to-- {
		}
		tail = "…"
	}
	return Excerpt{Text: head + string(w[from:to]) + tail, Caret: len(head) + at - from}
}
