package audit

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// maxHosts bounds the hosts that are told apart, and those that are asked for their robots.txt.
const maxHosts = 1_000

// hosts judges the hosts of a site's pages and sitemaps.
type hosts struct {
	site  *site
	files map[location.Origin]*robots.File // nil where there is none to judge by
	pages map[location.Origin]*hostPages
	order []*hostPages // by their first page
	loose map[string]*hostPages
	last  *hostPages // of the page before
}

// A hostPages counts pages of one origin.
type hostPages struct {
	origin location.Origin
	prefix string // "https://www.example.com/"
	count  int
	first  place // of the first page
	loc    string
	robots *robots.File
	by     *discover.Sitemap
}

func newHosts(s *site) hosts {
	return hosts{
		site: s, files: map[location.Origin]*robots.File{}, pages: map[location.Origin]*hostPages{},
		loose: map[string]*hostPages{},
	}
}

// robots returns the robots.txt that speaks for a URL, or nil if it is not known.
func (h *hosts) robots(loc string) *robots.File {
	origin, _, err := location.ParseOrigin(loc)
	if err != nil {
		return nil
	}
	file, ok := h.files[origin]
	if !ok && len(h.files) < maxHosts {
		site := origin.String()
		if named, _, err := location.ParseOrigin(h.site.named); err == nil && named == origin {
			site = h.site.named // with its user name and password
		}
		if file, err = h.site.client.Robots(h.site.ctx, site); err != nil {
			file = nil
		}
		h.files[origin] = file
	}
	return file
}

// names reports whether records name a location.
func names(records []robots.Record, loc string) bool {
	return slices.ContainsFunc(records, func(r robots.Record) bool { return sameURL(r.Loc, loc) })
}

// sameURL reports whether two locations are one URL in the form that a request has.
func sameURL(a, b string) bool {
	if a == b {
		return true
	}
	return formOf(a) == formOf(b)
}

// page takes a page that a sitemap lists.
func (h *hosts) page(u *discover.URL, p place) {
	n := h.last
	if n == nil || !strings.HasPrefix(u.Loc, n.prefix) {
		if n = h.of(u, p); n == nil {
			return
		}
		h.last = n
	}
	n.count++
	if n.robots == nil {
		return
	}
	target, err := u.URL()
	if agent := h.site.o.agent(); err == nil && !n.robots.Allowed(agent, target) {
		h.site.atLoc(u.Sitemap, Finding{Code: "url_disallowed", Pos: u.Pos, Loc: u.Loc, Text: agent,
			Message: fmt.Sprintf("robots.txt disallows %s for %s", quoted(u.Loc), agent)})
	}
}

// of returns the pages of a page's host, or nil for one too many.
func (h *hosts) of(u *discover.URL, p place) *hostPages {
	origin, _, err := location.ParseOrigin(u.Loc)
	if err != nil {
		return nil
	}
	n := h.pages[origin]
	if n == nil && len(h.pages) < maxHosts {
		n = &hostPages{
			origin: origin,
			prefix: origin.String() + "/",
			loc:    u.Loc,
			robots: h.robots(u.Loc),
			first:  p,
		}
		h.pages[origin] = n
		h.order = append(h.order, n)
	}
	return n
}

// untrusted counts a page that its sitemap may not list.
func (h *hosts) untrusted(sm *discover.Sitemap, loc string) {
	origin, _, err := location.ParseOrigin(loc)
	if err != nil {
		return
	}
	n := h.loose[origin.Host]
	if n == nil && len(h.loose) < maxHosts {
		n = &hostPages{origin: origin, by: sm}
		h.loose[origin.Host] = n
	}
	if n != nil {
		n.count++
	}
}

// end judges the hosts together.
func (h *hosts) end() {
	for _, host := range slices.Sorted(maps.Keys(h.loose)) {
		n := h.loose[host]
		root := n.by // the robots.txt names the index above all
		for root.Referrer != nil {
			root = root.Referrer
		}
		h.site.emit(Finding{
			Code: "untrusted_host", Severity: failure, Sitemap: n.by.Loc, Text: host,
			Message: fmt.Sprintf(
				"%s on %s, which does not vouch for the sitemap",
				urls(n.count),
				host,
			),
			Fix: fmt.Sprintf(
				"Add this line to %s/robots.txt: Sitemap: %s",
				n.origin,
				sitemap.Redact(root.Loc),
			),
		})
	}
	if len(h.order) < 2 {
		return
	}
	slices.SortStableFunc(
		h.order,
		func(a, b *hostPages) int { return cmp.Compare(b.count, a.count) },
	)
	var list []string
	for _, n := range h.order[:min(len(h.order), 10)] {
		list = append(list, fmt.Sprintf("%s (%d)", n.origin, n.count))
	}
	if more := len(h.order) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	rare := h.order[1]
	h.site.at(
		rare.first,
		Finding{
			Code: "mixed_hosts",
			Loc:  rare.loc,
			Text: rare.origin.String(),
			Message: fmt.Sprintf(
				"pages of %d hosts or schemes: %s", len(h.order), strings.Join(list, ", ")),
		},
	)
}

// urls returns "1 URL" or "12 URLs".
func urls(n int) string {
	if n == 1 {
		return "1 URL"
	}
	return fmt.Sprintf("%d URLs", n)
}

// FileOf returns the name of the file that holds a page in a folder: for /a it is a, a.html or
// a/index.html. It is safe for concurrent use if files is.
func FileOf(files fs.FS, pagePath string) (name string, ok bool) {
	name = strings.TrimPrefix(path.Clean("/"+pagePath), "/")
	for _, candidate := range []string{name, name + ".html", path.Join(name, "index.html")} {
		info, err := fs.Stat(files, cmp.Or(candidate, "."))
		if err == nil && !info.IsDir() {
			return candidate, true
		}
	}
	return "", false
}
