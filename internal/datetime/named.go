package datetime

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// parseNamed reads dates with the English name of a month: those of RFC 822, RFC 850, date(1),
// JavaScript, and "May 6, 2024". With the name of the month and four digits of the year, no date is
// ambiguous. A year of two digits is accepted only last in a date with a time or a weekday, as in
// RFC 822.
func parseNamed(b []byte) (f fields, ok bool) {
	p := named{c: cursor{b}}
	for p.step() {
	}
	if p.broken || !p.date() {
		return f, false
	}
	return p.f, true
}

// named is the state of parseNamed.
type named struct {
	c cursor
	f fields
	// the parts of the date in order: M, or d or y for a number of two or four digits
	shape   [len("dMy")]byte
	n       int    // number of parts
	numbers [2]int // the values of d and y, in order
	count   int    // number of values
	late    int    // number of parts after the time
	weekday bool
	timed   bool // a time of day was read
	zone    bool // a zone was read, known or not
	broken  bool
}

// step reads one part. It returns false at the end.
func (p *named) step() bool {
	p.separators()
	switch next := p.c.next(); {
	case next == 0:
		p.broken = len(p.c.rest) > 0
		return false
	case next == '(':
		p.comment()
	case chars.IsDigit(next):
		p.digits()
	case chars.IsLetter(next), next >= 0x80 && p.n == 0:
		p.letters()
	case p.timed && !p.zone && (next == '+' || next == '-'):
		p.offset()
	default:
		p.broken = true
	}
	return !p.broken
}

// separators consumes spaces and commas and, within the date, hyphens, slashes and points. RFC 822
// has spaces, and a comma after the weekday.
func (p *named) separators() {
	set := " \t\r\n,-/."
	if p.timed {
		set = " \t\r\n,"
	}
	taken := bytes.Trim(p.c.anyOf(set), " \t\r\n")
	afterWeekday := p.weekday && p.n == 0
	if len(taken) > 0 && (!afterWeekday || string(taken) != ",") {
		p.f.odd = true
	}
}

// comment consumes a comment of RFC 822, which may contain others, and parentheses escaped with a
// backslash (section 3.3).
func (p *named) comment() {
	depth := 0
	escaped := false
	for i, c := range p.c.rest {
		switch {
		case escaped:
			escaped = false
			continue
		case c == '\\':
			escaped = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if depth == 0 {
			p.c.take(i + 1)
			return
		}
	}
	p.broken = true
}

// add adds a part of the date.
func (p *named) add(kind byte) {
	if p.n == len(p.shape) {
		p.broken = true
		return
	}
	p.shape[p.n] = kind
	p.n++
	if p.timed {
		p.late++
	}
}

// digits reads a number of the date, or a time of day.
func (p *named) digits() {
	after := p.c
	switch digits := after.digits(); {
	case len(digits) <= 2 && after.next() == ':' && !p.timed:
		p.timed = true
		p.broken = !p.c.clock(&p.f) || !p.c.meridiem(&p.f)
		p.f.odd = p.f.odd || len(p.f.fraction) > 0
	case len(digits) == 4:
		p.c = after
		p.number('y', digits)
	case len(digits) <= 2:
		p.c = after
		p.number('d', digits)
		p.ordinal()
	default:
		p.broken = true
	}
}

func (p *named) number(kind byte, digits []byte) {
	if p.count == len(p.numbers) {
		p.broken = true
		return
	}
	p.numbers[p.count] = number(digits)
	p.count++
	p.add(kind)
}

// ordinal consumes the letters of 6th.
func (p *named) ordinal() {
	after := p.c
	word := after.word()
	for _, letters := range [...]string{"st", "nd", "rd", "th"} {
		if equalFold(word, letters) {
			p.c, p.f.odd = after, true
		}
	}
}

// letters reads a weekday, a month or a zone.
func (p *named) letters() {
	if p.timed && p.f.month != 0 {
		switch {
		case !p.zone:
			p.zone = true
			p.broken = !p.c.namedZone(&p.f)
		case p.f.zoned:
			p.broken = !p.c.abbreviation(&p.f)
		default:
			p.broken = true
		}
		return
	}
	word := p.c.word()
	if month, short := monthOf(word); month != 0 && p.f.month == 0 {
		p.f.month = month
		p.f.odd = p.f.odd || !short
		p.add('M')
		return
	}
	// A weekday is ignored, so it may be in another language.
	rest := p.c.beyondASCII()
	comma := bytes.HasPrefix(bytes.TrimPrefix(p.c.rest, []byte(".")), []byte(","))
	p.broken = p.n > 0 || p.timed || p.weekday || !comma && !isWeekday(word)
	p.weekday = true
	p.f.odd = p.f.odd || len(word) != 3 || len(rest) > 0 || !comma
}

func (p *named) offset() {
	before := len(p.c.rest)
	p.zone = true
	p.broken = !p.c.offset(&p.f)
	p.f.odd = p.f.odd || before-len(p.c.rest) != len("+0000")
}

// date combines the parts of the date.
func (p *named) date() bool {
	f, first, second := &p.f, p.numbers[0], p.numbers[1]
	shape := string(p.shape[:p.n])
	switch shape {
	case "dMy":
		f.day, f.year = first, second
	case "Mdy":
		f.day, f.year = first, second
	case "yMd":
		f.year, f.day = first, second
	case "dMd":
		f.day, f.year = first, fullYear(second)
		p.broken = !p.timed && !p.weekday
	case "My":
		f.day, f.year = 1, first
		p.broken = p.timed
	default:
		return false
	}
	// The year may come last, as in date(1).
	if p.broken || p.late > 1 || p.late == 1 && shape != "Mdy" {
		return false
	}
	f.odd = f.odd || shape[0] != 'd'
	if !p.timed {
		f.odd, f.precision = true, sitemap.Day
	}
	if shape == "My" {
		f.precision = sitemap.Month
	}
	return f.inCalendar()
}

// fullYear adds the century to a year of two digits (RFC 5322, section 4.3).
func fullYear(year int) int {
	if year < 50 {
		return 2000 + year
	}
	return 1900 + year
}

var months = [...]string{
	"january", "february", "march", "april", "may", "june",
	"july", "august", "september", "october", "november", "december",
}

// monthOf returns the month of an English name, full or as three letters, from 1, or 0. It reports
// whether the name is short, as in RFC 822.
func monthOf(name []byte) (month int, short bool) {
	for i, full := range months {
		switch {
		case len(name) == 3 && equalFold(name, full[:3]):
			return i + 1, true
		case equalFold(name, full), i == 8 && equalFold(name, "sept"):
			return i + 1, false
		}
	}
	return 0, false
}

var weekdays = [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
	"sunday"}

// isWeekday reports whether name is an English weekday or an abbreviation of one.
func isWeekday(name []byte) bool {
	for _, full := range weekdays {
		if len(name) >= 3 && len(name) <= len(full) && equalFold(name, full[:len(name)]) {
			return true
		}
	}
	return false
}

// equalFold reports whether letters equal lower in any letter case.
func equalFold(letters []byte, lower string) bool {
	if len(letters) != len(lower) {
		return false
	}
	for i, c := range letters {
		if c|0x20 != lower[i] {
			return false
		}
	}
	return true
}
