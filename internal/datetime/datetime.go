// Package datetime reads the dates of documents: W3C datetimes (NOTE-datetime),
// those of RFC 822 as RSS asks for, and what sites write in their place. What it
// reads it reads as listed; what could mean two days it does not read.
package datetime

import (
	"bytes"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/space"
)

// maxLen is how long a date may be that is read. The longest known form,
// JavaScript's with a zone spelt out, has 70 bytes.
const maxLen = 128

// ParseW3C reads a lastmod, a date of Atom, or a dc:date: a W3C datetime, or any
// form that is read for one.
//
// codes are the problems to report: NonstandardLastMod, ZoneAssumed,
// ImplausibleLastMod; BadLastMod where b cannot be read and t is zero. Empty text
// is an absent date, without a problem. It allocates nothing for the forms of
// NOTE-datetime; codes is shared and must not be written to.
func ParseW3C(b []byte) (t sitemap.Time, codes []sitemap.Code) {
	if t, ok := sitemap.ParseW3C(b); ok {
		return t, codesOf(t, false, InFarZone(b))
	}
	s := trim(b)
	switch {
	case len(s) == 0:
		return t, nil
	case len(s) > maxLen:
		return t, bad
	}
	if t, ok := sitemap.ParseW3C(s); ok {
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

// ParseRFC822 reads the pubDate of an RSS item: the date and time of RFC 822
// with RFC 5322's years of four digits, or any form that is read for one, W3C
// datetimes among them. Its results are those of ParseW3C. It allocates nothing
// for the forms of RFC 822.
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
	if t, ok := sitemap.ParseW3C(s); ok {
		return t, codesOf(t, true, InFarZone(s))
	}
	if f, ok = parseISO(s); ok {
		f.odd = true
	}
	return f.result(ok)
}

// trim cuts off what stands around a date: white space, and the reading of the monotonic
// clock that Go prints behind a time of day.
func trim(b []byte) []byte {
	b = space.Trim(b)
	if i := bytes.LastIndex(b, []byte(" m=")); i > 0 && i+3 < len(b) && len(bytes.Trim(b[i+4:], "0123456789.")) == 0 && (b[i+3] == '+' || b[i+3] == '-') {
		return space.Trim(b[:i])
	}
	return b
}

// maxOffset is how far from UTC a zone is, in minutes: that of Kiribati.
const maxOffset = 14 * 60

// InFarZone reports whether a W3C datetime, which ParseW3C of package sitemap has read, is in
// a zone that is further from UTC than any: there is something to report of it.
func InFarZone(b []byte) bool {
	if len(b) <= len("2006-01-02T15:04") || b[len(b)-1] == 'Z' {
		return false
	}
	zone := b[len(b)-len("+15:04"):]
	return number(zone[1:3])*60+number(zone[4:]) > maxOffset
}

// plausible is the first instant that a page can be meant to have changed at;
// before it are the zero dates of programming languages and years cut short.
var plausible = time.Date(1000, time.January, 1, 0, 0, 0, 0, time.UTC)

var bad = []sitemap.Code{sitemap.BadLastMod}

// combined holds each set of codes a date can be read with: bit 0 stands for the
// form, bit 1 for the zone, bit 2 for the year.
var combined = func() (sets [8][]sitemap.Code) {
	for i := range sets {
		for bit, code := range []sitemap.Code{sitemap.NonstandardLastMod, sitemap.ZoneAssumed, sitemap.ImplausibleLastMod} {
			if i>>bit&1 == 1 {
				sets[i] = append(sets[i], code)
			}
		}
		sets[i] = sets[i][:len(sets[i]):len(sets[i])]
	}
	return sets
}()

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
