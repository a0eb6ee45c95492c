package record

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// maxTail is how much is read behind the root's end.
const maxTail = 64 << 10

// EndXML reads what follows the root of an XML document, for junk and for gzip's
// checksum, and returns why the document ended, if not properly.
func EndXML(in *input.Reader, r *xmlscan.Reader, s *Sink) error {
	if r.Truncated() {
		if err := in.Err(); err != nil {
			return err
		}
		return &sitemap.ParseError{Pos: in.Position(len(in.Window())), Err: sitemap.ErrTruncated}
	}
	if !s.Listed() {
		s.Problem(sitemap.NoEntries, in.Position(0), "", nil)
	}
	r.Restart()
	if at, text := junkAfter(in); text != nil {
		s.Problem(sitemap.JunkAfterRoot, at, "", text)
	}
	return in.Err()
}

// junkAfter looks for anything but white space, comments and processing
// instructions.
func junkAfter(in *input.Reader) (pos sitemap.Position, text []byte) {
	start := in.Offset()
	t := xmlscan.NewScanner(in, nil)
	for in.Offset()-start < maxTail {
		kind := t.Next()
		switch kind {
		case xmlscan.Comment:
			continue
		case xmlscan.Instruction:
			if !xmlscan.IsDeclaration(t.Raw) {
				continue
			}
		case xmlscan.Text:
			if len(bytes.TrimSpace(t.Raw)) == 0 {
				continue
			}
		}
		if text == nil && len(t.Raw) > 0 {
			pos, text = in.Position(0), bytes.Clone(t.Raw[:min(len(t.Raw), 256)])
		}
		if kind == xmlscan.EOF {
			break
		}
	}
	return pos, text
}
