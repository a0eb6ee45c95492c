package audit

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/normal"
)

// The codes of hosts.
const (
	LocalHost     sitemap.Code = "local_host"
	MixedHosts    sitemap.Code = "mixed_hosts"
	StagingHost   sitemap.Code = "staging_host"
	UntrustedHost sitemap.Code = "untrusted_host"
)

var _ = register(
	rule(LocalHost, failure, "RFC 6761 and RFC 6890", "a page on a local or private host",
		"Nobody else can reach it. The sitemap was written on a computer of a developer.",
		"Configure the public URL of the site in the program that writes the sitemap, and write "+
			"it again."),
	rule(MixedHosts, warning, protocolXML,
		"pages of several hosts or schemes in a sitemap or the sitemaps of a site",
		"All URLs of a sitemap have to be on one host. Often some are left from a move to https "+
			"or to another name.",
		"List the canonical URLs alone, and give each host a sitemap of its own."),
	rule(StagingHost, warning, protocolXML, "a few pages on a staging or preview host",
		"They are copies of the public pages, which search engines then show twice.",
		"List the public URLs, and keep search engines off the other host."),
	rule(UntrustedHost, failure, protocolCross,
		"URLs on a host that does not vouch for the sitemap",
		"Search engines ignore them, since anybody could list URLs of others otherwise.",
		"Remove or correct the URLs. If the host is yours, its robots.txt can name the sitemap."),
	rule(sitemap.UntrustedLoc, failure, protocolLocation, "a URL that the sitemap may not list",
		"Search Console reports that the URL is not allowed, and it is left out. Anybody could "+
			"list URLs of others otherwise.",
		"Remove or correct the URL. If its host is yours, its robots.txt can name the sitemap."),
)

// hostRules judges the hosts of a document whose site is not known.
type hostRules struct {
	*judge
	*origins
	base  *url.URL    // location of the document, or nil
	scope trust.Scope // of a sitemap there
}

// add judges the host of an entry.
func (h *hostRules) add(e *sitemap.Entry, o *origin) {
	o.add(func() place { return h.field(e, document.Loc) })
	if len(h.scope) > 0 && !isFeed(h.format) {
		h.atBase(e, o)
	}
}

// atBase judges whether a sitemap at the base of a document may list an entry.
func (h *hostRules) atBase(e *sitemap.Entry, o *origin) {
	grant := h.scope[0]
	if e.Kind == sitemap.Sitemap {
		if o.Host != grant.Host {
			h.findLoc(otherSite(o.Host), e,
				"%s is on another host than the index", quoted(e.Loc))
		}
		return
	}
	level, _ := h.scope.JudgeAt(o.Origin, normal.Path(e.Loc[len(o.authority):]))
	if level > trust.Variant ||
		isLocalHost(o.Host) && !isLocalHost(grant.Host) { // else a local_host
		return
	}
	rule, why := of(sitemap.UntrustedLoc).with(warning), ""
	switch {
	case hostname(o.Host) != hostname(grant.Host):
		rule, why = rule.with(failure), "is on another host than the sitemap"
	case o.Host != grant.Host:
		why = "has another port than the sitemap"
	case o.Scheme != grant.Scheme:
		why = "has another scheme than the sitemap"
	default:
		rule, why = rule.fixedBy(moveUp), "is not in the directory of the sitemap"
	}
	h.findLoc(rule, e, "%s %s", quoted(e.Loc), why)
}

// end judges the hosts together.
func (h *hostRules) end() {
	switch {
	case isFeed(h.format):
	case h.format != sitemap.SitemapIndex && h.base != nil:
		h.origins.end(&h.reporter, h.base.Host, true)
	case h.format != sitemap.SitemapIndex:
		h.origins.end(&h.reporter, "", false)
	case h.base == nil:
		h.otherChildren()
	}
}

// moveUp is the fix for a sitemap that lists pages above its directory.
const moveUp = "Move the sitemap to the top of the site, or name it in robots.txt."

// otherSite returns the rule about sitemaps of an index on a host, whose robots.txt is not known.
func otherSite(host string) Rule {
	rule := of(ChildOnOtherSite).with(warning)
	if isLocalHost(host) {
		rule = rule.fixedBy(of(LocalHost).Fix)
	}
	return rule
}

// otherChildren reports sitemaps of an index that are on another host than most.
func (h *hostRules) otherChildren() {
	all := h.hosts()
	for _, n := range all {
		if n.Host != all[0].Host {
			h.report(otherSite(n.Host), n.first, n.Host, "%s on %s, the others on %s",
				plural(n.count, "sitemap", "sitemaps"), n.Host, all[0].Host)
		}
	}
}

// hosts returns the hosts that have pages, the most common one first.
func (o *origins) hosts() []*host {
	list := slices.DeleteFunc(slices.Clone(o.list), func(h *host) bool { return h.count == 0 })
	slices.SortStableFunc(list, func(a, b *host) int { return cmp.Compare(b.count, a.count) })
	return list
}

// lists reports whether pages on the host of a location were read, with "www." or without.
func (o *origins) lists(loc string) bool {
	n := o.of(loc)
	return n != nil && slices.ContainsFunc(o.list, func(h *host) bool {
		return h.isRead &&
			strings.TrimPrefix(h.Host, "www.") == strings.TrimPrefix(n.Host, "www.")
	})
}

// rareHost sets the share of pages below which another host counts as a mistake: one page in
// rareHost.
const rareHost = 20

// end judges the hosts of pages together. Site is the host of the site, or "" if it is not known;
// with isJudged, pages on other hosts have findings already.
func (o *origins) end(r *reporter, site string, isJudged bool) {
	all := o.hosts()
	total, public := 0, 0
	for _, n := range all {
		if total += n.count; !isLocalHost(n.Host) {
			public++
		}
	}
	all = slices.DeleteFunc(all, func(n *host) bool {
		switch {
		case isLocalHost(n.Host) && !isLocalHost(site) &&
			(site != "" || public > 0 || isLoopback(n.Host)):
			r.report(of(LocalHost), n.first, n.Host, "%s on %s, which only its own network reaches",
				plural(n.count, "page", "pages"), n.Host)
		case isStaging(n.Host, all[0].Host) && n.count*rareHost < total:
			r.report(of(StagingHost), n.first, n.Host, "%s on %s, which looks like a preview of %s",
				plural(n.count, "page", "pages"), n.Host, all[0].Host)
		default:
			return false
		}
		return true
	})
	if len(all) > 1 && !isJudged {
		mixedHosts(r, all)
	}
}

// maxNamed is how many hosts a message names.
const maxNamed = 10

func mixedHosts(r *reporter, all []*host) {
	var list []string
	for _, n := range all[:min(len(all), maxNamed)] {
		list = append(list, fmt.Sprintf("%s (%d)", n.Origin, n.count))
	}
	if more := len(all) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	r.report(of(MixedHosts), all[1].first, all[1].Origin.String(),
		"pages of %d hosts or schemes: %s", len(all), strings.Join(list, ", "))
}

// hostname returns a host in lower case, without its port and a dot at its end.
func hostname(host string) string {
	u := url.URL{Host: host}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// isLoopback reports whether a host is the computer itself, where nobody publishes a site.
func isLoopback(host string) bool {
	name := hostname(host)
	a, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && (a.IsLoopback() || a.IsUnspecified())
}

// isLocalHost reports whether a host is not one of the public network.
func isLocalHost(host string) bool {
	name := hostname(host)
	if name == "" {
		return false
	}
	if a, err := netip.ParseAddr(name); err == nil {
		return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified()
	}
	i := strings.LastIndexByte(name, '.')
	local := []string{"localhost", "local", "test", "internal", "example"}
	return i < 0 || slices.Contains(local, name[i+1:])
}

// previews are the domains under which platforms publish previews.
var previews = []string{".vercel.app", ".netlify.app", ".pages.dev", ".herokuapp.com", ".web.app",
	".azurestaticapps.net", ".onrender.com", ".fly.dev", ".github.io", ".gitlab.io"}

// isStaging reports whether a host is a preview of another one.
func isStaging(host, main string) bool {
	host, main = hostname(host), strings.TrimPrefix(hostname(main), "www.")
	names := []string{"staging." + main, "dev." + main, "test." + main, "preview." + main}
	isPreview := func(domain string) bool { return strings.HasSuffix(host, domain) }
	return slices.Contains(names, host) || host != main && slices.ContainsFunc(previews, isPreview)
}

// maxOrigins bounds the origins that are counted separately.
const maxOrigins = 1_000

// A host counts the pages of one scheme and host.
type host struct {
	location.Origin
	tally                         // of its pages
	isRead bool                   // some of them are compared across documents
	asked  bool                   // allows is known
	allows func(path string) bool // by its robots.txt, nil if that has no rules
}

// An origin is a host in one spelling.
type origin struct {
	*host
	authority string // "https://www.example.com"
	key       uint64 // a hash of the host without "www."
	exact     uint64 // a hash of authority
	odd       bool   // authority has characters that a URL may not contain, or an empty port
}

// An origins holds the origins of the pages of a document or a site.
type origins struct {
	byAuthority map[string]*origin
	list        []*host // by their first page
	last        *origin
}

func newOrigins() *origins { return &origins{byAuthority: map[string]*origin{}} }

// hasSecondScheme reports whether the part before a path is a URL that another one follows without
// a slash, as in https://www.example.comhttps://www.example.com/page.
func hasSecondScheme(authority string) bool {
	return strings.HasSuffix(authority, "http:") || strings.HasSuffix(authority, "https:")
}

var seed = maphash.MakeSeed()

// of returns the origin of a location. It returns nil for a location that is not a URL or two in
// one, and beyond maxOrigins.
func (o *origins) of(loc string) *origin {
	if o.last != nil && location.HasAuthority(loc, o.last.authority) {
		return o.last
	}
	authority, _ := location.Split(loc)
	n := o.byAuthority[authority]
	if n == nil {
		if len(o.byAuthority) >= maxOrigins {
			return nil
		}
		parsed, err := location.AuthorityOrigin(authority)
		if err != nil || hasSecondScheme(authority) {
			return nil
		}
		i := slices.IndexFunc(o.list, func(h *host) bool { return h.Origin == parsed })
		if i < 0 {
			i, o.list = len(o.list), append(o.list, &host{Origin: parsed})
		}
		n = &origin{host: o.list[i], authority: authority}
		n.key = maphash.String(seed, strings.TrimPrefix(parsed.Host, "www."))
		n.exact = maphash.String(seed, authority)
		n.odd = classOf(authority[strings.Index(authority, "://")+3:])&isOdd != 0 ||
			strings.HasSuffix(authority, ":")
		o.byAuthority[authority] = n
	}
	o.last = n
	return n
}
