package sitemap_test

import (
	"testing"

	"github.com/seed-322c453a/sitemap"
)

// Equivalent URLs have one form (RFC 3986, section 6), which stays as it is.
func TestNormalized(t *testing.T) {
	for loc, want := range map[string]string{
		"HTTPS://Www.Example.COM":                     "https://www.example.com/",
		"https://example.com:443/a":                   "https://example.com/a",
		"http://example.com:80?b":                     "http://example.com/?b",
		"http://example.com:0080/":                    "http://example.com/",
		"http://example.com:/":                        "http://example.com/",
		"http://example.com:00/":                      "http://example.com:0/",
		"http://example.com:443/":                     "http://example.com:443/",
		"https://example.com:08443/":                  "https://example.com:8443/",
		"http://[2001:DB8::1]:80/":                    "http://[2001:db8::1]/",
		"https://example.com/%7euser/%c3%a9?q=%7E":    "https://example.com/~user/%C3%A9?q=~",
		"https://example.com/\u00e9?\u00fc#\u00e4":    "https://example.com/%C3%A9?%C3%BC#%C3%A4",
		"https://B\u00fccher.example/":                "https://xn--bcher-kva.example/",
		"https://example.com/a/./b/../c/%2e%2E/d/.":   "https://example.com/a/d/",
		"https://example.com/a%2fb/../c":              "https://example.com/a%2Fb/../c",
		"https://example.com/a?b=/../c?d&e=%2f#F/../": "https://example.com/a?b=/../c?d&e=%2F#F/../",
		"https://u:P@example.com/100%":                "https://u:P@example.com/100%25",
		// These may name other pages.
		"https://example.com/A/":   "https://example.com/A/",
		"https://example.com/a?":   "https://example.com/a?",
		"https://example.com/a#":   "https://example.com/a#",
		"https://example.com/a%2C": "https://example.com/a%2C",
		"https://example.com/a,":   "https://example.com/a,",
		// These are no absolute URLs.
		"":                    "",
		"/A":                  "/A",
		"mailto:A@b":          "mailto:A@b",
		"https://a b.EXAMPLE": "https://a b.EXAMPLE",
	} {
		got := sitemap.Entry{Loc: loc}.Normalized()
		if again := (sitemap.Entry{Loc: got}).Normalized(); got != want || again != want {
			t.Errorf("%q: %q, and of that %q; want %q", loc, got, again, want)
		}
	}
}
