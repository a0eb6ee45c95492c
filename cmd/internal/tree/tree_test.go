package tree

import (
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

func TestTreeLineAssumedZone(t *testing.T) {
	at, err := sitemap.ParseTime("2024-05-06T07:08:09Z")
	if err != nil {
		t.Fatal(err)
	}
	s := &discover.Sitemap{Loc: "http://example.com/a.xml", LastMod: at.AssumeZone()}
	got := string(jsonl.Marshal(treeLineOf(s, &discover.Summary{})))
	if want := `"lastmod":"2024-05-06T07:08:09Z","zone_assumed":true,`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
