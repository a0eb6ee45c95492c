package discover

import (
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// A judge gives the verdicts of Scope.Trust on the URLs of one document, and
// remembers what it found out about their hosts: most documents list URLs of one.
type judge struct {
	scope    Scope
	grants   grantIndex // of the scope
	examined int        // hosts
	sites    []string   // hosts that OnSite means, sorted
	hosts    map[string]*hostVerdict
	last     *hostVerdict
}

// maxJudged bounds judge.hosts.
const maxJudged = 64

// A hostVerdict is what a scope says of one host.
type hostVerdict struct {
	authority string // as listed, with its scheme: "https://example.com"
	origin    location.Origin
	whole     Trust   // of every path
	parts     []Grant // of some paths, and stronger; By is the trust that they give
	onSite    bool
	asked     bool // for verification
}

func newJudge(scope Scope, sites []string) *judge {
	return &judge{scope: scope, grants: grantIndex{all: scope.Grants}, sites: sites, hosts: map[string]*hostVerdict{}}
}

// trust returns the verdict on loc, and what is known of its host.
func (j *judge) trust(loc string) (Trust, *hostVerdict) {
	h := j.host(loc)
	best := h.whole
	if len(h.parts) == 0 {
		return best, h
	}
	_, path, err := location.ParseOrigin(loc)
	if err != nil {
		return Untrusted, h
	}
	for _, g := range h.parts {
		if g.By > best && inDir(g.Dir, path) {
			best = g.By
		}
	}
	return best, h
}

// host returns what the scope says of loc's host.
func (j *judge) host(loc string) *hostVerdict {
	if j.last != nil && isAuthorityOf(j.last.authority, loc) {
		return j.last
	}
	a := authority(loc)
	h := j.hosts[a]
	if h == nil {
		if len(j.hosts) == maxJudged {
			clear(j.hosts)
		}
		h = j.examine(a, loc)
		j.hosts[a] = h
	}
	j.last = h
	return h
}

func isAuthorityOf(a, loc string) bool {
	if !strings.HasPrefix(loc, a) {
		return false
	}
	if len(loc) == len(a) {
		return true
	}
	c := loc[len(a)]
	return c == '/' || c == '?' || c == '#'
}

// examine asks the scope about the host of loc.
func (j *judge) examine(a, loc string) *hostVerdict {
	h := &hostVerdict{authority: a, whole: Untrusted}
	o, _, err := location.ParseOrigin(loc)
	if err != nil {
		return h
	}
	h.origin = o
	h.onSite = j.isOnSite(o.Host)
	if j.examined++; j.examined == fewGrants {
		j.grants = indexGrants(j.scope.Grants, j.examined)
	}
	for _, g := range j.grants.near(o.Host) {
		if !g.covers(o, g.Dir) {
			if g.By < ByVariant || !g.coversVariant(o, g.Dir) {
				continue
			}
			g.By = ByVariant
		}
		if g.Dir == "/" {
			h.whole = max(h.whole, g.By)
		} else {
			h.parts = append(h.parts, g)
		}
	}
	h.parts = slices.DeleteFunc(h.parts, func(g Grant) bool { return g.By <= h.whole })
	return h
}

// isOnSite reports whether one of the sites is host, but for one leading "www.".
func (j *judge) isOnSite(host string) bool {
	return slices.ContainsFunc([]string{host, "www." + host, strings.TrimPrefix(host, "www.")}, func(same string) bool {
		_, ok := slices.BinarySearch(j.sites, same)
		return ok
	})
}

// add adds a grant to the scope.
func (j *judge) add(g Grant) {
	j.scope = j.scope.With(g)
	j.grants, j.examined = grantIndex{all: j.scope.Grants}, 0
	clear(j.hosts)
	j.last = nil
}
