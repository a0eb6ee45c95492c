package discover

import (
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A judge gives the verdicts of a document's scope on its pages. It remembers the verdict on each
// host: most documents list pages of one, and a whole-host grant needs no look at the path.
type judge struct {
	scope trust.Scope
	sites []string // hosts that URL.OnSite means
	hosts map[string]*hostVerdict
	last  *hostVerdict
}

// maxJudged bounds judge.hosts.
const maxJudged = 64

// A hostVerdict is what a scope says of one host.
type hostVerdict struct {
	authority string // as listed, with its scheme: "https://example.com"
	origin    location.Origin
	level     trust.Level // of every path
	grant     trust.Grant // that gives it
	byPath    bool        // some grant covers a part of the host and is stronger
	onSite    bool
	asked     bool // whether its robots.txt verifies the document
}

func newJudge(scope trust.Scope, sites []string) *judge {
	return &judge{scope: scope, sites: sites, hosts: map[string]*hostVerdict{}}
}

// trust returns the verdict on loc, and what is known of its host.
func (j *judge) trust(loc string) (trust.Level, trust.Grant, *hostVerdict) {
	h := j.host(loc)
	if h.byPath {
		level, grant := j.scope.Judge(loc)
		return level, grant, h
	}
	return h.level, h.grant, h
}

// host returns what the scope says of loc's host.
func (j *judge) host(loc string) *hostVerdict {
	if j.last != nil && hasAuthority(loc, j.last.authority) {
		return j.last
	}
	a := authority(loc)
	h := j.hosts[a]
	if h == nil {
		if len(j.hosts) == maxJudged {
			clear(j.hosts)
		}
		h = j.examine(a)
		j.hosts[h.authority] = h
	}
	j.last = h
	return h
}

func hasAuthority(loc, a string) bool {
	if !strings.HasPrefix(loc, a) {
		return false
	}
	if len(loc) == len(a) {
		return true
	}
	c := loc[len(a)]
	return c == '/' || c == '?' || c == '#'
}

// examine judges the host of an authority: its root, and whether paths below may be judged
// differently.
func (j *judge) examine(a string) *hostVerdict {
	h := &hostVerdict{authority: strings.Clone(a), level: trust.Untrusted}
	o, _, err := location.ParseOrigin(a)
	if err != nil {
		return h
	}
	h.origin = o
	h.level, h.grant = j.scope.Judge(a + "/")
	h.byPath = slices.ContainsFunc(j.scope, func(g trust.Grant) bool {
		return g.Dir != "/" && g.By > h.level && sameButWWW(g.Host, o.Host)
	})
	h.onSite = slices.ContainsFunc(j.sites, func(site string) bool { return sameButWWW(site, o.Host) })
	return h
}

// add adds a grant to the scope.
func (j *judge) add(g trust.Grant) {
	j.scope = j.scope.With(g)
	clear(j.hosts)
	j.last = nil
}

// sameButWWW reports whether the hosts are equal but for one leading "www.".
func sameButWWW(a, b string) bool {
	return a == b || "www."+a == b || a == "www."+b
}
