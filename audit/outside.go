package audit

import (
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// An outside counts the pages of a document that are above its directory, if no robots.txt names the
// document.
type outside struct {
	*siteJudge
	scope trust.Scope // of the location alone, or nil
	count int
	first place
}

func newOutside(s *siteJudge, sum *discover.Summary) *outside {
	o := &outside{siteJudge: s}
	if o.scope = trust.Grants(trust.FromHome, sum.FinalURL, nil,
		nil); len(o.scope) == 0 || o.scope[0].Dir == "/" {
		o.scope = nil
	}
	for _, g := range sum.Scope {
		if g.By == trust.Robots || g.By == trust.Verified {
			o.scope = nil
		}
	}
	return o
}

// add judges a page.
func (a *outside) add(e *sitemap.Entry, o *origin, at func() place) {
	if len(a.scope) == 0 || o.Host != a.scope[0].Host || strings.HasPrefix(e.Loc, a.scope[0].Dir) {
		return
	}
	if level, _ := a.scope.JudgeAt(o.Origin,
		location.Path(e.Loc[len(o.authority):])); level == trust.Untrusted {
		if a.count++; a.count == 1 {
			a.first = at()
		}
	}
}

// end reports the pages.
func (a *outside) end() {
	if a.count > 0 {
		rule := of(sitemap.UntrustedLoc).with(warning).fixedBy("Move the sitemap to the top of the site, " +
			"or name it in robots.txt.")
		a.report(rule, a.first, a.scope[0].Dir, "%s not in %s, the directory of the sitemap",
			areMany(a.count, "URL"), quoted(a.scope[0].Dir))
	}
}

// areMany returns "1 URL is" or "12 URLs are".
func areMany(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return plural(n, what) + " are"
}
