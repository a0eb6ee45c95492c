package sitemap

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// A Precision is the precision with which a Time was listed.
type Precision uint8

// The precisions of a Time. With a fraction of a second, the precision is Second + n for n digits,
// from 1 to 9.
const (
	Year Precision = iota + 1
	Month
	Day
	Minute
	Second
)

// Digits returns the number of digits of the fraction of a second.
func (p Precision) Digits() int { return max(0, int(p)-int(Second)) }

// A Time is a date, or a date and time, as exact as it was listed: from a year to nine digits of a
// second (the W3C datetime formats, NOTE-datetime). The zero Time means that there is none. Times
// that are == were listed alike; use Start to compare instants.
type Time struct {
	// A struct of more than four fields would be kept in memory instead of registers. Reading it as
	// a whole then waits until its parts are written.
	sec    int64 // of Start, since 1970-01-01T00:00:00Z
	nsec   int32
	offset int16     // of the zone, minutes east of UTC
	form   Precision // a Precision and the bit assumed
}

// assumed is the bit of Time.form for a time that was listed without a zone.
const assumed Precision = 1 << 7

// NewTime returns t with precision p, in t's zone. Whatever is finer than p is cut off, and so are
// the seconds of the zone's offset. A p above Second+9 means Second+9. A Time that is to be
// printed needs a year from 1 to 9999.
func NewTime(t time.Time, p Precision) Time {
	p = min(p&^assumed, Second+9)
	_, off := t.Zone()
	y, m, d := t.Date()
	hh, mm, ss, ns := t.Hour(), t.Minute(), t.Second(), t.Nanosecond()
	switch p {
	case Year:
		m, d, hh, mm, ss, ns = 1, 1, 0, 0, 0, 0
	case Month:
		d, hh, mm, ss, ns = 1, 0, 0, 0, 0
	case Day:
		hh, mm, ss, ns = 0, 0, 0, 0
	case Minute:
		ss, ns = 0, 0
	case Second:
		ns = 0
	default:
		unit := pow10[max(0, 9-p.Digits())]
		ns -= ns % unit
	}
	if p < Minute {
		off = 0
	}
	return Time{
		sec:    time.Date(y, m, d, hh, mm, ss, 0, time.UTC).Unix() - int64(off/60*60),
		nsec:   int32(ns),
		offset: int16(off / 60),
		form:   p,
	}
}

// AssumeZone returns t marked as listed without a zone; see [Time.ZoneAssumed].
func (t Time) AssumeZone() Time {
	t.form |= assumed
	return t
}

var pow10 = [...]int{1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
	1_000_000_000}

// IsZero reports whether t is the zero Time.
func (t Time) IsZero() bool { return t.Precision() == 0 }

// Precision returns the precision with which t was listed. It is 0 for the zero Time.
func (t Time) Precision() Precision { return t.form &^ assumed }

// ZoneAssumed reports whether a time of day was listed without a zone, so that UTC was assumed. The
// true instant may be up to 14 hours earlier or later.
func (t Time) ZoneAssumed() bool { return t.form&assumed != 0 }

// Start returns the first instant of t, in its zone. For 2024-05 that is the start of May 1 in UTC.
// For the zero Time it is the zero time.Time.
func (t Time) Start() time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	loc := time.UTC
	if t.offset != 0 {
		loc = time.FixedZone("", int(t.offset)*60)
	}
	return time.Unix(t.sec, int64(t.nsec)).In(loc)
}

// After reports whether t starts after u. It allocates nothing.
func (t Time) After(u time.Time) bool {
	sec := u.Unix()
	return !t.IsZero() && (t.sec > sec || t.sec == sec && int(t.nsec) > u.Nanosecond())
}

// Before reports whether t starts before u. It allocates nothing.
func (t Time) Before(u time.Time) bool {
	sec := u.Unix()
	return !t.IsZero() && (t.sec < sec || t.sec == sec && int(t.nsec) < u.Nanosecond())
}

// End returns the first instant after t. For 2024-05 that is the start of June 1 in UTC. For the
// zero Time it is the zero time.Time.
func (t Time) End() time.Time {
	start := t.Start()
	switch t.Precision() {
	case 0:
		return start
	case Year:
		return start.AddDate(1, 0, 0)
	case Month:
		return start.AddDate(0, 1, 0)
	case Day:
		return start.AddDate(0, 0, 1)
	case Minute:
		return start.Add(time.Minute)
	}
	return start.Add(time.Second / time.Duration(pow10[t.Precision().Digits()]))
}

// String returns t with the precision and the offset that were listed: "2024", "2024-05",
// "2024-05-06" or RFC 3339. Seconds that were not listed are printed as :00, and a zero or assumed
// offset as Z. The zero Time is "".
func (t Time) String() string { return string(t.AppendTo(nil)) }

// MarshalText returns the text that String returns.
func (t Time) MarshalText() ([]byte, error) { return t.AppendTo(nil), nil }

// AppendTo appends the text that String returns to b.
func (t Time) AppendTo(b []byte) []byte {
	if t.IsZero() {
		return b
	}
	s := time.Unix(t.sec+int64(t.offset)*60, 0).UTC()
	y, m, d := s.Date()
	b = chars.AppendInt(b, y, 4)
	if t.Precision() == Year {
		return b
	}
	b = chars.AppendInt(append(b, '-'), int(m), 2)
	if t.Precision() == Month {
		return b
	}
	b = chars.AppendInt(append(b, '-'), d, 2)
	if t.Precision() == Day {
		return b
	}
	b = chars.AppendInt(append(b, 'T'), s.Hour(), 2)
	b = chars.AppendInt(append(b, ':'), s.Minute(), 2)
	b = chars.AppendInt(append(b, ':'), s.Second(), 2)
	if n := t.Precision().Digits(); n > 0 {
		b = chars.AppendInt(append(b, '.'), int(t.nsec)/pow10[9-n], n)
	}
	off := int(t.offset)
	if off == 0 {
		return append(b, 'Z')
	}
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	b = chars.AppendInt(append(b, sign), off/60, 2)
	return chars.AppendInt(append(b, ':'), off%60, 2)
}

var errTime = errors.New("sitemap: not a W3C datetime")

// ParseTime reads a W3C datetime in one of the six forms of NOTE-datetime. It ignores digits of a
// second's fraction after the ninth. Empty text is the zero Time. The error says only that the text
// is not a W3C datetime.
func ParseTime(s string) (Time, error) {
	var t Time
	err := t.UnmarshalText([]byte(s))
	return t, err
}

// UnmarshalText reads text as [ParseTime] does, without allocating. Two things that MarshalText
// does not write are lost in a round trip: that the zone was assumed, and that no seconds were
// listed.
func (t *Time) UnmarshalText(text []byte) error {
	v, ok := parseW3C(text)
	if !ok {
		return errTime
	}
	*t = v
	return nil
}

// parseW3C reads a time of one of the six forms, or no text. It allocates nothing.
func parseW3C(b []byte) (t Time, ok bool) {
	if len(b) < 10 {
		return parseMonth(b)
	}
	sec, ok := parseDay(b)
	if !ok {
		return Time{}, false
	}
	if len(b) == 10 {
		return Time{sec: sec, form: Day}, true
	}
	clock, n, ok := parseClock(b[10:])
	if !ok {
		return Time{}, false
	}
	sec += clock
	precision, nsec := Minute, int32(0)
	if n == 9 {
		precision = Second
		if len(b) > 19 && b[19] == '.' {
			var d int
			nsec, d, n = parseFraction(b[20:])
			if d == 0 {
				return Time{}, false
			}
			precision += Precision(d)
			n += 10
		}
	}
	offset, ok := parseZone(b[10+n:])
	if !ok {
		return Time{}, false
	}
	return Time{sec: sec - int64(offset)*60, nsec: nsec, offset: int16(offset), form: precision},
		true
}

// parseMonth reads YYYY and YYYY-MM, or no text.
func parseMonth(b []byte) (t Time, ok bool) {
	day := [10]byte{4: '-', '0', '1', '-', '0', '1'}
	precision := Year
	switch len(b) {
	case 0:
		return Time{}, true
	case 4:
	case 7:
		precision = Month
	default:
		return Time{}, false
	}
	copy(day[:], b)
	sec, ok := parseDay(day[:])
	if !ok {
		return Time{}, false
	}
	return Time{sec: sec, form: precision}, true
}

// fields reads eight bytes of digits and separators at once. In form, "0" stands for each digit, as
// in "00:00:00". The exclusive or with form leaves 0 to 9 for a digit and 0 for a separator. Only
// then does adding carry set no high bit.
func fields(b []byte, form, carry uint64) (x uint64, ok bool) {
	x = binary.LittleEndian.Uint64(b) ^ form
	return x, (x|(x+carry))&chars.Highs == 0
}

// two returns the number of the two digits at bytes i and i+1 of the result of fields.
func two(x uint64, i int) int { return int(x>>(8*i)&15)*10 + int(x>>(8*i+8)&15) }

// parseDay reads the YYYY-MM-DD at the start of b.
func parseDay(b []byte) (sec int64, ok bool) {
	const (
		form  = '0' | '0'<<8 | '0'<<16 | '0'<<24 | '-'<<32 | '0'<<40 | '0'<<48 | '-'<<56
		carry = 0x7f76767f76767676
	)
	x, ok := fields(b, form, carry)
	d1, d2 := b[8]-'0', b[9]-'0'
	if !ok || d1 > 9 || d2 > 9 {
		return 0, false
	}
	century, of, month, day := two(x, 0), two(x, 2), two(x, 5), int(d1)*10+int(d2)
	if century|of == 0 || month < 1 || month > 12 || day < 1 {
		return 0, false
	}
	cycle := of // of leap years: every fourth year, and every fourth century
	if of == 0 {
		cycle = century
	}
	before := &daysBefore[cycle%4]
	return int64(daysBeforeYear(century, of)+before[month]+day-1) * 86_400,
		day <= before[month+1]-before[month]
}

// daysBefore holds the days before each month, for a leap year and the three years after it.
var daysBefore = func() (days [4][16]int) {
	for year := range days {
		leap := 0
		if year == 0 {
			leap = 1
		}
		for m, n := range [...]int{31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31} {
			days[year][m+2] = days[year][m+1] + n
		}
	}
	return days
}()

// daysBeforeYear returns the days from 1970 to the start of a year in the proleptic Gregorian
// calendar. It is negative for earlier years.
func daysBeforeYear(century, of int) int {
	year := century*100 + of - 1
	hundreds := year / 100
	return year*365 + year/4 - hundreds + hundreds/4 - 719_162
}

// parseClock reads the Thh:mm or Thh:mm:ss at the start of b. It returns the seconds since midnight
// and the length.
func parseClock(b []byte) (sec int64, n int, ok bool) {
	const (
		form  = '0' | '0'<<8 | ':'<<16 | '0'<<24 | '0'<<32 | ':'<<40 | '0'<<48 | '0'<<56
		carry = 0x76767f76767f7676
		// The third field of Thh:mm does not count.
		minutes = 0x000000ffffffffff
	)
	if len(b) < 9 {
		if len(b) != 7 || b[0] != 'T' || b[6] != 'Z' {
			return 0, 0, false
		}
		b = append(append(make([]byte, 0, 9), b[:6]...), ":00"...)
		sec, _, ok = parseClock(b)
		return sec, 6, ok
	}
	x, ok := fields(b[1:], form, carry)
	n = 9
	if b[6] != ':' {
		x, n = x&minutes, 6
		ok = (x|(x+carry&minutes))&(chars.Highs&minutes) == 0
	}
	hour, minute, second := two(x, 0), two(x, 3), two(x, 6)
	if b[0] != 'T' || !ok || hour > 23 || minute > 59 || second > 59 {
		return 0, 0, false
	}
	return int64(hour*3600 + minute*60 + second), n, true
}

// parseFraction reads the digits at the start of b as a fraction of a second. It uses at most nine
// digits; n counts all of them.
func parseFraction(b []byte) (nsec int32, digits, n int) {
	for n < len(b) && b[n]-'0' < 10 {
		if digits < 9 {
			nsec = nsec*10 + int32(b[n]-'0')
			digits++
		}
		n++
	}
	return nsec * int32(pow10[9-digits]), digits, n
}

// parseZone reads Z or ±hh:mm as minutes east of UTC.
func parseZone(b []byte) (offset int, ok bool) {
	if len(b) == 1 && b[0] == 'Z' {
		return 0, true
	}
	if len(b) != 6 || b[3] != ':' || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	h1, h2, m1, m2 := b[1]-'0', b[2]-'0', b[4]-'0', b[5]-'0'
	if h1 > 9 || h2 > 9 || m1 > 9 || m2 > 9 {
		return 0, false
	}
	hours, minutes := int(h1)*10+int(h2), int(m1)*10+int(m2)
	offset = hours*60 + minutes
	if b[0] == '-' {
		offset = -offset
	}
	return offset, hours <= 23 && minutes <= 59
}
