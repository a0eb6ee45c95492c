package siteurl

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct{ in, named, url, host string }{
		{"example.com", "https://example.com", "https://example.com", "example.com"},
		{" //example.com ", "https://example.com", "https://example.com", "example.com"},
		{"http://example.com", "http://example.com", "http://example.com", "example.com"},
		{"EXAMPLE.com:443/a?b#c", "https://example.com:443/a", "https://example.com:443/a", "example.com"},
		{"localhost:3000", "https://localhost:3000", "https://localhost:3000", "localhost:3000"},
		{"bücher.example", "https://xn--bcher-kva.example", "https://xn--bcher-kva.example",
			"xn--bcher-kva.example"},
		{"u:p@example.com/a", "https://u:p@example.com/a", "https://example.com/a", "example.com"},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			s, err := Parse(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if s.Named() != tt.named || s.URL.String() != tt.url || s.Host() != tt.host {
				t.Errorf("named %s, URL %s, host %s", s.Named(), s.URL, s.Host())
			}
			if want := !strings.HasPrefix(tt.in, "http"); s.Bare != want {
				t.Errorf("Bare is %t", s.Bare)
			}
		})
	}
}

func TestParse_NoSite(t *testing.T) {
	for _, in := range []string{
		"", "/a/b", "a b.com", "ftp://example.com", "http:/example.com", "https://",
		"https://example.com:x", "mailto:x@example.com", "SIP:x@example.com",
		"http://example.com/\t5", "example.com/\rhttp://example.org/",
		`http://example.org\@example.com/`, `https://u:secret\@example.com`, `example.org\@example.com`,
		"https://u:secret@", "https://u:secret@example.com:x", "ftp://u:secret@example.com",
	} {
		if s, err := Parse(in); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, %v", in, s, err)
		}
	}
}

func TestSite_At(t *testing.T) {
	s, err := Parse("https://u:p@example.com/a/b")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/robots.txt":            "https://example.com/robots.txt",
		"sitemap.xml":            "https://example.com/sitemap.xml",
		"?map=1":                 "https://example.com/?map=1",
		"/a%2Fb#c":               "https://example.com/a%2Fb",
		"https://other.test/s?q": "https://example.com/s?q",
		"":                       "",
		"#c":                     "",
		"/%zz":                   "",
	} {
		if got := s.At(path); got != want {
			t.Errorf("At(%q) = %q, want %q", path, got, want)
		}
	}
	if got, want := s.WithScheme("http").At("/c"), "http://example.com/c"; got != want {
		t.Errorf("by http: %q, want %q", got, want)
	}
}

func TestSite_Dir(t *testing.T) {
	for in, want := range map[string]string{
		"example.com": "/", "example.com/": "/", "example.com/a": "/a/", "example.com/a/": "/a/",
		"example.com/a/b": "/a/b/", "example.com/a/index.html": "/a/", "example.com/a%20b": "/a%20b/",
	} {
		s, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Dir(); got != want {
			t.Errorf("directory of %q: %q, want %q", in, got, want)
		}
	}
}
