package feed

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
)

// baseHere returns the base of the element whose start tag is current (XML Base):
// its own xml:base, resolved against that of what stands around it, which stays in
// force where there is none or it cannot be read.
func (d *document) baseHere(around *url.URL) *url.URL {
	if len(d.r.Attrs) == 0 || !bytes.Contains(d.r.Attrs, []byte(":")) {
		return around
	}
	for attrs := d.r.Attrs; ; {
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
