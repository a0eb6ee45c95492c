package report

import (
	"cmp"
	"maps"
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

// maxBars is how many bars of directories and hosts are shown.
const maxBars = 25

// top returns the longest bars, and one for all others.
func top(counts map[name]int64) []bar {
	var list []bar
	for n, c := range counts {
		list = append(list, bar{name: n, Count: c})
	}
	slices.SortFunc(list, func(a, b bar) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Note, b.Note))
	})
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

// A timeline counts pages by the time of their lastmod.
type timeline struct {
	Unit    string // "month" or "year"
	Columns []column
	Largest int64 // number of pages in a column
	Ticks   []tick
	Margin  int   // on the left, in characters
	With    int64 // pages with a lastmod
}

// A column is a month or year in a timeline.
type column struct {
	Name     string
	Count    int64
	X        float64 // in hundredths of the width
	Labelled bool    // the name stands under it
	Minor    bool    // unless the page is narrow
}

// A tick is a line at a number of pages.
type tick struct {
	Y     float64
	Count int64
}

// The columns of a timeline end at its bottom, and the largest begins at its top, as in page.html.
const timelineTop, timelineBottom = 12, 180

// The width of a label, in hundredths of the page: on a screen, and on a phone.
const labelWidth, narrowLabelWidth = 7.5, 25

// maxMonths is how many months have a column of their own. Longer times are counted by year.
const maxMonths = 60

// newTimeline counts pages by months until now, or by years. Pages that are older than a timeline
// can show are counted as "earlier", and those in the future as "later".
func newTimeline(months map[string]int64, now time.Time) *timeline {
	t := &timeline{Unit: "month"}
	if len(months) == 0 {
		return t
	}
	now = now.UTC()
	first, last := slices.Min(slices.Collect(maps.Keys(months))), now.Format("2006-01")
	step, names := -1, []string{}
	at := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	layout := "2006-01"
	if first < at.AddDate(0, 1-maxMonths, 0).Format(layout) {
		t.Unit, layout, step = "year", "2006", -12
		at = time.Date(at.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	for len(names) < 12 || at.Format(layout) >= first[:len(layout)] && len(names) < maxMonths {
		names = append(names, at.Format(layout))
		at = at.AddDate(0, step, 0)
	}
	slices.Reverse(names)
	counts := map[string]int64{}
	for month, n := range months {
		t.With += n
		switch {
		case month > last:
			counts["later"] += n
		case month[:len(layout)] < names[0]:
			counts["earlier"] += n
		default:
			counts[month[:len(layout)]] += n
		}
	}
	if counts["earlier"] > 0 {
		names = slices.Insert(names, 0, "earlier")
	}
	if counts["later"] > 0 {
		names = append(names, "later")
	}
	t.draw(names, counts)
	return t
}

// draw gives each name a column, and a label if there is room for it.
func (t *timeline) draw(names []string, counts map[string]int64) {
	t.Largest = max(1, slices.Max(slices.Collect(maps.Values(counts))))
	scale := float64(timelineBottom-timelineTop) / float64(t.Largest)
	for step, n := tickStep(t.Largest), int64(0); n <= t.Largest; n += step {
		t.Ticks = append(t.Ticks, tick{timelineBottom - float64(n)*scale, n})
		t.Margin = len(cli.Thousands(n)) + 1
	}
	free, narrowFree := 0.0, 0.0 // of labels, from here on
	for i, name := range names {
		c := column{Name: name, Count: counts[name], X: 100 * float64(i) / float64(len(names))}
		if c.X >= free && c.X <= 100-labelWidth {
			c.Labelled, free = true, c.X+labelWidth
			if c.Minor = c.X < narrowFree || c.X > 100-narrowLabelWidth; !c.Minor {
				narrowFree = c.X + narrowLabelWidth
			}
		}
		t.Columns = append(t.Columns, c)
	}
}

// tickStep returns a round number that fits three to six times into n.
func tickStep(n int64) int64 {
	for power := int64(1); ; power *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			if n/(digit*power) <= 5 {
				return digit * power
			}
		}
	}
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
