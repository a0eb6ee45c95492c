package document

import (
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/xmlchar"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// BaseHere returns the base of the element whose start tag is current (XML Base): its xml:base,
// resolved against the base around it. If the element has no valid xml:base, BaseHere returns the
// base around it.
func BaseHere(r *xmlscan.Reader, around *url.URL) *url.URL {
	for a := range r.Attrs() {
		if len(a.Name) == len("xml:base") && strings.EqualFold(string(a.Name), "xml:base") {
			return join(around, xmlchar.Decode(nil, a.Value))
		}
	}
	return around
}

// join returns the base that raw names, resolved against around.
func join(around *url.URL, raw []byte) *url.URL {
	r := location.Resolver{Base: around}
	loc, ok := r.CleanRef(raw)
	if !ok {
		return around
	}
	u, err := sitemap.ParseLoc(loc)
	if err != nil {
		return around
	}
	return u
}
