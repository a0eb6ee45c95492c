package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
)

// TestLimits_Locations: the locations of the sitemaps of a site take a bounded memory, and those
// that are known stay.
func TestLimits_Locations(t *testing.T) {
	s := &site{w: &Watcher{}, byLoc: map[string]*document{}, unsaved: map[string]pageMap{}}
	seeds := []*discover.Sitemap{{Loc: "https://a.test/1"}, {Loc: "https://a.test/0"}}
	relink := func() (size int) {
		s.relink(seeds, time.Now())
		for _, d := range s.Docs {
			size += len(d.Loc)
		}
		return size
	}
	relink()
	list := func(index *document, n int) {
		// Of different lengths, the locations of an index are all parts of one text.
		text := index.Loc + strings.Repeat("0", 16_000)
		pages := pageMap{}
		for i := range n {
			loc := text[:6_000+i]
			pages[loc] = pagelist.Page{Loc: loc, State: pagelist.Sitemap}
		}
		index.IsIndex, s.unsaved[s.listKey(index)] = true, pages
	}
	first, second := s.Docs[1], s.Docs[0]
	list(first, 3_000) // 22.5 MB
	if relink(); len(s.Docs) != 2+3_000 {
		t.Fatalf("%d sitemaps", len(s.Docs))
	}
	list(second, 3_000)
	for range 2 {
		size, known := relink(), 0
		for _, d := range s.Docs {
			if d.Index == first.Loc {
				known++
			}
		}
		if size > 32<<20 || size < 32<<20-16_000 || known != 3_000 {
			t.Errorf("%d bytes, %d known ones stay", size, known)
		}
	}
}
