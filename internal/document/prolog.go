package document

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// A prolog is the part of a document before its root element.
type prolog struct {
	report func(sitemap.Problem)

	format sitemap.Format
	err    error
	more   bool // the bytes ended before the format was known
	// A comment, a CDATA section, a DOCTYPE or a processing instruction is not closed in these
	// bytes. More bytes may close it.
	unclosed bool
	before   *prolog // the prolog before the first unclosed one

	passed bool // these are not the document's first bytes; no junk preceded them
	marked bool // there was markup in the bytes before
	html   bool // the DOCTYPE is that of HTML, or the first element is one of HTML
	bare   bool // the root is missing, or unknown: there are only entries
	markup bool // the first junk is markup

	offsets
	junk   int // bytes of junk
	closed int // bytes of junk that are text or elements that ended
	open   int // elements that are open
}

// offsets are places in a prolog. The declaration, the DOCTYPE, misplaced and blank are -1 if there
// is no such place.
type offsets struct {
	tail        int // the first unclosed markup, or else the token that the bytes cut
	root        int // the root's start tag
	rootEnd     int
	declaration int // the XML declaration
	doctype     int // the DOCTYPE
	doctypeEnd  int
	junkAt      int // the first junk
	misplaced   int // the first XML declaration that is not the first token
	blank       int // the first white space that XML does not know
}

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
