package diff

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
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

// An appendFunc appends the line of a change to b.
type appendFunc func(b []byte, c *change) []byte

// compare writes the line of each change between the sides, in the order of the URLs, and reports
// whether there is one.
func (l *listings) compare(
	ctx context.Context, line appendFunc, out io.Writer,
) (differ bool, err error) {
	sorter := disksort.New(ctx, "", disksort.Chunk, disksort.Strings)
	defer sorter.Close()
	var b []byte
	c := &comparison{
		listings: l, has: l.fields[old].With(l.fields[now]), index: map[string]int{},
		report: func(c *change) { // the URL, a NUL, the line, and the length of the URL
			b = append(append(b[:0], c.Loc...), 0)
			b = binary.BigEndian.AppendUint32(line(b, c), uint32(len(c.Loc)))
			sorter.Add(string(b))
			differ = true
		},
	}
	for n := range l.parts {
		err := l.read(n, func(side byte, u export.URL) { keepLatest(&c.page(u.Loc)[side], u) })
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return differ, err
		}
		c.end()
	}
	for text := range sorter.Sorted() {
		end := len(text) - 4
		loc := binary.BigEndian.Uint32([]byte(text[end:]))
		if _, err := io.WriteString(out, text[loc+1:end]); err != nil {
			return differ, err
		}
	}
	return differ, sorter.Err()
}

// A comparison compares the sides of a part.
type comparison struct {
	*listings
	has    export.Fields // that both sides have
	report func(*change)
	index  map[string]int // of pages, by id
	pages  []page
}

// A page is a URL on both sides, without a Loc on a side that lacks it.
type page [2]export.URL

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

// end reports the changes of a part, and makes room for the next one. A page has moved if its URL
// was removed, and a URL was added that differs only in http or https and in a slash at the end of
// the path.
func (c *comparison) end() {
	var added []*page
	gone := map[string][]*page{}
	for i := range c.pages {
		switch p := &c.pages[i]; {
		case p[now].Loc == "":
			k := pageKey(c.id(p[old].Loc))
			gone[k] = append(gone[k], p)
		case p[old].Loc == "":
			added = append(added, p)
		case c.has.LastMod && !sameTime(p[old].LastMod, p[now].LastMod):
			c.report(p.change("changed"))
		case c.has.Sitemap && p[old].Sitemap != p[now].Sitemap:
			c.report(p.change("moved"))
		}
	}
	for _, p := range added {
		k := pageKey(c.id(p[now].Loc))
		if len(gone[k]) == 0 {
			c.report(p.change("added"))
			continue
		}
		p[old], gone[k] = gone[k][0][old], gone[k][1:]
		ch := p.change("moved")
		ch.OldLoc = p[old].Loc
		c.report(ch)
	}
	for _, list := range gone {
		for _, p := range list {
			c.report(p.change("removed"))
		}
	}
	clear(c.index)
	clear(c.pages)
	c.pages = c.pages[:0]
}

// change returns how a page differs.
func (p *page) change(kind string) *change {
	return &change{
		Change: kind, Loc: cmp.Or(p[now].Loc, p[old].Loc), LastMod: p[now].LastMod,
		OldLastMod: p[old].LastMod, Sitemap: p[now].Sitemap, OldSitemap: p[old].Sitemap,
	}
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
