package audit

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/normal"
)

// untrustedHosts counts the pages that sitemaps may not list, by host.
type untrustedHosts map[string]*untrustedHost

// An untrustedHost is one of these hosts.
type untrustedHost struct {
	*origin
	count int
	first place
	by    *discover.Sitemap // that lists the first page
}

// add adds a page.
func (u untrustedHosts) add(sm *discover.Sitemap, o *origin, at func() place) {
	n := u[o.Host]
	switch {
	case n != nil:
	case len(u) >= maxOrigins:
		return
	default:
		n = &untrustedHost{origin: o, first: at(), by: sm}
		u[o.Host] = n
	}
	n.count++
}

// end reports the hosts.
func (u untrustedHosts) end(s *siteJudge) {
	for _, host := range slices.Sorted(maps.Keys(u)) {
		n := u[host]
		rule := of(UntrustedHost).fixedBy("Remove or correct the URLs.")
		if !isLocalHost(host) && s.robots(n.first.loc) != nil {
			rule.Fix += " If the host is yours, add this line to " + n.origin.String() + "/robots.txt: Sitemap: " +
				sitemap.Redact(rootOf(n.by).Loc)
		}
		s.report(rule, n.first, host, "%s on %s, which does not vouch for the sitemap; the first is %s",
			plural(n.count, "URL"), host, quoted(n.first.loc))
	}
}

// rootOf returns the topmost index above a sitemap, or the sitemap itself: the one that a
// robots.txt should name.
func rootOf(sm *discover.Sitemap) *discover.Sitemap {
	for sm.Referrer != nil {
		sm = sm.Referrer
	}
	return sm
}

// An outside counts the pages of a document that are above its directory, if no robots.txt names the
// document.
type outside struct {
	scope trust.Scope // of the location alone, or nil
	count int
	first place
}

func newOutside(sum *discover.Summary) *outside {
	byRobots := func(g trust.Grant) bool { return g.By == trust.Robots || g.By == trust.Verified }
	scope := trust.Grants(trust.FromHome, sum.FinalURL, nil, nil)
	if len(scope) == 0 || scope[0].Dir == "/" || slices.ContainsFunc(sum.Scope, byRobots) {
		scope = nil
	}
	return &outside{scope: scope}
}

// add judges a page.
func (a *outside) add(e *sitemap.Entry, o *origin, at func() place) {
	if len(a.scope) == 0 || o.Host != a.scope[0].Host || strings.HasPrefix(e.Loc, a.scope[0].Dir) {
		return
	}
	if level, _ := a.scope.JudgeAt(o.Origin, normal.Path(e.Loc[len(o.authority):])); level != trust.Untrusted {
		return
	}
	if a.count++; a.count == 1 {
		a.first = at()
	}
}

// end reports the pages that sm lists.
func (a *outside) end(s *siteJudge, sm *discover.Sitemap) {
	if a.count == 0 {
		return
	}
	root := rootOf(sm).Loc
	if file := s.robots(root); file != nil && names(file.Sitemaps, root) {
		return // the caller named a sitemap that robots.txt names too
	}
	rule := of(sitemap.UntrustedLoc).with(warning).fixedBy(moveUp)
	dir := a.scope[0].Dir
	s.report(rule, a.first, dir, "%s not in %s, the directory of the sitemap", urls(a.count, "is", "are"),
		quoted(dir))
}
