// Package tree is the command sitemap tree, which shows the sitemaps of a site as a tree.
package tree

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Command returns the command sitemap tree.
func Command(a *cli.App) *cobra.Command {
	flags := &lists.Flags{}
	cmd := cli.Command("tree [flags] TARGET...", nil,
		func(cmd *cobra.Command, args []string) error {
			return lists.Walk(a, cmd, args, flags, func(w *lists.Walker, _ []target.Target) error {
				w.Options.SkipExtensions = true
				if w.Handle = treeLines; flags.Format == "text" {
					w.Handle = drawTree
				}
				return nil
			})
		})
	flags.Add(cmd, "text or jsonl")
	return cmd
}

// A node is a document in a tree.
type node struct {
	text     string
	children []*node
}

// drawTree returns the handler that draws the tree of a target when it has ended.
func drawTree(v *lists.Visit) lists.Handler {
	top := &node{}
	nodes := map[*discover.Sitemap]*node{}
	add := func(parent *discover.Sitemap, text string) *node {
		n, above := &node{text: text}, cmp.Or(nodes[parent], top)
		above.children = append(above.children, n)
		return n
	}
	return lists.Handler{
		Document: func(s *discover.Sitemap, sum *discover.Summary) {
			v.CountEntries(sum)
			nodes[s] = add(s.Referrer, describe(s, sum))
		},
		Failure: func(err error) {
			add(nil, "FAILED: "+jsonl.Message(v.Target.Label(), err))
		},
		End: func() {
			v.Write([]byte(cli.Harmless(v.Target.Label(), "") + "\n"))
			v.Write(drawNodes(nil, "", top.children))
		},
	}
}

// drawNodes appends the nodes below a line that starts with indent.
func drawNodes(b []byte, indent string, nodes []*node) []byte {
	for i, n := range nodes {
		branch, below := "├── ", "│   "
		if i == len(nodes)-1 {
			branch, below = "└── ", "    "
		}
		b = append(append(append(b, indent...), branch...), cli.Printable(n.text)...)
		b = drawNodes(append(b, '\n'), indent+below, n.children)
	}
	return b
}

// describe returns the line of a document.
func describe(s *discover.Sitemap, sum *discover.Summary) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if sum.Format != sitemap.UnknownFormat {
		add("%v, %s, %s", sum.Format, cli.Listed(sum), cli.Size(sum.Bytes))
	}
	if sum.Status != 0 {
		add("status %d", sum.Status)
	}
	if sum.FinalURL != "" && len(sum.Hops) > 0 {
		add("redirected to %s", sum.FinalURL)
	}
	if !s.LastMod.IsZero() {
		add("lastmod %v", s.LastMod)
	}
	if n := cli.ProblemCount(sum); n > 0 {
		add("%s", cli.Plural(n, "problem"))
	}
	if s.RobotsURL != "" {
		add("robots.txt line %d", s.Line)
	}
	if sum.Skipped != "" {
		add("left out (%s)", sum.Skipped)
	}
	if sum.Err != nil {
		add("FAILED: %s", jsonl.Message(cli.Redact(s.Loc), sum.Err))
	}
	return cli.Redact(s.Loc) + "  " + strings.Join(parts, ", ")
}

// A treeLine is a document as "tree --format jsonl" prints it.
type treeLine struct {
	Type    string `json:"type"`
	Target  string `json:"target"`
	Sitemap string `json:"sitemap"`

	// How it was found.
	URL      string       `json:"url,omitempty"` // that answered, if it is another
	Referrer string       `json:"referrer,omitempty"`
	Robots   string       `json:"robots,omitempty"`
	Line     int          `json:"line,omitempty"`
	Depth    int          `json:"depth"`
	LastMod  sitemap.Time `json:"lastmod,omitzero"`
	Assumed  bool         `json:"zone_assumed,omitempty"` // the zone of LastMod

	// How the server answered.
	Status   int         `json:"status,omitempty"`
	Attempts int         `json:"attempts,omitempty"`
	Hops     []fetch.Hop `json:"hops,omitempty"`

	// Its content.
	Format   string                `json:"format,omitempty"`
	Encoding string                `json:"encoding,omitempty"`
	Entries  int64                 `json:"entries"`
	Bytes    int64                 `json:"bytes,omitempty"`
	Received int64                 `json:"received,omitempty"`
	Trust    map[trust.Level]int64 `json:"trust,omitempty"`
	Problems map[sitemap.Code]int  `json:"problems,omitempty"`
	LastMods sitemap.LastMods      `json:"lastmods,omitzero"`

	Elapsed float64          `json:"elapsed,omitempty"` // seconds
	Skipped discover.Skipped `json:"skipped,omitempty"`
	Error   *jsonl.Error     `json:"error,omitempty"`
}

// treeLines returns the handler that prints each document as an object.
func treeLines(v *lists.Visit) lists.Handler {
	return lists.Handler{
		Document: func(s *discover.Sitemap, sum *discover.Summary) {
			v.CountEntries(sum)
			l := treeLineOf(s, sum)
			l.Target = v.Record.Target
			v.Write(append(jsonl.Marshal(l), '\n'))
		},
		Failure: func(err error) {
			label := v.Target.Label()
			v.Write(append(jsonl.Marshal(struct {
				Type   string       `json:"type"`
				Target string       `json:"target"`
				Error  *jsonl.Error `json:"error"`
			}{"target", v.Record.Target, jsonl.ErrorOf(label, err)}), '\n'))
		},
	}
}

func treeLineOf(s *discover.Sitemap, sum *discover.Summary) *treeLine {
	l := &treeLine{
		Type: "document", Sitemap: cli.Redact(s.Loc), Robots: s.RobotsURL, Line: s.Line,
		LastMod: s.LastMod, Assumed: s.LastMod.ZoneAssumed(),
		Status: sum.Status, Attempts: sum.Attempts, Hops: sum.Hops,
		Format: sum.Format.String(), Encoding: sum.Encoding, Entries: sum.Entries,
		Bytes: sum.Bytes, Received: sum.Received, Trust: sum.ByTrust, Problems: sum.Problems,
		LastMods: sum.LastMods, Skipped: sum.Skipped,
		Elapsed: sum.Elapsed.Round(time.Microsecond).Seconds(),
		Error:   jsonl.ErrorOf(cli.Redact(s.Loc), sum.Err),
	}
	if sum.FinalURL != l.Sitemap {
		l.URL = sum.FinalURL
	}
	if s.Referrer != nil {
		l.Referrer = cli.Redact(s.Referrer.Loc)
	}
	for at := s.Referrer; at != nil; at = at.Referrer {
		l.Depth++
	}
	return l
}
