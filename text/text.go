// Package text reads text sitemaps: one URL a line, nothing else (sitemaps.org,
// "Text file"). What other lines hold is reported and skipped.
package text

import (
	"bytes"
	"io"
	"iter"
	"strings"
	"unicode"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/record"
	"github.com/seed-322c453a/sitemap/internal/space"
)

// maxLine is how long a line may be, without the blanks it starts with; the rest
// of a longer one is skipped.
const maxLine = 64 << 10

// Entries yields the URLs of a text sitemap, in document order. Lines end with LF,
// CR LF or CR; white space around a URL is cut off, and so is what follows one
// behind a space, a tab, or another character that ends lines or pages elsewhere. Of
// a line over 64 KiB the rest is skipped, and a URL that reaches so far is dropped.
// It undoes gzip and charsets and tells no format: what r holds is taken for text.
//
// It is a single-use iterator, which reads r only while it is ranged over, and does
// not close it. A nil o is a zero Options. Documents may be read at once, each from an
// r of its own. At most one error comes, as the last element: a *sitemap.ParseError,
// with sitemap.ErrNoURLs if there is no line that is a URL, dropped ones included, or
// the error of r.
func Entries(r io.Reader, o *sitemap.Options) iter.Seq2[sitemap.Entry, error] {
	return record.Once(func(yield func(sitemap.Entry, error) bool) {
		if o == nil {
			o = new(sitemap.Options)
		}
		in := input.Open(r, o)
		defer in.Close()
		in.Ahead()
		d := document{in: in, sink: record.NewSink(o, in.Tally, yield)}
		for !d.sink.Stopped() && (d.plainLine() || d.line()) {
		}
		d.sink.Finish(d.end())
	})
}

// A document is a text sitemap as it is read.
type document struct {
	in    *input.Reader
	sink  *record.Sink
	urls  bool // a line was a URL, or one that was dropped but has an authority
	other bool // a line was something else
}

// plainLine reads the next line if it is a URL that needs no report, which line
// would read alike: a plain one holds no CR, nor do its ends.
func (d *document) plainLine() bool {
	b := d.in.Window()
	n := d.sink.Recent.PlainLine(b)
	if n == 0 {
		if n = max(bytes.IndexByte(b[:min(len(b), sitemap.ProtocolLoc+2)], '\n'), 0); n > 0 && b[n-1] == '\r' {
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
func (d *document) line() bool {
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

// withoutHalf returns the document's last line without half a unit of UTF-16 or UTF-32 at its
// end, which package input makes 0xff, and reports that.
func (d *document) withoutHalf(line []byte) []byte {
	rest, ok := bytes.CutSuffix(line, []byte{0xff})
	if encoding := d.in.Encoding(); !ok || !strings.HasPrefix(encoding, "utf-16") && !strings.HasPrefix(encoding, "utf-32") {
		return line
	}
	d.sink.Problem(sitemap.InvalidUTF8, d.in.Position(len(rest)), "", line)
	return rest
}

// lineEnd returns where the first line of b ends, or -1.
func lineEnd(b []byte) int {
	// Not all of b is searched for an LF where lines end with CR, nor the reverse.
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

// longLine reads the start of a line that goes on behind it. Blanks are passed over
// first, which may leave a line that is not too long.
func (d *document) longLine(start []byte) {
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

// skipLine passes over the rest of a line that is too long.
func (d *document) skipLine() {
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
func (d *document) read(line []byte) {
	trimmed := bytes.TrimFunc(line, isBlank)
	if len(trimmed) == 0 {
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
	if len(trimmed) < len(line) && len(space.Trim(line)) > len(trimmed) {
		d.sink.Problem(sitemap.ControlChar, pos, "", line)
	}
	d.sink.EmitLine(loc, pos)
}

// blanks end a URL: a space, a tab, and what ends a line or a page elsewhere.
const blanks = " \t\v\f\u0085\u2028\u2029"

// isBlank tells what is cut off around a line: white space of any kind, control
// characters, byte order marks and zero-width spaces.
func isBlank(r rune) bool { return space.Is(r) || unicode.IsControl(r) }

// hasScheme reports whether b starts with a URL's scheme and "//", or with a
// scheme that needs none.
func hasScheme(b []byte) bool {
	for i, c := range b {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case c == ':' && i > 0:
			return bytes.HasPrefix(b[i+1:], []byte("//")) || bytes.EqualFold(b[:i], []byte("mailto")) ||
				bytes.EqualFold(b[:i], []byte("javascript")) || bytes.EqualFold(b[:i], []byte("data"))
		default:
			return false
		}
	}
	return false
}

// end returns why the document ended, if not properly.
func (d *document) end() error {
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
