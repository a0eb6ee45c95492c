package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A list without a site is refused, or in the making. White-box: from outside it takes ten seconds.
func TestSites_Empty(t *testing.T) {
	list := filepath.Join(t.TempDir(), "sites.txt")
	write := func(text string) {
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# none\n")
	if _, err := newSites(nil, list); err == nil {
		t.Error("a list without a site is no error")
	}
	write("a.example\n")
	s, err := newSites(nil, list)
	if err != nil {
		t.Fatal(err)
	}
	write("")
	if changed, err := s.read(); changed || err == nil || !slices.Equal(s.all(), []string{"a.example"}) {
		t.Errorf("%t, %v, sites %q", changed, err, s.all())
	}
}

// A site that is named twice is one site. A list that cannot be read for some time is reported once,
// and the sites that it had stay.
func TestSites_Unreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := filepath.Join(t.TempDir(), "sites.txt")
		if err := os.WriteFile(list, []byte("a.example\nb.example\nhttps://A.example/\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := newSites([]string{"b.example"}, list)
		if err != nil || !slices.Equal(s.all(), []string{"b.example", "a.example"}) {
			t.Fatalf("%v, sites %q", err, s.all())
		}
		var text strings.Builder
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := os.Remove(list); err != nil {
			t.Fatal(err)
		}
		s.await(ctx, cli.NewApp(ctx, nil, nil, &text).Log)
		if n := strings.Count(text.String(), "\n"); n != 1 || len(s.all()) != 2 {
			t.Errorf("%d sites, and %d lines: %s", len(s.all()), n, text.String())
		}
	})
}
