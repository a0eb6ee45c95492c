package stats_test

import (
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/stats"
)

func TestSplit(t *testing.T) {
	for loc, want := range map[string][2]string{
		"https://example.com":                {"example.com", "/"},
		"https://example.com/a/b/c":          {"example.com", "/a/"},
		"https://example.com:8080?u=a/b/":    {"example.com:8080", "/"},
		"https://example.com/a?u=http://b/c": {"example.com", "/"},
		"example.com/?u=http://b/c":          {"", "/"},
		"http://user:pass@example.com/@a/b":  {"example.com", "/@a/"},
	} {
		host, directory := stats.Split(loc)
		if got := [2]string{host, directory}; got != want {
			t.Errorf("Split(%q) = %q, want %q", loc, got, want)
		}
	}
}

// A lastmod that is only a year is in no month.
func TestMonth(t *testing.T) {
	for text, want := range map[string]string{
		"2024": "2024", "2024-05": "2024-05", "2024-05-31T23:00:00-05:00": "2024-05",
	} {
		lastMod, err := sitemap.ParseTime(text)
		if got := stats.Month(lastMod); got != want || err != nil {
			t.Errorf("Month(%s) = %s, %v; want %s", text, got, err, want)
		}
	}
}
