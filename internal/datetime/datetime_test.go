package datetime

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

const (
	nonstandard = sitemap.NonstandardLastMod
	assumed     = sitemap.ZoneAssumed
	implausible = sitemap.ImplausibleLastMod
)

// A dateTest is a date, its printed form, and its problems. A date that prints as "" cannot be
// read.
type dateTest struct {
	in, out string
	codes   []sitemap.Code
}

func (test dateTest) run(t *testing.T, name string,
	parse func([]byte) (sitemap.Time, []sitemap.Code)) {
	t.Helper()
	want := test.codes
	if test.out == "" && len(chars.TrimSpace([]byte(test.in))) > 0 {
		want = []sitemap.Code{sitemap.BadLastMod}
	}
	got, codes := parse([]byte(test.in))
	if got.String() != test.out || !slices.Equal(codes, want) {
		t.Errorf("%s(%q) = %v, %v; want %v, %v", name, test.in, got, codes, test.out, want)
	}
	if got.ZoneAssumed() != slices.Contains(codes, assumed) {
		t.Errorf("%s(%q): ZoneAssumed is %v", name, test.in, got.ZoneAssumed())
	}
}

func of(codes ...sitemap.Code) []sitemap.Code { return codes }

// The forms of NOTE-datetime.
func TestParseW3C_NoteDatetime(t *testing.T) {
	for _, test := range []dateTest{
		{"2019", "2019", nil},
		{"2019-03", "2019-03", nil},
		{"2019-03-04", "2019-03-04", nil},
		{"2019-03-04T05:06Z", "2019-03-04T05:06:00Z", nil},
		{"2019-03-04T05:06+05:45", "2019-03-04T05:06:00+05:45", nil},
		{"2019-03-04T05:06:07Z", "2019-03-04T05:06:07Z", nil},
		{"2019-03-04T05:06:07-03:30", "2019-03-04T05:06:07-03:30", nil},
		{"2019-03-04T05:06:07-00:00", "2019-03-04T05:06:07Z", nil},
		{"2019-03-04T05:06:07.050Z", "2019-03-04T05:06:07.050Z", nil},
		{"2019-03-04T05:06:07.1234567891+01:00", "2019-03-04T05:06:07.123456789+01:00", nil},
		{"2020-02-29", "2020-02-29", nil},
		{"", "", nil},
		{" \t\n\u00a0\ufeff\u200b", "", nil},
		{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", of(implausible)},
		{"0999-12-31", "0999-12-31", of(implausible)},
		{"1000-01-01", "1000-01-01", nil},
	} {
		test.run(t, "ParseW3C", ParseW3C)
	}
}

func TestParseW3C_Lenient(t *testing.T) {
	for _, test := range []dateTest{
		{" 2019-03-04\n", "2019-03-04", of(nonstandard)},
		{"\u00a02019-03-04T05:06:07Z\ufeff", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"2019-03-04T05:06:07", "2019-03-04T05:06:07Z", of(assumed)},
		{"2019-03-04T05:06", "2019-03-04T05:06:00Z", of(assumed)},
		{"2019-03-04T05:06:07.89", "2019-03-04T05:06:07.89Z", of(assumed)},
		{" 2019-03-04T05:06:07", "2019-03-04T05:06:07Z", of(nonstandard, assumed)},
		{"0001-01-01T00:00:00", "0001-01-01T00:00:00Z", of(assumed, implausible)},
		{"2019-03-04 05:06:07", "2019-03-04T05:06:07Z", of(nonstandard, assumed)},
		{"2019-03-04  05:06:07 +02:00", "2019-03-04T05:06:07+02:00", of(nonstandard)},
		{"2019-03-04T 05:06:07Z", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"2019-03-04T05:06:07 Z", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"2019-03-04t05:06:07z", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"2019-03-04T05:06:07,250Z", "2019-03-04T05:06:07.250Z", of(nonstandard)},
		{"2019-03-04T05:06:07+0200", "2019-03-04T05:06:07+02:00", of(nonstandard)},
		{"2019-03-04T05:06:07-02", "2019-03-04T05:06:07-02:00", of(nonstandard)},
		{"2019-03-04T05:06:07UTC", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"2019-03-04 05:06:07 UTC", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"2019-03-04T05:06:07CEST", "2019-03-04T05:06:07Z", of(nonstandard, assumed)},
		{"2019-03-04T05:06:07cest", "", bad}, {"2019-03-04T05:06:07JUNKIE", "", bad},
		{"2019-03-04 05:06:07 EST", "2019-03-04T05:06:07-05:00", of(nonstandard)},
		{"2019-03-04 05:06:07 GMT+0200", "2019-03-04T05:06:07+02:00", of(nonstandard)},
		{"2019-03-04 05:06:07 Asia/Ho_Chi_Minh", "2019-03-04T05:06:07Z", of(nonstandard, assumed)},
		{"2019-03-04 05:06:07 +0100 CET", "2019-03-04T05:06:07+01:00", of(nonstandard)},
		{"2019-03-04 05:06:07.5 +0200 CEST m=+0.125", "2019-03-04T05:06:07.5+02:00",
			of(nonstandard)},
		{"2019-03-04 05:06:07 +0000 UTC m=-3", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"2019-03-04 05:06:07 +0000 UTC m=+x", "", bad}, {"2019-03-04 05:06:07 +0000 UTC m=", "",
			bad},
		{"2019-03-04 05:06:07.5 +0000 UTC", "2019-03-04T05:06:07.5Z", of(nonstandard)},
		{"2019-03-04T05:06:07+01:00[Europe/Oslo]", "2019-03-04T05:06:07+01:00", of(nonstandard)},
		{"2019-03-04T05:06:07Z[Etc/UTC]", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"2019-03-04T05:06:07+14:00", "2019-03-04T05:06:07+14:00", nil},
		{"2019-03-04T05:06:07+14:01", "2019-03-04T05:06:07+14:01", of(implausible)},
		{"2019-03-04T05:06:07-23:59", "2019-03-04T05:06:07-23:59", of(implausible)},
		{"2019-03-04T24:00:00Z", "2019-03-05T00:00:00Z", of(nonstandard)},
		{"2019-12-31T24:00-05:00", "2020-01-01T00:00:00-05:00", of(nonstandard)},
		{"2019-02-28 24:00:00.000", "2019-03-01T00:00:00.000Z", of(nonstandard, assumed)},
		{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", of(nonstandard)},
		{"2017-01-01T05:29:60+05:30", "2017-01-01T05:30:00+05:30", of(nonstandard)},
		{"2019-3-4", "2019-03-04", of(nonstandard)},
		{"2019-3", "2019-03", of(nonstandard)},
		{"2019/03/04", "2019-03-04", of(nonstandard)},
		{"2019.3.4", "2019-03-04", of(nonstandard)},
		{"2019/03/04 5:06", "2019-03-04T05:06:00Z", of(nonstandard, assumed)},
		{"2019-03-04 05:06:07 PM", "2019-03-04T17:06:07Z", of(nonstandard, assumed)},
		{"2019-03-04 12:06 am", "2019-03-04T00:06:00Z", of(nonstandard, assumed)},
		{"2019-03-04 12:06pm UTC", "2019-03-04T12:06:00Z", of(nonstandard)},
		{"20190304", "2019-03-04", of(nonstandard)},
		{"20190304T050607Z", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"20190304T0506+0100", "2019-03-04T05:06:00+01:00", of(nonstandard)},
		{"20190304T050607.25Z", "2019-03-04T05:06:07.25Z", of(nonstandard)},
		{"2019-03-04T050607+01:00", "2019-03-04T05:06:07+01:00", of(nonstandard)},
		{"20190304050607", "2019-03-04T05:06:07Z", of(nonstandard, assumed)},
		{"2019-03-04Z", "2019-03-04", of(nonstandard)},
		{"2019-03-04+02:00", "2019-03-04", of(nonstandard)},

		{"4 March 2019", "2019-03-04", of(nonstandard)},
		{"4th of March 2019", "", nil},
		{"4th March 2019", "2019-03-04", of(nonstandard)},
		{"March 4, 2019", "2019-03-04", of(nonstandard)},
		{"Mar. 4 2019", "2019-03-04", of(nonstandard)},
		{"Sept 4, 2019", "2019-09-04", of(nonstandard)},
		{"2019 Mar 4", "2019-03-04", of(nonstandard)},
		{"04-MAR-2019", "2019-03-04", of(nonstandard)},
		{"March 2019", "2019-03", of(nonstandard)},
		{"March 4, 2019 5:06 pm", "2019-03-04T17:06:00Z", of(nonstandard, assumed)},
		{"Mon Mar 04 2019 05:06:07 GMT+0100 (Central European Standard Time)",
			"2019-03-04T05:06:07+01:00", of(nonstandard)},
		{"Mon Mar  4 05:06:07 2019", "2019-03-04T05:06:07Z", of(nonstandard, assumed)},
		{"Mon Mar 04 05:06:07 +0000 2019", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 GMT", "2019-03-04T05:06:07Z", of(nonstandard)},
	} {
		test.run(t, "ParseW3C", ParseW3C)
	}
}

// Forms that the other tests do not have, and their results as a lastmod. As a pubDate, they have
// the same results.
func TestNonstandard(t *testing.T) {
	const date = "2019-03-04T05:06:07"
	for _, test := range []dateTest{
		{"2019-03-04T05:06:07+00:00Z", date + "Z", of(nonstandard)},
		{"2019-03-04T05:06:07 +00:00 Z", date + "Z", of(nonstandard)},

		{"2019-03-04T5:6:7Z", date + "Z", of(nonstandard)},
		{"2019-03-04T5:6Z", "2019-03-04T05:06:00Z", of(nonstandard)},
		{"2019-03-04 05:6:07", date + "Z", of(nonstandard, assumed)},
		{"Mon, 04 Mar 2019 5:6:7 GMT", date + "Z", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:6:07 GMT", date + "Z", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:7 GMT", date + "Z", of(nonstandard)},

		{"2019-03-04\u00a005:06:07", date + "Z", of(nonstandard, assumed)},
		{"2019-03-04\u00a005:06:07\u00a0+02:00", date + "+02:00", of(nonstandard)},
		{"4 March 2019\u00a005:06:07\u202fPM GMT", "2019-03-04T17:06:07Z", of(nonstandard)},

		{"2019-03-04 05:06:07 GMT+1", date + "+01:00", of(nonstandard)},
		{"2019-03-04T05:06:07UTC-2", date + "-02:00", of(nonstandard)},
		{"2019-03-04 05:06:07 UTC+5:30", date + "+05:30", of(nonstandard)},
		{"2019-03-04 05:06:07 UTC +02:00", date + "+02:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 GMT+1", date + "+01:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 UT +0100", date + "+01:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 GMT+15", date + "+15:00", of(nonstandard, implausible)},

		{"2019-03-04 05:06:07 CEST +0200", date + "+02:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 CEST +0200", date + "+02:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 EST -0500", date + "-05:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 +0200 Middle Earth Time", date + "+02:00", of(nonstandard)},

		{"Mon, 04 Mar 2019 05:06:07 Eastern Daylight Time", date + "-04:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 eastern standard time", date + "-05:00", of(nonstandard)},
		{"2019-03-04 05:06:07 AM Pacific Standard Time", date + "-08:00", of(nonstandard)},
		{"2019-03-04 05:06:07 Greenwich Mean Time", date + "Z", of(nonstandard)},
		{"2019-03-04 05:06:07 Coordinated Universal Time", date + "Z", of(nonstandard)},
		{"2019-03-04 05:06:07 Central European Summer Time", date + "+02:00", of(nonstandard)},
		{"2019-03-04 05:06:07 India Standard Time", date + "+05:30", of(nonstandard)},
		{"2019-03-04 05:06:07 Newfoundland Daylight Time", date + "-02:30", of(nonstandard)},
		{"Mon Mar 04 05:06:07 British Summer Time 2019", date + "+01:00", of(nonstandard)},
		{"2019-03-04 05:06:07 Eastern Time", date + "Z", of(nonstandard, assumed)},
		{"2019-03-04 05:06:07 Romance Standard Time", date + "Z", of(nonstandard, assumed)},
		{"Mon, 04 Mar 2019 05:06:07 Middle Earth Time", date + "Z", of(nonstandard, assumed)},
		{"2019-03-04 05:06:07 Mitteleuropäische Zeit", date + "Z", of(nonstandard, assumed)},
		{"Mon, 04 Mar 2019 05:06:07 GMT EST", date + "Z", of(nonstandard, assumed)},

		{"13/05/2024", "2024-05-13", of(nonstandard)},
		{"05/13/2024", "2024-05-13", of(nonstandard)},
		{"5/13/2024, 7:08:09 AM", "2024-05-13T07:08:09Z", of(nonstandard, assumed)},
		{"13.5.2024 07:08 +0200", "2024-05-13T07:08:00+02:00", of(nonstandard)},
		{"31-12-2024", "2024-12-31", of(nonstandard)},
	} {
		test.run(t, "ParseW3C", ParseW3C)
		test.run(t, "ParseRFC822", ParseRFC822)
	}
}

// Dates without a meaning, or with two.
var unreadable = []string{
	"yesterday", "null", "None", "now", "N/A", "0", "-", "2019-", "201", "20190", "201903",
	"2019030", "190304",
	"04/03/2019", "04-03-2019", "04.03.2019", "13/13/2019", "00/13/2019", "31/02/2019",
	"12/12/2019", "31/12-2019", "31/012/2019", "31/12/19", "31/12", "31/12/02019", "04/03/19",
	"19-03-04",
	"2019-02-29", "2019-04-31", "2019-13-01", "2019-00-04", "2019-03-00", "2019-03-32",
	"0000-00-00", "0000", "0000-01-01", "0000-00-00T00:00:00Z",
	"1551675967", "1551675967000", "1551675967000000", "-2019-03-04", "12019-03-04", "+2019-03-04",
	"2019-W10-1", "2019-063", "2019-003-04", "2019/03-04", "2019-03-004",
	"2019-03-04T", "2019-03-04T05", "2019-03-04T05Z", "2019-03-04T5",
	"2019-03-04T005:06Z", "2019-03-04T05:06:007Z", "2019-03-04T05:006Z", "2019-03-04T05:06:Z",
	"2019-03-04T05:Z",
	"2019-03-04T25:00:00Z", "2019-03-04T24:00:01Z", "9999-12-31T24:00:00Z",
	"9999-12-31T24:00:00-05:00", "9999-12-31T23:59:60Z", "2019-03-04T24:01Z",
	"2019-03-04 24:00:00.001", "2019-03-04T05:60:00Z", "2019-03-04T05:06:61Z",
	"2019-03-04T05:06:60Z", "2019-03-04T23:59:60+01:00", "2019-03-04T05:06:07.Z",
	"2019-03-04T05:06:07.",
	"2019-03-04T05:06:07+24:00", "2019-03-04T05:06:07+02:60", "2019-03-04T05:06:07+2",
	"2019-03-04T05:06:07+2:00", "2019-03-04T05:06:07+", "2019-03-04T05:06:07+zz:00",
	"2019-03-04T05:06:07+00:zz",
	"2019-03-04T05:06:07+02:00Z", "2019-03-04T05:06:07+00:00ZZ", "2019-03-04T05:06:07Z+02:00",
	"2019-03-04T05:06:07ZZ", "2019-03-04T05:06:07+02:00junk",
	"2019-03-04T05:06:07junk", "2019-03-04T05:06:07[Europe/Oslo]", "2019-03-04T05:06:07+01:00[",
	"2019-03-04T05:06:07+01:00[]", "2019-03-04T05:06:07Z[UTC", "2019-03-04T05:06:07CEST[UTC]",
	"2019-03-04 05:06:07 +0100 EST", "2019-03-04 05:06:07 13", "2019-03-04 13:06 pm",
	"2019-03-04 0:06 am", "2019-03-04 05:06:07 two words 2",
	"2019-03-04T05:06:07two words",
	"2019-03-04T05:06:07Z 2019-03-05T05:06:07Z", "2019-03-04\x00", "2019-03-04T05:06:07\x00",
	"2019-03T05:06Z", "2019-03-04-07", "2019-03-04-0700", "2019-03-04+25:00",
	"４ March 2019", "2019\u201003\u201004",
	"4 Mars 2019", "Mon, 04 Mär 2019 05:06:07 GMT", "04 Mar", "Mar", "4 March", "March 4",
	"March 4, 19", "4 March 19", "4 March 119", "4 March 02019", "4 5 March 2019",
	"4 March 2019 2020",
	"Wed, 30 Nov -0001 00:00:00 +0000", "30 November -0001", "Nov 30 -0001",
	"31 June 2019", "0 March 2019", "4 March 0000", "4 March April 2019", "4 March 2019 GMT",
	"March 2019 05:06:07", "05:06:07 4 March 2019", "updated 4 March 2019",
	"Mon, 04 Mar 2019 05:06:07 +1", "Mon, 04 Mar 2019 05:06:07 +zz:00",
	"Mon, 04 Mar 2019 05:06:07 -9999", "Mon, 04 Mar 2019 05:06:07 GMT+",
	"Mon, 04 Mar 2019 05:06:07 GMT+1:5", "Mon, 04 Mar 2019 05:06:07 GMT+100",
	"Mon, 04 Mar 2019 05:06:07 CEST +2", "Mon, 04 Mar 2019 05:06:07 CEST+0200",
	"Mon, 04 Mar 2019 05:06:07 EST -0400", "Mon, 04 Mar 2019 05:06:07 Etc/GMT+5",
	"Mon, 04 Mar 2019 05:06:07 Etc/GMT-10", "Mon, 04 Mar 2019 05:06:07 +0100 +0200",
	"Mon, 04 Mar 2019 05:06:07 (GMT", "Mon, 04 Mar 2019 05:06:07)", "Mon, Mar x 2019 05:06:07 GMT",
	"Mon, Tue, 04 Mar 2019 05:06:07 GMT", "Mon, 99 Mar 2019 05:06:07 GMT",
	"Mon, 04 Mar 2019 25:06:07 GMT", "Mon, 04 Mar 2019 05:06:07 05:06:07 GMT",
}

func TestUnreadable(t *testing.T) {
	for _, in := range append(slices.Clone(unreadable), strings.Repeat("2019", 1000),
		"2019-03-04"+strings.Repeat(" ", 1000)+"05:06", strings.Repeat("(", 100)) {
		dateTest{in: in}.run(t, "ParseW3C", ParseW3C)
		dateTest{in: in}.run(t, "ParseRFC822", ParseRFC822)
	}
}

// The forms of RFC 822, section 5, and RFC 5322, sections 3.3 and 4.3.
func TestParseRFC822(t *testing.T) {
	for _, test := range []dateTest{
		{"Mon, 04 Mar 2019 05:06:07 +0100", "2019-03-04T05:06:07+01:00", nil},
		{"Mon, 4 Mar 2019 05:06:07 GMT", "2019-03-04T05:06:07Z", nil},
		{"04 Mar 2019 05:06 GMT", "2019-03-04T05:06:00Z", nil},
		{"  Mon, 04 Mar 2019\r\n 05:06:07 GMT\n", "2019-03-04T05:06:07Z", nil},
		{"mon, 04 mar 2019 05:06:07 gmt", "2019-03-04T05:06:07Z", nil},
		{"Sun, 04 Mar 2019 05:06:07 UT", "2019-03-04T05:06:07Z", nil},
		{"Mon, 04 Mar 2019 05:06:07 UTC", "2019-03-04T05:06:07Z", nil},
		{"Mon, 04 Mar 2019 05:06:07 Z", "2019-03-04T05:06:07Z", nil},
		{"Mon, 04 Mar 2019 05:06:07 EST", "2019-03-04T05:06:07-05:00", nil},
		{"Mon, 04 Mar 2019 05:06:07 EDT", "2019-03-04T05:06:07-04:00", nil},
		{"Mon, 04 Mar 2019 05:06:07 CST", "2019-03-04T05:06:07-06:00", nil},
		{"Mon, 04 Mar 2019 05:06:07 CDT", "2019-03-04T05:06:07-05:00", nil},
		{"Mon, 04 Mar 2019 05:06:07 MST", "2019-03-04T05:06:07-07:00", nil},
		{"Mon, 04 Mar 2019 05:06:07 MDT", "2019-03-04T05:06:07-06:00", nil},
		{"Mon, 04 Mar 2019 05:06:07 PST", "2019-03-04T05:06:07-08:00", nil},
		{"Mon, 04 Mar 2019 05:06:07 PDT", "2019-03-04T05:06:07-07:00", nil},
		{"Mon, 04 Mar 2019 05:06:07 -0000", "2019-03-04T05:06:07Z", nil},
		{"Mon, 04 Mar 19 05:06:07 GMT", "2019-03-04T05:06:07Z", nil},
		{"Mon, 04 Mar 49 05:06:07 GMT", "2049-03-04T05:06:07Z", nil},
		{"Mon, 04 Mar 50 05:06:07 GMT", "1950-03-04T05:06:07Z", nil},
		{"Mon, 04 (the fourth (or so)) Mar 2019 05:06:07 GMT (now)", "2019-03-04T05:06:07Z", nil},
		{"Mon, 04 (never closed \\) (but \\( so)) Mar 2019 05:06:07 GMT", "2019-03-04T05:06:07Z",
			nil},
		{"Sat, 04 Mar 0100 05:06:07 GMT", "0100-03-04T05:06:07Z", of(implausible)},
		{"Mon, 04 Mar 2019 05:06:07", "2019-03-04T05:06:07Z", of(assumed)},
		{"Mon, 04 Mar 2019 05:06:07 CEST", "2019-03-04T05:06:07Z", of(assumed)},
		{"Mon, 04 Mar 2019 05:06:07 A", "2019-03-04T05:06:07Z", of(assumed)},
		{"Mon, 04 Mar 2019 05:06:07 Etc/GMT", "2019-03-04T05:06:07Z", of(assumed)},
		{"Sat, 31 Dec 2016 23:59:60 GMT", "2017-01-01T00:00:00Z", nil},
		{"Mon, 04 Mar 2019 24:00:00 GMT", "2019-03-05T00:00:00Z", of(nonstandard)},
		{"", "", nil},
		{" \n", "", nil},
	} {
		test.run(t, "ParseRFC822", ParseRFC822)
	}
}

func TestParseRFC822_Lenient(t *testing.T) {
	for _, test := range []dateTest{
		{"Monday, 04 Mar 2019 05:06:07 GMT", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"Mon 04 Mar 2019 05:06:07 GMT", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"Mon,04 March 2019 05:06:07 EST", "2019-03-04T05:06:07-05:00", of(nonstandard)},
		{"Sáb, 04 May 2024 07:08:09 GMT", "2024-05-04T07:08:09Z", of(nonstandard)},
		{"Чт, 04 May 2024 07:08:09 GMT", "2024-05-04T07:08:09Z", of(nonstandard)},
		{"土, 04 May 2024 07:08:09 GMT", "2024-05-04T07:08:09Z", of(nonstandard)},
		{"土 04 May 2024 07:08:09 GMT", "", bad},
		{"04 Маy 2024 07:08:09 GMT", "", bad},
		{"lun., 04 Mar 2019 05:06:07 +0100", "2019-03-04T05:06:07+01:00", of(nonstandard)},
		{"Mo, 04 Mar 2019 05:06:07 +0100", "2019-03-04T05:06:07+01:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 5:06:07 GMT", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07.25 GMT", "2019-03-04T05:06:07.25Z", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 +01:00", "2019-03-04T05:06:07+01:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 +01", "2019-03-04T05:06:07+01:00", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 GMT-0130", "2019-03-04T05:06:07-01:30", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 +0000 GMT", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"Mon, 04 Mar 2019 05:06:07 PM GMT", "2019-03-04T17:06:07Z", of(nonstandard)},
		{"Monday, 04-Mar-19 05:06:07 GMT", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"Mon Mar 04 05:06:07 UTC 2019", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"Mon, 04 Mar 2019", "2019-03-04", of(nonstandard)},
		{"Mon, 04 Mar 19", "2019-03-04", of(nonstandard)},
		{"2019-03-04", "2019-03-04", of(nonstandard)},
		{"2019-03-04T05:06:07Z", "2019-03-04T05:06:07Z", of(nonstandard)},
		{"2019-03-04 05:06:07", "2019-03-04T05:06:07Z", of(nonstandard, assumed)},
	} {
		test.run(t, "ParseRFC822", ParseRFC822)
	}
}

func TestStandardFormsDoNotAllocate(t *testing.T) {
	for _, in := range []string{"2019", "2019-03", "2019-03-04", "2019-03-04T05:06Z",
		"2019-03-04T05:06:07+05:45", "2019-03-04T05:06:07.123Z", "0001-01-01T00:00:00Z"} {
		b := []byte(in)
		if n := testing.AllocsPerRun(100, func() { ParseW3C(b) }); n != 0 {
			t.Errorf("ParseW3C(%q) allocates %v times", in, n)
		}
	}
	for _, in := range []string{"Mon, 04 Mar 2019 05:06:07 +0530", "Mon, 04 Mar 2019 05:06:07 GMT",
		"4 Mar 19 05:06 EST", "Mon, 04 Mar 2019 05:06:07"} {
		b := []byte(in)
		if n := testing.AllocsPerRun(100, func() { ParseRFC822(b) }); n != 0 {
			t.Errorf("ParseRFC822(%q) allocates %v times", in, n)
		}
	}
}
