package discover

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestManyGrants: the grants of many hosts give what they give one by one.
func TestManyGrants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var hosts []string
	for i := range 3 * fewGrants {
		hosts = append(hosts, fmt.Sprintf("%s%d.example", []string{"", "www.", "www.www."}[r.IntN(3)], i/3))
	}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	some := func(n int) (grants []Grant) {
		for range n {
			grants = append(grants, Grant{
				Scheme: pick("", "", "https"), Host: pick(hosts...), Dir: pick("/", "/a/", "/a/b/"),
				By: ByVariant + Trust(r.IntN(5)),
			})
		}
		return grants
	}
	for range 50 {
		scope, other := Scope{}.With(some(r.IntN(60))...), Scope{some(r.IntN(60))}
		merged := slices.Clone(scope.Grants)
		for _, g := range other.Grants {
			merged = add(merged, g)
		}
		with := scope.With(other.Grants...)
		if !slices.Equal(with.Grants, merged) {
			t.Fatalf("%v with %v: %v, want %v", scope, other, with, merged)
		}
		missing := slices.DeleteFunc(slices.Clone(other.Grants), func(g Grant) bool { return subsumed(scope.Grants, g) })
		if got := scope.missing(other); !slices.Equal(got, missing) {
			t.Fatalf("%v lacks %v of %v, want %v", scope, got, other, missing)
		}
		slices.Sort(hosts)
		j := newJudge(with, hosts[:5])
		for range 3 * maxJudged {
			loc := pick("http://", "https://") + pick(hosts...) + pick("/", "/a/", "/a/b/", "/c/") + "p"
			got, h := j.trust(loc)
			onSite := slices.ContainsFunc(j.sites, func(site string) bool { return sameButWWW(site, h.origin.Host) })
			if got != with.Trust(loc) || h.onSite != onSite {
				t.Fatalf("%s: %v, on a site %v, under %v", loc, got, h.onSite, with)
			}
		}
	}
}
