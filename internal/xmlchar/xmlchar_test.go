package xmlchar_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap/internal/xmlchar"
)

func TestIndexControl(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			b := []byte(strings.Repeat("a\n\t\r é", 4)[:20])
			b[at] = byte(c)
			want := -1
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
				want = at
			}
			if got := xmlchar.IndexControl(b); got != want {
				t.Fatalf("IndexControl(%q) = %d, want %d", b, got, want)
			}
		}
	}
}

// Sound agrees with UTF-8 of the standard library and with Char of XML, wherever in a text a
// character is.
func TestSound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "\n", "\r\n\t", "é", "€", "日本語", "😀", "\uf000", "\ud7ff", "\ufffd",
		"\U0010ffff", strings.Repeat("x", 40), strings.Repeat("é", 300),
		"\xff", "\xc3", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xe0\x9f\xbf", "\xf4\x90\x80\x80",
		"\xf0\x8f\xbf\xbf", "\x00", "\v", "\x1f", "\ufffe", "\uffff"}
	for range 10_000 {
		var b []byte
		last := len(pieces)
		if rnd.IntN(2) == 0 {
			last = 13 // valid ones only
		}
		for range rnd.IntN(40) {
			b = append(b, pieces[rnd.IntN(last)]...)
			b = append(b, strings.Repeat("y", rnd.IntN(40))...)
		}
		want := utf8.Valid(b) && xmlchar.IndexControl(b) < 0 && xmlchar.IndexNoncharacter(b) < 0
		if got := xmlchar.Sound(b); got != want {
			t.Fatalf("Sound(%q) = %v", b, got)
		}
	}
}

// IsPlain sees each byte wherever it is in texts of all lengths around those of words.
func TestIsPlain(t *testing.T) {
	for c := range 256 {
		for size := 1; size <= 17; size++ {
			for at := range size {
				b := []byte("plain text, ~ no\u007f"[:size])
				b[at] = byte(c)
				want := ' ' <= c && c < 0x80 && c != '&' && c != ']'
				if got := xmlchar.IsPlain(b); got != want {
					t.Fatalf("IsPlain(%q) = %v", b, got)
				}
			}
		}
	}
}

// A reference by number has at most 1,024 bytes.
func TestDecode_LeadingZeros(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"a&#" + strings.Repeat("0", 1000) + "38;b", "a&b"},
		{"&#" + strings.Repeat("0", 1030) + "65;", "&#" + strings.Repeat("0", 1030) + "65;"},
		{"&#x0041;&#65;&#0;&#x;&#;&#", "AA&#x;&#;&#"},
	} {
		if got := string(xmlchar.Decode(nil, []byte(test.in))); got != test.want {
			t.Errorf("%.100q: got %.100q, want %.100q", test.in, got, test.want)
		}
	}
}
