package discover

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// A verifier asks further hosts of the site whether their robots.txt names a document, before a
// page of theirs is refused.
type verifier struct {
	c       *Client
	o       *Options
	domains map[string]bool                  // registrable domains of the sites
	hosts   map[string]bool                  // that were asked
	names   map[location.Origin]map[key]bool // what each robots.txt names
}

func newVerifier(c *Client, o *Options, sites map[string][]string) *verifier {
	v := &verifier{
		c: c, o: o, domains: map[string]bool{}, hosts: map[string]bool{},
		names: map[location.Origin]map[key]bool{},
	}
	for host := range sites {
		if domain := registrable(host); domain != "" {
			v.domains[domain] = true
		}
	}
	return v
}

// verify returns the grant of o's host for n, if the robots.txt of o, or that of its other scheme,
// names the document or an index above it. Named are the URLs that the caller named.
func (v *verifier) verify(
	ctx context.Context, n *node, o location.Origin, named []string,
) (trust.Grant, bool) {
	g := trust.Grant{Host: strings.Clone(o.Host), Dir: "/", By: trust.Verified}
	ok := n.isNamed(v.namedBy(ctx, o, named)) || n.isNamed(v.namedBy(ctx, o.OtherScheme(), named))
	return g, ok
}

// namedBy returns the documents that the robots.txt of o names.
func (v *verifier) namedBy(ctx context.Context, o location.Origin, named []string) map[key]bool {
	if names, ok := v.names[o]; ok {
		return names
	}
	if !v.mayAsk(o.Host) {
		return nil
	}
	names := map[key]bool{}
	v.names[o], v.hosts[o.Host] = names, true
	at := siteurl.Site{URL: &url.URL{Scheme: o.Scheme, Host: o.Host}}
	f, err := v.c.otherRobots(ctx, at, named, v.o)
	if err != nil {
		return names
	}
	for _, r := range f.Sitemaps {
		names[keyOf(r.Loc)] = true
	}
	return names
}

// mayAsk reports whether host is under the registrable domain of a site, and no more than
// Options.VerifyHosts have been asked.
func (v *verifier) mayAsk(host string) bool {
	return v.domains[registrable(host)] && (v.hosts[host] || len(v.hosts) < v.o.verifyHosts())
}

// registrable returns the registrable domain of a host (publicsuffix.org), or "" for an address, a
// public suffix, and a host with a port.
func registrable(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || strings.Contains(host, ":") {
		return ""
	}
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return ""
	}
	return domain
}
