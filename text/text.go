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
	"slices"
	"strings"
	"unicode"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// maxLine is the maximum length of a line, without leading white space. The rest of a longer one is
// skipped.
const maxLine = 64 << 10

// maxShared is the maximum size in bytes of the block of lines that share one allocation. Allocating
// each location on its own takes a third of the time of a line.
const maxShared = 6 << 10

// Entries yields the URLs of the text in r, in document order. It undoes gzip and charsets, and
// reads any document as text. Lines end with LF, CR LF or CR. White space, quotes and angle
// brackets around a URL are removed. So is the rest of the line after a space, a tab, a character
// that ends lines or pages in other systems, or a comma before a date or another URL. A URL may
// lack its scheme but no other part.
// The part of a line after 64 KiB is skipped, and a URL that reaches that far is dropped.
//
// It yields at most one error, as the last element: a [*sitemap.ParseError], with
// [sitemap.ErrNoURLs] if no line is a URL (dropped ones count as URLs), or the error of r.
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
		for !d.sink.Stopped() && (d.plainLines() || d.line()) {
		}
		d.sink.Finish(d.end())
	})
}

// A decoder reads one text sitemap.
type decoder struct {
	in      *input.Reader
	sink    *document.Sink
	urls    bool   // a line was a URL, or a dropped one with an authority
	other   bool   // a line was something else
	block   string // lines that plain locations share
	blockAt int64  // its offset
}

// plainLines reads the next lines, up to the end of the block or one that is not a URL or needs a
// report. It returns false if there are none.
func (d *decoder) plainLines() bool {
	b, pos := d.in.Window(), d.in.Position(0)
	if end, _ := d.sink.Recent.PlainLine(b); end == 0 { // before shared searches for the end of a line
		return false
	}
	text := d.shared(b, pos.Offset)
	var entries [2]sitemap.Entry // each is yielded after the next is written: reading it at once is slow
	n, size := 0, 0
	for size < len(text) {
		end, next := d.sink.Recent.PlainLine(b[size:])
		if end == 0 {
			break
		}
		e := &entries[n%2]
		e.Loc, e.Pos = text[size:size+end], pos
		if n > 0 && !d.sink.Emit(&entries[1-n%2]) {
			return true
		}
		n++
		size += next
		pos = sitemap.Position{Offset: pos.Offset + int64(next), Line: pos.Line + 1, Column: 1}
	}
	if n == 0 {
		return false
	}
	d.in.AdvanceLines(n, size)
	d.urls = true
	d.sink.Emit(&entries[1-n%2])
	return true
}

// shared returns the whole lines at the start of b, at an offset of the document, as a part of the
// block.
func (d *decoder) shared(b []byte, offset int64) string {
	if at := offset - d.blockAt; at < int64(len(d.block)) {
		return d.block[at:]
	}
	b = b[:min(len(b), maxShared)]
	d.block, d.blockAt = string(b[:bytes.LastIndexByte(b, '\n')+1]), offset
	return d.block
}

// line reads the next line, or more of it. It returns false at the document's end. Between CR and LF
// is an empty line.
func (d *decoder) line() bool {
	b := d.in.Window()
	end := bytes.IndexAny(b, "\r\n")
	switch {
	case end >= maxLine || end < 0 && len(b) >= maxLine:
		d.longLine(b[:maxLine])
	case end >= 0:
		d.read(b[:end])
		d.in.Advance(end + 1)
	case !d.in.More():
		if b = d.in.Window(); len(b) > 0 && d.in.Err() == nil {
			d.read(d.withoutHalf(b))
		}
		d.in.Advance(len(b))
		return len(b) > 0
	}
	return true
}

// withoutHalf returns the last line of the document without half a unit of UTF-16 or UTF-32 at its
// end, which it reports. Package input replaces such a half by 0xff.
func (d *decoder) withoutHalf(line []byte) []byte {
	rest, ok := bytes.CutSuffix(line, []byte{0xff})
	if ok && d.in.Encoding() != "utf-8" {
		d.sink.Problem(sitemap.InvalidUTF8, d.in.Position(len(rest)), "", line)
		return rest
	}
	return line
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
	for more := true; more; more = more && d.in.More() {
		b := d.in.Window()
		if end := bytes.IndexAny(b, "\r\n"); end >= 0 {
			b, more = b[:end], false
		}
		d.in.Advance(len(b))
	}
}

// read reads one line, without its end.
func (d *decoder) read(line []byte) {
	pos := d.in.Position(0)
	if bytes.IndexByte(line, ',') < 0 && d.sink.Recent.Plain(line) {
		d.urls = true
		d.sink.Emit(&sitemap.Entry{Loc: string(line), Pos: pos})
		return
	}
	trimmed := bytes.TrimFunc(line, isBlank)
	if len(trimmed) == 0 {
		if bytes.IndexByte(line, 0) >= 0 {
			d.sink.Problem(sitemap.ControlChar, d.in.Position(0), "", line)
		}
		return
	}
	url := firstField(unquote(trimmed))
	if !hasScheme(url) && !d.startsWithHost(url) {
		d.other = true
		d.sink.Problem(sitemap.JunkLine, pos, "", trimmed)
		return
	}
	loc, ok := d.sink.LineLoc(url, pos)
	d.urls = d.urls || ok || bytes.Contains(url, []byte("://"))
	if !ok {
		return
	}
	switch {
	case len(url)+2 == len(trimmed) && url[0] != trimmed[0]: // all is within quotes
		d.sink.Problem(sitemap.JunkLine, pos, "", trimmed)
	case len(url) < len(trimmed):
		d.sink.Problem(sitemap.LineCut, pos, "", trimmed)
	}
	if len(trimmed) < len(line) && len(chars.TrimSpace(line)) > len(trimmed) {
		d.sink.Problem(sitemap.ControlChar, pos, "", line)
	}
	d.sink.Emit(&sitemap.Entry{Loc: loc, Pos: pos})
}

// blanks are the characters that end a URL.
const blanks = " \t\v\f\u0085\u2028\u2029"

// firstField returns the start of a line up to the first blank, or to a comma before a date or a
// URL.
func firstField(line []byte) []byte {
	field := line
	if end := bytes.IndexAny(line, blanks); end >= 0 {
		field = line[:end]
	}
	for i, c := range field {
		if c == ',' && startsField(line[i+1:]) {
			return line[:i]
		}
	}
	return field
}

// startsField reports whether b starts with an absolute URL, or with a W3C date other than a year,
// which could be any number.
func startsField(b []byte) bool {
	b = bytes.TrimLeftFunc(b, isBlank)
	date := b
	if end := bytes.IndexAny(b, blanks+","); end >= 0 {
		date = b[:end]
	}
	t, ok := datetime.Strict(date)
	return ok && t.Precision() >= sitemap.Month || location.IsAbsolute(b)
}

// isBlank reports whether r is removed around a line: white space of any kind, control characters,
// byte order marks and zero width spaces.
func isBlank(r rune) bool { return chars.IsSpace(r) || unicode.IsControl(r) }

// hasScheme reports whether b starts with the scheme of a URL and "//", or with a scheme that needs
// no slashes.
func hasScheme(b []byte) bool {
	scheme := chars.SchemeOf(b)
	return len(scheme) > 0 && (bytes.HasPrefix(b[len(scheme):], []byte("://")) ||
		slices.Contains([]string{"mailto", "javascript", "data"}, strings.ToLower(string(scheme))))
}

// startsWithHost reports whether b is a URL without its scheme.
func (d *decoder) startsWithHost(b []byte) bool {
	_, codes, _ := d.sink.Resolver.Clean(b)
	return slices.Contains(codes, sitemap.SchemeAssumed)
}

// unquote returns the text within the quotes or angle brackets at the start of a line, else line.
func unquote(line []byte) []byte {
	if i := strings.IndexByte(`"'<`, line[0]); i >= 0 {
		if end := bytes.IndexByte(line[1:], `"'>`[i]); end >= 0 {
			return line[1 : 1+end]
		}
	}
	return line
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
