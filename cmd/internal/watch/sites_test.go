package watch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
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
