package datetime

import "github.com/seed-322c453a/sitemap"

// parseISO reads dates that start with the digits of a year: ISO 8601 in its basic and extended
// forms, with slashes or points, without leading zeros, and with a time after T or a space. With
// the four digits of the year first, no other order of the parts is possible.
func parseISO(b []byte) (f fields, ok bool) {
	c := cursor{b}
	if !c.isoDate(&f) {
		return f, false
	}
	f.odd = true
	switch {
	case len(c.rest) == 0:
		return f, true
	case f.precision != sitemap.Day:
		return f, false
	case isZoneOfDate(c.rest):
		// The zone of an XML Schema date moves its first instant, which a day cannot express.
		return f, true
	}
	if next := c.next() | 0x20; next == 't' {
		c.take(1)
		c.spaces()
	} else if !c.spaces() && len(b) != len("20060102150405") {
		return f, false
	}
	f.odd = !isTime(b)
	if !c.isoClock(&f) || !c.meridiem(&f) {
		return f, false
	}
	return f, c.zone(&f)
}

// isTime reports whether b has the form of a W3C datetime without a zone.
func isTime(b []byte) bool {
	_, ok := Strict(append(append(make([]byte, 0, maxLen+1), b...), 'Z'))
	return ok
}

// isoDate consumes the date.
func (c *cursor) isoDate(f *fields) bool {
	start := *c
	digits := c.digits()
	switch len(digits) {
	case 4:
		return c.isoMonthDay(f, digits)
	case 8:
		f.precision = sitemap.Day
	case 14: // the time of day follows without a separator
		f.precision = sitemap.Day
		start.take(8)
		*c = start
	default:
		return false
	}
	f.year, f.month, f.day = number(digits[:4]), number(digits[4:6]), number(digits[6:8])
	return f.inCalendar()
}

func (c *cursor) isoMonthDay(f *fields, year []byte) bool {
	separator := c.next()
	if separator != '-' && separator != '/' && separator != '.' {
		return false
	}
	c.take(1)
	month := c.digits()
	if len(month) == 0 || len(month) > 2 {
		return false
	}
	f.year, f.month, f.day, f.precision = number(year), number(month), 1, sitemap.Month
	if c.accept(separator) {
		day := c.digits()
		if len(day) == 0 || len(day) > 2 {
			return false
		}
		f.day, f.precision = number(day), sitemap.Day
	}
	return f.inCalendar()
}

// inCalendar reports whether the numbers are in the range of their digits. [fields.time] decides
// whether the month has the day.
func (f *fields) inCalendar() bool {
	return f.year > 0 && 1 <= f.month && f.month <= 12 && 1 <= f.day && f.day <= 31
}

// isoClock consumes the time of day, with colons or without.
func (c *cursor) isoClock(f *fields) bool {
	basic := *c
	digits := basic.digits()
	if len(digits) != 4 && len(digits) != 6 {
		return c.clock(f)
	}
	f.hour, f.minute, f.precision = number(digits[:2]), number(digits[2:4]), sitemap.Minute
	if len(digits) == 6 {
		f.second, f.precision = number(digits[4:]), sitemap.Second
		if !basic.fractions(f) {
			return false
		}
	}
	c.rest = basic.rest
	return f.inRange()
}

// isZoneOfDate reports whether s is Z or an offset with a colon, which XML Schema allows after a
// date.
func isZoneOfDate(s []byte) bool {
	if len(s) == 1 && s[0]|0x20 == 'z' {
		return true
	}
	if len(s) != len("+00:00") || s[3] != ':' || s[0] != '+' && s[0] != '-' {
		return false
	}
	c, f := cursor{s}, fields{}
	return c.offset(&f)
}
