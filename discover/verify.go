package discover

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// verifyTime is how long a walk waits for one robots.txt, tries and all, that may vouch for a
// document: nothing else is read meanwhile, only fetched ahead.
const verifyTime = 15 * time.Second

// A verifier remembers the robots.txt files that were asked whether they name a
// document.
type verifier struct {
	// By origin, the documents that its robots.txt names; nil if it was asked before the walk
	// was interrupted.
	names map[location.Origin]map[key]bool
	hosts map[string]bool // of the origins
	asked []string        // origins, for the current document
}

// recall takes in the origins that were asked for a document of the walk before it was
// interrupted: they count, and are asked again when what they named matters.
func (v *verifier) recall(origins []string) {
	for _, loc := range origins {
		if o, _, err := location.ParseOrigin(loc); err == nil && v.names[o] == nil {
			v.set(o, nil)
		}
	}
}

func (v *verifier) set(o location.Origin, names map[key]bool) {
	if v.names == nil {
		v.names, v.hosts = map[location.Origin]map[key]bool{}, map[string]bool{}
	}
	v.names[o] = names
	v.hosts[o.Host] = true
}

// takeAsked returns the origins that were asked for the current document.
func (v *verifier) takeAsked() []string {
	asked := v.asked
	v.asked = nil
	return asked
}

// verify returns the grant of o's host for r, if the robots.txt of o, or that of its other
// scheme, names r's document or an index above it: whichever is listed first. Only hosts under
// the registrable domain of a site are asked, and no more than Options.VerifyHosts.
func (w *walk) verify(r *record, o location.Origin) (Grant, bool) {
	return verificationGrant(o.Host), r.isNamed(w.namesOf(o)) || r.isNamed(w.namesOf(o.OtherScheme()))
}

// verificationGrant returns what the robots.txt of a host grants by being asked.
func verificationGrant(host string) Grant {
	return Grant{Host: strings.Clone(host), Dir: "/", By: ByVerification}
}

// isNamed reports whether the document, or an index above it, is among names.
func (r *record) isNamed(names map[key]bool) bool {
	isNamed := func(k key) bool { return names[k] }
	for ; r != nil && len(names) > 0; r = r.parent {
		if names[r.final] || slices.ContainsFunc(r.keys, isNamed) {
			return true
		}
	}
	return false
}

// verified returns the grants of the hosts that were asked so far and name an index, or one
// above it.
func (w *walk) verified(index *record) (grants []Grant) {
	byText := func(a, b location.Origin) int { return strings.Compare(a.String(), b.String()) }
	for _, o := range slices.SortedFunc(maps.Keys(w.verifier.names), byText) {
		if index.isNamed(w.namesOf(o)) {
			grants = append(grants, verificationGrant(o.Host))
		}
	}
	return grants
}

// namesOf returns what the robots.txt of o names.
func (w *walk) namesOf(o location.Origin) map[key]bool {
	v := &w.verifier
	names := v.names[o]
	if names != nil {
		return names
	}
	if !w.mayVerify(o) || !v.hosts[o.Host] && len(v.hosts) >= w.o.verifyHosts() {
		return nil
	}
	names = map[key]bool{}
	v.set(o, names)
	v.asked = append(v.asked, o.String())
	var robots *Robots
	w.fillDuring(func() { robots, _ = w.robotsWithin(verifyTime, o) })
	if robots == nil {
		return names
	}
	for _, s := range robots.Sitemaps {
		// A robots.txt that was redirected speaks for this host all the same, but
		// for no other.
		names[keyOf(s.Loc)] = true
	}
	w.graph.named(names, verificationGrant(o.Host))
	return names
}

// mayVerify reports whether o is under the registrable domain of a site.
func (w *walk) mayVerify(o location.Origin) bool {
	domain := registrable(o.Host)
	return domain != "" && slices.ContainsFunc(w.sites, func(s string) bool { return registrable(s) == domain })
}

// maxVouching bounds the hosts that vouched for a document, and those that did not, that a State
// remembers.
const maxVouching = 16

// reverify has a document read that is not to be for what the State has of it, if a host that
// did not vouch for it then does now.
func (w *walk) reverify(c *child, r *record) {
	now := w.state.entry(c.loc)
	e := now.content()
	isHeldBack := c.skip == ByState && now != e
	if c.skip == ByResume || isHeldBack || e == nil || len(e.Unverified) == 0 {
		return
	}
	r.final = keyOf(e.Final)
	for _, loc := range e.Unverified {
		o, _, err := location.ParseOrigin(loc)
		if err != nil {
			continue
		}
		if _, ok := w.verify(r, o); ok {
			c.fresh, c.skip = true, NotSkipped
			return
		}
	}
}
