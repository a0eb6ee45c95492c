package conformance

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/trust"
)

// scopeFaults judges one URL by the location of the document and the robots.txt files that name it,
// without the grant of a caller.
func (c *corpusCase) scopeFaults(t *testing.T) []string {
	var in struct {
		SitemapURL string   `json:"sitemap_url"`
		RobotsURL  string   `json:"referrer_robots_url"`
		RobotsURLs []string `json:"referrer_robots_urls"`
		IndexURL   string   `json:"index_url"`
		EntryURL   string   `json:"entry_url"`
		EntryKind  string   `json:"entry_kind"`
	}
	if err := json.Unmarshal(readFile(t, c.dir, "input.json"), &in); err != nil {
		t.Fatal(err)
	}
	var scope trust.Scope
	for _, loc := range []string{in.SitemapURL, in.IndexURL} {
		for _, g := range trust.Grants(trust.FromHome, loc, nil, nil) {
			if in.EntryKind == "sitemap" {
				g.Dir = "/" // a child needs no grant; one on another host is a foreign_child
			}
			scope = scope.With(g)
		}
	}
	for _, loc := range append(in.RobotsURLs, in.RobotsURL) {
		scope = scope.With(trust.Grants(trust.FromRobots, loc, nil, nil)...)
	}
	level, _ := scope.Judge(in.EntryURL)
	if got := level >= trust.Verified; got != c.InScope {
		return []string{fmt.Sprintf("%s is %s in %v, want in scope %v", in.EntryURL, level, scope,
			c.InScope)}
	}
	return nil
}
