package parse_test

import (
	"testing"

	"github.com/seed-322c453a/sitemap/internal/testkit/golden"
	"github.com/seed-322c453a/sitemap/parse"
)

func TestEntries_Golden(t *testing.T) {
	for _, format := range []string{"urlset", "sitemapindex", "gzip", "extension", "rss", "atom",
		"text", "archive"} {
		t.Run(format, func(t *testing.T) { golden.Run(t, "../testdata/"+format, parse.Entries) })
	}
}
