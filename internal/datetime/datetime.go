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
//	cursor.go    reads times and zones from left to right
//	iso.go       dates that start with a year
//	named.go     dates with the name of a month
//	datetime.go  ParseW3C and ParseRFC822
package datetime

import (
	"bytes"

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
	if t, ok := Strict(b); ok {
		return t, codesOf(t, false, InFarZone(b))
	}
	s := trim(b)
	switch {
	case len(s) == 0:
		return t, nil
	case len(s) > maxLen:
		return t, bad
	}
	if t, ok := Strict(s); ok {
		return t, codesOf(t, true, InFarZone(s))
	}
	f, ok := parseISO(s)
	if !ok {
		if f, ok = parseNamed(s); ok {
			f.odd = true
		}
	}
	f.odd = f.odd || len(s) != len(b)
	return f.result(ok)
}

// ParseRFC822 reads the pubDate of an RSS item: the date and time of RFC 822 with RFC 5322's years
// of four digits, or another form in its place, such as a W3C datetime. Its results are those of
// [ParseW3C]. It allocates nothing for the forms of RFC 822.
func ParseRFC822(b []byte) (t sitemap.Time, codes []sitemap.Code) {
	if t, ok := QuickRFC822(b); ok {
		return t, nil
	}
	return parseRFC822(b)
}

// parseRFC822 is ParseRFC822 for all forms.
func parseRFC822(b []byte) (t sitemap.Time, codes []sitemap.Code) {
	s := trim(b)
	switch {
	case len(s) == 0:
		return t, nil
	case len(s) > maxLen:
		return t, bad
	}
	f, ok := parseNamed(s)
	if ok {
		return f.result(ok)
	}
	if t, ok := Strict(s); ok {
		return t, codesOf(t, true, InFarZone(s))
	}
	if f, ok = parseISO(s); ok {
		f.odd = true
	}
	return f.result(ok)
}

// trim removes white space around a date, and the reading of the monotonic clock that Go prints
// after a time of day.
func trim(b []byte) []byte {
	b = chars.TrimSpace(b)
	if i := bytes.LastIndex(b, []byte(" m=")); i > 0 && i+3 < len(b) &&
		len(bytes.Trim(b[i+4:], "0123456789.")) == 0 && (b[i+3] == '+' || b[i+3] == '-') {
		return chars.TrimSpace(b[:i])
	}
	return b
}
