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

As jsonl, each document is an object, printed as it ends: type (document; target for
one that could not be walked, with target and error), sitemap, url (that
answered, if it is another), referrer, robots and line (the robots.txt that names
it), depth, lastmod, status, attempts, hops, format, encoding, entries, bytes
(decoded), received (bytes on the wire), trust (pages by verdict), problems (by
code), lastmods (count, equal, future, date_only), first_byte and elapsed (in
seconds), skipped (why it was not read: since or follow), error (code,
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
			return a.walkAndPrint(cmd, args, flags, &documentFlags{}, func(w *walker, out *output) handler {
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

// A treeHandler draws a tree when its target is walked, or, if it is large, as it is walked.
type treeHandler struct {
	out   *output
	label string
	roots []*node
	path  []step // from a root to the last document: those that the next may stand below
	held  int    // bytes of memory for nodes
	drawn bool   // the tree is drawn as it is walked
}

// maxHeld is how much memory a tree may take before it is drawn.
const maxHeld = 8 << 20

// A node is a document in the tree.
type node struct {
	text     string
	children []*node
}

// A step is a document with its node.
type step struct {
	sitemap *discover.Sitemap
	node    *node
}

func (h *treeHandler) begin(t target) { *h = treeHandler{out: h.out, label: t.label()} }

func (h *treeHandler) page(*record) error                         { return nil }
func (h *treeHandler) problem(*discover.Sitemap, sitemap.Problem) {}

func (h *treeHandler) failure(t target, err error) {
	h.path = nil
	h.add(&node{text: "FAILED: " + failureTextOf(t.label(), err)})
}

// document adds a document below its referrer: an index comes before what it lists, and that
// before what follows the index.
func (h *treeHandler) document(s *discover.Sitemap, sum *discover.Summary) {
	for n := len(h.path); n > 0 && h.path[n-1].sitemap != s.Referrer; n-- {
		h.path = h.path[:n-1]
	}
	n := &node{text: describe(s, sum)}
	h.add(n)
	h.path = append(h.path, step{s, n})
}

// add adds a node below the last of the path.
func (h *treeHandler) add(n *node) {
	if h.drawn {
		h.out.Write(drawNodes(nil, strings.Repeat(indentMore, len(h.path)), []*node{n}, true))
		n.text = ""
		return
	}
	if last := len(h.path) - 1; last >= 0 {
		h.path[last].node.children = append(h.path[last].node.children, n)
	} else {
		h.roots = append(h.roots, n)
	}
	if h.held += len(n.text) + 100; h.held > maxHeld {
		h.draw(true)
		h.roots, h.drawn = nil, true
		for _, s := range h.path {
			*s.node = node{}
		}
	}
}

func (h *treeHandler) end(target) {
	if !h.drawn {
		h.draw(false)
	}
}

func (h *treeHandler) draw(more bool) {
	h.out.Write(drawNodes(append([]byte(h.label), '\n'), "", h.roots, more))
}

const indentMore = "│   "

// drawNodes appends nodes that stand below a line that starts with indent. With more set,
// others may follow the last.
func drawNodes(b []byte, indent string, nodes []*node, more bool) []byte {
	for i, n := range nodes {
		branch, below := "├── ", indentMore
		if i == len(nodes)-1 && !more {
			branch, below = "└── ", "    "
		}
		b = append(append(append(b, indent...), branch...), printable(n.text)...)
		b = drawNodes(append(b, '\n'), indent+below, n.children, more)
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
