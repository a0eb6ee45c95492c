package discover

import (
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/normal"
)

// A judge gives the verdicts of a document's scope on its locations. It reads the host of a
// location once and remembers the verdict on it: most documents list one host, and a whole-host
// grant needs no look at the path.
type judge struct {
	scope  trust.Scope
	least  trust.Level         // of the pages that are yielded
	sites  map[string][]string // URLs of the sites by host, for URL.OnSite
	own    [2]string           // hosts of the document, as requested and as served
	verify func(location.Origin) (trust.Grant, bool)
	hosts  map[string]*host
	last   *host
}

// maxHosts bounds judge.hosts.
const maxHosts = 64

// A host is the verdict of a scope on one host.
type host struct {
	authority string // as listed, with its scheme: "https://example.com"
	origin    location.Origin
	level     trust.Level // of every path
	grant     trust.Grant // that gives it
	byPath    bool        // some grant covers a part of the host and is stronger
	onSite    bool
	foreign   bool // not a host of the document
	asked     bool // whether its robots.txt verifies the document
}

// A verdict is the judgement of one location.
type verdict struct {
	*host
	rest  string // of the location, after its host
	level trust.Level
	grant trust.Grant
}

// newJudge returns the judge of a document with a scope. Urls are the URL that was requested and
// the one that answered.
func newJudge(
	scope trust.Scope, sites map[string][]string, least trust.Level, urls ...string,
) *judge {
	j := &judge{scope: scope, sites: sites, least: least, hosts: map[string]*host{}}
	for i, loc := range urls {
		o, _, _ := location.ParseOrigin(loc) // no host of a location is ""
		j.own[i] = o.Host
	}
	return j
}

// verdictOn returns the verdict on loc. Before a page is refused, the robots.txt of its host is
// asked, once, whether it names the document.
func (j *judge) verdictOn(loc string, isPage bool) verdict {
	h := j.host(loc)
	v := verdict{h, loc[len(h.authority):], h.level, h.grant}
	if h.byPath {
		v.level, v.grant = j.scope.JudgeAt(h.origin, normal.Path(v.rest))
	}
	isWeak := v.level < max(j.least, trust.Variant) && j.least <= trust.Verified
	if !isPage || !isWeak || h.asked {
		return v
	}
	h.asked = true
	g, ok := j.verify(h.origin)
	scope := j.scope.With(g)
	if !ok || len(scope) == len(j.scope) { // it has as many grants as a scope can have
		return v
	}
	j.scope, j.last = scope, nil
	clear(j.hosts)
	return j.verdictOn(loc, isPage)
}

// host returns the scope's verdict on loc's host: on its root, and whether paths below may be
// judged differently.
func (j *judge) host(loc string) *host {
	if h := j.last; h != nil && location.HasAuthority(loc, h.authority) {
		return h
	}
	authority, _ := location.Split(loc)
	if h := j.hosts[authority]; h != nil {
		j.last = h
		return h
	}
	if len(j.hosts) == maxHosts {
		clear(j.hosts)
	}
	h := &host{authority: strings.Clone(authority), level: trust.Untrusted, foreign: true}
	j.hosts[h.authority], j.last = h, h
	o, err := location.AuthorityOrigin(h.authority)
	if err != nil {
		return h
	}
	h.origin = o
	h.level, h.grant = j.scope.JudgeAt(o, "/")
	h.byPath = slices.ContainsFunc(j.scope, func(g trust.Grant) bool {
		return g.Dir != "/" && g.By > h.level &&
			(g.Host == o.Host || "www."+g.Host == o.Host || g.Host == "www."+o.Host)
	})
	h.onSite = j.sites[o.Host] != nil || j.sites["www."+o.Host] != nil ||
		j.sites[strings.TrimPrefix(o.Host, "www.")] != nil
	h.foreign = o.Host != j.own[0] && o.Host != j.own[1]
	return h
}
