package homepage

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestSitemaps(t *testing.T) {
	tests := []struct {
		name, page string
		want       []string
	}{
		{"a link", `<link rel="sitemap" href="/s.xml">`, []string{"https://example.com/s.xml"}},
		{"another case, several words", `<LINK REL="alternate SiteMap" HREF=" s.xml ">`,
			[]string{"https://example.com/a/s.xml"}},
		{"twice", `<link rel=sitemap href=s.xml><link rel=sitemap href=s.xml#top>`,
			[]string{"https://example.com/a/s.xml"}},
		{"credentials", `<link rel=sitemap href=//u:p@b.test/s.xml>`, []string{"https://b.test/s.xml"}},
		{"another scheme", `<link rel=sitemap href=ftp://example.com/s.xml>`, nil},
		{"another relation", `<link rel=stylesheet href=/s.css>`, nil},
		{"no target", `<link rel=sitemap>`, nil},
		{"base", `<base target=_top><base href=/b/><base href=/c/><link rel=sitemap href=s.xml>`,
			[]string{"https://example.com/b/s.xml"}},
		{"a long base, against which links take long to resolve",
			"<base href=/" + strings.Repeat("b/", 5_000) + "><link rel=sitemap href=s.xml>",
			[]string{"https://example.com/a/s.xml"}},
		{"in the body", `<head></head><body><link rel=sitemap href=/s.xml>`, nil},
		{"no page", "", nil},
	}
	base := &url.URL{Scheme: "https", Host: "example.com", Path: "/a/"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Sitemaps(strings.NewReader(tt.page), base); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSitemaps_Bounds: neither a long page nor many links cost more than the bounds.
func TestSitemaps_Bounds(t *testing.T) {
	const link = `<link rel=sitemap href=/s.xml?`
	base := &url.URL{Scheme: "https", Host: "example.com"}
	late := strings.Repeat(" ", MaxBytes) + link + `1>`
	if got := Sitemaps(strings.NewReader(late), base); got != nil {
		t.Errorf("after %d bytes: %q", MaxBytes, got)
	}
	var many strings.Builder
	for i := range 2 * maxLinks {
		many.WriteString(link + strings.Repeat("1", i+1) + ">")
	}
	if got := Sitemaps(strings.NewReader(many.String()), base); len(got) != maxLinks {
		t.Errorf("%d links, want %d", len(got), maxLinks)
	}
}
