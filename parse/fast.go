package parse

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// lookAhead is how much of the document the window should hold before an entry is considered too
// long for the short cut.
const lookAhead = 8 << 10

// newShortcut returns the short cut for entries with this name and prefix.
func newShortcut(prefix, name []byte) *shortcut {
	s := &shortcut{size: len(name) + 1}
	if len(prefix) > 0 {
		s.prefix = append(bytes.Clone(prefix), ':')
	}
	var tag [8]byte
	copy(tag[:], name)
	tag[len(name)] = '>'
	s.tag = binary.LittleEndian.Uint64(tag[:])
	return s
}

// matches reports whether the short cut is for entries with this prefix.
func (s *shortcut) matches(prefix []byte) bool {
	return len(s.prefix) == 0 && len(prefix) == 0 ||
		len(prefix) > 0 && len(s.prefix) == len(prefix)+1 && bytes.HasPrefix(s.prefix, prefix)
}

// The tags of fields as load returns them, without '<' and prefix.
const (
	tagLoc        = 'l' | 'o'<<8 | 'c'<<16 | '>'<<24
	tagLastMod    = 'l' | 'a'<<8 | 's'<<16 | 't'<<24 | 'm'<<32 | 'o'<<40 | 'd'<<48 | '>'<<56
	tagChangeFreq = 'c' | 'h'<<8 | 'a'<<16 | 'n'<<24 | 'g'<<32 | 'e'<<40 | 'f'<<48 | 'r'<<56
	tagPriority   = 'p' | 'r'<<8 | 'i'<<16 | 'o'<<24 | 'r'<<32 | 'i'<<40 | 't'<<48 | 'y'<<56
)

// load returns the eight bytes at b[i]. The window is padded.
func load(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i : i+8]) }

// fastEntries yields entries of the common shape, up to the first other one.
func (d *decoder) fastEntries() {
	if d.fast == nil || !d.r.Quick(&d.quick, 1) {
		return
	}
	for !d.sink.Stopped() {
		b := d.in.Window()
		if end := d.fast.read(d, b[:len(b)+input.Padding]); end > 0 {
			d.in.Advance(end)
			if d.fast.extended && d.ext != nil {
				d.fast.entry.Extensions = d.ext.Take()
			}
			d.sink.Emit(&d.fast.entry)
			continue
		}
		if d.fast.extended && d.ext != nil {
			d.ext.Reset()
		}
		if len(b) >= lookAhead || !d.in.More() {
			return
		}
	}
}

// read reads the entry at the start of b into s.entry and returns the offset of its end. It returns
// 0 if the entry does not have the common shape or b does not hold all of it. The last
// input.Padding bytes of b are zero and not part of the document.
func (s *shortcut) read(d *decoder, b []byte) (end int) {
	start := skipSpace(b, 0)
	i, ok := s.open(b, start)
	if !ok || !s.isEntry(load(b, i)) {
		return 0
	}
	i += s.size
	s.entry, s.extended = sitemap.Entry{Kind: d.kind, Pos: d.in.Position(start)}, false
	for n := 0; ; i = n {
		i = skipSpace(b, i)
		if b[i] == '<' && b[i+1] == '/' {
			i, ok = s.pass(b, i+2)
			if !ok || !s.isEntry(load(b, i)) || s.entry.Loc == "" {
				return 0
			}
			return i + s.size
		}
		at, ok := s.open(b, i)
		if !ok {
			return 0
		}
		switch tag := load(b, at); {
		case tag&0xffffffff == tagLoc:
			n = s.readLoc(d, b, at+4)
		case tag == tagLastMod:
			n = s.readLastMod(b, at+8)
		case tag == tagChangeFreq && load(b, at+8)&0xffffff == 'e'|'q'<<8|'>'<<16:
			n = s.readChangeFreq(b, at+11)
		case tag == tagPriority && b[at+8] == '>':
			n = s.readPriority(b, at+9)
		default:
			n = s.readExtension(d, i)
		}
		if n == 0 {
			return 0
		}
	}
}

// readExtension reads or skips the extension at the window's byte i, as the other fields are read.
func (s *shortcut) readExtension(d *decoder, i int) int {
	if !s.extended {
		s.extended = true
		d.quick.Reset()
	}
	if d.skip {
		return d.passExtension(i)
	}
	return d.quickExtension(i)
}

// passExtension skips the element at the window's byte i and those after it with the same prefix,
// if that prefix is bound to a foreign namespace. It returns the offset of the next tag, or 0 if it
// cannot find it quickly. Extensions that are skipped are not checked for problems.
func (d *decoder) passExtension(i int) int {
	name := d.in.Window()[i+1:]
	colon := bytes.IndexByte(name[:min(len(name), 32)], ':')
	if colon < 0 || !d.isForeign(name[:colon]) {
		return 0
	}
	return d.quick.PassAll(i)
}

// quickExtension reads the extension at the window's byte i and returns the offset of its end. It
// returns 0 if the extension is of an uncommon kind or has a problem.
func (d *decoder) quickExtension(i int) int {
	q := &d.quick
	q.Seek(i)
	if d.isForeignSpace(xmlscan.XHTML) && d.ext.QuickUsual(q) {
		return q.Offset()
	}
	if !q.Open() || !d.isForeignSpace(q.Space) || !d.ext.Quick(q) {
		return 0
	}
	return q.Offset()
}

// isEntry reports whether a tag is that of the entry.
func (s *shortcut) isEntry(tag uint64) bool {
	return (tag^s.tag)<<(64-8*s.size) == 0
}

// open skips '<' and the prefix.
func (s *shortcut) open(b []byte, i int) (int, bool) {
	if b[i] != '<' {
		return 0, false
	}
	return s.pass(b, i+1)
}

// pass skips the prefix.
func (s *shortcut) pass(b []byte, i int) (int, bool) {
	if len(s.prefix) == 0 {
		return i, true
	}
	return i + len(s.prefix), bytes.HasPrefix(b[i:], s.prefix)
}

func skipSpace(b []byte, i int) int {
	for xmlscan.IsSpace(b[i]) {
		i++
	}
	return i
}

// value returns the short text at b[i:] and the offset of the name in the end tag that follows. The
// offset is 0 if no end tag follows. It searches eight bytes at once for the '<'.
func (s *shortcut) value(b []byte, i int) (text []byte, end int) {
	for n := 0; n < maxValue && i+n+8 <= len(b); n += 8 {
		if found := chars.Find(load(b, i+n), '<'); found != 0 {
			return s.textTo(b, i, n+bits.TrailingZeros64(found)/8)
		}
	}
	return nil, 0
}

// maxValue is longer than any value that needs no report, except locations.
const maxValue = 40

// text is value for a text of any length.
func (s *shortcut) text(b []byte, i int) (text []byte, end int) {
	return s.textTo(b, i, bytes.IndexByte(b[i:], '<'))
}

// textTo returns the n bytes at b[i:] and the offset of the name in the end tag that follows, or 0
// if no end tag follows.
func (s *shortcut) textTo(b []byte, i, n int) (text []byte, end int) {
	if n < 0 || b[i+n+1] != '/' {
		return nil, 0
	}
	end, ok := s.pass(b, i+n+2)
	if !ok {
		return nil, 0
	}
	return b[i : i+n], end
}

// readLoc reads a loc that needs no report, in a CDATA section or not.
func (s *shortcut) readLoc(d *decoder, b []byte, i int) int {
	if s.entry.Loc != "" {
		return 0
	}
	i = skipSpace(b, i)
	var raw []byte
	var end int
	section := load(b, i) == '<'|'!'<<8|'['<<16|'C'<<24|'D'<<32|'A'<<40|'T'<<48|'A'<<56 &&
		b[i+8] == '['
	if section {
		n := bytes.IndexByte(b[i+9:], ']')
		if n < 0 || b[i+n+10] != ']' || b[i+n+11] != '>' {
			return 0
		}
		if raw, i = b[i+9:i+9+n], i+n+12; bytes.IndexByte(raw, '<') >= 0 {
			return 0 // this may be the end of another section
		}
		var rest []byte
		if rest, end = s.text(b, i); end == 0 || len(xmlscan.TrimSpace(rest)) > 0 {
			return 0
		}
	} else if raw, end = s.text(b, i); end == 0 {
		return 0
	}
	for len(raw) > 0 && xmlscan.IsSpace(raw[len(raw)-1]) {
		raw = raw[:len(raw)-1]
	}
	if load(b, end)&0xffffffff != tagLoc {
		return 0
	}
	loc, ok := d.sink.QuickLoc(raw, section)
	if !ok {
		return 0
	}
	s.entry.Loc = loc
	return end + 4
}

// readLastMod reads a W3C datetime. Most have the length of a date, or of a date and time in UTC or
// with a zone. A year below 1000 needs a report.
func (s *shortcut) readLastMod(b []byte, i int) int {
	var text []byte
	var end int
	if i+32 > len(b) {
		return 0
	}
	switch {
	case b[i+10] == '<':
		text, end = s.textTo(b, i, 10)
	case b[i+20] == '<':
		text, end = s.textTo(b, i, 20)
	case b[i+25] == '<':
		text, end = s.textTo(b, i, 25)
	default:
		text, end = s.value(b, i)
	}
	if end == 0 || load(b, end) != tagLastMod || len(text) == 0 || text[0] == '0' {
		return 0
	}
	t, ok := datetime.Strict(text)
	if !ok || datetime.InFarZone(text) {
		return 0
	}
	s.entry.LastMod = t
	return end + 8
}

func (s *shortcut) readChangeFreq(b []byte, i int) int {
	text, end := s.value(b, i)
	if end == 0 || load(b, end) != tagChangeFreq || load(b, end+8)&0xffffff != 'e'|'q'<<8|'>'<<16 {
		return 0
	}
	if s.entry.ChangeFreq = document.ChangeFreq(text); s.entry.ChangeFreq == 0 {
		return 0
	}
	return end + 11
}

func (s *shortcut) readPriority(b []byte, i int) int {
	text, end := s.value(b, i)
	if end == 0 || load(b, end) != tagPriority || b[end+8] != '>' {
		return 0
	}
	v, ok := document.Decimal(text)
	if !ok || v > 1 {
		return 0
	}
	s.entry.Priority = sitemap.Some(v)
	return end + 9
}
