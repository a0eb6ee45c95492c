// Package stats is the command sitemap stats, which counts the URLs of sites.
package stats

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Command returns the command sitemap stats.
func Command(a *cli.App) *cobra.Command {
	flags := &lists.Flags{}
	cmd := cli.Command("stats [flags] TARGET...", nil,
		func(cmd *cobra.Command, args []string) error { return run(a, cmd, args, flags) })
	flags.Add(cmd, "text, jsonl or csv")
	return cmd
}

// run counts the URLs of each target.
func run(a *cli.App, cmd *cobra.Command, args []string, flags *lists.Flags) error {
	return lists.Walk(a, cmd, args, flags, func(w *lists.Walker, _ []target.Target) error {
		if flags.Format == "csv" {
			w.Header = "target,kind,name,urls,percent\n"
		}
		w.Handle = func(v *lists.Visit) lists.Handler {
			c := &census{counts: map[string]map[string]int64{}}
			unread := false
			return lists.Handler{
				Page:     func(r *batch.URL) error { c.add(r); return nil },
				Document: func(_ *discover.Sitemap, s *discover.Summary) { unread = unread || s.Err != nil },
				Failure:  func(error) { unread = true },
				End: func() {
					if unread && c.urls == 0 {
						return // nobody knows how many there are
					}
					v.Write(c.print(nil, v.Record.Target, flags.Format))
				},
			}
		}
		return nil
	})
}

// A census counts URLs by what they have in common.
type census struct {
	counts map[string]map[string]int64 // by kind and name
	urls   int64
	first  sitemap.Time // lastmod
}

// censusKinds are the kinds of counts, in their order.
var censusKinds = []string{"host", "directory", "month", "sitemap", "extension", "lastmod"}

// maxNames bounds the names of a kind that are counted separately.
const maxNames = 10_000

const otherNames = "(others)"

func (c *census) count(kind, name string) { c.countIf(true, kind, name) }

// countIf counts a URL, if it is one of those with a name, which is printed in any case.
func (c *census) countIf(isOne bool, kind, name string) {
	names := c.counts[kind]
	if names == nil {
		names = map[string]int64{}
		c.counts[kind] = names
	}
	if _, ok := names[name]; !ok && len(names) >= maxNames {
		name = otherNames
	}
	n := names[name]
	if isOne {
		n++
	}
	names[name] = n
}

// add counts a URL.
func (c *census) add(r *batch.URL) {
	c.urls++
	host, directory := Split(r.Loc)
	c.count("host", host)
	c.count("directory", directory)
	c.count("sitemap", r.Sitemap)
	c.extensions(r.Extensions)
	c.lastMod(r.LastMod)
}

// lastMod counts a lastmod by its month, and in the counts that show how credible lastmods are.
func (c *census) lastMod(t sitemap.Time) {
	c.countIf(!t.IsZero(), "lastmod", "with a lastmod")
	if t.IsZero() {
		c.count("month", "none")
		return
	}
	c.count("month", Month(t))
	if c.first.IsZero() {
		c.first = t
	}
	c.countIf(t == c.first, "lastmod", "equal to the first")
	c.countIf(t.Precision() < sitemap.Minute, "lastmod", "without a time of day")
}

// Month returns the month of a lastmod, or its year if it has no month.
func Month(t sitemap.Time) string {
	text := t.String()
	return text[:min(len(text), len("2006-01"))]
}

// Split returns the host of a URL, and the first directory of its path. What has no scheme has no
// host.
func Split(loc string) (host, directory string) {
	if end := strings.IndexAny(loc, "?#"); end >= 0 { // a query may have a URL
		loc = loc[:end]
	}
	_, rest, _ := strings.Cut(loc, "://")
	host, path, _ := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if directory, _, ok := strings.Cut(path, "/"); ok {
		return host, "/" + directory + "/"
	}
	return host, "/"
}

func (c *census) extensions(x *sitemap.Extensions) {
	if x == nil {
		return
	}
	for name, has := range map[string]bool{
		"images": len(x.Images) > 0, "videos": len(x.Videos) > 0, "news": len(x.News) > 0,
		"alternates": len(x.Alternates) > 0, "mobile": x.Mobile, "pagemap": len(x.PageMap) > 0,
		"other": len(x.Other) > 0,
	} {
		if has {
			c.count("extension", name)
		}
	}
}

// A statLine is a count as jsonl prints it.
type statLine struct {
	Type    string  `json:"type"`
	Target  string  `json:"target"`
	Name    string  `json:"name,omitempty"`
	URLs    int64   `json:"urls"`
	Percent float64 `json:"percent"`
}

// shownNames is how many names of a kind text shows.
const shownNames = 20

// print appends the counts.
func (c *census) print(b []byte, target, format string) []byte {
	if format == "text" {
		b = fmt.Appendf(b, "%s: %s\n", cli.Printable(target), cli.Plural(c.urls, "URL"))
		return c.printText(b)
	}
	b = appendStat(b, format, statLine{"total", target, "", c.urls, 100})
	for _, kind := range censusKinds {
		for _, name := range c.sorted(kind) {
			n := c.counts[kind][name]
			b = appendStat(b, format, statLine{kind, target, name, n, percent(n, c.urls)})
		}
	}
	return b
}

// sorted returns the names of a kind: months as they follow each other, others by their counts.
func (c *census) sorted(kind string) []string {
	names := c.counts[kind]
	return slices.SortedFunc(maps.Keys(names), func(x, y string) int {
		if kind == "month" {
			return strings.Compare(x, y)
		}
		return cmp.Or(cmp.Compare(names[y], names[x]), strings.Compare(x, y))
	})
}

func (c *census) printText(b []byte) []byte {
	for _, kind := range censusKinds {
		names := c.sorted(kind)
		if len(names) > 0 {
			b = fmt.Appendf(b, "\nby %s:\n", kind)
		}
		for i, name := range names {
			if kind != "month" && i == shownNames && len(names) > shownNames+1 {
				b = fmt.Appendf(b, "  … %s more: --format csv\n",
					cli.Thousands(int64(len(names)-i)))
				break
			}
			n := c.counts[kind][name]
			b = fmt.Appendf(b, "  %12s  %5.1f %%  %s\n", cli.Thousands(n), percent(n, c.urls),
				cli.Printable(name))
		}
	}
	return b
}

func appendStat(b []byte, format string, l statLine) []byte {
	if format == "jsonl" {
		return append(append(b, jsonl.Marshal(l)...), '\n')
	}
	return output.AppendRow(b, false, l.Target, l.Type, l.Name, fmt.Sprint(l.URLs),
		fmt.Sprint(l.Percent))
}

// percent returns the share of n, with one decimal.
func percent(n, of int64) float64 {
	return math.Round(float64(n)*1000/float64(of)) / 10
}
