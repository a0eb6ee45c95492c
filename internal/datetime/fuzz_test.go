package datetime

import (
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

// stable fails unless the result prints as a date that is read as the same.
func stable(t *testing.T, in []byte, got sitemap.Time, codes []sitemap.Code) {
	t.Helper()
	if got.IsZero() {
		if len(codes) > 0 && !slices.Equal(codes, bad) {
			t.Fatalf("%q: not read, but with %v", in, codes)
		}
		return
	}
	if slices.Contains(codes, sitemap.BadLastMod) {
		t.Fatalf("%q: read as %v, but with %v", in, got, codes)
	}
	again, codes := ParseW3C([]byte(got.String()))
	if slices.Contains(codes, sitemap.NonstandardLastMod) ||
		slices.Contains(codes, sitemap.ZoneAssumed) {
		t.Fatalf("%q: printed as %q, which is read with %v", in, got, codes)
	}
	if again.String() != got.String() || !again.Start().Equal(got.Start()) {
		t.Fatalf("%q: read as %v, and that as %v", in, got, again)
	}
}

func addSeeds(f *testing.F) {
	for _, in := range unreadable {
		f.Add([]byte(in))
	}
	for _, in := range []string{
		"2019-03-04T05:06:07.123+02:00", "20190304T050607Z", "2019-03-04 05:06 PM EST",
		"2019-12-31T24:00:00-05:00", "2016-12-31T23:59:60Z",
		"Mon, 04 Mar 2019 05:06:07 +0530", "Mon Mar 04 2019 05:06:07 GMT+0100 (CET)",
		"Monday, 04-Mar-19 05:06:07 GMT", "Mar 4th, 2019", "2019 March 4",
		"2019-03-04T05:06:07+0200", "2019-03-04 05:06:07.5-0030", "2019-03-04 05:06:07+02:00",
		"2019-03-04 05:06:07", "2019-03-04T05:06-0000", "2019-03-04T05:06:07+1500",
		"Mon, 04 Mar 2019 05:06:07 GMT", "Mon, 04 Mar 2019 05:06:07 +1500",
	} {
		f.Add([]byte(in))
	}
}

func FuzzParseW3C(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		got, codes := ParseW3C(in)
		stable(t, in, got, codes)
		strict, ok := Strict(in)
		if ok && (got != strict || slices.Contains(codes, sitemap.NonstandardLastMod)) {
			t.Fatalf("ParseW3C(%q) = %v, %v; strictly it is %v", in, got, codes, strict)
		}
		if !ok && len(codes) == 0 && !got.IsZero() {
			t.Fatalf("ParseW3C(%q) = %v without a problem", in, got)
		}
		if first, _ := standard(in, false); !first.IsZero() {
			return
		}
		general, generalCodes := parse(in, parser{odd: true})
		if got != general || !slices.Equal(codes, generalCodes) {
			t.Fatalf("ParseW3C(%q) = %v, %v; in general it is %v, %v", in, got, codes, general,
				generalCodes)
		}
	})
}

func FuzzParseRFC822(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		got, codes := ParseRFC822(in)
		stable(t, in, got, codes)
		if w3c, _ := ParseW3C(in); w3c.IsZero() != got.IsZero() || w3c.String() != got.String() {
			t.Fatalf("ParseRFC822(%q) = %v, ParseW3C %v", in, got, w3c)
		}
	})
}
