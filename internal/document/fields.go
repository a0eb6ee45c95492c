package document

import (
	"bytes"
	"strconv"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// ChangeFreq reads a changefreq and reports its problems. It accepts any letter case and white
// space that XML does not know.
func (s *Sink) ChangeFreq(raw []byte, pos sitemap.Position, field string) sitemap.ChangeFreq {
	text, odd := bare(raw)
	if f := ChangeFreq(text); f != 0 && !odd {
		return f
	}
	if f := ChangeFreq(bytes.ToLower(text)); f != 0 {
		s.Problem(sitemap.NonstandardChangeFreq, pos, field, raw)
		return f
	}
	s.Problem(sitemap.BadChangeFreq, pos, field, raw)
	return 0
}

// bare returns a value without the characters that XML forbids, and without invisible ones around
// it. Odd reports whether it removed more than XML's white space.
func bare(raw []byte) (text []byte, odd bool) {
	raw = withoutForbidden(raw)
	text = chars.TrimSpace(raw)
	return text, len(text) < len(xmlscan.TrimSpace(raw))
}

// withoutForbidden returns raw without the characters that XML forbids. The scanner has already
// reported them. The result is a copy if there are any.
func withoutForbidden(raw []byte) []byte {
	if !xmlchar.HasForbidden(raw) {
		return raw
	}
	return bytes.Map(func(r rune) rune {
		if xmlchar.IsForbidden(r) {
			return -1
		}
		return r
	}, raw)
}

// ChangeFreq returns the frequency with this name, or 0.
func ChangeFreq(b []byte) sitemap.ChangeFreq {
	switch string(b) {
	case "always":
		return sitemap.Always
	case "hourly":
		return sitemap.Hourly
	case "daily":
		return sitemap.Daily
	case "weekly":
		return sitemap.Weekly
	case "monthly":
		return sitemap.Monthly
	case "yearly":
		return sitemap.Yearly
	case "never":
		return sitemap.Never
	}
	return 0
}

// Priority reads a priority and reports its problems. It accepts a decimal comma, an exponent and
// white space that XML does not know, but no number out of range.
func (s *Sink) Priority(raw []byte, pos sitemap.Position,
	field string) (p sitemap.Optional[float64]) {
	text, odd := bare(raw)
	if v, ok := Decimal(text); ok && v <= 1 && !odd {
		return sitemap.Some(v)
	}
	v, ok := Number(text)
	if !ok || !(v >= 0 && v <= 1) {
		s.Problem(sitemap.BadPriority, pos, field, raw)
		return p
	}
	s.Problem(sitemap.NonstandardPriority, pos, field, raw)
	return sitemap.Some(v)
}

// Decimal reads plain decimal digits with at most one point. It accepts 15 digits, for which the
// quotient is exact to the last bit.
func Decimal(b []byte) (v float64, ok bool) {
	if len(b) == len("0.5") && b[0] == '0' && b[1] == '.' && b[2]-'0' < 10 {
		return tenths[b[2]-'0'], true
	}
	digits, scale, seen, point := int64(0), int64(1), 0, false
	for _, c := range b {
		switch {
		case c-'0' < 10:
			if seen++; seen > 15 {
				return 0, false
			}
			digits = digits*10 + int64(c-'0')
			if point {
				scale *= 10
			}
		case c == '.' && !point:
			point = true
		default:
			return 0, false
		}
	}
	return float64(digits) / float64(scale), seen > 0
}

// tenths are the values of most priorities, for which no division is needed.
var tenths = [10]float64{0, .1, .2, .3, .4, .5, .6, .7, .8, .9}

// Number reads a decimal number in any form, also with a comma, a sign or an exponent.
func Number(b []byte) (float64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	if bytes.Count(b, []byte(",")) == 1 && bytes.IndexByte(b, '.') < 0 {
		b = bytes.Replace(b, []byte(","), []byte("."), 1)
	}
	if bytes.ContainsFunc(b, func(r rune) bool {
		return (r < '0' || r > '9') && !bytes.ContainsRune([]byte("+-.eE"), r)
	}) {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return v + 0, err == nil // -0 is 0
}

// W3CTime reads a lastmod, a W3C datetime, and reports its problems. Empty text is one.
func (s *Sink) W3CTime(raw []byte, pos sitemap.Position, field string) sitemap.Time {
	if t, ok := StrictTime(raw); ok {
		return t
	}
	return s.time(datetime.ParseW3C, sitemap.BadLastMod, raw, pos, field)
}

// DCTime is W3CTime for a date of Dublin Core or Atom 0.3 in a feed.
func (s *Sink) DCTime(raw []byte, pos sitemap.Position, field string) sitemap.Time {
	return s.time(datetime.ParseW3C, sitemap.BadFeedDate, raw, pos, field)
}

// RFC3339Time is W3CTime for a date of Atom 1.0.
func (s *Sink) RFC3339Time(raw []byte, pos sitemap.Position, field string) sitemap.Time {
	if t, ok := StrictTime(raw); ok && t.Precision() >= sitemap.Second {
		return t
	}
	return s.time(datetime.ParseRFC3339, sitemap.BadFeedDate, raw, pos, field)
}

// StrictTime reads a W3C datetime that needs no report. A year below 1000 does.
func StrictTime(b []byte) (t sitemap.Time, ok bool) {
	if len(b) == 0 || b[0] == '0' {
		return t, false
	}
	ok = t.UnmarshalText(b) == nil
	return t, ok && !datetime.InFarZone(b)
}

// RFC822Time is W3CTime for a date of RSS.
func (s *Sink) RFC822Time(raw []byte, pos sitemap.Position, field string) sitemap.Time {
	return s.time(datetime.ParseRFC822, sitemap.BadFeedDate, raw, pos, field)
}

// time reads a date. It reports bad if the date cannot be read.
func (s *Sink) time(parse func([]byte) (sitemap.Time, []sitemap.Code), bad sitemap.Code,
	raw []byte, pos sitemap.Position, field string) sitemap.Time {
	t, codes := parse(withoutForbidden(raw))
	if t.IsZero() {
		codes = []sitemap.Code{bad}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = nil
	}
	s.problems(codes, pos, field, raw)
	return t
}
