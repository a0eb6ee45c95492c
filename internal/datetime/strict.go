package datetime

import (
	"time"

	"github.com/seed-322c453a/sitemap"
)

// Strict reads a W3C datetime in one of the six forms of NOTE-datetime, and no other. It returns
// false for empty text. It allocates nothing.
func Strict(b []byte) (t sitemap.Time, ok bool) {
	ok = len(b) > 0 && t.UnmarshalText(b) == nil
	return t, ok
}

// InFarZone reports whether a W3C datetime that Strict has read is in a zone that is further from
// UTC than any real one.
func InFarZone(b []byte) bool {
	if len(b) <= len("2006-01-02T15:04") || b[len(b)-1] == 'Z' {
		return false
	}
	zone := b[len(b)-len("+15:04"):]
	return number(zone[1:3])*60+number(zone[4:]) > maxOffset
}

// strictWithoutZone reads the forms of NOTE-datetime that have a time of day, but no zone.
func strictWithoutZone(b []byte) (t sitemap.Time, ok bool) {
	if len(b) < len("2006-01-02T15:04") || len(b) > maxLen || b[10] != 'T' {
		return t, false
	}
	t, ok = Strict(append(append(make([]byte, 0, maxLen+1), b...), 'Z'))
	return t.AssumeZone(), ok
}

// codesOf returns the problems of a date that was read.
func codesOf(t sitemap.Time, nonstandard, farZone bool) []sitemap.Code {
	i := 0
	if nonstandard {
		i |= 1
	}
	if t.ZoneAssumed() {
		i |= 2
	}
	if farZone || t.Before(plausible) {
		i |= 4
	}
	return combined[i]
}

var bad = []sitemap.Code{sitemap.BadLastMod}

// combined holds each set of codes for a date that can be read: bit 0 is for the form, bit 1 for
// the zone, bit 2 for the year.
var combined = func() (sets [8][]sitemap.Code) {
	for i := range sets {
		for bit, code := range []sitemap.Code{sitemap.NonstandardLastMod, sitemap.ZoneAssumed,
			sitemap.ImplausibleLastMod} {
			if i>>bit&1 == 1 {
				sets[i] = append(sets[i], code)
			}
		}
		sets[i] = sets[i][:len(sets[i]):len(sets[i])]
	}
	return sets
}()

// plausible is the first instant at which a page may have changed. Earlier dates are zero dates of
// programming languages, and years cut short.
var plausible = time.Date(1000, time.January, 1, 0, 0, 0, 0, time.UTC)

// maxLen is the maximum length of a date. The longest known form, JavaScript's with the zone spelt
// out, has 70 bytes.
const maxLen = 128

// maxOffset is the largest offset of a real zone from UTC, in minutes: that of Kiribati.
const maxOffset = 14 * 60

// number returns the value of a few digits.
func number(digits []byte) (n int) {
	for _, c := range digits {
		n = n*10 + int(c-'0')
	}
	return n
}
