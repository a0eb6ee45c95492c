package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/input"
)

// Ahead returns the rest of the window, with its padding.
func (q *Quick) Ahead() []byte { return q.b[q.at:] }

// Enter is Open for a start tag without prefix or attributes that is known to be next.
func (q *Quick) Enter(start string) {
	q.name.start, q.name.end = q.at+1, q.at+len(start)-1
	q.local = q.name
	q.Space, q.Empty, q.Attrs = q.Bare, false, 0
	q.at += len(start)
}

// Between returns the text between a start tag, which is known to be next, and an end tag, and the
// offset after that. The offset is 0 if there is other markup between. The text is not checked for
// problems.
func (q *Quick) Between(start, end string) (text []byte, next int) {
	from := q.at + len(start)
	n := bytes.IndexByte(q.b[from:], '<')
	if next = from + n + len(end); n < 0 || next > len(q.b) || string(q.b[from+n:next]) != end {
		return nil, 0
	}
	return q.b[from : from+n], next
}

// Plain is Between for tags in bytes, and text without problems and references. It advances past
// the end tag, or not at all if it returns false.
func (q *Quick) Plain(start, end []byte) (text []byte, ok bool) {
	from := q.at + len(start)
	n := bytes.IndexByte(q.b[from:], '<')
	if n < 0 || !bytes.HasPrefix(q.b[from+n:], end) || !plain(q.b[from:from+n]) {
		return nil, false
	}
	q.at = from + n + len(end)
	return q.b[from : from+n], true
}

// Pass skips a start tag, which is known to be next, text or a CDATA section, and an end tag. It
// returns false and does not advance if there is anything else, or a problem.
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

// PassAll skips the element whose start tag is at the window's byte i, and the following ones with
// the same prefix. It returns the offset of the next tag with another name. It checks nothing
// except the starts of tags. It returns 0 if anything follows except the end tag of an element
// around or a start tag with another prefix, or if the window ends before.
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
