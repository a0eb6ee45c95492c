package xmlscan

import (
	"bytes"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

// check reports the problems inside the token.
func (s *Scanner) check() {
	if s.Kind == StartTag && len(s.attrs) == 0 && !s.odd && s.has&isOther == 0 {
		return // only ASCII letters and the like
	}
	raw := s.Raw()
	if !s.isSound(s.size) {
		s.checkCharacters(0, raw)
	}
	switch {
	case s.Kind == Text:
		s.checkText(0, raw)
	case s.Kind == Comment && bytes.HasPrefix(raw, commentStart) &&
		bytes.HasSuffix(raw[len(commentStart):], commentEnd):
		// A comment may not contain two hyphens in a row, nor a third one before its end.
		if bytes.Contains(raw[len("<!--"):len(raw)-len("->")], []byte("--")) {
			s.mismatched(raw)
		}
	case s.Kind == StartTag && s.size > s.nameAt.end+1:
		s.checkReferences(s.nameAt.end, raw[s.nameAt.end:])
		if s.odd && !s.Cut {
			s.mismatched(raw)
		}
	}
}

// isSound reports whether the first n bytes of the window, a token, are sound. It also examines the
// tokens that follow, but not many: a caller may read entries without the Scanner.
func (s *Scanner) isSound(n int) bool {
	offset := s.in.Offset()
	if s.sound >= offset+int64(n) {
		return true
	}
	b, from := s.in.Window(), int(max(s.sound-offset, 0))
	b = b[from:min(len(b), n+soundAhead)]
	s.sound = offset + int64(from+xmlchar.SoundLen(b))
	return s.sound >= offset+int64(n)
}

// soundAhead is the number of bytes after a token that are examined with it, about an entry.
const soundAhead = 512

// CheckText reports the problems of text that the caller has read itself, at the window's byte at.
func (s *Scanner) CheckText(at int, text []byte) {
	if s.report == nil {
		return
	}
	s.checkCharacters(at, text)
	s.checkText(at, text)
}

// IsUsual reports whether CheckText has no problem of text to report, and whether the text has
// references.
func IsUsual(text []byte) (ok, references bool) {
	if xmlchar.IsPlain(text) {
		return true, false
	}
	if !xmlchar.Sound(text) || indexCDATAEnd(text) >= 0 {
		return false, false
	}
	for i := bytes.IndexByte(text, '&'); i >= 0; i = bytes.IndexByte(text, '&') {
		references, text = true, text[i:]
		_, size, kind := xmlchar.Reference(text)
		if referenceCodes[kind] != "" {
			return false, true
		}
		text = text[size:]
	}
	return true, references
}

// checkText reports the problems of text at the window's byte at, except its characters.
func (s *Scanner) checkText(at int, text []byte) {
	if i := indexCDATAEnd(text); i >= 0 {
		s.problem(sitemap.MismatchedTag, at+i, text[i:])
	}
	s.checkReferences(at, text)
}

// checkCharacters reports characters in b, at the window's byte at, that XML forbids, once for each
// kind.
func (s *Scanner) checkCharacters(at int, b []byte) {
	sound := xmlchar.SoundLen(b)
	rest := b[sound:]
	if len(rest) == 0 {
		return
	}
	if i := xmlchar.IndexControl(rest); i >= 0 {
		s.problem(sitemap.ControlChar, at+sound+i, rest[i:])
	}
	if !utf8.Valid(rest) {
		s.problem(sitemap.InvalidUTF8, at, b)
	}
	if i := xmlchar.IndexNoncharacter(rest); i >= 0 {
		s.problem(sitemap.ControlChar, at+sound+i, rest[i:])
	}
}

// checkReferences reports references in b, at the window's byte at, that XML does not define, once
// for each kind.
func (s *Scanner) checkReferences(at int, b []byte) {
	var seen [len(referenceCodes)]bool
	for i := 0; ; i++ {
		n := bytes.IndexByte(b[i:], '&')
		if n < 0 {
			return
		}
		i += n
		_, _, kind := xmlchar.Reference(b[i:])
		if code := referenceCodes[kind]; code != "" && !seen[kind] {
			seen[kind] = true
			s.problem(code, at+i, b[i:])
		}
	}
}

// referenceCodes are the problems of the kinds of references.
var referenceCodes = [...]sitemap.Code{xmlchar.RawAmpersand: sitemap.RawAmpersand,
	xmlchar.Undeclared: sitemap.UndeclaredEntity, xmlchar.Forbidden: sitemap.ControlChar}
