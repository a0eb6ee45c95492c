package document

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// Sniff detects the format of a document, reports problems before its root element, and advances in
// to the root's start tag. It does not advance if the document is text. The error is that of in, or
// a [*sitemap.ParseError] if the document is not a sitemap.
func Sniff(in *input.Reader, report func(sitemap.Problem)) (sitemap.Format, error) {
	p := prolog{report: report}
	for p.read(in.Peek()); (p.more || p.unclosed) && (double(in) || p.pass(in)); p.read(in.Peek()) {
	}
	if p.err == sitemap.ErrUnknownXML && in.AtEnd() && p.isCut() {
		p.err = sitemap.ErrTruncated
	}
	if p.format == sitemap.UnknownFormat {
		return p.format, p.refuse(in)
	}
	if p.format != sitemap.Text {
		p.reportProlog(in)
		in.Advance(p.root)
	}
	return p.format, nil
}

// entries are the elements that hold entries, and the formats that they show without their root.
// Locations are the tags of their locations.
var entries = map[string]struct {
	format    sitemap.Format
	locations []string
}{
	"url":     {sitemap.URLSet, []string{"loc"}},
	"sitemap": {sitemap.SitemapIndex, []string{"loc"}},
	"channel": {sitemap.RSS, []string{"link", "guid"}},
	"item":    {sitemap.RSS, []string{"link", "guid"}},
	"entry":   {sitemap.Atom, []string{"link", "id"}},
}

// double reads on until the window holds twice as much.
func double(in *input.Reader) bool {
	size := len(in.Window())
	for len(in.Window()) < 2*size && in.More() {
	}
	return len(in.Window()) > size
}

// roots are the names of root elements.
var roots = map[string]sitemap.Format{
	"urlset": sitemap.URLSet, "sitemapindex": sitemap.SitemapIndex,
	"rss": sitemap.RSS, "rdf": sitemap.RSS, "feed": sitemap.Atom,
}

// read searches the first bytes of a document for its root.
func (p *prolog) read(in *input.Reader) {
	*p = prolog{
		report: p.report, passed: p.passed, marked: p.marked,
		html: p.html && p.passed, markup: p.marked,
		offsets: offsets{declaration: -1, doctype: -1, misplaced: -1, blank: -1},
	}
	s := xmlscan.NewScanner(in, nil)
	for p.junk <= maxJunk && p.format == sitemap.UnknownFormat && p.err == nil {
		at := int(in.Offset()) + len(s.Raw())
		if s.Next() == xmlscan.EOF {
			p.end(in, s)
			return
		}
		p.token(in, s, at)
	}
	if p.format == sitemap.UnknownFormat && p.err == nil {
		p.noRoot(in.Start())
	}
}

// pass advances past the tail of a window that cannot grow, if it contains no junk, and reports its
// problems.
func (p *prolog) pass(in *input.Reader) bool {
	passed := p
	if p.before != nil {
		passed = p.before
	}
	switch {
	case passed.junk > 0, in.AtEnd():
		return false
	case p.tail == 0:
		return p.skip(in)
	}
	passed.root, passed.rootEnd = p.tail, p.tail
	passed.reportProlog(in)
	in.Advance(p.tail)
	in.More()
	*p = prolog{report: p.report, passed: true, marked: passed.markup, html: passed.html}
	return true
}

// skip advances past a comment or an instruction that is longer than the window.
func (p *prolog) skip(in *input.Reader) bool {
	s := xmlscan.NewScanner(in, nil)
	if s.Next() == xmlscan.CDATA || !s.Continues() {
		return false
	}
	for s.Continues() && s.Next() != xmlscan.EOF {
	}
	s.Sync()
	in.More()
	*p = prolog{report: p.report, passed: true, marked: true, html: p.before.html}
	return true
}

// cut records that something at an offset is not closed in these bytes.
func (p *prolog) cut(at int) {
	if !p.unclosed {
		before := *p
		p.unclosed, p.before, p.tail = true, &before, at
	}
}

// token examines a token.
func (p *prolog) token(in *input.Reader, s *xmlscan.Scanner, at int) {
	switch s.Kind {
	case xmlscan.Instruction:
		if s.Continues() ||
			!bytes.HasSuffix(s.Raw(), []byte("?>")) && len(in.Window()) < xmlscan.MaxInstruction {
			p.cut(at)
		}
		if xmlscan.IsDeclaration(s.Raw()) {
			p.declare(in, at)
		}
		p.markup = p.markup || p.junk == 0
	case xmlscan.Comment:
		if !bytes.HasSuffix(s.Raw(), []byte("-->")) {
			p.cut(at)
		}
		p.markup = p.markup || p.junk == 0
	case xmlscan.Declaration:
		p.markup = p.markup || p.junk == 0
		if s.IsDoctype() && p.doctype < 0 {
			if s.Cut && len(in.Window()) < xmlscan.MaxDoctype {
				p.cut(at)
			}
			p.doctype, p.doctypeEnd = at, at+len(s.Raw())
			name := bytes.TrimSpace(s.Raw()[len("<!DOCTYPE"):])
			p.html = p.html || bytes.EqualFold(name[:xmlscan.NameLen(name)], []byte("html"))
		}
	case xmlscan.StartTag:
		p.start(in, s, at)
	case xmlscan.EndTag:
		p.count(at, len(s.Raw()))
		p.open = max(0, p.open-1)
		p.closed++
	case xmlscan.Text, xmlscan.CDATA:
		if s.Kind == xmlscan.CDATA && !bytes.HasSuffix(s.Raw(), []byte("]]>")) {
			p.cut(at)
		}
		blank := bytes.TrimLeft(s.Raw(), " \t\r\n")
		text := bytes.TrimLeftFunc(blank, unicode.IsSpace)
		if len(text) < len(blank) && p.blank < 0 {
			p.blank = at + len(s.Raw()) - len(blank)
		}
		at += len(s.Raw()) - len(text)
		text = bytes.TrimSpace(text)
		p.count(at, len(text))
		p.closed += len(text)
	}
}

// declare examines an XML declaration.
func (p *prolog) declare(in *input.Reader, at int) {
	if p.declaration < 0 {
		p.declaration = at
	}
	first := at == p.declaration && len(xmlscan.TrimSpace(in.Start()[:at])) == 0 && !p.marked
	if !first && p.misplaced < 0 {
		p.misplaced = at
	}
}

// count counts junk at an offset.
func (p *prolog) count(at, n int) {
	if p.junk == 0 {
		p.junkAt = at
	}
	p.junk += n
}

// start examines a start tag: of the root, of an HTML page, or of an element around or before the
// root.
func (p *prolog) start(in *input.Reader, s *xmlscan.Scanner, at int) {
	name := localName(s.Name())
	f, isRoot := roots[name]
	if isRoot &&
		(!p.isText(in) || bytes.HasPrefix(trimSpace(in.Window()[len(s.Raw()):]), []byte("<"))) {
		p.format, p.root, p.rootEnd = f, at, at+len(s.Raw())
		return
	}
	if !isRoot && !p.isText(in) && p.startsEntries(in, s, name, at) {
		return
	}
	if isRoot || name == "" { // http://…?q=<feed>, or <http://…>: a URL in angle brackets
		p.count(at, len(s.Raw()))
		p.closed += len(s.Raw())
		return
	}
	p.markup = p.markup || p.junk == 0
	if p.junk == 0 {
		p.html = p.html || htmlElements[name]
	}
	// OPML has a head and a body too, SOAP a body.
	page := name == "html" || (name == "head" || name == "body") && (p.html || p.open == 0)
	if page && !p.isText(in) {
		p.err = sitemap.ErrHTML
	}
	p.count(at, len(s.Raw()))
	switch {
	case s.Empty:
		p.closed++
	case !htmlVoid[name]:
		p.open++
	}
}

// startsEntries makes the current start tag the root if it is that of an entry without a root. If
// it is the first child of an unknown root, that is the root.
func (p *prolog) startsEntries(in *input.Reader, s *xmlscan.Scanner, name string, at int) bool {
	e, ok := entries[name]
	if !ok || p.open > 1 || p.html && p.open > 0 {
		return false
	}
	inside := bytes.ToLower(in.Window()[len(s.Raw()):])
	inside = inside[:min(len(inside), maxJunk)]
	holds := slices.ContainsFunc(e.locations, func(tag string) bool {
		return bytes.Contains(inside, []byte("<"+tag)) || bytes.Contains(inside, []byte(":"+tag))
	})
	if !holds && (p.open > 0 || p.junk > 0 || name == "channel") {
		return false
	}
	if p.open == 1 && p.closed > 0 {
		return false
	}
	p.format, p.bare, p.root, p.rootEnd = e.format, true, at, at+len(s.Raw())
	if p.open == 1 {
		p.root, p.rootEnd, p.junk, p.open = p.junkAt, p.junkAt+p.junk, 0, 0
		for _, place := range []*int{&p.declaration, &p.doctype, &p.misplaced, &p.blank} {
			if *place > p.root { // in the root
				*place = -1
			}
		}
	}
	return true
}

// isText reports whether the document so far is text that starts with a URL. A tag may then be part
// of another URL.
func (p *prolog) isText(in *input.Reader) bool { return !p.markup && startsWithURL(in.Start()) }

func localName(name []byte) string {
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		name = name[colon+1:]
	}
	return strings.ToLower(string(name))
}

// end detects the format from the last token of the document or the window.
func (p *prolog) end(in *input.Reader, s *xmlscan.Scanner) {
	p.more = true
	if !p.unclosed {
		p.tail = int(in.Offset())
	}
	start := in.Start()
	if rest, ok := bytes.CutPrefix(s.Raw(), []byte("<")); ok {
		if f, ok := roots[localName(rest[:xmlscan.NameLen(rest)])]; ok && !p.isText(in) {
			p.format, p.root, p.rootEnd = f, int(in.Offset()), int(in.Offset())+len(s.Raw())
			return
		}
		if bytes.HasPrefix(rest, []byte("?xml ")) && p.junk == 0 { // not closed
			p.markup, p.declaration = true, int(in.Offset())
		}
	}
	p.noRoot(start)
}

// isCut reports whether the end of the document may have cut something before its root.
func (p *prolog) isCut() bool {
	return p.unclosed && p.before.declaration >= 0 && p.before.junk == 0
}

// noRoot detects the kind of a document without a known root.
func (p *prolog) noRoot(start []byte) {
	body := trimSpace(start)
	switch {
	case len(body) == 0 && p.marked:
		p.err = sitemap.ErrTruncated
	case len(body) == 0:
		p.err = sitemap.ErrEmpty
	case isBinary(body):
		p.err = sitemap.ErrBinary
	case isJSON(body):
		p.err = sitemap.ErrJSON
	case p.markup && p.html:
		p.err = sitemap.ErrHTML
	case p.markup && p.declaration >= 0 && p.junk == 0:
		p.err = sitemap.ErrTruncated
	case p.markup && !isListOfURLs(body):
		p.err = sitemap.ErrUnknownXML
	default:
		p.format = sitemap.Text
	}
}

// refuse returns the error for a document that is not a sitemap.
func (p *prolog) refuse(in *input.Reader) error {
	err := in.Err()
	switch {
	case err != nil && (p.err == sitemap.ErrEmpty || p.err == sitemap.ErrTruncated || p.more):
		return err
	case p.doctype >= 0:
		p.problem(in, sitemap.Doctype, p.doctype, p.doctypeEnd)
	}
	if p.err == sitemap.ErrEmpty {
		return &sitemap.ParseError{Pos: sitemap.Position{Line: 1}, Err: p.err}
	}
	return &sitemap.ParseError{Pos: in.Position(0), Err: p.err}
}
