package document

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// reportProlog reports the problems before the root.
func (p *prolog) reportProlog(in *input.Reader) {
	if p.report == nil {
		return
	}
	if (p.declaration > 0 || p.declaration == 0 && p.passed) && p.misplaced != p.declaration {
		p.problem(in, sitemap.LeadingWhitespace, 0, p.declaration)
	}
	if p.closed > 0 {
		p.problem(in, sitemap.JunkBeforeRoot, p.junkAt, p.root)
	} else if p.blank >= 0 {
		p.problem(in, sitemap.JunkBeforeRoot, p.blank, p.root)
	}
	if p.closed == 0 && p.open == 0 {
		p.rescan(in)
	}
	if p.doctype >= 0 {
		p.problem(in, sitemap.Doctype, p.doctype, p.doctypeEnd)
	}
	if p.open > 0 {
		p.problem(in, sitemap.WrappedRoot, p.root, p.rootEnd)
	}
	if p.bare {
		p.problem(in, sitemap.MissingRoot, p.root, p.rootEnd)
	}
}

// rescan reports problems inside the comments and processing instructions before the root. Junk
// there is reported as a whole.
func (p *prolog) rescan(in *input.Reader) {
	if p.misplaced >= 0 {
		p.problem(in, sitemap.MismatchedTag, p.misplaced, p.root) // in another letter case
	} else if p.declaration >= 0 && !bytes.HasPrefix(in.Window()[p.declaration:], []byte("<?xml")) {
		p.problem(in, sitemap.MismatchedTag, p.declaration, p.root)
	}
	ahead := in.Peek()
	s := xmlscan.NewScanner(ahead, func(problem sitemap.Problem) {
		problem.Pos = in.Position(int(problem.Pos.Offset))
		p.report(problem)
	})
	for int(ahead.Offset())+len(s.Raw()) < p.root && s.Next() != xmlscan.EOF {
	}
}

// problem reports the bytes of the window from at to end.
func (p *prolog) problem(in *input.Reader, code sitemap.Code, at, end int) {
	if p.report != nil {
		p.report(sitemap.Problem{Code: code, Pos: in.Position(at),
			Text: string(chars.Excerpt(in.Window()[at:end]))})
	}
}
