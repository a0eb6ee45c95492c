package sitemap

import (
	"strings"
	"testing"
	"time"
)

// FuzzParseTime compares ParseTime with package time, which reads the same forms and more.
func FuzzParseTime(f *testing.F) {
	for _, test := range w3cTests {
		f.Add([]byte(test.in))
	}
	layouts := []string{"2006", "2006-01", time.DateOnly, "2006-01-02T15:04Z07:00",
		time.RFC3339Nano}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := ParseTime(string(in))
		ok := err == nil && len(in) > 0
		var want time.Time
		found := false
		for _, layout := range layouts {
			if at, err := time.Parse(layout, string(in)); err == nil && at.Year() > 0 {
				want, found = at, true
			}
		}
		switch {
		case ok && (!found || !got.Start().Equal(want)):
			t.Fatalf("ParseTime(%q) = %v; package time has %v, %v", in, got.Start(), want, found)
		case !ok && got != (Time{}):
			t.Fatalf("ParseTime(%q) fails with %v", in, got)
		case !ok && found && !loose(string(in), want):
			t.Fatalf("ParseTime(%q) fails; package time has %v", in, want)
		}
	})
}

// loose reports whether in has a form that package time accepts and NOTE-datetime does not: a comma
// for the point, an hour of one digit, an offset of 24 hours or of 60 minutes.
func loose(in string, at time.Time) bool {
	_, offset := at.Zone()
	oneDigit := len(in) > 12 && in[12] == ':'
	return strings.Contains(in, ",") || oneDigit || offset <= -86400 || offset >= 86400 ||
		strings.HasSuffix(in, ":60")
}
