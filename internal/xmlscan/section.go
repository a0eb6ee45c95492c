package xmlscan

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/input"
)

// MaxDoctype is the maximum length of a DOCTYPE. A longer one is cut at its first '>'.
const MaxDoctype = 64 << 10

// scanInstruction scans a processing instruction.
func (s *Scanner) scanInstruction(b []byte, last bool) int {
	s.Kind = Instruction
	region, cut := markup(b[:min(len(b), maxLook)], 2)
	if end := bytes.Index(region, instructionEnd); end >= 0 {
		if !soundTarget(b) {
			s.mismatched(b[:2+end+2])
		}
		return 2 + end + 2
	}
	body, another := b[2:min(len(b), MaxInstruction)], false
	if next := bytes.Index(body, []byte("<?")); next >= 0 {
		body, another = body[:next], true
	}
	if end := bytes.Index(body, instructionEnd); end >= 0 {
		return 2 + end + 2
	}
	switch {
	case !cut && len(b) >= maxLook:
		s.until = instructionEnd
		return s.scanPart(b, 2, last)
	case !cut, !another && len(b) < MaxInstruction && !last:
		return s.stuck(b, last)
	}
	end := 2 + len(region)
	if gt := bytes.IndexByte(region, '>'); gt >= 0 {
		end = 2 + gt + 1
	}
	s.mismatched(b[:end])
	return end
}

// soundTarget reports whether a processing instruction has a valid target: a name other than that
// of the XML declaration, in any letter case.
func soundTarget(b []byte) bool {
	target := b[2 : 2+NameLen(b[2:])]
	return len(target) > 0 && (!bytes.EqualFold(target, []byte("xml")) || IsDeclaration(b))
}

var instructionEnd = []byte("?>")

// IsDeclaration reports whether a processing instruction is an XML declaration.
func IsDeclaration(raw []byte) bool {
	return len(raw) > 5 && bytes.EqualFold(raw[:5], []byte("<?xml")) && IsSpace(raw[5])
}

// MaxInstruction is the maximum length of a processing instruction that contains a '<'.
const MaxInstruction = maxLook

// markup returns b from there up to the next '<', if there is one.
func markup(b []byte, from int) (region []byte, cut bool) {
	if lt := bytes.IndexByte(b[from:], '<'); lt >= 0 {
		return b[from : from+lt], true
	}
	return b[from:], false
}

// scanDeclaration scans the token that starts with "<!".
func (s *Scanner) scanDeclaration(b []byte, last bool) int {
	switch {
	case bytes.HasPrefix(b, commentStart):
		return s.scanComment(b, last)
	case bytes.HasPrefix(b, cdataStart):
		return s.scanCDATA(b, last)
	case len(b) < len(cdataStart) &&
		(bytes.HasPrefix(commentStart, b) || bytes.HasPrefix(cdataStart, b)):
		return s.stuck(b, last)
	case len(b) < len(doctypeStart) && bytes.EqualFold(doctypeStart[:len(b)], b):
		return s.stuck(b, last)
	}
	s.Kind, s.Cut = Declaration, false
	if !s.doctype && len(b) >= len(doctypeStart) &&
		bytes.EqualFold(b[:len(doctypeStart)], doctypeStart) {
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
	return s.Kind == Declaration && len(s.Raw()) >= len(doctypeStart) &&
		bytes.EqualFold(s.Raw()[:len(doctypeStart)], doctypeStart)
}

// doctypeEnd returns the length of the DOCTYPE at the start of b, with the quotes and comments of
// its internal subset, or 0.
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

// scanComment scans a comment, or only its "<!--" if nothing closes it.
func (s *Scanner) scanComment(b []byte, last bool) int {
	s.Kind = Comment
	const start = len("<!--")
	body := b[start:]
	end := s.commentEnd.find(body, s.in.Offset()+int64(start), indexCommentEnd)
	switch {
	case isLong(body, end):
		s.until = commentEnd
		return s.scanPart(b, start, last)
	case end < 0 && !last:
		return 0
	case end < 0:
		s.unclosed(b[:start], body)
		return start
	case bytes.Contains(body[:end], commentStart): // one comment in another
		s.mismatched(b[:start+end+len(commentEnd)])
		return start
	}
	return start + end + len(commentEnd)
}

// unclosed reports unclosed markup, unless it is cut by the end of the document: no other markup
// follows then.
func (s *Scanner) unclosed(raw, rest []byte) {
	if !s.in.AtEnd() || bytes.IndexByte(rest, '<') >= 0 {
		s.mismatched(raw)
	}
}

func indexCommentEnd(b []byte) int { return bytes.Index(b, commentEnd) }

// scanCDATA scans a CDATA section. If nothing closes it, it ends at the next '<'.
func (s *Scanner) scanCDATA(b []byte, last bool) int {
	s.Kind = CDATA
	const start = len("<![CDATA[")
	body := b[start:]
	end := s.cdataEnd.find(body, s.in.Offset()+int64(start), indexCDATAEnd)
	switch {
	case isLong(body, end):
		s.until = cdataEnd
		return s.scanPart(b, start, last)
	case end < 0 && !last:
		return 0
	case end < 0:
		s.Data, _ = markup(body, 0)
		s.unclosed(b[:start+len(s.Data)], body[len(s.Data):])
		return start + len(s.Data)
	}
	s.Data = body[:end]
	cut, known := s.neverClosed(s.Data, body[end+len(cdataEnd):], last)
	switch {
	case !known:
		return 0
	case cut >= 0:
		s.Data = body[:cut]
		s.mismatched(b[:start+cut])
		return start + cut
	}
	return start + end + len(cdataEnd)
}

// isLong reports whether a comment or section with this body, of which end is the end or -1, is too
// long for one token.
func isLong(body []byte, end int) bool {
	return len(body) > maxLook && (end < 0 || end > maxLook)
}

// scanPart scans the next part of a comment, section or instruction that is too long for one token.
// The part starts at b[from].
func (s *Scanner) scanPart(b []byte, from int, last bool) int {
	s.Data = b[from:min(len(b), from+input.WindowSize)]
	if end := bytes.Index(s.Data, s.until); end >= 0 {
		s.Data = s.Data[:end]
		from += end + len(s.until)
		s.until = nil
		return from
	}
	if len(s.Data) < input.WindowSize {
		if !last {
			return 0
		}
		return len(b)
	}
	s.Data = s.Data[:cutLen(s.Data)]
	return from + len(s.Data)
}

// Continues reports whether the token is a part of a comment, section or instruction of which more
// follows, unless the document ends.
func (s *Scanner) Continues() bool { return s.until != nil }

// indexCDATAEnd is bytes.Index of "]]>", but three times as fast on prose with tags.
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

// neverClosed decides whether the "]]>" after the text of a CDATA section closes another section
// that starts within the text. It returns the offset where the section then ends, or -1. See the
// package documentation for the rules. Known reports whether rest, the bytes after the "]]>", is
// long enough to decide. Last reports whether there are no more bytes.
func (s *Scanner) neverClosed(text, rest []byte, last bool) (cut int, known bool) {
	if !nextCDATA(text) {
		return -1, true
	}
	cut = bytes.IndexByte(text, '<')
	if len(s.owner) == 0 || !s.mayLook() {
		return cut, true
	}
	tag, searched, known := nextTag(rest, last)
	if !known {
		return 0, false
	}
	s.looked += int64(len(text) + searched)
	name, ends := bytes.CutPrefix(tag, []byte("/"))
	if len(name) > 0 && (!ends || bytes.Equal(name, s.owner)) && s.isBalanced(text) {
		cut = -1
	}
	return cut, true
}

// nextTag returns the name of the first tag in b outside of sections and comments, with the slash
// of an end tag, and how far it has searched, which is 512 KiB at most. Known reports whether b is
// long enough to decide. Last reports whether there are no more bytes.
func nextTag(b []byte, last bool) (tag []byte, searched int, known bool) {
	known = last || len(b) >= maxLook
	b = b[:min(len(b), maxLook)]
	for at := 0; ; {
		lt := bytes.IndexByte(b[at:], '<')
		if lt < 0 {
			return nil, len(b), known
		}
		at += lt + 1
		rest := b[at:]
		size := len(rest) - len(bytes.TrimPrefix(rest, []byte("/")))
		size += NameLen(rest[size:])
		switch {
		case size == len(rest):
			return nil, len(b), known
		case size > 0:
			return rest[:size], at, true
		}
		size, isOpen := sectionLen(rest)
		if isOpen && !known {
			return nil, len(b), false
		}
		at += size
	}
}

// isBalanced reports whether the tags in the text of a CDATA section that have the name of its
// element belong together. Otherwise one of them is the end tag of the element itself, or a tag of
// another element, in which the "]]>" after the text stands.
func (s *Scanner) isBalanced(text []byte) bool {
	open, crossed := 0, false
	for range maxOwnTags {
		at := bytes.Index(text, s.owner)
		if at < 0 {
			return open < 0 || open == 0 && !crossed
		}
		before := text[:at]
		text = text[at+len(s.owner):]
		switch {
		case len(text) > 0 && nameClasses[text[0]] != 0: // a longer name
		case bytes.HasSuffix(before, []byte("</")):
			open--
			crossed = crossed || open < 0
		case bytes.HasSuffix(before, []byte("<")):
			open++
		}
	}
	return false
}

// maxOwnTags is how many names are compared to find out.
const maxOwnTags = 100

// nextCDATA reports whether b contains "<![CDATA[".
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

// A closer remembers where the end of comments or CDATA sections is not, so that a document full of
// openers is not searched again for each of them.
type closer struct {
	from, to int64 // no end starts from the one offset to the other
	found    bool  // one starts at the latter
}

// find returns the index of the first closer in b, which is at this offset, or -1.
func (c *closer) find(b []byte, offset int64, index func([]byte) int) int {
	if offset < c.from || c.to < offset {
		*c = closer{from: offset, to: offset}
	}
	if !c.found {
		n := index(b[c.to-offset:])
		if n < 0 {
			c.to = max(c.to, offset+int64(len(b))-2)
			return -1
		}
		c.to, c.found = c.to+int64(n), true
	}
	return int(c.to - offset)
}

// maxLook is how far the end of a comment, section or instruction is searched for. A longer one
// comes in parts.
const maxLook = input.MaxWindow / 2
