package discover

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/seed-322c453a/sitemap/discover/trust"
)

// A walk holds what the documents of one call of URLs or Walk share.
type walk struct {
	c         *Client
	ctx       context.Context // the caller's
	o         *Options
	yield     func(URL, error) bool
	sites     map[string][]string // URLs that the caller named, by host
	verifier  *verifier
	memory    *memory
	ahead     *prefetcher
	seeds     map[key]*seed
	seen      map[key]*visited
	queue     queue
	read      int // documents that were requested or taken from the Store
	sound     int // documents of which something could be read
	foreign   int // documents that were requested from hosts without a grant
	failed    WalkError
	left      map[LimitError]int // documents that a limit left out
	otherTold bool               // that the Store has records of another version
}

// visited is a document whose turn has come.
type visited struct {
	scope   trust.Scope
	isKnown bool  // scope is known, and no late grant was reported
	err     error // why the document could not be read
}

// newWalk returns a walk of sites. Its id and o.Run name it in the Store.
func (c *Client) newWalk(
	ctx context.Context, o *Options, yield func(URL, error) bool, id string, sites []*seed,
) (*walk, error) {
	if o == nil {
		o = &Options{}
	}
	w := &walk{
		c: c, ctx: ctx, o: o, yield: yield,
		sites: map[string][]string{}, seeds: map[key]*seed{}, seen: map[key]*visited{},
		left: map[LimitError]int{},
	}
	for _, s := range sites {
		if urls := w.sites[s.site]; !slices.Contains(urls, s.origin) {
			w.sites[s.site] = append(urls, s.origin)
		}
	}
	if len(sites) > 0 {
		first := slices.Sorted(maps.Keys(w.sites))[0]
		m, err := openMemory(o, first, id)
		if err != nil {
			return nil, err
		}
		w.memory = m
	}
	w.verifier = newVerifier(c, o, w.sites)
	w.ahead = newPrefetcher(ctx, c)
	return w, nil
}

// named returns the URLs that the caller named, as far as they matter for a request to host. There
// is one at least.
func (w *walk) named(host string, s *seed) []string {
	if urls := w.sites[host]; len(urls) > 0 {
		return urls
	}
	return []string{s.origin}
}

// scopeOf returns the grants of n, whose request was answered at final.
func (w *walk) scopeOf(n *node, got answer, final string) trust.Scope {
	asked, hops := n.sm.Loc, []string(nil)
	switch {
	case got.doc == nil && n.final != n.key:
		hops = []string{final} // as the Store remembers it
	case got.doc != nil && len(got.doc.Hops) == 0:
		asked = final // without dot segments
	case got.doc != nil:
		asked, hops = got.doc.Hops[0].URL, got.hops()
	}
	scope := n.claim.scope(asked, hops).With(w.seeds[n.key].scope(asked, hops)...)
	if n.final != n.key {
		scope = scope.With(w.seeds[n.final].scope(final, nil)...)
	}
	return scope
}

// close ends the requests of the walk, even when the caller's loop panics.
func (w *walk) close() {
	w.ahead.close()
	w.memory.close()
}

// alive reports whether the walk may go on. If the caller's context has ended or the Store has
// failed, it yields the error.
func (w *walk) alive() bool {
	if err := w.ctx.Err(); err != nil {
		w.yield(URL{}, err)
		return false
	}
	if w.memory.Err() != nil {
		w.end()
		return false
	}
	return true
}

// end yields the error of the walk, if it has one. The error of the Store is the last one in it.
func (w *walk) end() {
	byName := func(a, b LimitError) int { return cmp.Compare(a.What, b.What) }
	for _, l := range slices.SortedFunc(maps.Keys(w.left), byName) {
		l.Left = w.left[l]
		w.failed.addFirst(&l)
	}
	if err := w.memory.close(); err != nil {
		w.failed.Errs = append(w.failed.Errs[:min(len(w.failed.Errs), maxErrs-1)], err)
	}
	w.memory = nil
	if len(w.failed.Errs) > 0 {
		w.yield(URL{}, &w.failed)
	}
}
