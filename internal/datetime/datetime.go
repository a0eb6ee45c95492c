// Package datetime reads the dates of documents: W3C datetimes (NOTE-datetime), those of RFC 822
// for RSS, and the forms that sites write in their place. For example, [ParseW3C] reads
// "2024-05-06T07:08:09Z" without a problem, "2024/5/6" with a problem, and not "05/06/2024", which
// could mean two days.
//
// The files, each building on those before it:
//
//	strict.go    the six forms of NOTE-datetime, and the problems of dates
//	fields.go    the parts of a date
//	rfc822.go    the usual form of RSS, quickly
//	cursor.go    reads from left to right
//	date.go      dates of numbers, and with the name of a month
//	zones.go     the names of zones
//	clock.go     times of day and zones
//	datetime.go  ParseW3C and ParseRFC822
package datetime

import (
	"bytes"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// ParseW3C reads a lastmod, a date of Atom or a dc:date: a W3C datetime, or another form in its
// place.
//
// The codes are the problems to report: NonstandardLastMod, ZoneAssumed and ImplausibleLastMod, or
// BadLastMod if b cannot be read and t is zero. Empty text is an absent date without a problem.
// ParseW3C allocates nothing for the forms of NOTE-datetime. The codes are shared and must not be
// changed.
func ParseW3C(b []byte) (t sitemap.Time, codes []sitemap.Code) {
	if t, codes := standard(b, false); !t.IsZero() {
		return t, codes
	}
	if t, codes := standard(likeW3C(make([]byte, 0, maxLikeW3C), b), true); !t.IsZero() {
		return t, codes
	}
	if t, ok := quickRFC822(b); ok {
		return t, codesOf(t, true, false)
	}
	return parse(b, parser{odd: true})
}

// ParseRFC3339 is [ParseW3C] for a date of Atom. RFC 3339 asks for a time of day with seconds.
func ParseRFC3339(b []byte) (t sitemap.Time, codes []sitemap.Code) {
	t, codes = ParseW3C(b)
	if !t.IsZero() && t.Precision() < sitemap.Second {
		codes = codesOf(t, true, slices.Contains(codes, sitemap.ImplausibleLastMod))
	}
	return t, codes
}

const maxLikeW3C = len("2006-01-02T15:04:05.000000000+02:00")

// likeW3C appends b to dst with what it lacks to be a W3C datetime: many sites write a space for
// the T, or a zone without its colon. It returns nil if b lacks neither.
func likeW3C(dst, b []byte) []byte {
	const day, least = len("2006-01-02"), len("2006-01-02T15:04")
	if len(b) < least || len(b) >= maxLikeW3C {
		return nil
	}
	zone := len(b) - len("0200")
	noColon := zone > least && (b[zone-1] == '+' || b[zone-1] == '-')
	if b[day] != ' ' && (b[day] != 'T' || !noColon) {
		return nil
	}
	dst = append(append(append(dst, b[:day]...), 'T'), b[day+1:]...)
	if noColon {
		dst = append(append(dst[:zone+2], ':'), b[zone+2:]...)
	}
	return dst
}

// standard reads a W3C datetime whose zone may be missing. Odd reports whether it was listed in
// another form. It returns a zero time for other text.
func standard(b []byte, odd bool) (t sitemap.Time, codes []sitemap.Code) {
	if t, ok := Strict(b); ok {
		return t, codesOf(t, odd, InFarZone(b))
	}
	if t, ok := strictWithoutZone(b); ok {
		return t, codesOf(t, odd, false)
	}
	return t, nil
}

// ParseRFC822 reads the pubDate of an RSS item: the date and time of RFC 822 with RFC 5322's years
// of four digits, or another form in its place, such as a W3C datetime. Its results are those of
// [ParseW3C]. It allocates nothing for the forms of RFC 822 with a zone of whole hours.
func ParseRFC822(b []byte) (t sitemap.Time, codes []sitemap.Code) {
	if t, ok := quickRFC822(b); ok {
		return t, nil
	}
	return parse(b, parser{})
}

// parse reads a date in any form with p, whose odd is set if all these forms are nonstandard.
func parse(b []byte, p parser) (t sitemap.Time, codes []sitemap.Code) {
	p.rest = trim(b)
	switch {
	case len(p.rest) == 0:
		return t, nil
	case len(p.rest) > maxLen:
		return t, bad
	}
	if len(p.rest) != len(b) || !p.odd { // else ParseW3C has tried it
		if t, ok := Strict(p.rest); ok {
			return t, codesOf(t, true, InFarZone(p.rest))
		}
	}
	if p.readAll() {
		if t, ok := p.time(); ok {
			return t, codesOf(t, p.odd, p.far())
		}
	}
	return t, bad
}

// readAll reads the whole text. It returns false if this is not a date.
func (p *parser) readAll() bool {
	p.gap("")
	if !p.readWeekday() {
		return false
	}
	compact, ok := p.readDate()
	if !ok {
		return false
	}
	if p.isZoneOfDate() {
		return true
	}
	_, comma := p.gap(",")
	p.odd = p.odd || comma
	if len(p.rest) == 0 {
		p.odd = true
		return true
	}
	if p.next()|0x20 == 't' {
		p.take(1)
		p.gap("")
		compact = true
	}
	if p.precision != sitemap.Day || !p.readClock(compact) || !p.readMeridiem() || !p.readZone() {
		return false
	}
	p.gap("")
	if p.year == 0 && len(p.rest) == 4 { // date(1)
		p.year = number(p.digits())
	}
	return len(p.rest) == 0
}

// isZoneOfDate reports whether a zone follows the date, as XML Schema allows. It moves the first
// instant of the day, which a Time cannot express.
func (p *parser) isZoneOfDate() bool {
	if next := p.next(); next != 'Z' && next != '+' && next != '-' {
		return false
	}
	_, ok := Strict(append(append(make([]byte, 0, 2*maxLen), "2000-01-01T00:00"...), p.rest...))
	return ok
}

// trim removes white space around a date, and the reading of the monotonic clock that Go prints
// after a time of day.
func trim(b []byte) []byte {
	b = chars.TrimSpace(b)
	date, clock, found := bytes.Cut(b, []byte(" m="))
	if found && len(clock) > 1 && (clock[0] == '+' || clock[0] == '-') &&
		len(bytes.Trim(clock[1:], "0123456789.")) == 0 {
		return chars.TrimSpace(date)
	}
	return b
}
