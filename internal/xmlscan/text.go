package xmlscan

import (
	"bytes"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

// check reports the problems inside the token.
func (s *Scanner) check() {
	if s.Kind == StartTag && len(s.Attrs) == 0 && !s.odd && s.has&isOther == 0 {
		return // only ASCII letters and the like
	}
	if !s.isSound(len(s.Raw)) {
		s.checkCharacters(0, len(s.Raw))
	}
	switch {
	case s.Kind == Text:
		s.checkText(0, len(s.Raw))
	case s.Kind == Comment && bytes.HasPrefix(s.Raw, commentStart) &&
		bytes.HasSuffix(s.Raw[len(commentStart):], commentEnd):
		// A comment may not contain two hyphens in a row, nor a third one before its end.
		if body := s.Raw[4 : len(s.Raw)-2]; bytes.Contains(body, []byte("--")) {
			s.mismatched(s.Raw)
		}
	case s.Kind == StartTag && len(s.Raw) > len("<>")+len(s.Name):
		s.checkReferences(1+len(s.Name), len(s.Raw))
		if s.odd && !s.Cut {
			s.mismatched(s.Raw)
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

// checkText reports the problems of text, the token's bytes from at to end, except its characters.
func (s *Scanner) checkText(at, end int) {
	if i := indexCDATAEnd(s.Raw[at:end]); i >= 0 {
		s.problem(sitemap.MismatchedTag, at+i, s.Raw[at+i:end])
	}
	s.checkReferences(at, end)
}

// checkCharacters reports characters in the token's bytes from at to end that XML forbids, once for
// each kind.
func (s *Scanner) checkCharacters(at, end int) {
	b := s.Raw[at:end]
	if i := xmlchar.IndexControl(b); i >= 0 {
		s.problem(sitemap.ControlChar, at+i, b[i:])
	}
	if !utf8.Valid(b) {
		s.problem(sitemap.InvalidUTF8, at, b)
	}
	if i := xmlchar.IndexNoncharacter(b); i >= 0 {
		s.problem(sitemap.ControlChar, at+i, b[i:])
	}
}

// checkReferences reports references in the token's bytes from at to end that XML does not define,
// once for each kind.
func (s *Scanner) checkReferences(at, end int) {
	b := s.Raw[at:end]
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
