package discover_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// outline returns the nodes below n, a line each: depth, name, entries, and why it was not read.
func outline(n *discover.Node) (lines []string) {
	for _, child := range n.Children {
		sum := child.Summary
		line := fmt.Sprintf("%s %d", strings.TrimPrefix(child.Sitemap.Loc, a("")), sum.Entries)
		if line += " " + string(sum.Skipped); sum.Err != nil {
			line += "failed"
		}
		lines = append(lines, strings.TrimSpace(line))
		for _, below := range outline(child) {
			lines = append(lines, "  "+below)
		}
	}
	return lines
}

// TestTree: each document is a node below the index that led to it, also one that failed or was
// skipped. A sitemap that is listed twice is in the tree once.
func TestTree(t *testing.T) {
	w := tree("i: j s gone skip", "j: t u, 1", "s:, 2 3", "t:, 4", "u:", "v: s, 5")
	w.serve(a("robots.txt"), "Sitemap: /i\nSitemap: /v")
	done := 0
	o := &discover.Options{
		Follow: func(s *discover.Sitemap) bool { return s.Loc != a("skip") },
		Done:   func(*discover.Sitemap, discover.Summary) { done++ },
	}
	root, err := w.client().Tree(t.Context(), a(""), o)
	var we *discover.WalkError
	if !errors.As(err, &we) || we.Failed != 1 {
		t.Errorf("error %v", err)
	}
	equal(t, "tree", outline(root), []string{
		"i 4",
		"  j 3", "    t 1", "    u 0",
		"  s 2",
		"  gone 0 failed",
		"  skip 0 follow",
		"v 2",
	})
	if root.Sitemap != nil || root.Children[0].Summary.Format != sitemap.SitemapIndex || done != 8 {
		t.Errorf("root %+v, Done was called %d times", root, done)
	}
	if w.open.Load() != 0 {
		t.Error("bodies are open")
	}
}

// TestTree_Error: the tree that was read before an error is returned with it, and at least the
// root.
func TestTree_Error(t *testing.T) {
	w := tree("i: s t", "s:, 1", "t:, 2")
	w.serve(a("robots.txt"), "Sitemap: /i")
	ctx, cancel := context.WithCancel(t.Context())
	root, err := w.client().Tree(ctx, a(""), &discover.Options{
		Done: func(s *discover.Sitemap, _ discover.Summary) {
			if s.Loc == a("s") {
				cancel()
			}
		},
	})
	equal(t, "tree", outline(root), []string{"i 2", "  s 1"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	root, err = w.client().Tree(t.Context(), "mailto:a@a.test", nil)
	if !errors.Is(err, discover.ErrSite) || root == nil || len(root.Children) != 0 {
		t.Errorf("%+v, %v", root, err)
	}
}
