package document

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// maxTail is how much is read after the end of the root.
const maxTail = 64 << 10

// EndXML reads the part after the root of an XML document, to check for junk and to verify gzip's
// checksum. It returns the error that the document ended with, or nil. An error after the root is
// an *input.AfterRoot.
func EndXML(in *input.Reader, r *xmlscan.Reader, s *Sink) error {
	if r.Truncated() {
		if err := in.Err(); err != nil {
			return err
		}
		return &sitemap.ParseError{Pos: in.Position(len(in.Window())), Err: sitemap.ErrTruncated}
	}
	r.Restart()
	if at, text := junkAfter(in, s.report); text != nil {
		s.Problem(sitemap.JunkAfterRoot, at, "", text)
	}
	if err := in.Err(); err != nil {
		return &input.AfterRoot{Err: err}
	}
	return nil
}

// junkAfter returns the first junk: anything but white space, comments and processing instructions.
// It reports problems inside of these.
func junkAfter(in *input.Reader, report func(sitemap.Problem)) (pos sitemap.Position, text []byte) {
	start := in.Offset()
	var inside []sitemap.Problem // the token
	var note func(sitemap.Problem)
	if report != nil {
		note = func(p sitemap.Problem) { inside = append(inside, p) }
	}
	t := xmlscan.NewScanner(in, note)
	for in.Offset()-start < maxTail {
		inside = inside[:0]
		kind := t.Next()
		if isMisc(kind, t.Raw()) {
			for _, p := range inside {
				report(p)
			}
			continue
		}
		blanks := 0
		if kind == xmlscan.Text {
			blanks = len(t.Raw()) - len(bytes.TrimLeft(t.Raw(), " \t\r\n"))
		}
		if junk := t.Raw()[blanks:]; text == nil && len(junk) > 0 &&
			in.Offset()-start+int64(blanks) < maxTail {
			pos, text = in.Position(blanks), bytes.Clone(chars.Excerpt(junk))
		}
		if kind == xmlscan.EOF {
			break
		}
	}
	return pos, text
}

// isMisc reports whether a token is a comment or a processing instruction, which may follow the
// root (XML 1.0, section 2.8).
func isMisc(kind xmlscan.Kind, raw []byte) bool {
	return kind == xmlscan.Comment || kind == xmlscan.Instruction && !xmlscan.IsDeclaration(raw)
}
