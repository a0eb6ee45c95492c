package conformance

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/robots"
)

func (c *caseRow) robotsFaults(in []byte, base *url.URL) []string {
	r, err := robots.Parse(bytes.NewReader(in), base)
	if err != nil {
		return []string{"error " + err.Error()}
	}
	if got := robotsLocs(r); !slices.Equal(got, c.Sitemaps) {
		return []string{fmt.Sprintf("sitemaps %q, want %q", got, c.Sitemaps)}
	}
	return nil
}

func robotsLocs(r *robots.File) []string {
	locs := []string{}
	for _, s := range r.Sitemaps {
		locs = append(locs, s.Loc)
	}
	return locs
}

// robotsFaults reads a robots.txt of the corpus.
func (c *corpusCase) robotsFaults(t *testing.T) (why []string) {
	o := c.options(t)
	r, err := robots.Parse(bytes.NewReader(readFile(t, c.dir, c.Input[0])), o.Base)
	if err != nil {
		return []string{"error " + err.Error()}
	}
	got := robotsLocs(r)
	want := []listed{}
	for _, l := range c.Sitemaps { // duplicates are dropped
		if !slices.ContainsFunc(want, func(w listed) bool { return w.Loc == l.Loc }) {
			want = append(want, l)
		}
	}
	for i, loc := range got {
		if i < len(want) && !want[i].is(sitemap.Entry{Loc: loc}) || i >= len(want) {
			why = append(why, fmt.Sprintf("sitemap %d is %q", i, loc))
		}
	}
	if len(why) > 0 || len(got) != len(want) {
		var locs []string
		for _, l := range want {
			locs = append(locs, l.Loc)
		}
		why = append(why, fmt.Sprintf("sitemaps %q, want %q", got, locs))
	}
	return why
}
