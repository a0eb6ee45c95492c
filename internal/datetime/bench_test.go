package datetime

import (
	"testing"

	"github.com/seed-322c453a/sitemap"
)

// BenchmarkForms reads one date of each form.
func BenchmarkForms(b *testing.B) {
	for _, test := range []struct {
		name  string
		parse func([]byte) (sitemap.Time, []sitemap.Code)
		in    string
	}{
		{"strict", ParseW3C, "2024-05-06T07:08:09+02:00"},
		{"day", ParseW3C, "2024-05-06"},
		{"no zone", ParseW3C, "2024-05-06T07:08:09"},
		{"space", ParseW3C, "2024-05-06 07:08:09"},
		{"offset", ParseW3C, "2024-05-06T07:08:09+0200"},
		{"one digit", ParseW3C, "2024-5-6"},
		{"W3C in RSS", ParseRFC822, "2024-05-06T07:08:09Z"},
		{"RFC 822", ParseRFC822, "Mon, 6 May 2024 07:08:09 EST"},
		{"full names", ParseRFC822, "Monday, 6 September 2024 07:08:09 +0200"},
		{"JavaScript", ParseW3C, "Mon May 06 2024 07:08:09 GMT+0100 (Central European Time)"},
		{"unreadable", ParseW3C, "yesterday"},
		{"ambiguous", ParseW3C, "05/06/2024"},
	} {
		in := []byte(test.in)
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				test.parse(in)
			}
		})
	}
}
