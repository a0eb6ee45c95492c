package datetime

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
)

// parseNamed reads dates with the month by its English name: those of RFC 822,
// RFC 850, date(1), JavaScript, and "May 6, 2024". The name tells the month, the
// year has four digits: nothing is left to guess. A year of two digits is read
// only where RFC 822 has it, last of a date that a time or a weekday goes with.
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
	c       cursor
	f       fields
	shape   [len("dMy")]byte // the parts of the date, in order: d or y for a number of two or four digits, M
	n       int              // how many there are
	numbers [2]int           // the values of d and y, in order
	count   int              // how many there are
	late    int              // how many parts of the date came after the time
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
	case isDigit(next):
		p.digits()
	case isLetter(next), next >= 0x80 && p.n == 0:
		p.letters()
	case p.timed && !p.zone && (next == '+' || next == '-'):
		p.offset()
	default:
		p.broken = true
	}
	return !p.broken
}

// separators takes what stands between parts: spaces, commas, and in the date
// hyphens, slashes and points. RFC 822 has spaces, and a comma after the weekday.
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

// comment takes a comment of RFC 822, which may hold others, and parentheses behind a
// backslash that count for nothing (section 3.3).
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

// ordinal takes the letters of 6th.
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
	// A weekday is not heeded, so it may be in another language.
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

// date puts the parts of the date together.
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
	// The year may stand last of all, as date(1) has it.
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

// monthOf returns the month of an English name, in full or as its first three
// letters, from 1, and whether it is the short name that RFC 822 has; or 0.
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

var weekdays = [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// isWeekday reports whether name is an English weekday or short for one.
func isWeekday(name []byte) bool {
	for _, full := range weekdays {
		if len(name) >= 3 && len(name) <= len(full) && equalFold(name, full[:len(name)]) {
			return true
		}
	}
	return false
}

// equalFold reports whether letters are those of lower, in any case.
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
