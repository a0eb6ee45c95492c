package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

const treeHelp = `Print the sitemaps of sites as a tree: under each target the sitemaps that
robots.txt names, and under each index those that it lists, with format, number of
entries, decoded size, status, lastmod as the index lists it, problems, and who
refers.

` + targetHelp + `

As jsonl, each document is an object, printed as it ends: sitemap, url (that
answered, if it is another), referrer, robots and line (the robots.txt that names
it), depth, lastmod, status, attempts, hops, format, encoding, entries, bytes
(decoded), received (bytes on the wire), trust (pages by verdict), problems (by
code), lastmods (count, equal, future, date_only), first_byte and elapsed (in
seconds), skipped (why it was not read: since, follow, not_modified), error (code,
message). What is absent is left out.

` + failureHelp

const treeExample = `  sitemap tree example.com
  sitemap tree --format jsonl --follow products https://example.com/sitemap_index.xml`

func (a *app) treeCommand() *cobra.Command {
	flags := &walkFlags{}
	cmd := &cobra.Command{
		Use:     "tree [flags] TARGET...",
		Short:   "Print the sitemaps of a site as a tree",
		Long:    treeHelp,
		Example: treeExample,
		Args:    atLeastOne("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if flags.format != "text" && flags.format != "jsonl" {
				err = fmt.Errorf("no format is called %q; there are text and jsonl", flags.format)
			}
			return a.walkAndPrint(cmd, args, flags, &documentFlags{}, err, func(w *walker, out *output) handler {
				w.options.SkipExtensions = true
				if flags.format == "jsonl" {
					return &treeLines{out: out}
				}
				return &treeHandler{out: out}
			})
		},
	}
	flags.add(cmd.Flags(), "text or jsonl")
	return cmd
}

// A treeHandler draws a tree when its target is walked.
type treeHandler struct {
	out   *output
	roots []*node
	nodes map[*discover.Sitemap]*node
}

// A node is a document in the tree.
type node struct {
	text     string
	children []*node
}

func (h *treeHandler) begin(target) {
	h.roots, h.nodes = nil, map[*discover.Sitemap]*node{}
}

func (h *treeHandler) page(*record) error                         { return nil }
func (h *treeHandler) problem(*discover.Sitemap, sitemap.Problem) {}

func (h *treeHandler) failure(t target, err error) {
	h.roots = append(h.roots, &node{text: "FAILED: " + failureTextOf(t.label(), err)})
}

func (h *treeHandler) document(s *discover.Sitemap, sum *discover.Summary) {
	n := &node{text: describe(s, sum)}
	if parent := h.nodes[s.Referrer]; s.Referrer != nil && parent != nil {
		parent.children = append(parent.children, n)
	} else {
		h.roots = append(h.roots, n)
	}
	if sum.Format == sitemap.SitemapIndex || sum.Skipped != discover.NotSkipped || sum.NotModified {
		h.nodes[s] = n
	}
}

func (h *treeHandler) end(t target) {
	b := append([]byte(t.label()), '\n')
	h.out.Write(drawNodes(b, "", h.roots))
}

// drawNodes appends nodes that stand below a line that starts with indent.
func drawNodes(b []byte, indent string, nodes []*node) []byte {
	for i, n := range nodes {
		branch, below := "├── ", "│   "
		if i == len(nodes)-1 {
			branch, below = "└── ", "    "
		}
		b = append(append(append(b, indent...), branch...), printable(n.text)...)
		b = drawNodes(append(b, '\n'), indent+below, n.children)
	}
	return b
}

// describe returns a document's line in the tree.
func describe(s *discover.Sitemap, sum *discover.Summary) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if sum.Format != sitemap.UnknownFormat {
		add("%v", sum.Format)
		add("%s", plural(sum.Entries, listed(sum.Format.String())))
		add("%s", size(sum.Bytes))
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
	if n := problemCount(sum); n > 0 {
		add("%s", plural(n, "problem"))
	}
	if s.RobotsURL != "" {
		add("robots.txt line %d", s.Line)
	}
	if why := skipped(sum); why != "" {
		add("left out (%s)", strings.ReplaceAll(why, "_", " "))
	}
	if sum.Err != nil {
		add("FAILED: %s", failureTextOf(redact(s.Loc), sum.Err))
	}
	return redact(s.Loc) + "  " + strings.Join(parts, ", ")
}

// problemCount counts the problems of a document.
func problemCount(sum *discover.Summary) (n int) {
	for _, count := range sum.Problems {
		n += count
	}
	return n
}

// skipped returns why a document was not read, or "".
func skipped(sum *discover.Summary) string {
	if sum.NotModified {
		return "not_modified"
	}
	return sum.Skipped.String()
}

// A treeLines prints each document as an object.
type treeLines struct {
	out *output
}

func (h *treeLines) begin(target)                               {}
func (h *treeLines) end(target)                                 {}
func (h *treeLines) page(*record) error                         { return nil }
func (h *treeLines) problem(*discover.Sitemap, sitemap.Problem) {}

func (h *treeLines) failure(t target, err error) {
	name := t.label()
	b := appendField([]byte(`{"type":"target"`), "target", name)
	h.out.Write(append(appendError(b, name, err), "}\n"...))
}

func (h *treeLines) document(s *discover.Sitemap, sum *discover.Summary) {
	h.out.Write(treeLine(s, sum))
}
