package audit

import (
	"bytes"

	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// skipPlain advances past entries that need no visit.
func (s *structure) skipPlain(limit int64) {
	if s.root.offset < 0 || !s.isOwn(s.root.standard) {
		return
	}
	s.next += int64(len(s.scan.Raw()))
	s.scan.Sync()
	for {
		w := s.in.Window()
		blank := spaces(w)
		if s.next+int64(blank) > limit {
			return
		}
		n := plainLen(w[blank:])
		if n == 0 {
			return
		}
		s.plain = s.next + int64(blank)
		s.next += int64(blank + n)
		s.in.Advance(blank + n)
	}
}

// spaces returns the length of the white space at the start of b.
func spaces(b []byte) int {
	n := 0
	for n < len(b) && xmlscan.IsSpace(b[n]) {
		n++
	}
	return n
}

// A tags holds the tags of an element without attributes.
type tags struct{ start, end []byte }

func tagsOf(name string) tags { return tags{[]byte("<" + name + ">"), []byte("</" + name + ">")} }

var (
	entryTags = []tags{tagsOf("url"), tagsOf("sitemap")}
	fieldTags = []tags{tagsOf("loc"), tagsOf("lastmod"), tagsOf("changefreq"), tagsOf("priority")}
)

// plainLen returns the length of the entry at the start of b if it has only the protocol's fields,
// without attributes, in the schema's order and without white space around their text. Most entries
// are such. Else it returns 0.
func plainLen(b []byte) int {
	entry := &entryTags[0]
	if !bytes.HasPrefix(b, entry.start) {
		if entry = &entryTags[1]; !bytes.HasPrefix(b, entry.start) {
			return 0
		}
	}
	n := len(entry.start)
	for i, field := range fieldTags {
		n += spaces(b[n:])
		if !bytes.HasPrefix(b[n:], field.start) {
			continue
		}
		text := n + len(field.start)
		end := bytes.IndexByte(b[text:], '<')
		if end <= 0 || !bytes.HasPrefix(b[text+end:], field.end) || b[text] <= ' ' ||
			b[text+end-1] <= ' ' ||
			i == 0 && b[text] != 'h' {
			return 0
		}
		n = text + end + len(field.end)
	}
	n += spaces(b[n:])
	if !bytes.HasPrefix(b[n:], entry.end) {
		return 0
	}
	return n + len(entry.end)
}

// fieldOffset returns the offset of a field of the entry that starts at offset, or offset.
func (s *structure) fieldOffset(offset int64, local string) int64 {
	if s == nil {
		return offset
	}
	if len(s.elements) > 0 && s.elements[0].offset == offset {
		if f := field(s.elements, local); f != nil {
			return f.offset
		}
	}
	if i := s.view.reach(offset); s.plain == offset && i >= 0 {
		return offset + int64(max(0, bytes.Index(s.view.in.Window()[i:], []byte("<"+local))))
	}
	return offset
}
