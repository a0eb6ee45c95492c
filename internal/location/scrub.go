package location

import (
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// scrub removes white space around raw, line breaks with the indentation around them, tabs and
// control characters. It writes inner spaces as %20 and bytes that are not UTF-8 as %XX. The result
// shares memory with raw if nothing inside changes, else it is appended to buf.
func scrub(buf, raw []byte) (text []byte, codes []sitemap.Code) {
	var s scrubber
	text = s.trim(raw)
	if !isVisible(text) {
		text = s.rewrite(buf, text)
	}
	if s.control {
		codes = append(codes, sitemap.ControlChar)
	}
	if s.invalid {
		codes = append(codes, sitemap.InvalidUTF8)
	}
	if s.space {
		codes = append(codes, sitemap.LocWhitespace)
	}
	return text, codes
}

// A scrubber records its changes.
type scrubber struct {
	control bool // control characters that XML forbids were removed
	invalid bool // bytes that are not UTF-8 were escaped
	space   bool // inner white space or invisible characters were removed or escaped
}

// trim removes white space and control characters from both ends of raw.
func (s *scrubber) trim(raw []byte) []byte {
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if !s.trims(r) {
			break
		}
		raw = raw[size:]
	}
	for len(raw) > 0 {
		r, size := utf8.DecodeLastRune(raw)
		if !s.trims(r) {
			break
		}
		raw = raw[:len(raw)-size]
	}
	return raw
}

func (s *scrubber) trims(r rune) bool {
	if isForbidden(r) {
		s.control = true
	}
	return isControl(r) || chars.IsSpace(r)
}

// rewrite appends trimmed text to out. It holds spaces back until the next character: next to a
// line break they are indentation.
func (s *scrubber) rewrite(out, text []byte) []byte {
	spaces, broken := 0, false
	for len(text) > 0 {
		if spaces == 0 && !broken {
			n := visibleLen(text)
			out, text = append(out, text[:n]...), text[n:]
			if len(text) == 0 {
				break
			}
		}
		r, size := utf8.DecodeRune(text)
		char := text[:size]
		text = text[size:]
		switch {
		case r == ' ':
			spaces++
			continue
		case isLineBreak(r) || r == '\t':
			broken = true
			continue
		case isForbidden(r):
			s.control = true
			continue
		case isControl(r):
			s.space = true
			continue
		}
		if spaces > 0 || broken {
			s.space = true
			for ; spaces > 0 && !broken; spaces-- {
				out = append(out, "%20"...)
			}
			spaces, broken = 0, false
		}
		if r == utf8.RuneError && size == 1 {
			s.invalid = true
			out = chars.AppendEscape(out, char[0])
			continue
		}
		out = append(out, char...)
	}
	return out
}

// isForbidden reports whether r is a control character or a noncharacter that XML forbids. XML
// allows those from U+007F on.
func isForbidden(r rune) bool { return isControl(r) && (r < ' ' || r >= 0xfffe) }
