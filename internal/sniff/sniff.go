// Package sniff tells what a document is from its first bytes, never from its
// name or media type.
package sniff

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// Window is how much junk may stand before the root element. White space,
// comments, processing instructions and a DOCTYPE do not count.
const Window = 1 << 10

// Document tells the format of the document, reports what stands before its root
// element, and moves in to the root's start tag; where the document is text, in
// stays where it is. A document that is no sitemap is a *sitemap.ParseError, or
// the error of the reader under in.
func Document(in *input.Reader, report func(sitemap.Problem)) (sitemap.Format, error) {
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
		p.tell(in)
		in.Advance(p.root)
	}
	return p.format, nil
}

// double reads on until the window holds twice as much.
func double(in *input.Reader) bool {
	size := len(in.Window())
	for len(in.Window()) < 2*size && in.More() {
	}
	return len(in.Window()) > size
}

// A prolog is what stands before the root element.
type prolog struct {
	report func(sitemap.Problem)

	format sitemap.Format
	err    error
	more   bool // the bytes ended before it could be told
	// A comment, a CDATA section, a DOCTYPE or a processing instruction is not closed in
	// these bytes; it may be in more of them.
	unclosed bool
	before   *prolog // what stands before the first such one
	tail     int     // where that, or else the token that the bytes cut, is
	root     int     // where the root's start tag is
	rootEnd  int

	passed bool // these are not the document's first bytes, before which nothing counted
	marked bool // there was markup in them

	declaration int // where the XML declaration is, or -1
	doctype     int // where the DOCTYPE is, or -1
	doctypeEnd  int
	html        bool // it is one of HTML, or an element of HTML stands first
	markup      bool // the first thing that counts is markup
	junk        int  // bytes that count
	junkAt      int  // where the first of them is
	misplaced   int  // where the first XML declaration is that is not the first thing, or -1
	blank       int  // where the first white space is that XML does not know, or -1
	closed      int  // of these, those of text and of elements that ended
	open        int  // elements that are open
}

// roots are the names of root elements.
var roots = map[string]sitemap.Format{
	"urlset": sitemap.URLSet, "sitemapindex": sitemap.SitemapIndex,
	"rss": sitemap.RSS, "rdf": sitemap.RSS, "feed": sitemap.Atom,
}

// read looks at the first bytes of a document for its root.
func (p *prolog) read(in *input.Reader) {
	*p = prolog{
		report: p.report, passed: p.passed, marked: p.marked, html: p.html && p.passed, markup: p.marked,
		declaration: -1, doctype: -1, misplaced: -1, blank: -1,
	}
	s := xmlscan.NewScanner(in, nil)
	for p.junk <= Window && p.format == sitemap.UnknownFormat && p.err == nil {
		at := int(in.Offset()) + len(s.Raw)
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

// pass moves in past what stands before the tail of a window that cannot grow, if nothing of
// it counts, and reports what is odd about it.
func (p *prolog) pass(in *input.Reader) bool {
	passed := p
	if p.before != nil {
		passed = p.before
	}
	if p.tail == 0 || passed.junk > 0 || in.AtEnd() {
		return false
	}
	passed.root, passed.rootEnd = p.tail, p.tail
	passed.tell(in)
	in.Advance(p.tail)
	in.More()
	*p = prolog{report: p.report, passed: true, marked: passed.markup, html: passed.html}
	return true
}

// cut notes that what is at a place is not closed in these bytes.
func (p *prolog) cut(at int) {
	if !p.unclosed {
		before := *p
		p.unclosed, p.before, p.tail = true, &before, at
	}
}

// token takes a token into account.
func (p *prolog) token(in *input.Reader, s *xmlscan.Scanner, at int) {
	switch s.Kind {
	case xmlscan.Instruction:
		if !bytes.HasSuffix(s.Raw, []byte("?>")) && len(in.Window()) < xmlscan.MaxInstruction {
			p.cut(at)
		}
		if xmlscan.IsDeclaration(s.Raw) {
			p.declare(in, at)
		}
		p.markup = p.markup || p.junk == 0
	case xmlscan.Comment:
		if len(s.Raw) == len("<!--") {
			p.cut(at)
		}
		p.markup = p.markup || p.junk == 0
	case xmlscan.Declaration:
		p.markup = p.markup || p.junk == 0
		if s.IsDoctype() && p.doctype < 0 {
			if s.Cut && len(in.Window()) < xmlscan.MaxDoctype {
				p.cut(at)
			}
			p.doctype, p.doctypeEnd = at, at+len(s.Raw)
			name := bytes.TrimSpace(s.Raw[len("<!DOCTYPE"):])
			p.html = p.html || bytes.EqualFold(name[:xmlscan.NameLen(name)], []byte("html"))
		}
	case xmlscan.StartTag:
		p.start(in, s, at)
	case xmlscan.EndTag:
		p.count(at, len(s.Raw))
		p.open = max(0, p.open-1)
		p.closed++
	case xmlscan.Text, xmlscan.CDATA:
		if s.Kind == xmlscan.CDATA && !bytes.HasSuffix(s.Raw, []byte("]]>")) {
			p.cut(at)
		}
		blank := bytes.TrimLeft(s.Raw, " \t\r\n")
		text := bytes.TrimLeftFunc(blank, unicode.IsSpace)
		if len(text) < len(blank) && p.blank < 0 {
			p.blank = at + len(s.Raw) - len(blank)
		}
		at += len(s.Raw) - len(text)
		text = bytes.TrimSpace(text)
		p.count(at, len(text))
		p.closed += len(text)
	}
}

// declare takes an XML declaration into account.
func (p *prolog) declare(in *input.Reader, at int) {
	if p.declaration < 0 {
		p.declaration = at
	}
	first := at == p.declaration && len(xmlscan.TrimSpace(in.Start()[:at])) == 0 && !p.marked
	if !first && p.misplaced < 0 {
		p.misplaced = at
	}
}

// count takes junk at a place into account.
func (p *prolog) count(at, n int) {
	if p.junk == 0 {
		p.junkAt = at
	}
	p.junk += n
}

// start takes a start tag into account: the root's, that of an HTML page, or one
// around or before the root.
func (p *prolog) start(in *input.Reader, s *xmlscan.Scanner, at int) {
	name := localName(s.Name)
	f, isRoot := roots[name]
	if isRoot && (!p.isText(in) || bytes.HasPrefix(trimSpace(in.Window()[len(s.Raw):]), []byte("<"))) {
		p.format, p.root, p.rootEnd = f, at, at+len(s.Raw)
		return
	}
	if isRoot || name == "" { // http://…?q=<feed>, or <http://…>: a URL in angle brackets
		p.count(at, len(s.Raw))
		p.closed += len(s.Raw)
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
	p.count(at, len(s.Raw))
	switch {
	case s.Empty:
		p.closed++
	case !htmlVoid[name]:
		p.open++
	}
}

// isText reports whether the document so far is text that starts with a URL, in which a tag may
// be part of another.
func (p *prolog) isText(in *input.Reader) bool { return !p.markup && startsWithURL(in.Start()) }

func localName(name []byte) string {
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		name = name[colon+1:]
	}
	return strings.ToLower(string(name))
}

// end tells a document by what its end, or the window's, left.
func (p *prolog) end(in *input.Reader, s *xmlscan.Scanner) {
	p.more = true
	if !p.unclosed {
		p.tail = int(in.Offset())
	}
	start := in.Start()
	if rest, ok := bytes.CutPrefix(s.Raw, []byte("<")); ok {
		if f, ok := roots[localName(rest[:xmlscan.NameLen(rest)])]; ok && !p.isText(in) {
			p.format, p.root, p.rootEnd = f, int(in.Offset()), int(in.Offset())+len(s.Raw)
			return
		}
		if bytes.HasPrefix(rest, []byte("?xml ")) && p.junk == 0 { // not closed
			p.markup, p.declaration = true, int(in.Offset())
		}
	}
	p.noRoot(start)
}

// isCut reports whether the document's end may have cut something before its root.
func (p *prolog) isCut() bool { return p.unclosed && p.before.declaration >= 0 && p.before.junk == 0 }

// noRoot tells a document without a root that is known.
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

// refuse returns the error of a document that is no sitemap.
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

// tell reports what stands before the root.
func (p *prolog) tell(in *input.Reader) {
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
}

// rescan reports what is wrong inside the comments and processing instructions
// before the root. Of junk there it is enough to say that it is.
func (p *prolog) rescan(in *input.Reader) {
	if p.misplaced >= 0 {
		p.problem(in, sitemap.MismatchedTag, p.misplaced, p.root)
	} else if p.declaration >= 0 && !bytes.HasPrefix(in.Window()[p.declaration:], []byte("<?xml")) { // in another letter case
		p.problem(in, sitemap.MismatchedTag, p.declaration, p.root)
	}
	ahead := in.Peek()
	s := xmlscan.NewScanner(ahead, func(problem sitemap.Problem) {
		problem.Pos = in.Position(int(problem.Pos.Offset))
		p.report(problem)
	})
	for int(ahead.Offset())+len(s.Raw) < p.root && s.Next() != xmlscan.EOF {
	}
}

// problem reports what stands at the window's bytes from at to end.
func (p *prolog) problem(in *input.Reader, code sitemap.Code, at, end int) {
	if p.report != nil {
		p.report(sitemap.Problem{Code: code, Pos: in.Position(at), Text: xmlscan.Excerpt(in.Window()[at:end])})
	}
}

// trimSpace cuts white space, also of the kinds that Unicode has, off the front.
func trimSpace(b []byte) []byte {
	b = bytes.TrimLeft(b, " \t\r\n") // which is faster
	return bytes.TrimLeft(b, " \t\r\n\v\f\u0085\u00a0\u2028\u2029\u200b\ufeff")
}

// isBinary reports whether b is data of no text format: it has the signature of
// one, or of sixteen characters more than one is a control character.
func isBinary(b []byte) bool {
	b = b[:min(len(b), 512)]
	switch media := http.DetectContentType(b); {
	case strings.HasPrefix(media, "text/"):
		return false
	case media != "application/octet-stream":
		return true
	}
	controls := 0
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			controls++
		}
	}
	return controls > utf8.RuneCount(b)/16
}

// isListOfURLs reports whether b has markup in its first line only, and a URL
// right behind it: text that something was put in front of.
func isListOfURLs(b []byte) bool {
	_, rest, _ := bytes.Cut(b, []byte("\n"))
	return bytes.HasPrefix(rest, []byte("http")) && bytes.IndexByte(rest, '<') < 0
}

// startsWithURL reports whether the first thing in b is a URL.
func startsWithURL(b []byte) bool {
	scheme, _, ok := bytes.Cut(trimSpace(b[:min(len(b), Window)]), []byte("://"))
	return ok && (bytes.EqualFold(scheme, []byte("http")) || bytes.EqualFold(scheme, []byte("https")))
}

// isJSON tells JSON, cut short or not, from text in brackets.
func isJSON(b []byte) bool {
	if b[0] != '{' && b[0] != '[' {
		return false
	}
	var v json.RawMessage
	d := json.NewDecoder(bytes.NewReader(b))
	err := d.Decode(&v)
	return errors.Is(err, io.ErrUnexpectedEOF) || err == nil && len(trimSpace(b[d.InputOffset():])) == 0
}

// htmlVoid are elements of HTML that are often left without an end tag.
var htmlVoid = map[string]bool{
	"br": true, "hr": true, "p": true, "img": true, "meta": true, "link": true, "input": true, "li": true,
}

// htmlElements are elements that an HTML page or a part of one starts with.
var htmlElements = map[string]bool{
	"a": true, "b": true, "br": true, "body": true, "center": true, "div": true, "font": true, "h1": true, "h2": true,
	"h3": true, "head": true, "header": true, "hr": true, "html": true, "i": true, "iframe": true, "img": true, "li": true,
	"main": true, "meta": true, "p": true, "pre": true, "script": true, "section": true, "span": true, "strong": true,
	"style": true, "table": true, "title": true, "ul": true,
}

// ContentType reports whether a media type contradicts a document of this format
// that came in so many layers of gzip: whether it names another format than both
// the bytes as sent and the document inside.
func ContentType(contentType string, f sitemap.Format, layers int) (contradicts bool) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && media == "" {
		return false
	}
	var named []sitemap.Format
	switch media {
	case "application/gzip", "application/x-gzip", "application/gzip-compressed", "application/x-gunzip":
		return layers == 0
	case "text/plain":
		named = []sitemap.Format{sitemap.Text}
	case "application/rss+xml":
		named = []sitemap.Format{sitemap.RSS}
	case "application/atom+xml":
		named = []sitemap.Format{sitemap.Atom}
	case "application/rdf+xml":
		named = []sitemap.Format{sitemap.RSS}
	case "application/json", "text/html", "application/xhtml+xml", "application/pdf", "text/css", "text/javascript":
	case "text/xml", "application/xml":
		return f == sitemap.Text
	default:
		return strings.HasPrefix(media, "image/") || strings.HasPrefix(media, "video/") || strings.HasPrefix(media, "audio/")
	}
	return !slices.Contains(named, f)
}
