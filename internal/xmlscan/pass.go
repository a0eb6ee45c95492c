package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/input"
)

// Ahead returns what follows in the window, with its padding.
func (q *Quick) Ahead() []byte { return q.b[q.at:] }

// Enter is Open for a start tag without prefix or attributes that is known to follow.
func (q *Quick) Enter(start string) {
	q.name.start, q.name.end = q.at+1, q.at+len(start)-1
	q.local = q.name
	q.Space, q.Empty, q.Attrs = q.Bare, false, 0
	q.at += len(start)
}

// Between returns the text between a start tag, which is known to follow, and an end tag,
// and the place behind that: 0 if there is other markup between. What there is to report
// of the text was not looked for.
func (q *Quick) Between(start, end string) (text []byte, next int) {
	from := q.at + len(start)
	n := bytes.IndexByte(q.b[from:], '<')
	if next = from + n + len(end); n < 0 || next > len(q.b) || string(q.b[from+n:next]) != end {
		return nil, 0
	}
	return q.b[from : from+n], next
}

// Plain is Between for tags in bytes, for text of which there is nothing to report or to
// decode. It moves behind the end tag, or nowhere if it is not ok.
func (q *Quick) Plain(start, end []byte) (text []byte, ok bool) {
	from := q.at + len(start)
	n := bytes.IndexByte(q.b[from:], '<')
	if n < 0 || !bytes.HasPrefix(q.b[from+n:], end) || !plain(q.b[from:from+n]) {
		return nil, false
	}
	q.at = from + n + len(end)
	return q.b[from : from+n], true
}

// Pass passes over a start tag, which is known to follow, text or a CDATA section, and an
// end tag. If it is not ok, that is not all, or there is something to report of it, and it
// moves nothing.
func (q *Quick) Pass(start, end string) (ok bool) {
	if text, next := q.Between(start, end); next > 0 {
		if q.r.report != nil && !plain(text) && !soundText(text) {
			return false
		}
		q.at = next
		return true
	}
	text, from := q.section(q.at + len(start))
	if from == 0 || !bytes.HasPrefix(q.b[from:], []byte(end)) || q.r.report != nil && !Sound(text) {
		return false
	}
	q.at = from + len(end)
	return true
}

// PassAll passes over the element whose start tag is at the window's byte i, and over
// what follows it with the same prefix, and returns where the next tag of another
// name is. Nothing is looked at but how tags start. Only the end tag of an element
// around, or a start tag with another prefix, may follow; else, or where the
// window ends before, it returns 0.
func (q *Quick) PassAll(i int) (next int) {
	b := q.b[:len(q.b)-input.Padding]
	size := NameLen(b[i+1:])
	colon := bytes.IndexByte(b[i+1:i+1+size], ':')
	if colon <= 0 {
		return 0
	}
	prefix := b[i+1 : i+2+colon]
	for {
		name := b[i+1:]
		switch {
		case len(name) == 0:
			return 0
		case bytes.HasPrefix(name, prefix), name[0] == '/' && bytes.HasPrefix(name[1:], prefix):
			i++
		case name[0] == '/':
			return i
		case name[0] == '!':
			if _, i = q.section(i); i == 0 {
				return 0
			}
		case bytes.IndexByte(name[:min(NameLen(name)+1, len(name))], ':') > 0:
			return i
		default:
			return 0
		}
		lt := bytes.IndexByte(b[i:], '<')
		if lt < 0 {
			return 0
		}
		i += lt
	}
}
