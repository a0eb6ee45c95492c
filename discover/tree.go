package discover

import "context"

// A Node is a sitemap in the tree of a site.
type Node struct {
	// Sitemap is nil for the root.
	Sitemap *Sitemap
	// Summary describes the document: its results, why it failed or why it was skipped.
	Summary Summary
	// Children are the sitemaps that an index lists, in the order in which they were read. Those of
	// the root are the sitemaps that robots.txt names or that were found otherwise.
	Children []*Node
}

// Tree returns the sitemaps of a site as a tree. It reads them as [Client.URLs] does, but keeps no
// pages. A document that is listed several times is in the tree once, where it was read. The error
// is that of the walk; the root, never nil, then holds everything that could be read.
func (c *Client) Tree(ctx context.Context, site string, o *Options) (*Node, error) {
	var walk Options
	if o != nil {
		walk = *o
	}
	root := &Node{}
	nodes := map[*Sitemap]*Node{nil: root}
	walk.SkipExtensions = true
	walk.Done = func(s *Sitemap, sum Summary) {
		n, above := &Node{Sitemap: s, Summary: sum}, nodes[s.Referrer]
		nodes[s] = n
		above.Children = append(above.Children, n)
		if o != nil && o.Done != nil {
			o.Done(s, sum)
		}
	}
	var last error
	for _, err := range c.URLs(ctx, site, &walk) {
		last = err
	}
	return root, last
}
