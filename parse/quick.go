package parse

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// The tags of fields as load returns them, without '<' and prefix.
const (
	tagLoc        = 'l' | 'o'<<8 | 'c'<<16 | '>'<<24
	tagLastMod    = 'l' | 'a'<<8 | 's'<<16 | 't'<<24 | 'm'<<32 | 'o'<<40 | 'd'<<48 | '>'<<56
	tagChangeFreq = 'c' | 'h'<<8 | 'a'<<16 | 'n'<<24 | 'g'<<32 | 'e'<<40 | 'f'<<48 | 'r'<<56
	tagPriority   = 'p' | 'r'<<8 | 'i'<<16 | 'o'<<24 | 'r'<<32 | 'i'<<40 | 't'<<48 | 'y'<<56
)

// quickFields reads fields from b[i:] and returns the offset of the first token that it did not
// read. The last input.Padding bytes of b are zero and not part of the document.
func (d *decoder) quickFields(b []byte, from int) int {
	for {
		i := xmlscan.SkipSpace(b, from)
		if b[i] != '<' {
			return from
		}
		switch b[i+1] {
		case '/':
			return i
		case '!':
			if from = i + commentLen(b[i:]); from == i {
				return i
			}
			continue
		}
		at, own := d.pass(b, i+1)
		n, tag := 0, uint64(0)
		if own {
			tag = load(b, at)
		}
		kind := document.Extension
		switch {
		case tag&0xffffffff == tagLoc:
			kind, n = document.Loc, d.quickLoc(b, at+len("loc>"))
		case tag == tagLastMod:
			kind, n = document.LastMod, d.quickLastMod(b, at+len("lastmod>"))
		case tag == tagChangeFreq && load(b, at+8)&0xffffff == 'e'|'q'<<8|'>'<<16:
			kind, n = document.ChangeFrequency, d.quickChangeFreq(b, at+len("changefreq>"))
		case tag == tagPriority && b[at+8] == '>':
			kind, n = document.Priority, d.quickPriority(b, at+len("priority>"))
		default:
			n = d.quickExtension(b, i)
		}
		if n == 0 {
			return i
		}
		d.r.Passed()
		if from = n; d.listener != nil {
			field := document.Field{Kind: kind, Offset: d.in.Offset() + int64(i)}
			d.fields = append(d.fields, field)
		}
	}
}

// quickExtension reads or skips an extension. If a listener wants its elements, the general reader
// reads it.
func (d *decoder) quickExtension(b []byte, i int) int {
	switch {
	case d.skip && d.listener == nil:
		return d.r.Run(i, d.quick.start[1:len(d.quick.start)-1])
	case d.skip:
		return 0
	}
	x := d.extensions()
	n := x.Quick(b, i)
	if n > 0 && d.listener != nil {
		links, offsets, images := x.Last()
		if !d.listener.Extension(d.entry.Pos.Offset, b[i:n], links, offsets, images) {
			x.Undo()
			return 0
		}
	}
	d.extended = d.extended || n > 0
	return n
}

// commentLen returns the length of the comment at the start of b, or 0 if there is no comment that
// needs no report.
func commentLen(b []byte) int {
	const start, end = "<!--", "-->"
	if !bytes.HasPrefix(b, []byte(start)) {
		return 0
	}
	n := bytes.Index(b[len(start):], []byte("--")) + len(start)
	if n < len(start) || b[n+2] != '>' || !xmlchar.Sound(b[:n]) {
		return 0
	}
	return n + len(end)
}

// pass skips the prefix.
func (d *decoder) pass(b []byte, i int) (int, bool) {
	n := len(d.quick.prefix)
	return i + n, n == 0 || bytes.HasPrefix(b[i:], d.quick.prefix)
}

// valueLen returns the number of bytes of the short text at b[i:], up to the next '<', or 0. It
// searches eight bytes at once.
func valueLen(b []byte, i int) int {
	for n := 0; n < maxValue && i+n+8 <= len(b); n += 8 {
		if found := chars.Find(load(b, i+n), '<'); found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	return 0
}

// maxValue is longer than most values, except locations.
const maxValue = 40

// endTag returns the offset of the name in the end tag at b[i], or 0 if there is none.
func (d *decoder) endTag(b []byte, i int) int {
	name, ok := d.pass(b, i+len("</"))
	if !ok || b[i] != '<' || b[i+1] != '/' {
		return 0
	}
	return name
}

// text returns the text of a field, at the window's byte i, with decoded references, and reports
// its problems. It reports false if the text contains a '<'.
func (d *decoder) text(raw []byte, i int) (text []byte, ok bool) {
	if bytes.IndexByte(raw, '<') >= 0 {
		return nil, false
	}
	if d.r.CheckText(i, raw); bytes.IndexByte(raw, '&') < 0 {
		return raw, true
	}
	d.decoded = xmlchar.Decode(d.decoded[:0], raw)
	return d.decoded, true
}

// tagAt returns the position of the start tag before b[i], whose name has n bytes.
func (d *decoder) tagAt(i, n int) sitemap.Position {
	return d.in.Position(i - len("<>") - len(d.quick.prefix) - n)
}

// quickLoc reads the first location of the entry.
func (d *decoder) quickLoc(b []byte, i int) int {
	n := bytes.IndexByte(b[i:], '<')
	if n < 0 || d.locs > 0 {
		return 0
	}
	raw, end := b[i:i+n], d.endTag(b, i+n)
	section := end == 0
	if section {
		raw, end = d.section(b, i)
	}
	if end == 0 || load(b, end)&0xffffffff != tagLoc || len(raw) > xmlscan.MaxText {
		return 0
	}
	loc := raw
	if len(raw) > 0 && min(raw[0], raw[len(raw)-1]) <= ' ' {
		loc = xmlscan.TrimSpace(raw)
	}
	if section && d.sink.Recent.Plain(loc) || !section && d.sink.Recent.PlainXML(loc) {
		d.entry.Loc = string(loc)
		d.locs = 1
		return end + 4
	}
	if d.listener != nil && hasOddEnds(loc) {
		return 0
	}
	ok := section && xmlchar.Sound(raw)
	if !section {
		raw, ok = d.text(raw, i)
	}
	if !ok {
		return 0
	}
	d.setLoc(raw, d.tagAt(i, len("loc")))
	return end + 4
}

// hasOddEnds reports whether reading may remove a character around a location.
func hasOddEnds(loc []byte) bool {
	if len(loc) == 0 {
		return false
	}
	last, _ := utf8.DecodeLastRune(loc)
	return loc[0] == '&' || loc[0] >= utf8.RuneSelf || last == ';' || chars.IsSpace(last)
}

// section returns the text of a CDATA section at b[i:] without a '<' or ']' in it, and the offset of
// the name in the end tag that follows, or 0.
func (d *decoder) section(b []byte, i int) (text []byte, end int) {
	if text, i = xmlscan.PlainSection(b, i); i > 0 {
		end = d.endTag(b, i)
	}
	return text, end
}

// quickLastMod reads a W3C datetime. Most have the length of a date, or of a date and time in UTC
// or with a zone.
func (d *decoder) quickLastMod(b []byte, i int) int {
	n := 0
	if i+32 > len(b) || d.seen&lastMod != 0 {
		return 0
	}
	switch byte('<') {
	case b[i+10]:
		n = 10
	case b[i+20]:
		n = 20
	case b[i+25]:
		n = 25
	default:
		n = valueLen(b, i)
	}
	text, end := b[i:i+n], d.endTag(b, i+n)
	if end == 0 || load(b, end) != tagLastMod {
		return 0
	}
	t, ok := document.StrictTime(text)
	if !ok {
		if text, ok = d.text(text, i); !ok {
			return 0
		}
		t = d.sink.W3CTime(text, d.tagAt(i, len("lastmod")), "lastmod")
	}
	d.entry.LastMod = t
	d.seen |= lastMod
	return end + 8
}

func (d *decoder) quickChangeFreq(b []byte, i int) int {
	n := valueLen(b, i)
	text, end := b[i:i+n], d.endTag(b, i+n)
	if end == 0 || load(b, end) != tagChangeFreq || load(b, end+8)&0xffffff != 'e'|'q'<<8|'>'<<16 {
		return 0
	}
	if d.seen&changeFreq != 0 || d.kind != sitemap.Page {
		return 0
	}
	f := document.ChangeFreq(text)
	if f == 0 {
		if d.listener != nil && len(xmlscan.TrimSpace(text)) < len(text) {
			return 0
		}
		var ok bool
		if text, ok = d.text(text, i); !ok {
			return 0
		}
		f = d.sink.ChangeFreq(text, d.tagAt(i, len("changefreq")), "changefreq")
	}
	d.entry.ChangeFreq = f
	d.seen |= changeFreq
	return end + 11
}

func (d *decoder) quickPriority(b []byte, i int) int {
	n := valueLen(b, i)
	text, end := b[i:i+n], d.endTag(b, i+n)
	if end == 0 || load(b, end) != tagPriority || b[end+8] != '>' || d.seen&priority != 0 ||
		d.kind != sitemap.Page {
		return 0
	}
	if v, ok := document.Decimal(text); ok && v <= 1 {
		d.entry.Priority = sitemap.Some(v)
	} else if text, ok = d.text(text, i); ok {
		d.entry.Priority = d.sink.Priority(text, d.tagAt(i, len("priority")), "priority")
	} else {
		return 0
	}
	d.seen |= priority
	return end + 9
}
