package conformance

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-322c453a/sitemap/discover"
)

// scopeFaults asks for the trust of one URL, given where the document lies and which
// robots.txt files name it, without the grant of a caller.
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
	var scope discover.Scope
	for _, loc := range []string{in.SitemapURL, in.IndexURL} {
		if g, ok := discover.LocationGrant(loc); ok {
			if in.EntryKind == "sitemap" {
				g.Dir = "/" // a child needs no grant; one on another host is a foreign_child
			}
			scope = scope.With(g)
		}
	}
	for _, loc := range append(in.RobotsURLs, in.RobotsURL) {
		scope = scope.With(discover.RobotsGrants(loc)...)
	}
	trust := scope.Trust(in.EntryURL)
	if got := trust >= discover.ByVerification; got != c.InScope {
		return []string{fmt.Sprintf("%s is %s in %v, want in scope %v", in.EntryURL, trust, scope, c.InScope)}
	}
	return nil
}
