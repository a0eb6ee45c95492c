package document

import (
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
)

func TestTally(t *testing.T) {
	future := time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339)
	tally := NewTally()
	for _, lastMod := range []string{"", "2024-05-06", "2024-05-06", "2024-05-06T00:00:00Z",
		"2024-05", future, ""} {
		var e sitemap.Entry
		if err := e.LastMod.UnmarshalText([]byte(lastMod)); err != nil {
			t.Fatal(err)
		}
		tally.Add(&e)
	}
	if want := (sitemap.LastMods{Count: 5, Equal: 2, Future: 1, DateOnly: 3}); tally.Entries != 7 ||
		tally.LastMods != want {
		t.Errorf("%d entries, %+v, want %+v", tally.Entries, tally.LastMods, want)
	}
}
