package report

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/seed-322c453a/sitemap"
)

// A tile is the rectangle of a document in the treemap.
type tile struct {
	X, Y, W, H float64
	Row        int // of the document in the table
	Document   *auditedDocument
	Label      string // as much of the name as fits, or ""

	entries float64 // more than the document has if that is too few to be seen
}

const treemapWidth, treemapHeight = 960, 380

// treemap draws the rows of documents, each with an area in proportion to its entries. Small ones
// are enlarged so that they can be seen.
func treemap(rows []*auditedDocument) []tile {
	var tiles []tile
	entries := 0.0
	for i, d := range rows {
		if d.Format != sitemap.SitemapIndex {
			tiles = append(tiles, tile{Row: i, Document: d, entries: float64(d.Entries)})
			entries += float64(d.Entries)
		}
	}
	slices.SortStableFunc(tiles, func(a, b tile) int { return cmp.Compare(b.entries, a.entries) })
	least := max(1, entries/float64(8*len(tiles)+200))
	for i := range tiles {
		tiles[i].entries = max(least, tiles[i].entries)
	}
	place(tiles, 0, 0, treemapWidth, treemapHeight)
	return tiles
}

// place gives tiles their places in a rectangle: it divides the tiles, and the rectangle across its
// longer side, into two parts that are as equal as can be, and each part again.
func place(tiles []tile, x, y, w, h float64) {
	if len(tiles) == 0 {
		return
	}
	all := 0.0
	for _, t := range tiles {
		all += t.entries
	}
	n, first := 1, tiles[0].entries
	for n < len(tiles) && first+tiles[n].entries/2 < all/2 {
		first += tiles[n].entries
		n++
	}
	share := first / all
	switch {
	case n == len(tiles):
		t := &tiles[0]
		t.X, t.Y, t.W, t.H = x, y, w, h
		t.Label = t.label()
	case w > h:
		place(tiles[:n], x, y, w*share, h)
		place(tiles[n:], x+w*share, y, w*(1-share), h)
	default:
		place(tiles[:n], x, y, w, h*share)
		place(tiles[n:], x, y+h*share, w, h*(1-share))
	}
}

// label returns the name of the document, or as much of its end as fits into the tile.
func (t *tile) label() string {
	const character, margin, least = 7.7, 14, 9
	base := path.Base(strings.TrimRight(t.Document.Name, "/"))
	name := readable(strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".xml"))
	width, fits := runewidth.StringWidth(name), int((t.W-margin)/character)
	switch {
	case t.H < 22 || fits < min(width, least):
		return ""
	case width > fits:
		return runewidth.TruncateLeft(name, width-fits+1, "…")
	}
	return name
}

// classes are the kinds of documents, the worst first.
var classes = []string{"error", "warning", "sound"}

// Class returns the worst that was found in the document.
func (d *auditedDocument) Class() string { return classes[d.rank()] }

func (d *auditedDocument) rank() int {
	switch {
	case d.Error != "" || d.Found.Errors > 0:
		return 0
	case d.Found.Warnings > 0:
		return 1
	}
	return 2
}
