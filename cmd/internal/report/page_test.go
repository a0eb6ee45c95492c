package report

import (
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
)

func TestReadable(t *testing.T) {
	for _, test := range []struct{ loc, want string }{
		{"https://example.com/%D0%BC%D0%B8%D1%80?a=%C3%BC", "https://example.com/мир?a=ü"},
		{"/%3Cscript%3Ealert(1)%3C/script%3E.xml", "/<script>alert(1)</script>.xml"},
		{"/a%20b%E3%80%8C", "/a b「"},
		{"/a%0Ab%E2%80%AE", "/a%0Ab%E2%80%AE"}, // a line break and a direction
		{"/a%FFb%C3", "/a%FFb%C3"},             // not UTF-8
		{"/a%253C%25", "/a%253C%25"},           // would look like an escape
		{"/100%-cotton", "/100%-cotton"},
	} {
		if got := readable(test.loc); got != test.want {
			t.Errorf("%s is shown as %q, want %q", test.loc, got, test.want)
		}
	}
}

// TestEscapes: locations are shown without escapes, and linked with them.
func TestEscapes(t *testing.T) {
	const escaped = "https://www.example.com/%3Cscript%3E/%D0%BC%D0%B8%D1%80.xml"
	r := New(nil, escaped)
	f := finding("bad_lastmod", escaped, "yesterday")
	f.Message = `"` + escaped + `" is wrong`
	r.Finding(f, "")
	r.Document(ended(escaped, 3))
	r.Document(ended("https://www.example.com/%3C/script%3E.xml", 3))
	r.Page(listed(t, "https://www.example.com/%3Cscript%3E/1", ""))
	elements, text := parsed(t, printed(t, r, findings.Totals{}))
	if strings.Contains(text, "%3") || strings.Contains(text, "%D") {
		t.Errorf("escapes are shown:\n%s", text)
	}
	links := 0
	for _, n := range elements {
		if attribute(n, "href") == escaped {
			links++
		}
	}
	if links != 2 { // in the tables of sitemaps and of fetches
		t.Errorf("%d links", links)
	}
}

// TestLabel: a tile has as much of the end of a name as fits.
func TestLabel(t *testing.T) {
	for _, test := range []struct {
		name  string
		width float64
		want  string
	}{
		{"https://example.com/products.xml.gz", 100, "products"},
		{"https://example.com/products-of-the-shop.xml", 100, "…f-the-shop"},
		{"https://example.com/products-of-the-shop.xml", 60, ""},
		{"https://example.com/%3C/script%3E.xml", 100, "script>"},
		{"https://example.com/%E5%9C%B0%E5%9B%BE.xml", 60, "地图"},
		{"https://example.com/" + strings.Repeat("%E5%9C%B0", 20), 100, "…地地地地地"},
	} {
		d := tile{W: test.width, H: 40, Document: &auditedDocument{Name: test.name}}
		if got := d.label(); got != test.want {
			t.Errorf("%s on %g: %q, want %q", test.name, test.width, got, test.want)
		}
	}
}
