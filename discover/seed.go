package discover

import (
	"cmp"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// A seed is a document with which a walk begins. It holds everything that names the document, and
// the site that its documents belong to.
type seed struct {
	site      string // host, for the keys of the Store
	origin    string // URL of the site with its credentials, for fetch.Request.Origins
	claims    []claim
	referrers []*Sitemap
}

// newSeed returns a seed of a site.
func newSeed(st siteurl.Site) *seed { return &seed{site: st.Host(), origin: st.Named()} }

// A claim is one reason for which a document may list URLs.
type claim struct {
	by    trust.Source
	above trust.Scope // of the one that named the document, with the caller's grants
}

// scope returns the grants of a document by the claim. Redirects led from asked to hops.
func (c claim) scope(asked string, hops []string) trust.Scope {
	return trust.Grants(c.by, asked, hops, c.above).With(c.above...)
}

// scope returns the grants of a document by all claims. A nil seed has none.
func (s *seed) scope(asked string, hops []string) (scope trust.Scope) {
	if s == nil {
		return nil
	}
	for _, c := range s.claims {
		scope = scope.With(c.scope(asked, hops)...)
	}
	return scope
}

// seedSite returns the site that a seed was found for: that of the robots.txt or the home page that
// names it or the index above it, or else its own.
func seedSite(s *Sitemap) (siteurl.Site, error) {
	for s.Referrer != nil && s.RobotsURL == "" && s.HomeURL == "" {
		s = s.Referrer
	}
	return siteurl.Parse(cmp.Or(s.RobotsURL, s.HomeURL, s.Loc))
}

// seedLoc returns the location of a seed, without credentials and surrounding blanks.
func seedLoc(s *Sitemap) string {
	loc := strings.TrimSpace(s.Loc)
	if !strings.Contains(loc, "@") {
		return loc
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil || u.User == nil {
		return sitemap.Redact(loc)
	}
	u.User = nil
	return u.String()
}
