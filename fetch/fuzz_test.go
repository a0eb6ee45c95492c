package fetch

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzRedirect resolves any Location to a URL that may be asked for, or an error
// of its own.
func FuzzRedirect(f *testing.F) {
	for _, seed := range []string{
		"/x", "x y", "//host/x", "HTTP://Host.:80/", "http://u:p@host/", "file:///etc/passwd", "http://[::1%25eth0]/", "/100%",
		"http:\\\\host", "javascript:alert(1)", "?", "#", "", "http://", "http:///x", "http://\xff/", "\x00", "http://a:b:c/", "%", "HTTP://host/100%", "//host/%zz?%#%", "a\tb%",
	} {
		f.Add(seed)
	}
	from, _, err := parseTarget("https://example.com/a/b?c")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, location string) {
		next, err := from.redirect(location)
		if err != nil {
			if !errors.Is(err, ErrRedirect) && !errors.Is(err, ErrRefused) {
				t.Errorf("redirect(%q): %v, want %v or %v", location, err, ErrRedirect, ErrRefused)
			}
			return
		}
		if err := (policy{anyPort: true}).check(next); err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("check(%q): %v", location, err)
		}
		if next.url.User != nil || next.url.Fragment != "" || next.url.Host == "" {
			t.Errorf("redirect(%q) = %q, want no userinfo, no fragment, and a host", location, next.url)
		}
		if _, err := http.NewRequest(http.MethodGet, next.url.String(), nil); err != nil {
			t.Errorf("redirect(%q) = %q, which cannot be asked for: %v", location, next.url, err)
		}
	})
}

// FuzzRetryAfter reads any value as a wait of no more than a year.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "1", "-1", "1e999", "NaN", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon May  6 07:09:09 2024"} {
		f.Add(seed)
	}
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		got := retryAfter(http.Header{"Retry-After": {value}}, now)
		if got < 0 || got > 365*24*time.Hour {
			t.Errorf("retryAfter(%q) = %v", value, got)
		}
		if strings.TrimSpace(value) == "" && got != 0 {
			t.Errorf("retryAfter(%q) = %v, want 0", value, got)
		}
	})
}
