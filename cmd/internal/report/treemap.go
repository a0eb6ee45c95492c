package report

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
)

// A tile is the rectangle of a document in the treemap.
type tile struct {
	X, Y, W, H float64
	Row        int // of the document in the table
	Document   *auditedDocument
	Label      string // as much of the name as fits, or ""

	size float64
}

const treemapWidth, treemapHeight = 960, 380

// treemap draws the rows of documents, each with an area in proportion to its entries (Bruls,
// Huizing and van Wijk, "Squarified Treemaps"). Small ones are enlarged so that they can be seen.
func treemap(rows []*auditedDocument) []tile {
	var tiles []tile
	entries := 0.0
	for i, d := range rows {
		if d.Format != sitemap.SitemapIndex {
			tiles = append(tiles, tile{Row: i, Document: d})
			entries += float64(d.Entries)
		}
	}
	slices.SortStableFunc(tiles, func(a, b tile) int {
		return cmp.Compare(b.Document.Entries, a.Document.Entries)
	})
	least, sum := max(1, entries/float64(8*len(tiles)+200)), 0.0
	for i := range tiles {
		tiles[i].size = max(least, float64(tiles[i].Document.Entries))
		sum += tiles[i].size
	}
	for i := range tiles {
		tiles[i].size *= treemapWidth * treemapHeight / sum
	}
	place(tiles)
	for i := range tiles {
		tiles[i].Label = tiles[i].label()
	}
	return tiles
}

// place gives each tile its place: row after row of tiles, each along the shorter side of the
// remaining area.
func place(tiles []tile) {
	x, y, w, h := 0.0, 0.0, float64(treemapWidth), float64(treemapHeight)
	for len(tiles) > 0 {
		n := rowLength(tiles, min(w, h))
		sum, along := 0.0, 0.0
		for _, t := range tiles[:n] {
			sum += t.size
		}
		for i := range tiles[:n] {
			t := &tiles[i]
			if w >= h {
				t.X, t.Y, t.W, t.H = x, y+along, sum/h, t.size*h/sum
				along += t.H
			} else {
				t.X, t.Y, t.W, t.H = x+along, y, t.size*w/sum, sum/w
				along += t.W
			}
		}
		if w >= h {
			x, w = x+sum/h, w-sum/h
		} else {
			y, h = y+sum/w, h-sum/w
		}
		tiles = tiles[n:]
	}
}

// rowLength returns how many tiles make a row along side whose tiles are closest to squares. The
// tiles are sorted, the largest first.
func rowLength(tiles []tile, side float64) int {
	best, sum := 0.0, 0.0
	for i, t := range tiles {
		sum += t.size
		worst := max(side*side*tiles[0].size/(sum*sum), sum*sum/(side*side*t.size))
		if i > 0 && worst > best {
			return i
		}
		best = worst
	}
	return len(tiles)
}

// label returns the name of the document, or as much of its end as fits into the tile.
func (t *tile) label() string {
	const character, margin, least = 7.7, 14, 9
	base := path.Base(strings.TrimRight(t.Document.Name, "/"))
	name := []rune(readable(strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".xml")))
	fits := int((t.W - margin) / character)
	if t.H < 22 || fits < min(len(name), least) {
		return ""
	}
	columns := func(r rune) int { return (utf8.RuneLen(r) + 1) / 2 } // two of a Chinese character
	cut := len(name)                                                 // name[:cut] does not fit
	for ; cut > 0 && fits >= columns(name[cut-1]); cut-- {
		fits -= columns(name[cut-1])
	}
	if cut > 0 {
		return "…" + string(name[min(cut+1, len(name)):])
	}
	return string(name)
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
