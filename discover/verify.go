package discover

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// verifyTime is how long a walk waits for the robots.txt of one origin.
const verifyTime = 15 * time.Second

// A verifier asks further hosts of the site whether their robots.txt names a document, before a
// page of theirs is refused.
type verifier struct {
	c       *Client
	ctx     context.Context
	sites   []string                         // hosts
	origins []string                         // URLs that the caller named
	max     int                              // hosts that may be asked
	names   map[location.Origin]map[key]bool // what each robots.txt names
}

// verify returns the grant of o's host for n, if the robots.txt of o, or that of its other scheme,
// names the document or an index above it.
func (v *verifier) verify(n *node, o location.Origin) (trust.Grant, bool) {
	g := trust.Grant{Host: strings.Clone(o.Host), Dir: "/", By: trust.Verified}
	return g, isNamed(n, v.namedBy(o)) || isNamed(n, v.namedBy(o.OtherScheme()))
}

func isNamed(n *node, names map[key]bool) bool {
	for ; n != nil && len(names) > 0; n = n.index {
		if names[n.key] || names[n.final] {
			return true
		}
	}
	return false
}

// namedBy returns what the robots.txt of o names.
func (v *verifier) namedBy(o location.Origin) map[key]bool {
	if names, ok := v.names[o]; ok {
		return names
	}
	if !v.mayAsk(o) {
		return nil
	}
	names := map[key]bool{}
	v.names[o] = names
	ctx, cancel := context.WithTimeout(v.ctx, verifyTime)
	defer cancel()
	f, err := v.c.robotsAt(ctx, originSite(o), v.origins)
	if err != nil {
		return names
	}
	for _, r := range f.Sitemaps {
		names[keyOf(r.Loc)] = true
	}
	return names
}

// mayAsk reports whether o is under the registrable domain of a site, and no more than max hosts
// have been asked.
func (v *verifier) mayAsk(o location.Origin) bool {
	domain := registrable(o.Host)
	ofSite := func(site string) bool { return registrable(site) == domain }
	if domain == "" || !slices.ContainsFunc(v.sites, ofSite) {
		return false
	}
	hosts := map[string]bool{o.Host: true}
	for asked := range v.names {
		hosts[asked.Host] = true
	}
	return len(hosts) <= v.max
}
