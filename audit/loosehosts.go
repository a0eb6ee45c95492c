package audit

import (
	"maps"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// looseHosts counts the pages that sitemaps may not list, by host.
type looseHosts struct {
	*siteJudge
	hosts map[string]*looseHost
}

// A looseHost is one of these hosts.
type looseHost struct {
	*origin
	count int
	first place
	by    *discover.Sitemap // that lists the first page
}

func newLooseHosts(s *siteJudge) *looseHosts { return &looseHosts{s, map[string]*looseHost{}} }

// add takes a page.
func (l *looseHosts) add(sm *discover.Sitemap, o *origin, at func() place) {
	n := l.hosts[o.Host]
	if n == nil {
		if len(l.hosts) >= maxOrigins {
			return
		}
		p := at()
		n = &looseHost{origin: o, first: p, by: sm}
		l.hosts[o.Host] = n
	}
	n.count++
}

// end reports the hosts.
func (l *looseHosts) end() {
	for _, host := range slices.Sorted(maps.Keys(l.hosts)) {
		n := l.hosts[host]
		root := n.by // the robots.txt names the index above all
		for root.Referrer != nil {
			root = root.Referrer
		}
		rule := of(UntrustedHost).fixedBy("Remove or correct the URLs.")
		if !isLocalHost(host) && l.robots(n.first.loc) != nil {
			rule.Fix += " If the host is yours, add this line to " + n.origin.String() + "/robots.txt: Sitemap: " +
				sitemap.Redact(root.Loc)
		}
		l.report(rule, n.first, host, "%s on %s, which does not vouch for the sitemap; the first is %s",
			plural(n.count, "URL"), host, quoted(n.first.loc))
	}
}
