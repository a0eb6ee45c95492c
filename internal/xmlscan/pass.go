package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/input"
)

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
