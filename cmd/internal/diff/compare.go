package diff

import (
	"cmp"
	"context"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/export"
	"github.com/seed-322c453a/sitemap/internal/disksort"
)

// A change is a URL that differs between two listings.
type change struct {
	Change     string `json:"change"` // added, removed, changed or moved
	Loc        string `json:"loc"`
	OldLoc     string `json:"old_loc,omitempty"` // of a URL that has moved
	LastMod    string `json:"lastmod,omitempty"`
	OldLastMod string `json:"old_lastmod,omitempty"`
	Sitemap    string `json:"sitemap,omitempty"`
	OldSitemap string `json:"old_sitemap,omitempty"`
}

// strings returns the fields of a change, the URL first.
func (c *change) strings() []*string {
	return []*string{&c.Loc, &c.Change, &c.OldLoc, &c.LastMod, &c.OldLastMod, &c.Sitemap, &c.OldSitemap}
}

// encode returns a change in one string, which shares no memory with its part.
func (c *change) encode() string {
	var b []byte
	for _, s := range c.strings() {
		b = appendStrings(b, *s)
	}
	return string(b)
}

// changeOrder sorts encoded changes by URL.
var changeOrder = disksort.Order[string]{
	Compare: func(a, b string) int {
		var locA, locB string
		restA, restB := cutStrings(a, &locA), cutStrings(b, &locB)
		return cmp.Or(strings.Compare(locA, locB), strings.Compare(restA, restB))
	},
	Encode: func(c string) ([]byte, error) { return []byte(c), nil },
	Decode: func(b []byte) (string, error) { return string(b), nil },
}

// compare calls report with each change between two listings, in the order of the URLs.
func compare(
	ctx context.Context, old, now *listing, normalize bool, report func(*change) error,
) error {
	sorter := disksort.New(ctx, "", changeOrder)
	defer sorter.Close()
	c := &comparison{
		id: identity(normalize), has: old.has.With(now.has), index: map[string]int{},
		report: func(c *change) { sorter.Add(c.encode()) },
	}
	for n := range parts {
		err := old.read(n, func(u export.URL) { keepLatest(&c.page(u.Loc).old, u) })
		if err == nil {
			err = now.read(n, func(u export.URL) { keepLatest(&c.page(u.Loc).now, u) })
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		c.end()
	}
	for text := range sorter.Sorted() {
		var ch change
		cutStrings(text, ch.strings()...)
		if err := report(&ch); err != nil {
			return err
		}
	}
	return sorter.Err()
}

// A comparison compares a part of two listings.
type comparison struct {
	id     func(loc string) string
	has    export.Fields // that both listings have
	report func(*change)
	index  map[string]int // of pages, by id
	pages  []page
}

// A page is a URL in two listings.
type page struct{ old, now export.URL } // without a Loc if a listing lacks it

// page returns the page of a URL. It is valid until the next call.
func (c *comparison) page(loc string) *page {
	id := c.id(loc)
	i, ok := c.index[id]
	if !ok {
		i = len(c.pages)
		c.index[id] = i
		c.pages = append(c.pages, page{})
	}
	return &c.pages[i]
}

// keepLatest sets *to to u unless it has a later lastmod.
func keepLatest(to *export.URL, u export.URL) {
	later := cmp.Or(strings.Compare(u.LastMod, to.LastMod), strings.Compare(to.Sitemap, u.Sitemap))
	if to.Loc == "" || later > 0 {
		*to = u
	}
}

// end reports the changes of a part, and makes room for the next one.
func (c *comparison) end() {
	var removed, added []*page
	for i := range c.pages {
		switch p := &c.pages[i]; {
		case p.now.Loc == "":
			removed = append(removed, p)
		case p.old.Loc == "":
			added = append(added, p)
		default:
			if ch := p.change(c.has); ch.Change != "" {
				c.report(ch)
			}
		}
	}
	c.pair(removed, added)
	for _, p := range removed {
		if p.old.Loc != "" {
			c.report(&change{
				Change: "removed", Loc: p.old.Loc, OldLastMod: p.old.LastMod, OldSitemap: p.old.Sitemap,
			})
		}
	}
	for _, p := range added {
		if p.old.Loc == "" {
			c.report(&change{
				Change: "added", Loc: p.now.Loc, LastMod: p.now.LastMod, Sitemap: p.now.Sitemap,
			})
		}
	}
	clear(c.index)
	clear(c.pages)
	c.pages = c.pages[:0]
}

// pair reports the pages that have moved: a removed and an added one whose URLs differ only in http or
// https and in a slash at the end of the path. The removed one is emptied, and the added one gets its
// old URL.
func (c *comparison) pair(removed, added []*page) {
	if len(removed) == 0 || len(added) == 0 {
		return
	}
	type key struct{ path, query string }
	keyOf := func(loc string) key {
		path, query := pageKey(c.id(loc))
		return key{path, query}
	}
	gone := map[key][]*page{}
	for _, p := range removed {
		k := keyOf(p.old.Loc)
		gone[k] = append(gone[k], p)
	}
	for _, p := range added {
		k := keyOf(p.now.Loc)
		if len(gone[k]) == 0 {
			continue
		}
		p.old, gone[k][0].old = gone[k][0].old, export.URL{}
		gone[k] = gone[k][1:]
		ch := p.change(export.Fields{})
		ch.Change, ch.OldLoc = "moved", p.old.Loc
		c.report(ch)
	}
}

// change returns how a page differs in what both listings have. Its Change is empty if it does not.
func (p *page) change(has export.Fields) *change {
	c := &change{
		Loc: p.now.Loc, LastMod: p.now.LastMod, OldLastMod: p.old.LastMod, Sitemap: p.now.Sitemap,
		OldSitemap: p.old.Sitemap,
	}
	switch {
	case has.LastMod && !sameTime(p.old.LastMod, p.now.LastMod):
		c.Change = "changed"
	case has.Sitemap && p.old.Sitemap != p.now.Sitemap:
		c.Change = "moved"
	}
	return c
}

// sameTime reports whether two lastmods are the same, however they are written.
func sameTime(a, b string) bool {
	if a == b {
		return true
	}
	x, err := sitemap.ParseTime(a)
	y, otherErr := sitemap.ParseTime(b)
	return err == nil && otherErr == nil && x.Precision() == y.Precision() &&
		x.Start().Equal(y.Start())
}
