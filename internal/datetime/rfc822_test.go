package datetime

import "testing"

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

func FuzzQuickRFC822(f *testing.F) {
	f.Add("Mon, 06 May 2024 07:08:09 +0200")
	f.Add("Sun, 31 Dec 1995 23:59:60 GMT")
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := quickRFC822([]byte(s))
		if !ok {
			return
		}
		if want, codes := parseRFC822([]byte(s)); got != want || len(codes) > 0 {
			t.Errorf("quickRFC822(%q) = %v, want %v, %v", s, got, want, codes)
		}
	})
}
