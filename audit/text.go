package audit

import (
	"bytes"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/input"
)

// A text finds places in a document while it is read.
type text struct {
	in       *input.Reader // nil before the document is read
	name     string
	excerpts bool

	// In the line that starts at the offset line, wide is the number of bytes less that of
	// characters before the offset known.
	line, known int64
	wide        int
}

// base returns the offset of the first byte in memory.
func (t *text) base() int64 { return t.in.Bytes() - int64(len(t.in.Start())) }

// holds reports whether an offset is in memory.
func (t *text) holds(offset int64) bool {
	return t.in != nil && t.base() <= offset && offset <= t.in.Bytes()
}

// place returns the place of an offset. Its line is 0 if the place is not in memory any more.
func (t *text) place(offset int64) place {
	if !t.holds(offset) {
		return place{sitemap: t.name, pos: sitemap.Position{Offset: offset}}
	}
	return t.at(t.in.Position(int(offset - t.in.Offset())))
}

// at returns the place of a position, whose line is known even if its bytes have left the memory.
func (t *text) at(pos sitemap.Position) place {
	p := place{sitemap: t.name, pos: pos, column: t.column(pos)}
	if t.excerpts && t.holds(pos.Offset) {
		p.excerpt = t.excerpt(pos.Offset)
	}
	return p
}

// column returns the number of the character at a position in its line.
func (t *text) column(pos sitemap.Position) int {
	if !t.holds(pos.Offset) {
		return pos.Column
	}
	return pos.Column - t.wideBefore(pos)
}

// wideBefore returns the number of bytes less that of characters before a place in its line.
func (t *text) wideBefore(pos sitemap.Position) int {
	line := pos.Offset - int64(pos.Column-1)
	b, base := t.in.Start(), t.base()
	from, wide := line, 0
	if t.line == line {
		from, wide = t.known, t.wide
	}
	switch {
	case from < base: // before the memory
		return 0
	case from > pos.Offset:
		wide -= extra(b[pos.Offset-base : from-base])
	default:
		wide += extra(b[from-base : pos.Offset-base])
	}
	t.line, t.known, t.wide = line, pos.Offset, wide
	return wide
}

// extra returns the number of bytes in b less that of characters.
func extra(b []byte) int { return len(b) - utf8.RuneCount(b) }

const (
	excerptBefore = 50 // bytes of a line before the place
	excerptAfter  = 50 // bytes of the line after it
)

// excerpt returns the line around an offset in memory.
func (t *text) excerpt(offset int64) Excerpt {
	b, at := t.in.Start(), int(offset-t.base())
	if at >= len(b) {
		return Excerpt{}
	}
	near := max(0, at-excerptBefore-1)
	from := near + bytes.LastIndexAny(b[near:at], "\r\n") + 1
	from += len(b[from:at]) - len(bytes.TrimLeft(b[from:at], " \t"))
	head := ""
	if at-from > excerptBefore {
		for from = at - excerptBefore; !utf8.RuneStart(b[from]); from++ {
		}
		head = "…"
	}
	after := b[at:min(len(b), at+excerptAfter+1)]
	if end := bytes.IndexAny(after, "\r\n"); end >= 0 {
		after = after[:end]
	}
	text := head + string(b[from:at]) + chars.Shorten(string(after), excerptAfter)
	return Excerpt{Text: text, Caret: len(head) + at - from}
}
