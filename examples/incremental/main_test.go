package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/examples/internal/site"
)

func TestChanges(t *testing.T) {
	s := site.New(t, site.Pages())
	db, err := state.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := func(name string) string {
		t.Helper()
		var out strings.Builder
		if err := changes(t.Context(), site.Client(), db, name, s.URL, &out); err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(out.String(), s.URL, "")
	}
	if got, want := run("monday"), "new 2024-05-06 /a\nnew  /b\n"; got != want {
		t.Errorf("the first run printed %q, want %q", got, want)
	}
	if got := run("monday"); got != "" {
		t.Errorf("a run that has ended printed %q", got)
	}
	s.Set("/sitemap.xml", strings.ReplaceAll(site.Pages()["/sitemap.xml"], "2024-05-06", "2024-06-01"))
	if got, want := run("tuesday"), "modified 2024-06-01 /a\n"; got != want {
		t.Errorf("the second run printed %q, want %q", got, want)
	}
}
