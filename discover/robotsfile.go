package discover

import (
	"slices"

	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// A robotsFile is a robots.txt and how it was reached.
type robotsFile struct {
	*robots.File
	url   string      // as requested
	scope trust.Scope // the hosts that it speaks for
	none  error       // why it names no sitemap, if it names none
	cut   answer      // how it broke off, if it did so after it had named sitemaps
}

// seeds returns the sitemaps that the file names.
func (f *robotsFile) seeds() []*Sitemap {
	seeds := make([]*Sitemap, 0, len(f.Sitemaps))
	for _, r := range f.Sitemaps {
		seeds = append(seeds, &Sitemap{
			Loc: r.Loc, RobotsURL: f.url, Line: r.Line, Grants: slices.Clone(f.scope),
		})
	}
	return seeds
}
