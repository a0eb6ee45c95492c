package document

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// BaseHere returns the base of the element with these attributes (XML Base): its xml:base, resolved
// against the base around it. If the element has no valid xml:base, BaseHere returns the base
// around it.
func BaseHere(attrs []byte, around *url.URL) *url.URL {
	if len(attrs) == 0 || bytes.IndexByte(attrs, ':') < 0 {
		return around
	}
	for {
		name, value, rest, ok := xmlscan.NextAttr(attrs)
		if !ok {
			return around
		}
		if len(name) == len("xml:base") && strings.EqualFold(string(name), "xml:base") {
			return join(around, xmlscan.Decode(nil, value))
		}
		attrs = rest
	}
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
