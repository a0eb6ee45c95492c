package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/input"
)

// MaxDoctype is how long a DOCTYPE may be; a longer one is cut at its first '>'.
const MaxDoctype = 64 << 10

// scanInstruction scans a processing instruction.
func (s *Scanner) scanInstruction(b []byte, last bool) int {
	s.Kind = Instruction
	region, cut := markup(b, 2)
	if end := bytes.Index(region, instructionEnd); end >= 0 {
		if !soundTarget(b) {
			s.mismatched(b[:2+end+2])
		}
		return 2 + end + 2
	}
	body := b[2:min(len(b), MaxInstruction)]
	if next := bytes.Index(body, []byte("<?")); next >= 0 {
		body = body[:next]
	}
	if end := bytes.Index(body, instructionEnd); end >= 0 {
		return 2 + end + 2
	}
	if !cut || len(b) < MaxInstruction && !last {
		return s.stuck(b, last)
	}
	end := 2 + len(region)
	if gt := bytes.IndexByte(region, '>'); gt >= 0 {
		end = 2 + gt + 1
	}
	s.mismatched(b[:end])
	return end
}

// soundTarget reports whether a processing instruction has a target that XML allows: a name
// that is not that of the XML declaration, in any letter case.
func soundTarget(b []byte) bool {
	target := b[2 : 2+NameLen(b[2:])]
	return len(target) > 0 && (!bytes.EqualFold(target, []byte("xml")) || IsDeclaration(b))
}

var instructionEnd = []byte("?>")

// IsDeclaration reports whether a processing instruction is an XML declaration.
func IsDeclaration(raw []byte) bool {
	return len(raw) > 5 && bytes.EqualFold(raw[:5], []byte("<?xml")) && IsSpace(raw[5])
}

// MaxInstruction is how long a processing instruction may be that holds a '<'.
const MaxInstruction = 4 << 10

// markup returns b from there up to the next '<', if there is one.
func markup(b []byte, from int) (region []byte, cut bool) {
	if lt := bytes.IndexByte(b[from:], '<'); lt >= 0 {
		return b[from : from+lt], true
	}
	return b[from:], false
}

// scanDeclaration scans what "<!" starts.
func (s *Scanner) scanDeclaration(b []byte, last bool) int {
	switch {
	case bytes.HasPrefix(b, commentStart):
		return s.scanComment(b, last)
	case bytes.HasPrefix(b, cdataStart):
		return s.scanCDATA(b, last)
	case len(b) >= len(cdataStart) && bytes.EqualFold(b[:len(cdataStart)], cdataStart):
		// In lower case it is one if it cannot swallow anything: without a '<' in it.
		text, cut := markup(b, len(cdataStart))
		if end := indexCDATAEnd(text); end >= 0 {
			s.Kind, s.Data = CDATA, text[:end]
			end += len(cdataStart) + len(cdataEnd)
			s.mismatched(b[:end])
			return end
		}
		if !cut && !last {
			return 0
		}
	case len(b) < len(cdataStart) && (bytes.HasPrefix(commentStart, b) || bytes.EqualFold(cdataStart[:len(b)], b)):
		return s.stuck(b, last)
	case len(b) < len(doctypeStart) && bytes.EqualFold(doctypeStart[:len(b)], b):
		return s.stuck(b, last)
	}
	s.Kind, s.Cut = Declaration, false
	if !s.doctype && len(b) >= len(doctypeStart) && bytes.EqualFold(b[:len(doctypeStart)], doctypeStart) {
		n := doctypeEnd(b)
		if n == 0 && len(b) < MaxDoctype && !last {
			return 0
		}
		s.doctype = true
		s.Cut = n == 0
		if n > 0 {
			return n
		}
	}
	end := bytes.IndexAny(b[1:], "<>") + 1
	if end < 1 {
		return s.stuck(b, last)
	}
	if b[end] == '>' {
		end++
	}
	s.mismatched(b[:end])
	return end
}

var (
	commentStart = []byte("<!--")
	commentEnd   = []byte("-->")
	cdataStart   = []byte("<![CDATA[")
	cdataEnd     = []byte("]]>")
	doctypeStart = []byte("<!DOCTYPE")
)

// IsDoctype reports whether the token is a DOCTYPE.
func (s *Scanner) IsDoctype() bool {
	return s.Kind == Declaration && len(s.Raw) >= len(doctypeStart) && bytes.EqualFold(s.Raw[:len(doctypeStart)], doctypeStart)
}

// doctypeEnd returns the length of the DOCTYPE that b starts with, its internal
// subset with quotes and comments included, or 0.
func doctypeEnd(b []byte) int {
	b = b[:min(len(b), MaxDoctype)]
	subset := false
	for i := len(doctypeStart); i < len(b); i++ {
		skip := 0
		switch b[i] {
		case '"', '\'':
			skip = bytes.IndexByte(b[i+1:], b[i]) + 1
		case '[':
			subset = true
			continue
		case ']':
			subset = false
			continue
		case '>':
			if !subset {
				return i + 1
			}
			continue
		case '<':
			switch {
			case bytes.HasPrefix(b[i:], commentStart):
				skip = bytes.Index(b[i:], commentEnd) + len(commentEnd) - 1
			case bytes.HasPrefix(b[i:], []byte("<?")):
				skip = bytes.Index(b[i:], []byte("?>")) + 1
			case subset && bytes.HasPrefix(b[i:], []byte("<!")):
				continue
			}
			if skip <= 2 {
				return 0
			}
		default:
			continue
		}
		if skip <= 0 {
			return 0
		}
		i += skip
	}
	return 0
}

// scanComment scans a comment, or its "<!--" alone where nothing closes it.
func (s *Scanner) scanComment(b []byte, last bool) int {
	s.Kind = Comment
	body := b[len(commentStart):]
	end := s.commentEnd.find(body, s.in.Offset()+int64(len(commentStart)), indexCommentEnd)
	switch {
	case end >= 0 && !bytes.Contains(body[:end], commentStart):
		return len(commentStart) + end + len(commentEnd)
	case end >= 0: // one comment in another
		s.mismatched(b[:len(commentStart)+end+len(commentEnd)])
		return len(commentStart)
	case !last && s.commentEnd.wait(s.in.Offset(), len(b)):
		return 0
	}
	s.unclosed(b[:len(commentStart)], body)
	return len(commentStart)
}

// unclosed reports markup that nothing closes, unless it is the document's end that cuts
// it: where no other markup follows.
func (s *Scanner) unclosed(raw, rest []byte) {
	if !s.in.AtEnd() || bytes.IndexByte(rest, '<') >= 0 {
		s.mismatched(raw)
	}
}

func indexCommentEnd(b []byte) int { return bytes.Index(b, commentEnd) }

// scanCDATA scans a CDATA section, which ends at the next '<' where nothing closes it.
func (s *Scanner) scanCDATA(b []byte, last bool) int {
	s.Kind = CDATA
	body := b[len(cdataStart):]
	end := s.cdataEnd.find(body, s.in.Offset()+int64(len(cdataStart)), indexCDATAEnd)
	if end >= 0 {
		s.Data = body[:end]
		cut, known := s.neverClosed(s.Data, body[end+len(cdataEnd):])
		if !known && !last {
			return 0
		}
		if cut >= 0 {
			s.Data = body[:cut]
			cut += len(cdataStart)
			s.mismatched(b[:cut])
			return cut
		}
		return len(cdataStart) + end + len(cdataEnd)
	}
	if !last && s.cdataEnd.wait(s.in.Offset(), len(b)) {
		return 0
	}
	s.Data, _ = markup(body, 0)
	size := len(cdataStart) + len(s.Data)
	s.unclosed(b[:size], b[size:])
	return size
}

// indexCDATAEnd is bytes.Index of "]]>", three times as fast on prose with tags.
func indexCDATAEnd(b []byte) int {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], ']')
		if j < 0 {
			return -1
		}
		if i += j; bytes.HasPrefix(b[i:], cdataEnd) {
			return i
		}
	}
}

// neverClosed tells that the "]]>" behind a CDATA section's text closes another
// one, which starts within, and returns where the section ends then; or -1. It is
// so if what the section stands in is over before the other one starts, or a start
// tag of its element comes directly before that; and between entries, which have no
// text there. What follows the "]]>" may show that it is the section's own, if there is
// enough of it to be known.
func (s *Scanner) neverClosed(text, rest []byte) (cut int, known bool) {
	if !nextCDATA(text) {
		return -1, true
	}
	closes, known := s.closesOwn(rest)
	if closes && !bytes.Contains(text, append([]byte("<"), s.owner...)) {
		return -1, true
	}
	return s.overIn(text), known
}

// closesOwn reports whether what follows a "]]>" is the end tag of the element that the CDATA
// section stands in, and whether there is enough of it to know.
func (s *Scanner) closesOwn(rest []byte) (ok, known bool) {
	if len(s.owner) == 0 {
		return false, true
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	end := append([]byte("</"), s.owner...)
	ok = bytes.HasPrefix(rest, end)
	return ok, ok || !bytes.HasPrefix(end, rest)
}

// overIn is neverClosed for a text with another section's start in it.
func (s *Scanner) overIn(text []byte) int {
	first := bytes.IndexByte(text, '<')
	if len(s.owner) == 0 && len(s.entryName) == 0 {
		return first
	}
	for i, openers := first, 0; ; {
		tag := text[i:]
		switch {
		case s.isOver(tag[1:]):
			if nextCDATA(tag) {
				return i
			}
			return -1
		case bytes.HasPrefix(tag, cdataStart):
			openers++
		case openers < maxOpeners && s.startsAgain(tag[1:]):
			return first
		}
		next := bytes.IndexByte(tag[1:], '<')
		if next < 0 {
			return -1
		}
		i += 1 + next
	}
}

// maxOpeners is behind how many openers neverClosed takes a section to end at its first
// '<': so often at most it looks again at the same bytes.
const maxOpeners = 16

// nextCDATA reports whether "<![CDATA[" stands in b.
func nextCDATA(b []byte) bool {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], '[')
		if j < 0 {
			return false
		}
		if i += j; bytes.HasPrefix(b[max(0, i-2):], cdataStart) {
			return true
		}
	}
}

// isOver reports whether the tag behind a '<' ends the element that a CDATA section stands
// in: its end tag, that of the entry, or the start tag of another entry.
func (s *Scanner) isOver(tag []byte) bool {
	name, ends := bytes.CutPrefix(tag, []byte("/"))
	n := NameLen(name)
	name, rest := name[:n], name[n:]
	if n == 0 || len(rest) == 0 {
		return false
	}
	isEntry := bytes.Equal(name, s.entryName)
	if ends {
		return (isEntry || bytes.Equal(name, s.owner)) && (rest[0] == '>' || IsSpace(rest[0]))
	}
	if !isEntry {
		return false
	}
	end, complete := tagEnd(rest, 0)
	if !complete || end > 0 && rest[end-1] == '/' {
		return false
	}
	follows, _ := opens(rest[end+1:])
	return follows
}

// startsAgain reports whether the tag behind a '<' opens the element that a CDATA section
// stands in, and another one in it.
func (s *Scanner) startsAgain(tag []byte) bool {
	rest, ok := bytes.CutPrefix(tag, s.owner)
	return ok && len(s.owner) > 0 && len(rest) > 0 && rest[0] == '>' &&
		bytes.HasPrefix(bytes.TrimLeft(rest[1:], " \t\r\n"), cdataStart)
}

// A closer remembers where the next end of a comment or CDATA section is, so that
// a document full of openers is not searched again for each of them.
type closer struct {
	at    int64 // offset of the end that was found last
	known int64 // no other one ends before this offset
	given int64 // up to this offset, nothing is looked for beyond the window
}

// wait reports whether the window should hold more of what was opened at offset,
// of which it holds n bytes.
func (c *closer) wait(offset int64, n int) bool {
	if offset < c.given {
		return false
	}
	if n < maxLook {
		return true
	}
	c.given = offset + maxLook/2
	return false
}

// find returns where the closer is in b, which stands at this offset, or -1.
func (c *closer) find(b []byte, offset int64, index func([]byte) int) int {
	if c.at >= offset && c.known > 0 && c.at < offset+int64(len(b)) {
		return int(c.at - offset)
	}
	from := int(min(max(0, c.known-offset), int64(len(b))))
	n := index(b[from:])
	if n < 0 {
		c.known = max(c.known, offset+int64(len(b))-2)
		return -1
	}
	c.at = offset + int64(from+n)
	c.known = c.at + 1
	return from + n
}

// maxLook is how far the end of a comment or CDATA section is looked for; half as
// far where one was looked for in vain just before.
const maxLook = input.MaxWindow / 2
