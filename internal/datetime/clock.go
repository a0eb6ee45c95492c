package datetime

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// readClock consumes a time of day: hh:mm, hh:mm:ss or hh:mm:ss.s, also with a comma for the point
// or single digits. If compact is set, the colons may be missing.
func (p *parser) readClock(compact bool) bool {
	hour := p.digits()
	var minute, second []byte
	if compact && (len(hour) == 4 || len(hour) == 6) {
		hour, minute, second = hour[:2], hour[2:4], hour[4:]
	} else {
		if !p.accept(':') {
			return false
		}
		minute = p.digits()
		if p.accept(':') {
			if second = p.digits(); !isShort(second) {
				return false
			}
		}
	}
	if !isShort(hour) || !isShort(minute) {
		return false
	}
	p.hour, p.minute, p.second = number(hour), number(minute), number(second)
	p.odd = p.odd || len(hour)+len(minute) != 4 || len(second) == 1 || p.hour == 24
	p.precision = sitemap.Minute
	if len(second) > 0 {
		p.precision = sitemap.Second
		p.readFraction()
	}
	return true
}

// readFraction consumes a point or a comma and the digits of a second after it.
func (p *parser) readFraction() {
	if len(p.rest) < 2 || p.rest[0] != '.' && p.rest[0] != ',' || !chars.IsDigit(p.rest[1]) {
		return
	}
	p.take(1)
	digits := p.digits()
	digits = digits[:min(len(digits), 9)]
	p.odd, p.nanosecond = true, number(digits)
	p.precision += sitemap.Precision(len(digits))
	for range 9 - len(digits) {
		p.nanosecond *= 10
	}
}

// readMeridiem consumes AM or PM, if it is next. It returns false if the hour excludes it.
func (p *parser) readMeridiem() bool {
	after := p.cursor
	after.gap("")
	word := after.word()
	pm := bytes.EqualFold(word, []byte("pm"))
	if !pm && !bytes.EqualFold(word, []byte("am")) {
		return true
	}
	if p.hour < 1 || p.hour > 12 {
		return false
	}
	p.cursor, p.odd = after, true
	p.hour %= 12
	if pm {
		p.hour += 12
	}
	return true
}

// readZone consumes a zone, if one is next: an offset, a name, or both in either order. The offset
// counts. It returns false if the two are known to contradict each other.
func (p *parser) readZone() bool {
	spaced, _ := p.gap("")
	name := p.zoneName()
	offset, known := zoneOf(name)
	if len(name) > 0 && !spaced && !known && !isAbbreviation(name) {
		return false
	}
	p.offset, p.zoned = offset, known
	p.odd = p.odd || bytes.IndexByte(name, ' ') >= 0
	utc := known && offset == 0 && len(name) > 1
	spaced, _ = p.gap("")
	if next := p.next(); next != '+' && next != '-' {
		return !known || p.readRegion()
	}
	if len(name) > 0 && !utc && !spaced || !p.readOffset(utc) ||
		known && !utc && p.offset != offset {
		return false
	}
	if p.next() == '[' {
		return p.readRegion()
	}
	spaced, _ = p.gap("")
	after := p.zoneName()
	p.odd = p.odd || len(name)+len(after) > 0
	if len(after) == 0 {
		return true
	}
	offset, known = zoneOf(after)
	return known && offset == p.offset || spaced && !known
}

// readRegion consumes a name of the tz database in brackets after a zone, as in Z[Etc/UTC], if it is
// next (RFC 9557). It returns false if it does not end.
func (p *parser) readRegion() bool {
	return !p.accept('[') || len(p.zoneName()) > 0 && p.accept(']')
}

// readOffset consumes +hh:mm, +hhmm or +hh, or the same with a minus. If short is set, the hours
// may have one digit.
func (p *parser) readOffset(short bool) bool {
	negative := p.take(1)[0] == '-'
	hours, minutes := p.digits(), []byte("00")
	p.odd = p.odd || len(hours) != 4
	switch {
	case len(hours) == 4:
		hours, minutes = hours[:2], hours[2:]
	case len(hours) != 2 && (len(hours) != 1 || !short):
		return false
	case p.accept(':'):
		minutes = p.digits()
	}
	p.offset, p.zoned = number(hours)*60+number(minutes), true
	if negative {
		p.offset = -p.offset
	}
	return number(hours) <= 23 && len(minutes) == 2 && number(minutes) <= 59
}

// isAbbreviation reports whether a name has the form of a zone such as CEST.
func isAbbreviation(name []byte) bool {
	return 3 <= len(name) && len(name) <= 5 &&
		len(bytes.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) == 0
}
