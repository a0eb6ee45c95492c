package discover

import "strings"

// fewGrants is for how many hosts it is worth it to group grants.
const fewGrants = 16

// A grantIndex is grants, grouped where it is asked for those of many hosts: thousands of hosts may
// name one sitemap.
type grantIndex struct {
	all    []Grant
	byHost map[string][]Grant // by bareHost; nil where they are not grouped
}

// indexGrants returns an index that is asked for the grants of so many hosts.
func indexGrants(grants []Grant, asked int) grantIndex {
	x := grantIndex{all: grants}
	if asked < fewGrants {
		return x
	}
	x.byHost = make(map[string][]Grant, len(grants))
	for _, g := range grants {
		x.group(g)
	}
	return x
}

func (x *grantIndex) group(g Grant) {
	if x.byHost != nil {
		host := bareHost(g.Host)
		x.byHost[host] = append(x.byHost[host], g)
	}
}

func (x *grantIndex) add(g Grant) {
	x.all = append(x.all, g)
	x.group(g)
}

// near returns the grants for a host, and for those that are the same but for "www.". There may be
// others among them.
func (x *grantIndex) near(host string) []Grant {
	if x.byHost == nil {
		return x.all
	}
	return x.byHost[bareHost(host)]
}

// subsumes reports whether one of the grants subsumes g.
func (x *grantIndex) subsumes(g Grant) bool { return subsumed(x.near(g.Host), g) }

// bareHost returns a host without all "www." that it starts with.
func bareHost(host string) string {
	for strings.HasPrefix(host, "www.") {
		host = host[len("www."):]
	}
	return host
}
