package record

import (
	"bytes"
	"strconv"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/space"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// ChangeFreq reads a changefreq, reporting what is odd about it: letter case is
// forgiven, and blanks that XML does not know, nothing else.
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

// bare returns a value without what stands around it unseen, as it does around a
// location, and without what XML forbids. It is odd if more than the white space of XML did.
func bare(raw []byte) (text []byte, odd bool) {
	raw = withoutForbidden(raw)
	text = space.Trim(raw)
	return text, len(text) < len(xmlscan.TrimSpace(raw))
}

// withoutForbidden returns raw without the characters that XML forbids, which the
// scanner has reported; it is a copy where there are any.
func withoutForbidden(raw []byte) []byte {
	if !xmlscan.HasForbidden(raw) {
		return raw
	}
	return bytes.Map(func(r rune) rune {
		if xmlscan.IsForbidden(r) {
			return -1
		}
		return r
	}, raw)
}

// ChangeFreq returns the frequency of that name, or 0.
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

// Priority reads a priority, reporting what is odd about it: a decimal comma and
// an exponent are read, and one in blanks that XML does not know, a number out of range is not.
func (s *Sink) Priority(raw []byte, pos sitemap.Position, field string) (p sitemap.Optional[float64]) {
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

// Decimal reads plain decimal digits with at most one point: at most 15, which
// makes the quotient exact to the last bit.
func Decimal(b []byte) (v float64, ok bool) {
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

// Number reads a decimal number in any form: with a comma, a sign, an exponent too.
func Number(b []byte) (float64, bool) {
	if bytes.Count(b, []byte(",")) == 1 && bytes.IndexByte(b, '.') < 0 {
		b = bytes.Replace(b, []byte(","), []byte("."), 1)
	}
	if bytes.ContainsFunc(b, func(r rune) bool { return (r < '0' || r > '9') && !bytes.ContainsRune([]byte("+-.eE"), r) }) {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return v + 0, err == nil // -0 is 0
}
