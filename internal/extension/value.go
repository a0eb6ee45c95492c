package extension

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

// A value is the trimmed text of an element or attribute. It is valid until the next one is read.
type value struct {
	raw   []byte
	at    int64            // offset of the start tag
	pos   sitemap.Position // that of at, or zero if the window still holds it
	field string
}

// value reads the text of the element whose start tag is current.
func (d *Decoder) value(field string) value {
	v := value{at: d.in.Offset(), field: field}
	if d.quick.active {
		v.raw = trim(d.quick.text())
		return v
	}
	if text, ok := d.r.Leaf(); ok {
		v.raw = trim(text)
		d.last = v
		return v
	}
	v.pos = d.in.Position(0)
	v.raw = d.content()
	if d.r.Overflow {
		d.badValue(v)
	}
	d.last = v
	return v
}

// badValue reports a value that is invalid.
func (d *Decoder) badValue(v value) {
	d.invalid = v.field
	d.bad(d.pos(v), v.field, v.raw)
}

// missing reports a part that a record lacks, unless that is "". An invalid value of the part has
// been reported, and a record that the document cuts may have it.
func (d *Decoder) missing(pos sitemap.Position, field string) {
	if field != "" && field != d.invalid && !d.r.Truncated() {
		d.bad(pos, field, nil)
	}
}

// pos returns the position of a value. Few are reported, and finding a position takes longer than
// reading most values.
func (d *Decoder) pos(v value) sitemap.Position {
	if v.pos == (sitemap.Position{}) {
		return d.in.Position(int(v.at - d.in.Offset()))
	}
	return v.pos
}

// content reads the trimmed text of the element whose start tag is current. Text that is cut by the
// end of the document is discarded.
func (d *Decoder) content() []byte {
	if d.quick.active {
		return trim(d.quick.text())
	}
	text := d.r.Text()
	if !d.r.Complete {
		return nil
	}
	return trim(text)
}

// attr decodes an attribute's value. It is valid until the next one is decoded.
func (d *Decoder) attr(raw []byte) []byte {
	if bytes.IndexByte(raw, '&') >= 0 {
		d.buf = xmlchar.Decode(d.buf[:0], raw)
		raw = d.buf
	}
	return trim(raw)
}

// trim is bytes.TrimSpace without a call for text that needs no trimming.
func trim(b []byte) []byte {
	if n := len(b) - 1; n >= 0 && ' ' < b[0] && b[0] < 0x80 && ' ' < b[n] && b[n] < 0x80 {
		return b
	}
	return bytes.TrimSpace(b)
}

// token returns an attribute that is a word, decoded and trimmed, or "" if it is missing.
func (d *Decoder) token(name string) string {
	return string(d.attrText(name))
}

// keep returns text as a string, or "" if the entry has too much of it.
func (d *Decoder) keep(raw []byte, field string) string {
	if len(raw) == 0 {
		return ""
	}
	if d.textSize+len(raw) > MaxText {
		d.outOfText(field)
		return ""
	}
	if !d.isSound(raw) {
		d.textSize += len(raw)
		return cleaned(raw)
	}
	return d.keepSound(raw)
}

// keepSound is keep for sound text that is known to have room.
func (d *Decoder) keepSound(raw []byte) string {
	d.textSize += len(raw)
	return d.text.string(raw)
}

// isSound reports whether raw, an attribute or text, contains only characters that XML allows.
func (d *Decoder) isSound(raw []byte) bool {
	return d.quick.active || d.r.IsSound() || xmlchar.Sound(raw)
}

// cleaned returns raw without control characters and with U+FFFD for invalid UTF-8. The scanner has
// reported both.
func cleaned(raw []byte) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(raw), "\ufffd"))
}

// name returns text that occurs again and again in a document.
func (d *Decoder) name(raw []byte) string {
	if len(raw) > maxName {
		return d.keep(raw, "")
	}
	slot := d.names.slot(raw)
	if *slot == string(raw) {
		return *slot
	}
	if !d.isSound(raw) {
		return cleaned(raw)
	}
	*slot = d.text.string(raw)
	return *slot
}

// string returns the text of a value.
func (d *Decoder) string(v value) string { return d.keep(v.raw, v.field) }

// loc returns the absolute location of a value. It returns "" if the value is empty or invalid.
func (d *Decoder) loc(v value) string {
	loc, ok := d.tryLoc(v.raw)
	if !ok {
		d.badValue(v)
	}
	return loc
}

// tryLoc returns an absolute location, or "" if raw is empty. It reports whether the location could
// be made absolute.
func (d *Decoder) tryLoc(raw []byte) (loc string, ok bool) {
	if len(raw) == 0 {
		return "", true
	}
	if d.recent.Plain(raw) && d.textSize+len(raw) <= MaxText {
		return d.keepSound(raw), true
	}
	if location.Several(raw) != nil {
		return "", false
	}
	loc, ok = d.sink.Resolver.CleanRef(raw)
	if d.textSize += len(loc); d.textSize > MaxText {
		d.outOfText("")
		return "", false
	}
	return loc, ok
}

// integer returns a whole number of at least 0.
func (d *Decoder) integer(v value) (n sitemap.Optional[int64]) {
	if len(v.raw) == 0 {
		return n
	}
	i, err := strconv.ParseInt(string(v.raw), 10, 64)
	if err != nil || i < 0 {
		d.badValue(v)
		return n
	}
	return sitemap.Some(i)
}

// number returns a number from 0 to most. It accepts a decimal comma.
func (d *Decoder) number(v value, most float64) (n sitemap.Optional[float64]) {
	if len(v.raw) == 0 {
		return n
	}
	f, ok := document.Number(v.raw)
	if !ok || f < 0 || f > most {
		d.badValue(v)
		return n
	}
	return sitemap.Some(f)
}

// yesNo returns the meaning of yes or no, in any letter case, true or false, or 1 or 0.
func (d *Decoder) yesNo(v value) (b sitemap.Optional[bool]) {
	if len(v.raw) == 0 {
		return b
	}
	switch strings.ToLower(string(v.raw)) {
	case "yes", "true", "1":
		return sitemap.Some(true)
	case "no", "false", "0":
		return sitemap.Some(false)
	}
	d.badValue(v)
	return b
}

// time returns a W3C datetime, or an unambiguous date in another form.
func (d *Decoder) time(v value) sitemap.Time {
	if len(v.raw) == 0 {
		return sitemap.Time{}
	}
	t, _ := datetime.ParseW3C(v.raw)
	if t.IsZero() {
		d.badValue(v)
	}
	return t
}

// list splits text at any of the separators, which are ASCII, into trimmed values.
func (d *Decoder) list(v value, separators string) []string {
	for rest := v.raw; len(rest) > 0; {
		item := rest
		if i := bytes.IndexAny(rest, separators); i >= 0 {
			item, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if item = bytes.TrimSpace(item); len(item) == 0 {
			continue
		}
		if d.strings.len() == MaxRecords {
			d.overflow(v.field)
			break
		}
		text := d.keep(item, v.field)
		if text == "" {
			break
		}
		*d.strings.next() = text
	}
	return d.strings.take()
}

// words are the separators of lists of words, and commas those of other lists.
const (
	words  = " ,;\t\r\n"
	commas = ","
)

// take sets a part of a record to the value that was read last. The first value that is not empty
// stays; another one is reported.
func take[T comparable](d *Decoder, to *T, v T) {
	var none T
	switch {
	case *to == none:
		*to = v
	case v != none:
		d.again()
	}
}

// again reports that a record has the part that was read last already.
func (d *Decoder) again() {
	if d.quick.active {
		d.quick.fail()
	} else {
		d.bad(d.pos(d.last), d.last.field, d.last.raw)
	}
}

// add appends a value to a list of a record.
func add[T any](d *Decoder, list *[]T, v T, field string) {
	if len(*list) == MaxRecords {
		d.overflow(field)
		return
	}
	*list = append(*list, v)
}

// extend appends the values of the current element, which commas separate, to a list of a record.
func (d *Decoder) extend(list *[]string, field string) {
	values := d.list(d.value(field), commas)
	if *list == nil {
		*list = values
		return
	}
	for _, v := range values {
		add(d, list, v, field)
	}
}
