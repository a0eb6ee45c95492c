package record

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// BaseHere returns the base of the element with these attributes (XML Base):
// its own xml:base, resolved against that of what stands around it, which stays in
// force where there is none or it cannot be read.
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

// join returns the base that raw names within around.
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
