package sitemap

import (
	"encoding/json"
	"testing"
	"time"
)

// w3cTests are the forms of NOTE-datetime, with their printed form, start and end in UTC, and
// precision.
var w3cTests = []struct {
	in, out, start, end string
	precision           Precision
}{
	{"2019", "2019", "2019-01-01T00:00:00Z", "2020-01-01T00:00:00Z", Year},
	{"0001", "0001", "0001-01-01T00:00:00Z", "0002-01-01T00:00:00Z", Year},
	{"9999", "9999", "9999-01-01T00:00:00Z", "", Year},
	{"2019-02", "2019-02", "2019-02-01T00:00:00Z", "2019-03-01T00:00:00Z", Month},
	{"2019-12", "2019-12", "2019-12-01T00:00:00Z", "2020-01-01T00:00:00Z", Month},
	{"2019-03-04", "2019-03-04", "2019-03-04T00:00:00Z", "2019-03-05T00:00:00Z", Day},
	{"2020-02-29", "2020-02-29", "2020-02-29T00:00:00Z", "2020-03-01T00:00:00Z", Day},
	{"2000-02-29", "2000-02-29", "2000-02-29T00:00:00Z", "2000-03-01T00:00:00Z", Day},
	{"1969-12-31", "1969-12-31", "1969-12-31T00:00:00Z", "1970-01-01T00:00:00Z", Day},
	{"2019-03-04T05:06Z", "2019-03-04T05:06:00Z", "2019-03-04T05:06:00Z", "2019-03-04T05:07:00Z",
		Minute},
	{"2019-03-04T05:06+05:45", "2019-03-04T05:06:00+05:45", "2019-03-03T23:21:00Z",
		"2019-03-03T23:22:00Z", Minute},
	{"2019-03-04T05:06:07Z", "2019-03-04T05:06:07Z", "2019-03-04T05:06:07Z", "2019-03-04T05:06:08Z",
		Second},
	{"2019-12-31T23:59:59-03:30", "2019-12-31T23:59:59-03:30", "2020-01-01T03:29:59Z",
		"2020-01-01T03:30:00Z", Second},
	{"2019-03-04T05:06:07-00:00", "2019-03-04T05:06:07Z", "2019-03-04T05:06:07Z",
		"2019-03-04T05:06:08Z", Second},
	{"2019-03-04T05:06:07+23:59", "2019-03-04T05:06:07+23:59", "2019-03-03T05:07:07Z",
		"2019-03-03T05:07:08Z", Second},
	{"2019-03-04T05:06:07.5Z", "2019-03-04T05:06:07.5Z", "2019-03-04T05:06:07.5Z",
		"2019-03-04T05:06:07.6Z", Second + 1},
	{"2019-03-04T05:06:07.050+01:00", "2019-03-04T05:06:07.050+01:00", "2019-03-04T04:06:07.05Z",
		"2019-03-04T04:06:07.051Z", Second + 3},
	{"2019-03-04T05:06:07.123456789Z", "2019-03-04T05:06:07.123456789Z",
		"2019-03-04T05:06:07.123456789Z", "2019-03-04T05:06:07.12345679Z", Second + 9},
	{"2019-03-04T05:06:07.1234567899Z", "2019-03-04T05:06:07.123456789Z",
		"2019-03-04T05:06:07.123456789Z", "2019-03-04T05:06:07.12345679Z", Second + 9},
}

func TestParseTime(t *testing.T) {
	for _, test := range w3cTests {
		got, err := ParseTime(test.in)
		if err != nil {
			t.Errorf("ParseTime(%q): %v", test.in, err)
			continue
		}
		if got.String() != test.out || got.Precision() != test.precision || got.ZoneAssumed() ||
			got.IsZero() {
			t.Errorf("ParseTime(%q) = %v, precision %d, zone assumed %v; want %v, %d", test.in, got,
				got.Precision(), got.ZoneAssumed(), test.out, test.precision)
		}
		if start := got.Start().UTC().Format(time.RFC3339Nano); start != test.start {
			t.Errorf("%q starts at %v, want %v", test.in, start, test.start)
		}
		if end := got.End().UTC().Format(time.RFC3339Nano); test.end != "" && end != test.end {
			t.Errorf("%q ends at %v, want %v", test.in, end, test.end)
		}
		if again, err := ParseTime(got.String()); err != nil || !again.Start().Equal(got.Start()) {
			t.Errorf("%q printed and read again is %v, %v", test.in, again, err)
		}
	}
}

// Each byte of a datetime in turn is replaced by an invalid one.
func TestParseTimeErrors(t *testing.T) {
	for _, in := range []string{
		"", "2", "20190", "2019-", "2019-0", "2019-03-", "2019-03-0", "2019-03-04T",
		"2019-03-04T05", "2019-03-04T05:06", "2019-03-04T05:06:07", "2019-03-04T05:06:07.Z",
		"2019-03-04T05:06:07.5",
		"0000", "0000-01", "0000-01-01", "2019-00", "2019-13", "2019-00-04", "2019-13-04",
		"2019-03-00", "2019-03-32", "2019-04-31", "2019-02-29", "1900-02-29",
		"2019-03-04T24:00Z", "2019-03-04T05:60Z", "2019-03-04T24:00:00Z", "2019-03-04T05:60:00Z",
		"2019-03-04T05:06:60Z",
		"2019-03-04T05:06:07+24:00", "2019-03-04T05:06:07+02:60", "2019-03-04T05:06:07+0200",
		"2019-03-04T05:06:07+02", "2019-03-04T05:06:07ZZ", "2019-03-04T05:06:07Z ", " 2019-03-04",
		"2019-03-04 05:06:07Z", "2019-03-04t05:06:07Z", "2019-03-04T05:06:07z",
		"2019-03-04T05:06:07,5Z",
	} {
		got, err := ParseTime(in)
		if in == "" {
			if err != nil || !got.IsZero() {
				t.Errorf("ParseTime of nothing = %v, %v", got, err)
			}
			continue
		}
		if err == nil || got != (Time{}) {
			t.Errorf("ParseTime(%q) = %v, %v; want an error", in, got, err)
		}
	}
	for _, in := range []string{"2019", "2019-03", "2019-03-04", "2019-03-04T05:06Z",
		"2019-03-04T05:06-02:00", "2019-03-04T05:06:07Z", "2019-03-04T05:06:07+02:00",
		"2019-03-04T05:06:07.123Z"} {
		for i := range in {
			for _, c := range []byte{0, ' ', '/', 'a', 'T' | 0x80, 0xff} {
				b := []byte(in)
				b[i] = c
				var got Time
				if err := got.UnmarshalText(b); err == nil || got != (Time{}) {
					t.Errorf("UnmarshalText(%q) = %v, %v; want nothing", b, got, err)
				}
			}
		}
	}
}

// Every day of four centuries is compared with package time.
func TestParseTimeCalendar(t *testing.T) {
	for day := time.Date(1799, 12, 31, 0, 0, 0, 0,
		time.UTC); day.Year() < 2202; day = day.AddDate(0, 0, 1) {
		got, err := ParseTime(day.Format(time.DateOnly))
		if err != nil || !got.Start().Equal(day) || got.String() != day.Format(time.DateOnly) {
			t.Fatalf("%v is read as %v, %v", day, got, err)
		}
	}
}

func TestNewTime(t *testing.T) {
	zone := time.FixedZone("", -(3*3600 + 30*60 + 15))
	at := time.Date(2019, 12, 31, 23, 59, 58, 987_654_321, zone)
	tests := []struct {
		precision Precision
		want      string
	}{
		{Year, "2019"}, {Month, "2019-12"}, {Day, "2019-12-31"},
		{Minute, "2019-12-31T23:59:00-03:30"}, {Second, "2019-12-31T23:59:58-03:30"},
		{Second + 1, "2019-12-31T23:59:58.9-03:30"},
		{Second + 6, "2019-12-31T23:59:58.987654-03:30"},
		{Second + 9, "2019-12-31T23:59:58.987654321-03:30"},
	}
	for _, test := range tests {
		got := NewTime(at, test.precision)
		if got.String() != test.want || got.Precision() != test.precision {
			t.Errorf("NewTime with precision %d = %v, want %v", test.precision, got, test.want)
		}
		if test.precision == Minute {
			continue // prints seconds that were not listed
		}
		if parsed, err := ParseTime(test.want); err != nil || parsed != got {
			t.Errorf("ParseTime(%q) = %#v, %v; NewTime %#v", test.want, parsed, err, got)
		}
	}
	if got := NewTime(at, Second+77); got != NewTime(at, Second+9) ||
		got.End().Sub(got.Start()) != 1 {
		t.Errorf("more exact than a nanosecond: %v of precision %d", got, got.Precision())
	}
	if got := NewTime(at, 0).AssumeZone(); !got.IsZero() || got.String() != "" {
		t.Errorf("NewTime without precision = %q", got)
	}
	if got := NewTime(at.UTC(), Second).AssumeZone(); !got.ZoneAssumed() ||
		got.String() != "2020-01-01T03:30:13Z" {
		t.Errorf("with the zone assumed: %v, %v", got, got.ZoneAssumed())
	}
}

func TestTimeZero(t *testing.T) {
	var zero Time
	if !zero.IsZero() || zero.String() != "" || !zero.Start().IsZero() || !zero.End().IsZero() ||
		zero.Precision() != 0 || zero.ZoneAssumed() {
		t.Errorf("zero Time is %q, %v to %v", zero, zero.Start(), zero.End())
	}
	if zero.After(time.Time{}) {
		t.Error("the zero Time is after a time")
	}
}

func TestTimeOrder(t *testing.T) {
	ordered := []string{"2018-12-31T23:59:59Z", "2019", "2019-01-01T00:00:00.5Z",
		"2019-01-01T02:00:01+02:00", "2019-01-02"}
	for i, a := range ordered {
		for j, b := range ordered {
			x, errX := ParseTime(a)
			y, errY := ParseTime(b)
			if errX != nil || errY != nil {
				t.Fatal(errX, errY)
			}
			if got := x.Before(y.Start()); got != (i < j) {
				t.Errorf("%s before %s: %v", a, b, got)
			}
			if got := x.After(y.Start()); got != (i > j) {
				t.Errorf("%s after %s: %v", a, b, got)
			}
		}
	}
}

func TestTimeJSON(t *testing.T) {
	type record struct {
		LastMod Time `json:"lastmod,omitzero"`
	}
	for text, want := range map[string]string{
		`{"lastmod":"2019-03"}`:                   "2019-03",
		`{"lastmod":"2019-03-04T05:06:07.50Z"}`:   "2019-03-04T05:06:07.50Z",
		`{"lastmod":"2019-03-04T05:06:07+02:00"}`: "2019-03-04T05:06:07+02:00",
		`{}`: "",
	} {
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil || r.LastMod.String() != want {
			t.Errorf("%s holds %v, %v; want %v", text, r.LastMod, err, want)
		}
		if b, err := json.Marshal(r); err != nil || string(b) != text {
			t.Errorf("%s is written as %s, %v", text, b, err)
		}
	}
	r := record{LastMod: NewTime(time.Now(), Day)}
	if err := json.Unmarshal([]byte(`{"lastmod":"yesterday"}`), &r); err == nil {
		t.Errorf("yesterday is read as %v", r.LastMod)
	}
	if err := json.Unmarshal([]byte(`{"lastmod":""}`), &r); err != nil || !r.LastMod.IsZero() {
		t.Errorf("empty text is read as %v, %v", r.LastMod, err)
	}
}

func TestPrecisionDigits(t *testing.T) {
	for p, want := range map[Precision]int{0: 0, Year: 0, Minute: 0, Second: 0, Second + 1: 1,
		Second + 9: 9} {
		if got := p.Digits(); got != want {
			t.Errorf("Precision(%d).Digits() = %d, want %d", p, got, want)
		}
	}
}

func TestTime_Allocations(t *testing.T) {
	for _, test := range w3cTests {
		b, buf := []byte(test.in), make([]byte, 0, 64)
		if n := testing.AllocsPerRun(100, func() {
			var v Time
			_ = v.UnmarshalText(b)
			buf = v.AppendTo(buf[:0])
		}); n != 0 {
			t.Errorf("reading and printing %q allocates %v times", test.in, n)
		}
	}
}

func BenchmarkTime_UnmarshalText(b *testing.B) {
	for _, in := range []string{"2019-03-04", "2019-03-04T05:06:07Z", "2019-03-04T05:06:07+02:00",
		"2019-03-04T05:06:07.123+02:00"} {
		b.Run(in, func(b *testing.B) {
			text := []byte(in)
			b.ReportAllocs()
			for b.Loop() {
				var t Time
				if err := t.UnmarshalText(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
