package extension

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/xmlchar"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A quick scans the parts of a record straight from the window. While it does, its part is the
// current element instead of the Reader's. It fails at what the Reader has to read.
type quick struct {
	active     bool // the current element is the part
	failed     bool
	empty      bool   // the start tag ends with "/>"
	references bool   // the text had references
	window     []byte // with its padding
	next       int    // index of the next token in it
	tag        span   // name of the element that contains the part
	prefix     int    // length of the prefix of that, with its colon
	outer      span   // name of the news, if tag is that of its publication
	name, raw  span   // name and text of the part
	decoded    []byte // the text without its references
	attrs      []xmlscan.Attr
	before     sizes   // of the records
	offsets    []int64 // of links in the document, for a Listener
}

// A span is a part of the window. A slice instead would cost a write barrier each time it is set.
type span struct{ start, end int }

// of returns a part of the window.
func (q *quick) of(s span) []byte { return q.window[s.start:s.end] }

// text returns the decoded text of the part.
func (q *quick) text() []byte {
	if q.references {
		return q.decoded
	}
	return q.of(q.raw)
}

// fail makes the Reader read the whole extension. It returns false.
func (q *quick) fail() bool {
	q.failed = true
	return false
}

// nextPart scans the next part of the record or, passing its tags, of a publication. It returns
// false at the end of the record, or if it fails.
func (q *quick) nextPart() bool {
	b, i := q.window, xmlscan.SkipSpace(q.window, q.next)
	tag := q.of(q.tag)
	if b[i+1] == '/' {
		if q.next = endTag(b, i, tag); q.next == 0 {
			return q.fail()
		}
		if q.outer.end == 0 {
			return false
		}
		q.tag, q.outer = q.outer, span{}
		return q.nextPart()
	}
	i++
	if q.failed || b[i-1] != '<' || !bytes.HasPrefix(b[i:], tag[:q.prefix]) {
		return q.fail()
	}
	start := i + q.prefix
	q.next = start + wordLen(b[start:])
	q.name = span{start, q.next}
	switch in, name := string(tag[q.prefix:]), string(b[start:q.next]); {
	case in == "news" && name == "publication" && b[q.next] == '>':
		q.outer, q.tag = q.tag, span{i, q.next}
		q.next++
		return q.nextPart()
	case in == "publication" && name != "name" && name != "language", name == in, name == "tvshow":
		return q.fail()
	}
	return q.scanPart(b[i:q.next])
}

// scanPart scans a part after its name.
func (q *quick) scanPart(name []byte) bool {
	if q.raw, q.references = (span{}), false; !q.scanTag() || !q.empty && !q.scanText(name) {
		return q.fail()
	}
	return true
}

// scanTag scans a start tag after its name.
func (q *quick) scanTag() bool {
	b, i := q.window, q.next
	q.attrs, q.empty = q.attrs[:0], false
	if b[i] == '>' {
		q.next = i + 1
		return true
	}
	for xmlscan.IsSpace(b[i]) {
		i = xmlscan.SkipSpace(b, i)
		n := i + wordLen(b[i:])
		if n == i {
			break
		}
		name, value := b[i:n], b[n+2:]
		size := bytes.IndexByte(value, '"')
		if b[n] != '=' || b[n+1] != '"' || size < 0 || string(name) == "xmlns" ||
			q.attr(string(name)) != nil || bytes.IndexByte(value[:size], '<') >= 0 {
			return false
		}
		if usual, _ := xmlscan.IsUsual(value[:size]); !usual {
			return false
		}
		q.attrs = append(q.attrs, xmlscan.Attr{Name: name, Value: value[:size]})
		i = n + len(`=""`) + size
	}
	if q.empty = b[i] == '/'; q.empty {
		i++
	}
	q.next = i + 1
	return b[i] == '>'
}

// attr returns an attribute of the part, or nil.
func (q *quick) attr(name string) []byte {
	for _, a := range q.attrs {
		if string(a.Name) == name {
			return a.Value
		}
	}
	return nil
}

// scanText scans the text of a part, which may be a CDATA section, and its end tag.
func (q *quick) scanText(name []byte) bool {
	b, i := q.window, q.next
	size := bytes.IndexByte(b[i:], '<')
	if size < 0 {
		return false
	}
	end := i + size
	if q.raw = (span{i, end}); size == 0 && b[i+1] == '!' {
		var text []byte
		if text, end = xmlscan.PlainSection(b, i); end == 0 || !xmlchar.Sound(text) {
			return false
		}
		q.raw.start += len("<![CDATA[")
		q.raw.end = q.raw.start + len(text)
	} else if usual, references := xmlscan.IsUsual(b[i:end]); !usual {
		return false
	} else if references {
		q.decoded = xmlchar.Decode(q.decoded[:0], b[i:end])
		q.references = true
	}
	q.next = endTag(b, end, name)
	return q.next > 0 && end-i <= xmlscan.MaxText
}

// passes passes white space and what starts with a tag, and reports whether the tag was there.
func (q *quick) passes(tag string) bool {
	i := xmlscan.SkipSpace(q.window, q.next)
	if !bytes.HasPrefix(q.window[i:], []byte(tag)) {
		return false
	}
	q.next = i + len(tag)
	return true
}

// plainTag passes white space and a tag that begins with start and ends after the value of that
// attribute. It returns the value, or nil if the tag is not there or the value is not plain.
func (q *quick) plainTag(start string) []byte {
	b, i := q.window, xmlscan.SkipSpace(q.window, q.next)
	if !bytes.HasPrefix(b[i:], []byte(start)) {
		return nil
	}
	value := b[i+len(start):]
	n := bytes.IndexByte(value, '"')
	if n <= 0 || n > maxName || value[n+1] != '>' {
		return nil
	}
	value = value[:n]
	text := trim(value)
	if len(text) == 0 || !xmlchar.IsPlain(value) || bytes.IndexByte(value, '<') >= 0 {
		return nil
	}
	q.next = i + len(start) + n + len(`">`)
	return text
}

// wordLen returns the length of the word in lower case at the start of b.
func wordLen(b []byte) int {
	for i, c := range b {
		if ('a' > c || c > 'z') && c != '_' {
			return i
		}
	}
	return len(b)
}

// emptyEnd returns the index after the "/>" at b[i], or 0.
func emptyEnd(b []byte, i int) int {
	if b[i] == ' ' {
		i++
	}
	if b[i] != '/' || b[i+1] != '>' {
		return 0
	}
	return i + len("/>")
}

// endTag returns the index after the end tag with that name at b[i], or 0.
func endTag(b []byte, i int, name []byte) int {
	end := i + len("</") + len(name)
	if b[i] != '<' || b[i+1] != '/' || end >= len(b) || b[end] != '>' ||
		!bytes.Equal(b[i+2:end], name) {
		return 0
	}
	return end + 1
}
