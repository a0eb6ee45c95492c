package conformance

import (
	"net/url"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A reference reads a tree by the rulings. Of the code of the formats, it uses only the readers of
// values: locations, dates, numbers.
type reference struct {
	sink    *document.Sink
	base    *url.URL
	root    *node
	entries []sitemap.Entry
	several bool // a location holds several URLs, which no tree shows
}

var noPosition sitemap.Position

// referenceEntries returns the entries of a document as read by encoding/xml.
func referenceEntries(doc []byte, base *url.URL) ([]sitemap.Entry, error) {
	root, err := readTree(doc)
	if err != nil {
		return nil, err
	}
	ref := &reference{root: root, base: base}
	ref.sink = document.NewSink(&sitemap.Options{Base: base}, document.NewTally(), nil)
	switch root.local {
	case "urlset", "sitemapindex":
		err = ref.sitemap()
	case "rss", "rdf":
		err = ref.rss()
	case "feed":
		err = ref.atom()
	default:
		err = errSetAside
	}
	if ref.several {
		return nil, errSetAside
	}
	return ref.entries, err
}

// loc reads a location.
func (ref *reference) loc(text, field string) (string, bool) {
	ref.several = ref.several || location.Several([]byte(text)) != nil
	return ref.sink.Loc([]byte(text), noPosition, field)
}

var sitemapSpaces = []string{"", protocolNS, "https" + strings.TrimPrefix(protocolNS, "http"),
	"http://www.google.com/schemas/sitemap/0.84"}

// sitemapFields are the protocol's own fields of an entry.
var sitemapFields = []string{"loc", "lastmod", "changefreq", "priority"}

// sitemap reads a urlset or sitemapindex: its children named url or sitemap.
func (ref *reference) sitemap() error {
	if !slices.Contains(sitemapSpaces, ref.root.space) && ref.root.prefix != "" ||
		ref.root.oddSpace() || ref.root.any((*node).oddSpace) {
		return errSetAside
	}
	for _, n := range ref.root.children {
		if n.isSitemapEntry() {
			// An entry's tag inside an entry, or a field's inside a field, ends the outer one:
			// damaged documents are read like that.
			if n.any((*node).isSitemapEntry) || slices.ContainsFunc(n.children, func(f *node) bool {
				return f.isSitemapField() && f.any((*node).isSitemapField)
			}) {
				return errSetAside
			}
			ref.sitemapEntry(n)
		} else if n.any((*node).isSitemapEntry) {
			return errSetAside
		}
	}
	return nil
}

// oddSpace reports whether a namespace resembles one of the protocol's.
func (n *node) oddSpace() bool {
	uri := strings.ReplaceAll(strings.ToLower(n.space), "/sitemap-", "")
	return !slices.Contains(sitemapSpaces, n.space) && strings.Contains(uri, "sitemap")
}

// isSitemapEntry reports whether n is an entry by its name, in a namespace of the protocol or
// without a prefix.
func (n *node) isSitemapEntry() bool {
	return (n.local == "url" || n.local == "sitemap") &&
		(n.prefix == "" || slices.Contains(sitemapSpaces, n.space))
}

func (n *node) isSitemapField() bool {
	return slices.Contains(sitemapFields, n.local)
}

// sitemapEntry reads an entry: one for each loc, with the fields up to the next loc. Fields before
// the first loc belong to it.
func (ref *reference) sitemapEntry(n *node) {
	kind := sitemap.Page
	if n.local == "sitemap" {
		kind = sitemap.Sitemap
	}
	e := sitemap.Entry{Kind: kind}
	locs, ok := 0, false
	take := func(text string) {
		if ok && strings.TrimSpace(text) == "" {
			return // the fields after it stay those of the location before it
		}
		if locs++; locs > 1 {
			if ok {
				ref.entries = append(ref.entries, e)
			}
			e = sitemap.Entry{Kind: kind}
		}
		e.Loc, ok = ref.loc(text, "loc")
	}
	for _, f := range n.children {
		if !f.isSitemapField() || !slices.Contains(sitemapSpaces, f.space) &&
			f.space != ref.root.space && f.space != n.space {
			continue
		}
		text := []byte(f.content())
		switch f.local {
		case "loc":
			take(string(text))
		case "lastmod":
			if t := ref.sink.W3CTime(text, noPosition, ""); !t.IsZero() {
				e.LastMod = t
			}
		case "changefreq":
			if v := ref.sink.ChangeFreq(text, noPosition, ""); v != 0 {
				e.ChangeFreq = v
			}
		case "priority":
			if v := ref.sink.Priority(text, noPosition, ""); !v.IsZero() {
				e.Priority = v
			}
		}
	}
	if text := strings.TrimSpace(n.direct()); locs == 0 &&
		(strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")) {
		take(text)
	}
	if ok {
		ref.entries = append(ref.entries, e)
	}
}
