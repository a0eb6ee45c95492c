// Package text reads text sitemaps, which have one URL per line and nothing else (sitemaps.org,
// "Text file"):
//
//	http://www.example.com/catalog?item=1
//	http://www.example.com/catalog?item=11
//
// Other lines are reported and skipped.
package text

import (
	"bytes"
	"io"
	"iter"
	"strings"
	"unicode"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/input"
)

// maxLine is the maximum length of a line, without leading white space. The rest of a longer one is
// skipped.
const maxLine = 64 << 10

// Entries yields the URLs of the text in r, in document order. It undoes gzip and charsets, and
// reads any document as text. Lines end with LF, CR LF or CR. White space around a URL is removed.
// So is the rest of the line after a space, a tab, or a character that ends lines or pages in other
// systems. The part of a line after 64 KiB is skipped, and a URL that reaches that far is dropped.
//
// At most one error comes, as the last element: a [*sitemap.ParseError], with [sitemap.ErrNoURLs]
// if no line is a URL (dropped ones count as URLs), or the error of r.
//
// The sequence is a single-use iterator, which reads r only while it is ranged over and does not
// close it. A nil o is a zero Options. Documents may be read concurrently, each from its own r.
func Entries(r io.Reader, o *sitemap.Options) iter.Seq2[sitemap.Entry, error] {
	return document.Once(func(yield func(sitemap.Entry, error) bool) {
		if o == nil {
			o = new(sitemap.Options)
		}
		src, sniffed := document.Open(r, o)
		if !sniffed {
			defer src.Close()
		}
		d := decoder{in: src.Reader, sink: document.NewSink(o, src.Tally, yield)}
		for !d.sink.Stopped() && (d.plainLine() || d.line()) {
		}
		d.sink.Finish(d.end())
	})
}

// A decoder reads one text sitemap.
type decoder struct {
	in    *input.Reader
	sink  *document.Sink
	urls  bool // a line was a URL, or a dropped one with an authority
	other bool // a line was something else
}

// plainLine reads the next line if it is a URL that needs no report. The result is that of line: a
// plain line contains no CR.
func (d *decoder) plainLine() bool {
	b := d.in.Window()
	n := d.sink.Recent.PlainLine(b)
	if n == 0 {
		if n = max(bytes.IndexByte(b[:min(len(b), sitemap.ProtocolLoc+2)], '\n'), 0); n > 0 &&
			b[n-1] == '\r' {
			n--
		}
		if !d.sink.Recent.Plain(b[:n]) {
			return false
		}
	}
	size := n + 1
	if b[n] == '\r' {
		size++
	}
	d.urls = true
	loc, pos := string(b[:n]), d.in.Position(0)
	d.in.AdvanceLine(size)
	d.sink.EmitLine(loc, pos)
	return true
}

// line reads the next line. It returns false at the document's end.
func (d *decoder) line() bool {
	for {
		b := d.in.Window()
		end := lineEnd(b)
		switch {
		case end >= maxLine || end < 0 && len(b) >= maxLine:
			d.longLine(b[:maxLine])
			return true
		case end >= 0 && (b[end] == '\n' || end+1 < len(b) || d.in.AtEnd()):
			size := end + 1
			if b[end] == '\r' && end+1 < len(b) && b[end+1] == '\n' {
				size++
			}
			d.read(b[:end])
			d.in.Advance(size)
			return true
		case !d.in.More():
			if len(b) == 0 {
				return false
			}
			if d.in.Err() == nil {
				d.read(d.withoutHalf(d.in.Window()))
			}
			d.in.Advance(len(d.in.Window()))
			return true
		}
	}
}

// withoutHalf returns the last line of the document without half a unit of UTF-16 or UTF-32 at its
// end, which it reports. Package input replaces such a half by 0xff.
func (d *decoder) withoutHalf(line []byte) []byte {
	rest, ok := bytes.CutSuffix(line, []byte{0xff})
	if encoding := d.in.Encoding(); !ok ||
		!strings.HasPrefix(encoding, "utf-16") && !strings.HasPrefix(encoding, "utf-32") {
		return line
	}
	d.sink.Problem(sitemap.InvalidUTF8, d.in.Position(len(rest)), "", line)
	return rest
}

// lineEnd returns the index of the end of the first line of b, or -1.
func lineEnd(b []byte) int {
	// Do not search all of b for an LF if lines end with CR, or the reverse.
	for from, size := 0, 256; from < len(b); from, size = from+size, 2*size {
		part := b[from:min(from+size, len(b))]
		lf := bytes.IndexByte(part, '\n')
		if lf >= 0 {
			part = part[:lf]
		}
		if cr := bytes.IndexByte(part, '\r'); cr >= 0 {
			return from + cr
		}
		if lf >= 0 {
			return from + lf
		}
	}
	return -1
}

// longLine reads a line of which only the start is in the window. It skips leading white space
// first, which may leave a line that is not too long.
func (d *decoder) longLine(start []byte) {
	if blank := len(start) - len(bytes.TrimLeftFunc(start, isBlank)); blank > 0 {
		d.in.Advance(blank)
		return
	}
	if hasScheme(start) && !bytes.ContainsAny(start, blanks) {
		d.urls = true
		d.sink.Drop(sitemap.LocTooLong, d.in.Position(0), "", start)
	} else {
		d.read(start)
	}
	d.in.Advance(maxLine)
	d.skipLine()
}

// skipLine skips the rest of a line that is too long.
func (d *decoder) skipLine() {
	for {
		b := d.in.Window()
		if end := lineEnd(b); end >= 0 {
			d.in.Advance(end)
			return
		}
		d.in.Advance(len(b))
		if !d.in.More() {
			return
		}
	}
}

// read reads one line, without its end.
func (d *decoder) read(line []byte) {
	trimmed := bytes.TrimFunc(line, isBlank)
	if len(trimmed) == 0 {
		if bytes.IndexByte(line, 0) >= 0 {
			d.sink.Problem(sitemap.ControlChar, d.in.Position(0), "", line)
		}
		return
	}
	pos := d.in.Position(0)
	url := trimmed
	if cut := bytes.IndexAny(trimmed, blanks); cut >= 0 {
		url = trimmed[:cut]
	}
	if !hasScheme(url) {
		d.other = true
		d.sink.Problem(sitemap.JunkLine, pos, "", trimmed)
		return
	}
	loc, ok := d.sink.LineLoc(url, pos)
	d.urls = d.urls || ok || bytes.Contains(url, []byte("://"))
	if !ok {
		return
	}
	if len(url) < len(trimmed) {
		d.sink.Problem(sitemap.LineCut, pos, "", trimmed)
	}
	if len(trimmed) < len(line) && len(chars.TrimSpace(line)) > len(trimmed) {
		d.sink.Problem(sitemap.ControlChar, pos, "", line)
	}
	d.sink.EmitLine(loc, pos)
}

// blanks are the characters that end a URL.
const blanks = " \t\v\f\u0085\u2028\u2029"

// isBlank reports whether r is removed around a line: white space of any kind, control characters,
// byte order marks and zero width spaces.
func isBlank(r rune) bool { return chars.IsSpace(r) || unicode.IsControl(r) }

// hasScheme reports whether b starts with the scheme of a URL and "//", or with a scheme that needs
// no slashes.
func hasScheme(b []byte) bool {
	scheme := chars.SchemeOf(b)
	switch {
	case len(scheme) == 0:
		return false
	case bytes.HasPrefix(b[len(scheme):], []byte("://")):
		return true
	}
	switch strings.ToLower(string(scheme)) {
	case "mailto", "javascript", "data":
		return true
	}
	return false
}

// end returns the error that the document ended with, or nil.
func (d *decoder) end() error {
	switch err := d.in.Err(); {
	case err != nil:
		return err
	case d.urls:
		return nil
	case !d.other && d.sink.Count() == 0 && !d.sink.Listed():
		return &sitemap.ParseError{Pos: d.in.Position(0), Err: sitemap.ErrEmpty}
	}
	return &sitemap.ParseError{Pos: d.in.Position(0), Err: sitemap.ErrNoURLs}
}
