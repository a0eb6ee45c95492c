package report

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A bar is a row of a table with a bar.
type bar struct {
	name
	Count int64
}

// longest returns the length of the longest bar.
func longest(list []bar) int64 {
	length := int64(1)
	for _, b := range list {
		length = max(length, b.Count)
	}
	return length
}

// maxBars is how many bars of names are shown.
const maxBars = 25

// top returns the longest bars, and one for all others.
func top(counts map[name]int64) []bar {
	return first(counts, func(a, b bar) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Note, b.Note))
	})
}

// latest returns the bars of the months, the latest first, or of the years if there are many months.
func latest(months map[name]int64) []bar {
	counts := months
	if len(months) > maxBars {
		counts = map[name]int64{}
		for month, n := range months {
			year, _, _ := strings.Cut(month.Name, "-")
			counts[name{Name: year}] += n
		}
	}
	return first(counts, func(a, b bar) int { return cmp.Compare(b.Name, a.Name) })
}

// first returns the first bars in an order, and one for all others.
func first(counts map[name]int64, order func(a, b bar) int) []bar {
	var list []bar
	for n, c := range counts {
		list = append(list, bar{name: n, Count: c})
	}
	slices.SortFunc(list, order)
	if more := len(list) - maxBars; more > 1 {
		rest := bar{name: name{Name: cli.Thousands(int64(more)) + " others"}}
		for _, b := range list[maxBars:] {
			rest.Count += b.Count
		}
		list = append(list[:maxBars], rest)
	}
	return list
}

// sizeLimits are where the classes of sizes end, in bytes.
var sizeLimits = []int64{1 << 10, 10 << 10, 100 << 10, 1 << 20, 10 << 20, 50 << 20, math.MaxInt64}

// sizes counts documents by size.
func sizes(documents []*auditedDocument) []bar {
	list := make([]bar, len(sizeLimits))
	for i, limit := range sizeLimits {
		list[i].Name = "up to " + strings.Replace(cli.Size(limit), ".0", "", 1)
	}
	list[len(list)-1].Name = "over 50 MiB, the protocol's limit"
	for _, d := range documents {
		if d.Format != sitemap.UnknownFormat {
			i, _ := slices.BinarySearch(sizeLimits, d.Bytes)
			list[i].Count++
		}
	}
	for len(list) > 0 && list[len(list)-1].Count == 0 {
		list = list[:len(list)-1]
	}
	return list
}

// statuses counts documents by the status of the answer.
func statuses(documents []*auditedDocument) []bar {
	counts := map[name]int64{}
	for _, d := range documents {
		switch {
		case d.Status != 0:
			counts[name{Name: strconv.Itoa(d.Status)}]++
		case d.Error != "":
			counts[name{Name: "no answer"}]++
		}
	}
	return top(counts)
}

// maxSpans is how many fetches are shown: the first ones.
const maxSpans = 200

// A fetchSection shows the first fetches, in the order of their begin.
type fetchSection struct {
	Spans []*auditedDocument
	Total time.Duration
	More  int // that are left out
}

// waterfall returns the fetches of documents.
func waterfall(documents []*auditedDocument) (s fetchSection) {
	for _, d := range documents {
		if d.Elapsed > 0 {
			s.Spans = append(s.Spans, d)
		}
	}
	slices.SortStableFunc(s.Spans, func(a, b *auditedDocument) int {
		return cmp.Compare(a.Begun, b.Begun)
	})
	s.More = max(0, len(s.Spans)-maxSpans)
	s.Spans = s.Spans[:len(s.Spans)-s.More]
	for _, d := range s.Spans {
		s.Total = max(s.Total, d.Begun+d.Elapsed)
	}
	return s
}

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

// place gives tiles their places in a rectangle. It divides the tiles into two parts of nearly
// equal size, and the rectangle across its longer side, and then each part again.
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
