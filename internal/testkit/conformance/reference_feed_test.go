package conformance

import (
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

const (
	atomNS    = "http://www.w3.org/2005/Atom"
	atom03NS  = "http://purl.org/atom/ns#"
	dcNS      = "http://purl.org/dc/elements/1.1/"
	dcTermsNS = "http://purl.org/dc/terms/"
	rdfNS     = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	rss10NS   = "http://purl.org/rss/1.0/"
)

// feedSpaces are the namespaces whose elements are compared. A feed with elements of other
// namespaces with these names is set aside.
var feedSpaces = []string{"", atomNS, atom03NS, dcNS, dcTermsNS, rdfNS, rss10NS,
	"http://purl.org/rss/1.0/modules/content/"}

func (n *node) oddFeedSpace() bool {
	if slices.Contains(feedSpaces, n.space) {
		return false
	}
	uri := strings.ToLower(n.space)
	return slices.ContainsFunc([]string{"atom", "rss", "purl", "w3.org", "netscape", "userland",
		"harvard", "mrss", "necho"},
		func(word string) bool { return strings.Contains(uri, word) })
}

// feedEntries returns the entries of a feed: the elements with that name in the root or in its
// channel. It sets a feed aside if its meaning depends on a ruling rather than on XML: with entries
// elsewhere or in another namespace, or with xml:base.
func (ref *reference) feedEntries(name string) (entries []*node, err error) {
	odd := func(n *node) bool {
		_, hasBase := n.attr("base")
		return hasBase || n.oddFeedSpace()
	}
	if odd(ref.root) || ref.root.any(odd) {
		return nil, errSetAside
	}
	all := 0
	ref.root.any(func(n *node) bool {
		if n.local == "item" || n.local == "entry" || n.local == "channel" || n.local == "feed" {
			all++
		}
		return false
	})
	for _, parent := range append([]*node{ref.root}, ref.root.children...) {
		if parent != ref.root {
			if parent.local != "channel" || !ref.own(parent) {
				continue
			}
			all--
		}
		for _, n := range parent.children {
			if n.local == name && ref.own(n) {
				if strings.TrimSpace(n.direct()) != "" {
					return nil, errSetAside // a URL there may be used as the link
				}
				entries = append(entries, n)
			}
		}
	}
	if all != len(entries) {
		return nil, errSetAside
	}
	return entries, nil
}

// own reports whether n is in the feed's own namespace.
func (ref *reference) own(n *node) bool {
	if ref.root.space == rdfNS {
		return n.space == rss10NS
	}
	return n.space == ref.root.space
}

// one returns the only child of n with that name and namespace, or nil. It sets aside an entry with
// several such children, or with one that contains elements.
func (n *node) one(local, space string) (found *node, err error) {
	for _, c := range n.children {
		if c.local != local || c.space != space {
			continue
		}
		if found != nil || c.any(func(*node) bool { return true }) {
			return nil, errSetAside
		}
		found = c
	}
	return found, nil
}

// rss reads the items of RSS: link, else an Atom link, else a guid that is an absolute
// URL; pubDate, else dc:date, else atom:updated, else dcterms:modified.
func (ref *reference) rss() error {
	items, err := ref.feedEntries("item")
	for _, item := range items {
		if err == nil {
			err = ref.rssItem(item)
		}
	}
	return err
}

func (ref *reference) rssItem(item *node) error {
	e := sitemap.Entry{}
	link, err1 := item.one("link", item.space)
	atomLink, err2 := item.one("link", atomNS)
	guid, err3 := item.one("guid", item.space)
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			return err
		}
	}
	if link != nil && len(link.attrs) > 0 || atomLink != nil && item.space != atomNS {
		return errSetAside
	}
	ok := false
	switch text := guid.trimmed(); {
	case link != nil && strings.TrimSpace(link.content()) != "":
		if e.Loc, ok = ref.loc(link.content(), ""); !ok && guid != nil {
			return errSetAside
		}
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
		e.Loc, ok = ref.loc(text, "")
	case strings.Contains(text, ":/"):
		return errSetAside
	}
	dates := 0
	for _, d := range item.children {
		t := sitemap.Time{}
		switch {
		case d.local == "pubdate" && d.space == item.space:
			t = ref.sink.RFC822Time([]byte(d.content()), noPosition, "")
		case d.local == "date", d.local == "updated", d.local == "modified":
			t = ref.sink.W3CTime([]byte(d.content()), noPosition, "")
			if space := map[string]string{"date": dcNS, "updated": atomNS,
				"modified": dcTermsNS}[d.local]; d.space != space {
				return errSetAside
			}
		case slices.Contains([]string{"pubdate", "published", "issued", "created"}, d.local):
			return errSetAside
		default:
			continue
		}
		e.LastMod = t
		if dates++; dates > 1 || d.any(func(*node) bool { return true }) {
			return errSetAside
		}
	}
	if ok {
		ref.entries = append(ref.entries, e)
	}
	return nil
}

// trimmed returns the trimmed text of n, or "" if n is nil.
func (n *node) trimmed() string {
	if n == nil {
		return ""
	}
	return strings.TrimSpace(n.content())
}

// atom reads the entries of Atom: the first link without rel, else the first alternate
// that is HTML, else the first alternate, else an id that is an absolute URL.
func (ref *reference) atom() error {
	if !slices.Contains([]string{"", atomNS, atom03NS}, ref.root.space) {
		return errSetAside
	}
	entries, err := ref.feedEntries("entry")
	for _, n := range entries {
		if err == nil {
			err = ref.atomEntry(n)
		}
	}
	return err
}

func (ref *reference) atomEntry(n *node) error {
	links := map[string]string{} // by kind
	for _, l := range n.children {
		if l.local != "link" || l.space != n.space {
			continue
		}
		href, ok := l.attr("href")
		rel, hasRel := l.attr("rel")
		typ, hasType := l.attr("type")
		switch {
		case !ok || strings.TrimSpace(href) == "" || l.content() != "":
			return errSetAside
		case hasRel && rel != "alternate" &&
			!slices.Contains([]string{"self", "edit", "replies", "enclosure", "via", "related"},
				rel):
			return errSetAside
		case hasType && typ != "text/html" && strings.Contains(strings.ToLower(typ), "html"):
			return errSetAside
		case !hasRel:
			rel = "none"
		case rel == "alternate" && typ == "text/html":
			rel = "html"
		}
		if _, ok := links[rel]; !ok {
			links[rel] = href
		}
	}
	id, err := n.one("id", n.space)
	if err != nil {
		return err
	}
	candidates := []string{links["none"], links["html"], links["alternate"], id.trimmed()}
	candidates = slices.DeleteFunc(candidates, func(s string) bool { return s == "" })
	e, ok := sitemap.Entry{}, false
	if len(candidates) > 0 && (len(candidates) > 1 || id.trimmed() == "" ||
		strings.HasPrefix(id.trimmed(), "http://") || strings.HasPrefix(id.trimmed(), "https://")) {
		if e.Loc, ok = ref.loc(candidates[0], ""); !ok &&
			len(candidates) > 1 {
			return errSetAside
		}
	} else if id != nil && strings.Contains(id.trimmed(), ":/") {
		return errSetAside
	}
	if err := ref.atomDates(n, &e); err != nil {
		return err
	}
	if ok {
		ref.entries = append(ref.entries, e)
	}
	return nil
}

// atomDates reads updated (modified in 0.3), else published (issued or created).
func (ref *reference) atomDates(n *node, e *sitemap.Entry) error {
	seen := map[string]bool{}
	for _, d := range n.children {
		what := map[string]string{"updated": "updated", "modified": "updated",
			"published": "published", "issued": "published", "created": "published",
			"date": "date"}[d.local]
		if what == "" {
			continue
		}
		if d.space != n.space || what == "date" || seen[what] ||
			d.any(func(*node) bool { return true }) {
			return errSetAside
		}
		seen[what] = true
		t := ref.sink.W3CTime([]byte(d.content()), noPosition, "")
		if what == "updated" {
			e.LastMod = t
		} else {
			e.Published = t
		}
	}
	if e.LastMod.IsZero() {
		e.LastMod, e.Published = e.Published, sitemap.Time{}
	}
	return nil
}
