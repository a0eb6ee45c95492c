package datetime

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestQuickRFC822(t *testing.T) {
	for in, want := range map[string]string{
		"Mon, 06 May 2024 07:08:09 +0200": "2024-05-06T07:08:09+02:00",
		"Mon, 06 May 2024 07:08:09 -0330": "2024-05-06T07:08:09-03:30",
		"Sun, 31 Dec 1995 23:59:59 GMT":   "1995-12-31T23:59:59Z",
		"Fri, 29 Feb 2024 00:00:00 +0000": "2024-02-29T00:00:00Z",
		"Fri, 30 Feb 2024 00:00:00 +0000": "",
		"Fri, 01 Anf 2024 00:00:00 +0000": "",
		"Mon, 06 May 2024 07:08:09 EST":   "",
		"Mon, 6 May 2024 07:08:09 +0200":  "",
		"Mon, 06 May 2024 07:08:09 -0000": "",
		"":                                "",
	} {
		got, ok := quickRFC822([]byte(in))
		if got.String() != want && ok || ok != (want != "") {
			t.Errorf("quickRFC822(%q) = %v, %v, want %q", in, got, ok, want)
		}
	}
}

// Every weekday and month is known.
func TestQuickRFC822_Days(t *testing.T) {
	for day := range 366 {
		want := time.Date(2024, time.January, 1+day, 1, 2, 3, 0, time.UTC)
		got, ok := quickRFC822([]byte(want.Format(time.RFC1123Z)))
		if !ok || !got.Start().Equal(want) {
			t.Errorf("quickRFC822(%q) = %v, %v", want.Format(time.RFC1123Z), got, ok)
		}
	}
}

func FuzzQuickRFC822(f *testing.F) {
	f.Add("Mon, 06 May 2024 07:08:09 +0200")
	f.Add("Sun, 31 Dec 1995 23:59:60 GMT")
	f.Add("Mon, 06 May 2024 07:08:09 +2200")
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := quickRFC822([]byte(s))
		if !ok {
			return
		}
		if want, codes := parse([]byte(s), parser{}); got != want || len(codes) > 0 {
			t.Errorf("quickRFC822(%q) = %v, want %v, %v", s, got, want, codes)
		}
	})
}

// BenchmarkParseRFC822 reads dates in no order, like those of feeds.
func BenchmarkParseRFC822(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	dates := make([][]byte, 1<<12)
	for i := range dates {
		dates[i] = []byte(time.Unix(rnd.Int64N(1<<31), 0).UTC().Format(time.RFC1123Z))
	}
	i := 0
	for b.Loop() {
		if t, _ := ParseRFC822(dates[i%len(dates)]); t.IsZero() {
			b.Fatalf("%s is no date", dates[i%len(dates)])
		}
		i++
	}
}
