package chars_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

func TestExcerpt(t *testing.T) {
	for _, c := range "aé€😀" {
		for n := range 8 {
			text := strings.Repeat("x", n) + strings.Repeat(string(c), 300)
			got := chars.Excerpt(text)
			if !utf8.ValidString(got) || !strings.HasPrefix(text, got) || len(got) > 256 ||
				len(got) < 253 {
				t.Errorf("%d x: %d bytes, %q", n, len(got), got)
			}
		}
	}
	if got := chars.Excerpt(strings.Repeat("\x80", 300)); len(got) != 256 {
		t.Errorf("%d bytes of text that is not UTF-8", len(got))
	}
}

func TestSchemeOf(t *testing.T) {
	for in, want := range map[string]string{
		"http://a": "http", "a+b-c.d1:x": "a+b-c.d1", "": "", ":": "", "1a:": "", "a": "",
		"a/b:c": "", "HTTP:": "HTTP",
	} {
		if got := chars.SchemeOf(in); got != want {
			t.Errorf("SchemeOf(%q) = %q, want %q", in, got, want)
		}
	}
}
