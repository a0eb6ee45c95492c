package datetime

import (
	"bytes"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// A cursor reads a date from its start.
type cursor struct{ rest []byte }

// digits consumes and returns the next digits.
func (c *cursor) digits() []byte {
	n := 0
	for n < len(c.rest) && chars.IsDigit(c.rest[n]) {
		n++
	}
	return c.take(n)
}

// word consumes and returns the next letters.
func (c *cursor) word() []byte {
	n := 0
	for n < len(c.rest) && chars.IsLetter(c.rest[n]) {
		n++
	}
	return c.take(n)
}

// beyondASCII consumes and returns everything up to the next ASCII character that is not a letter.
func (c *cursor) beyondASCII() []byte {
	n := 0
	for n < len(c.rest) && (c.rest[n] >= 0x80 || chars.IsLetter(c.rest[n])) {
		n++
	}
	return c.take(n)
}

// zoneWord consumes and returns the name of a zone: letters, slashes and low lines.
func (c *cursor) zoneWord() []byte {
	n := 0
	for n < len(c.rest) && (chars.IsLetter(c.rest[n]) || c.rest[n] == '/' || c.rest[n] == '_') {
		n++
	}
	return c.take(n)
}

// spaces consumes white space and reports whether there was any.
func (c *cursor) spaces() bool { return len(c.anyOf(" \t\r\n")) > 0 }

// anyOf consumes and returns the next characters that are in set.
func (c *cursor) anyOf(set string) []byte {
	n := 0
	for n < len(c.rest) && strings.IndexByte(set, c.rest[n]) >= 0 {
		n++
	}
	return c.take(n)
}

func (c *cursor) take(n int) []byte {
	s := c.rest[:n]
	c.rest = c.rest[n:]
	return s
}

// next returns the next byte, or 0.
func (c *cursor) next() byte {
	if len(c.rest) == 0 {
		return 0
	}
	return c.rest[0]
}

// accept consumes b if it is the next byte.
func (c *cursor) accept(b byte) bool {
	if len(c.rest) == 0 || c.rest[0] != b {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

// clock consumes a time of day: hh:mm, hh:mm:ss or hh:mm:ss.s. The hour may have one digit, and the
// point may be a comma.
func (c *cursor) clock(f *fields) bool {
	hour := c.digits()
	if len(hour) == 0 || len(hour) > 2 || !c.accept(':') {
		return false
	}
	f.odd = f.odd || len(hour) == 1
	minute := c.digits()
	if len(minute) != 2 {
		return false
	}
	f.hour, f.minute, f.precision = number(hour), number(minute), sitemap.Minute
	f.odd = f.odd || f.hour == 24
	if c.accept(':') {
		second := c.digits()
		if len(second) != 2 {
			return false
		}
		f.second, f.precision = number(second), sitemap.Second
		if !c.fractions(f) {
			return false
		}
	}
	return f.inRange()
}

// fractions consumes a point or a comma and the digits of a second after it.
func (c *cursor) fractions(f *fields) bool {
	if len(c.rest) < 2 || c.rest[0] != '.' && c.rest[0] != ',' || !chars.IsDigit(c.rest[1]) {
		return true
	}
	f.odd = f.odd || c.rest[0] == ','
	c.take(1)
	f.fraction = c.digits()
	f.precision += sitemap.Precision(min(len(f.fraction), 9))
	return true
}

// inRange reports whether the time of day may exist, 24:00 and leap seconds included. [fields.time]
// decides which of these do.
func (f *fields) inRange() bool { return f.hour <= 24 && f.minute <= 59 && f.second <= 60 }

// meridiem consumes AM or PM, if it comes next. It returns false if the hour excludes it.
func (c *cursor) meridiem(f *fields) bool {
	after := *c
	after.spaces()
	word := after.word()
	pm := bytes.EqualFold(word, []byte("pm"))
	if !pm && !bytes.EqualFold(word, []byte("am")) {
		return true
	}
	c.rest, f.odd = after.rest, true
	if f.hour < 1 || f.hour > 12 {
		return false
	}
	f.hour %= 12
	if pm {
		f.hour += 12
	}
	return true
}

// offset consumes +hh:mm, +hhmm or +hh, or the same with a minus.
func (c *cursor) offset(f *fields) bool {
	negative := c.next() == '-'
	c.take(1)
	digits := c.digits()
	hours, minutes := digits, []byte("00")
	switch len(digits) {
	case 2:
		if c.accept(':') {
			minutes = c.digits()
		}
	case 4:
		hours, minutes = digits[:2], digits[2:]
	default:
		return false
	}
	if len(minutes) != 2 || number(hours) > 23 || number(minutes) > 59 {
		return false
	}
	f.offset, f.zoned = number(hours)*60+number(minutes), true
	if negative {
		f.offset = -f.offset
	}
	return true
}

// zoneOf returns the offset of a zone in minutes east of UTC. It knows UTC and the zones of RFC
// 822, section 5.1. Of the military zones it knows only Z: the others were specified with the wrong
// sign, and mean nothing since (RFC 5322, section 4.3).
func zoneOf(name []byte) (offset int, ok bool) {
	var upper [3]byte
	if len(name) > len(upper) {
		return 0, false
	}
	for i, c := range name {
		upper[i] = c &^ 0x20
	}
	switch string(upper[:len(name)]) {
	case "Z", "UT", "GMT", "UTC":
		return 0, true
	case "EDT":
		return -4 * 60, true
	case "EST", "CDT":
		return -5 * 60, true
	case "CST", "MDT":
		return -6 * 60, true
	case "MST", "PDT":
		return -7 * 60, true
	case "PST":
		return -8 * 60, true
	}
	return 0, false
}

// namedZone consumes the name of a zone, and an offset after UTC. The zone stays unknown if the
// name is.
func (c *cursor) namedZone(f *fields) bool {
	name := c.zoneWord()
	offset, ok := zoneOf(name)
	if !ok {
		return 0 < len(name) && len(name) <= maxZone
	}
	if next := c.next(); offset == 0 && len(name) > 1 && (next == '+' || next == '-') {
		f.odd = true
		return c.offset(f)
	}
	f.offset, f.zoned = offset, true
	return true
}

// maxZone is the length of the longest name of a zone: America/Argentina/ComodRivadavia.
const maxZone = 32

// zone consumes everything after a time of day: nothing, an offset, a name, or an offset and a
// name.
func (c *cursor) zone(f *fields) bool {
	glued := !c.spaces()
	switch next := c.next(); {
	case len(c.rest) == 0:
		return true
	case next == '+' || next == '-':
		if !c.offset(f) {
			return false
		}
	case chars.IsLetter(next):
		rest := c.rest
		if !c.namedZone(f) || glued && !f.zoned && !isAbbreviation(rest) {
			return false
		}
	default:
		return false
	}
	if f.zoned && c.accept('[') { // RFC 9557
		return len(c.zoneWord()) > 0 && c.accept(']') && len(c.rest) == 0
	}
	if f.zoned && c.spaces() && !c.abbreviation(f) {
		return false
	}
	return len(c.rest) == 0
}

// isAbbreviation reports whether s has the form of a zone without a known offset, such as CEST.
func isAbbreviation(s []byte) bool {
	return 3 <= len(s) && len(s) <= 5 && len(bytes.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) == 0
}

// abbreviation consumes the name of a zone after its offset. It returns false if the two are known
// to contradict each other.
func (c *cursor) abbreviation(f *fields) bool {
	f.odd = true
	name := c.word()
	offset, known := zoneOf(name)
	return 0 < len(name) && len(name) <= 5 && (!known || offset == f.offset)
}
