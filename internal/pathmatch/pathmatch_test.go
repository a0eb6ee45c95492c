package pathmatch

import "testing"

func TestPattern_Matches(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"/a", "/a", true},
		{"/a", "/ab?c", true},
		{"/a", "/", false},
		{"/a$", "/a", true},
		{"/a$", "/ab", false},
		{"*", "/", true},
		{"/*.php", "/a/b.php?c", true},
		{"/*.php$", "/a/b.php?c", false},
		{"/*.php$", "/a.php/b.php", true},
		{"/a*b*a", "/aba", true},
		{"/a*b*a", "/ab", false},
		{"/ab*b$", "/ab", false}, // the literals do not overlap
		{"/a$b", "/a$b", true},   // a dollar sign inside is one
		{"/a$b", "/a", false},
		{"/%2a", "/*", true}, // an escaped asterisk is no wildcard
		{"/%2a", "/b", false},
		{"/ü%7e", "/%c3%bc~", true},
		{"/a%2fb", "/a/b", false},
		{"/*%", "/ü", true}, // a percent sign may begin an escape
		{"/*%c3%", "/ü", true},
		{"/%*a", "/üa", true},
		{"/*%c3%$", "/ü", false},
		{"/*%c3%$", "/a%c3%25", true},
		{"/100%", "/100%25", true},
		{"/*%", "/a", false},
		{"/A", "/a", false},
	}
	for _, tt := range tests {
		p := New(tt.pattern)
		if got := p.Matches(Normalize(tt.path)); got != tt.want {
			t.Errorf("%s matches %s: %t, want %t", tt.pattern, tt.path, got, tt.want)
		}
	}
}

// TestNormalize: a path in whatever spelling has one form, which stays as it is.
func TestNormalize(t *testing.T) {
	for want, spellings := range map[string][]string{
		"/a~b":       {"/a~b", "/a%7Eb", "/%61%7eb"},
		"/%C3%BC":    {"/ü", "/%c3%bc"},
		"/%20":       {"/ ", "/%20"},
		"/%2A%24":    {"/*$", "/%2a%24"},
		"/a%2Fb":     {"/a%2fb", "/a%2Fb"},
		"/?a=b&c=+d": {"/?a=b&c=+d"},
	} {
		for _, s := range append(spellings, want) {
			if got := Normalize(s); got != want {
				t.Errorf("%s: %s, want %s", s, got, want)
			}
		}
	}
}
