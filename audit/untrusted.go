package audit

import (
	"maps"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/normal"
)

// untrustedHosts counts the pages that sitemaps may not list, by host.
type untrustedHosts map[string]*untrustedHost

// An untrustedHost is one of these hosts.
type untrustedHost struct {
	*origin
	pages tally
	by    *discover.Sitemap // that lists the first page
}

// add adds a page.
func (u untrustedHosts) add(sm *discover.Sitemap, o *origin, at func() place) {
	if u[o.Host] == nil {
		u[o.Host] = &untrustedHost{origin: o, by: sm}
	}
	u[o.Host].pages.add(at)
}

// end reports the hosts. One whose robots.txt names the sitemap is only another host of the site.
func (u untrustedHosts) end(s *siteJudge) {
	for _, host := range slices.Sorted(maps.Keys(u)) {
		n := u[host]
		rule, first := of(UntrustedHost).fixedBy("Remove or correct the URLs."), n.pages.first
		var file *robots.File
		if !isLocalHost(host) {
			file = s.robots(first.loc)
		}
		if file != nil && namesAny(file.Sitemaps, n.by) { // which the walk has not asked
			n.addAll(n.pages)
			continue
		}
		if file != nil {
			rule.Fix += " If the host is yours, add this line to " + n.String() +
				"/robots.txt: Sitemap: " + sitemap.Redact(rootOf(n.by).Loc)
		}
		s.report(rule, first, host,
			"%s on %s, which does not vouch for the sitemap; the first is %s",
			plural(n.pages.count, "URL", "URLs"), host, quoted(first.loc))
	}
}

// rootOf returns the topmost index above a sitemap, or the sitemap itself. A robots.txt should name
// that one.
func rootOf(sm *discover.Sitemap) *discover.Sitemap {
	for sm.Referrer != nil {
		sm = sm.Referrer
	}
	return sm
}

// namesAny reports whether records name a sitemap or an index above it.
func namesAny(records []robots.Record, sm *discover.Sitemap) bool {
	for sm != nil && !names(records, sm.Loc) {
		sm = sm.Referrer
	}
	return sm != nil
}

// An outside counts the pages outside the directory of a document, if no robots.txt names the
// document.
type outside struct {
	tally
	scope trust.Scope // of the location alone, or nil
}

func newOutside(sum *discover.Summary) *outside {
	byRobots := func(g trust.Grant) bool { return g.By == trust.Robots || g.By == trust.Verified }
	scope := trust.Grants(trust.FromHome, sum.FinalURL, nil, nil)
	if len(scope) == 0 || scope[0].Dir == "/" || slices.ContainsFunc(sum.Scope, byRobots) {
		scope = nil
	}
	return &outside{scope: scope}
}

// isOn reports whether a page on o is judged by its directory.
func (a *outside) isOn(o *origin) bool { return len(a.scope) > 0 && o.Host == a.scope[0].Host }

// add judges a page.
func (a *outside) add(e *sitemap.Entry, o *origin, at func() place) {
	if !a.isOn(o) {
		return
	}
	level, _ := a.scope.JudgeAt(o.Origin, normal.Path(e.Loc[len(o.authority):]))
	if level == trust.Untrusted {
		a.tally.add(at)
	}
}

// end reports the pages that sm lists. Final is the URL that answered.
func (a *outside) end(s *siteJudge, sm *discover.Sitemap, final string) {
	if a.count == 0 {
		return
	}
	root := rootOf(sm).Loc
	if file := s.robots(root); file != nil && names(file.Sitemaps, root, final) {
		return // the caller named a sitemap that robots.txt names too
	}
	rule := of(sitemap.UntrustedLoc).with(warning).fixedBy(moveUp)
	dir := a.scope[0].Dir
	s.report(rule, a.first, dir, "%s not in %s, the directory of the sitemap",
		plural(a.count, "URL is", "URLs are"), quoted(dir))
}
