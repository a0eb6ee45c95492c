package datetime

import (
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// A parser reads a date in any form.
type parser struct {
	cursor
	fields
	odd     bool // not the form of RFC 822
	weekday bool // a weekday was read
}

// readWeekday consumes the name of a weekday, if one is next. The name is ignored, so it may be in
// another language if a comma follows.
func (p *parser) readWeekday() bool {
	after := p.cursor
	name := after.word()
	foreign := after.foreignWord()
	if len(name)+len(foreign) == 0 || len(foreign) == 0 && find(months[:], name) > 0 {
		return true
	}
	dot := after.accept('.')
	after.gap("")
	comma := after.accept(',')
	after.gap("")
	p.cursor, p.weekday = after, true
	p.odd = p.odd || len(name) != 3 || len(foreign) > 0 || dot || !comma
	return comma || find(weekdays[:], name) > 0
}

// readDate consumes a date. The date is compact if it has neither separators nor the name of a
// month.
func (p *parser) readDate() (compact, ok bool) {
	start := p.rest
	digits := p.digits()
	switch {
	case len(digits) == len("20060102"), len(digits) == len("20060102150405"):
		p.rest = start[8:]
		p.year, p.month, p.day = number(digits[:4]), number(digits[4:6]), number(digits[6:8])
		p.odd, p.precision = true, sitemap.Day
		return true, true
	case len(digits) > 0 && len(p.rest) > 1 && strings.IndexByte("-/.", p.rest[0]) >= 0 &&
		chars.IsDigit(p.rest[1]):
		return false, p.readNumbers(digits)
	}
	p.rest = start
	return false, p.readNamed()
}

// readNumbers consumes a date of numbers from the separator after the first one: 2024-5-6, 2024/05,
// 2024.05.06. In 13/05/2024 and 05/13/2024, with the year last, only one number can be the day.
func (p *parser) readNumbers(first []byte) bool {
	separator := p.take(1)[0]
	second := p.digits()
	var third []byte
	if p.accept(separator) {
		third = p.digits()
	}
	a, b := number(first), number(second)
	p.odd, p.precision = true, sitemap.Day
	switch {
	case len(first) == 4 && isShort(second) && third == nil:
		p.year, p.month, p.day, p.precision = a, b, 1, sitemap.Month
	case len(first) == 4 && isShort(second) && isShort(third):
		p.year, p.month, p.day = a, b, number(third)
	case isShort(first) && isShort(second) && len(third) == 4 && min(a, b) <= 12 && max(a, b) > 12:
		p.year, p.month, p.day = number(third), min(a, b), max(a, b)
	default:
		return false
	}
	return true
}

// readNamed consumes a date with the English name of a month, as in RFC 822, RFC 850, date(1),
// JavaScript and "May 6, 2024". A year before 1 is not read: WordPress has "30 Nov -0001" for a date
// that is not set. With the name of the month and four digits of the year, no date is ambiguous. A
// year of two digits is accepted only last in a date with a time or a weekday, as in RFC 822. In
// date(1) the year follows the time and is not read here.
func (p *parser) readNamed() bool {
	var shape [len("dMy")]byte
	var v [len(shape)]int
	n := 0
	for n < len(shape) && p.readPart(&shape[n], &v[n]) {
		if n++; n < len(shape) && p.isNegative() {
			return false
		}
		if _, separated := p.gap(",-/."); separated {
			p.odd = true
		}
	}
	p.precision = sitemap.Day
	switch string(shape[:n]) {
	case "dMy":
		p.day, p.month, p.year = v[0], v[1], v[2]
	case "Mdy", "Md":
		p.month, p.day, p.year = v[0], v[1], v[2]
	case "yMd":
		p.year, p.month, p.day = v[0], v[1], v[2]
	case "My":
		p.month, p.year, p.day, p.precision = v[0], v[1], 1, sitemap.Month
	case "dMd":
		// RFC 5322, section 4.3.
		p.day, p.month, p.year = v[0], v[1], 1900+v[2]
		if v[2] < 50 {
			p.year += 100
		}
		return p.weekday || len(p.rest) > 0
	default:
		return false
	}
	p.odd = p.odd || shape[0] != 'd'
	return true
}

// readPart consumes a part of a date: M is the name of a month, and d or y is a number of two or
// four digits.
func (p *parser) readPart(kind *byte, value *int) bool {
	after := p.cursor
	word, digits := after.word(), after.digits()
	switch {
	case len(word) > 0:
		*kind, *value = 'M', find(months[:], word)
		after.rest = p.rest[len(word):]
		p.odd = p.odd || len(word) != 3
	case after.next() == ':': // a time of day
		return false
	case isShort(digits):
		*kind, *value = 'd', number(digits)
		ordinal := after
		if w := ordinal.word(); len(w) == 2 && strings.Contains("st nd rd th", string(w)) {
			after, p.odd = ordinal, true
		}
	case len(digits) == 4:
		*kind, *value = 'y', number(digits)
	}
	if *kind == 0 || *kind == 'M' && *value == 0 {
		return false
	}
	p.cursor = after
	return true
}

// isShort reports whether digits are one or two.
func isShort(digits []byte) bool { return len(digits) == 1 || len(digits) == 2 }
