package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A tally counts problems, for commands that do not list them.
type tally struct {
	codes     map[sitemap.Code]int
	total     int
	documents int
	last      *discover.Sitemap
}

// add counts p, unless it is harmless.
func (t *tally) add(s *discover.Sitemap, p sitemap.Problem) {
	if p.Severity() < sitemap.Warning {
		return
	}
	if t.codes == nil {
		t.codes = map[sitemap.Code]int{}
	}
	t.codes[p.Code]++
	t.total++
	if s != t.last {
		t.last = s
		t.documents++
	}
}

// tell says in a line what was counted, if anything.
func (t *tally) tell(m *messages) {
	if t.total == 0 {
		return
	}
	codes := slices.SortedFunc(maps.Keys(t.codes), func(a, b sitemap.Code) int {
		if n := t.codes[b] - t.codes[a]; n != 0 {
			return n
		}
		return strings.Compare(a.String(), b.String())
	})
	var parts []string
	for _, c := range codes {
		parts = append(parts, fmt.Sprintf("%s %s", thousands(int64(t.codes[c])), c))
	}
	m.printf("%s in %s: %s ('sitemap check' lists them)", plural(t.total, "problem"), plural(t.documents, "document"), strings.Join(parts, ", "))
}
