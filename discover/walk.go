package discover

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// URLs yields the pages of a site: it finds the site's sitemaps as [Client.Find] does and walks
// them. The known paths and the home page are tried also if nothing that robots.txt names can be read. A nil *Options
// is a zero Options.
//
// URLs does nothing before it is ranged over, and leaves nothing running when the caller breaks
// off. At most one error comes, as the last element: see the package's documentation.
//
// The site is that of the host of site, even if site is the URL of a sitemap. To read one sitemap
// alone, use [Client.Walk] with []*Sitemap{{Loc: url}}.
func (c *Client) URLs(ctx context.Context, site string, o *Options) iter.Seq2[URL, error] {
	return func(yield func(URL, error) bool) {
		st, err := parseSite(site)
		if err != nil {
			yield(URL{}, err)
			return
		}
		f, st, err := c.siteRobots(ctx, st)
		if err != nil {
			yield(URL{}, err)
			return
		}
		w, err := c.newWalk(ctx, o, yield, "site "+st.host(), []string{st.host()})
		if err != nil {
			yield(URL{}, err)
			return
		}
		defer w.close()
		w.origins = []string{st.origin()}
		w.reader.verifier.origins = w.origins
		w.reportRobots(f)
		w.seed(f.seeds())
		if !w.run() {
			return
		}
		var tried []Attempt
		if w.sound == 0 {
			tried = w.tryKnown(st, f)
			if tried == nil {
				return
			}
		}
		if w.sound == 0 && len(f.Sitemaps) == 0 {
			yield(URL{}, &NoSitemapError{Site: st.url.String(), Tried: tried})
			return
		}
		w.end()
	}
}

// Walk yields the pages of sitemaps and of everything that they refer to, in document order, depth
// first. A nil *Options is a zero Options. Walk does nothing before it is ranged over, and leaves
// nothing running when the caller breaks off. At most one error comes, as the last element: a
// [*WalkError] or ctx's error.
//
// A sitemap with neither Grants, Referrer nor RobotsURL counts as named by the caller, who vouches
// for its host ([trust.OfCaller]). The grants of seeds that name the same document are merged. Walk
// does not change the sitemaps.
func (c *Client) Walk(ctx context.Context, from []*Sitemap, o *Options) iter.Seq2[URL, error] {
	return func(yield func(URL, error) bool) {
		var sites, origins, locs []string
		for _, s := range from {
			if s == nil {
				continue
			}
			locs = append(locs, seedLoc(s))
			if st, err := seedSite(s); err == nil {
				sites = append(sites, st.host())
				// Thousands of seeds have one origin, and each request reads all origins.
				st.url.Path, st.url.RawPath = "", ""
				if o := st.origin(); !slices.Contains(origins, o) {
					origins = append(origins, o)
				}
			}
		}
		slices.Sort(sites)
		sites = slices.Compact(sites)
		w, err := c.newWalk(ctx, o, yield, strings.Join(locs, "\n"), sites)
		if err != nil {
			yield(URL{}, err)
			return
		}
		defer w.close()
		w.origins = origins
		w.reader.verifier.origins = origins
		w.seed(from)
		if w.run() {
			w.end()
		}
	}
}

// newWalk returns a walk. Its id and o.Run name it in the Store.
func (c *Client) newWalk(
	ctx context.Context, o *Options, yield func(URL, error) bool, id string, sites []string,
) (*walk, error) {
	if o == nil {
		o = &Options{}
	}
	w := &walk{
		c: c, o: o,
		seeds: map[key]*seed{}, seen: map[key]*visited{}, left: map[LimitError]int{},
		release: func() {},
	}
	if o.Store != nil && o.Run != "" {
		name := running{o.Store, o.Run, id}
		if _, loaded := c.running.LoadOrStore(name, true); loaded {
			return nil, ErrRunning
		}
		w.release = func() { c.running.Delete(name) }
	}
	v := &verifier{
		c: c, ctx: ctx, sites: sites, max: o.verifyHosts(),
		names: map[location.Origin]map[key]bool{},
	}
	w.reader = &reader{ctx: ctx, o: o, sites: sites, verifier: v, yield: yield}
	if len(sites) > 0 {
		w.reader.memory = openMemory(o, sites[0], id)
	}
	w.ahead = newPrefetcher(ctx, c, w.request)
	return w, nil
}

// running names a walk that is under way.
type running struct {
	store   Store
	run, id string
}

// close ends whatever the walk still does, also when the caller's loop panics.
func (w *walk) close() {
	w.ahead.close()
	w.reader.memory.close()
	w.release()
}

// seed puts the seeds into the queue, each document once, with the grants of all that name it.
func (w *walk) seed(from []*Sitemap) {
	var nodes []*node
	for _, s := range from {
		if s == nil {
			continue
		}
		grants := s.Grants
		if len(grants) == 0 && s.Referrer == nil && s.RobotsURL == "" {
			if g, ok := trust.OfCaller(s.Loc); ok {
				grants = trust.Scope{g}
			}
		}
		if loc := seedLoc(s); loc != s.Loc {
			clean := *s
			clean.Loc = loc
			s = &clean
		}
		k := keyOf(s.Loc)
		at := w.seeds[k]
		if at == nil {
			at = &seed{}
			w.seeds[k] = at
			nodes = append(nodes, &node{sm: s, key: k})
		}
		at.scope = at.scope.With(grants...)
		at.referrers = append(at.referrers, s)
	}
	w.queue.push(nodes)
}

// tryKnown visits the known paths of the site up to the first that holds a sitemap, and all that it
// leads to. It returns what was tried, nil if the walk must end at once.
func (w *walk) tryKnown(st site, f *robotsFile) []Attempt {
	tried := []Attempt{{f.url, f.none}}
	for loc := range w.c.candidates(w.reader.ctx, st, f, w.o, &tried) {
		if w.seen[keyOf(loc)] != nil {
			continue
		}
		n := &node{sm: knownSeed(loc), key: keyOf(loc)}
		n.scope = n.sm.Grants
		missed, alive := w.visit(n, true)
		if !alive {
			return nil
		}
		if missed == nil {
			w.failMissed(tried[1:])
			if !w.run() {
				return nil
			}
			break
		}
		tried = append(tried, Attempt{loc, missed})
	}
	if err := w.reader.ctx.Err(); err != nil {
		w.reader.yield(URL{}, err)
		return nil
	}
	return tried
}

// failMissed reports the known paths that may hold a sitemap another time.
func (w *walk) failMissed(tried []Attempt) {
	for _, a := range tried {
		var fe *fetch.Error
		if errors.As(a.Err, &fe) && fe.Temporary() {
			d := w.reader.newDocument(&node{sm: &Sitemap{Loc: a.URL}}, "", 0)
			d.answered(fetched{err: a.Err})
			w.finish(d, time.Time{})
		}
	}
}

// reportRobots reports the problems of a robots.txt, and how it broke off.
func (w *walk) reportRobots(f *robotsFile) {
	sm := &Sitemap{Loc: f.url}
	if w.o.Report != nil {
		for _, p := range f.Problems {
			w.o.Report(sm, p)
		}
	}
	if f.cut != nil {
		d := w.reader.newDocument(&node{sm: sm, key: keyOf(f.url)}, f.cut.doc.URL.String(), 0)
		d.answered(fetched{doc: f.cut.doc, err: f.cut.err})
		d.sum.Entries = int64(len(f.Sitemaps))
		w.finish(d, time.Time{})
		w.sound = 0
	}
}

// end yields the error of the walk, if it has one.
func (w *walk) end() {
	limits := make([]*LimitError, 0, len(w.left))
	for l, n := range w.left {
		l.Left = n
		limits = append(limits, &l)
	}
	slices.SortFunc(limits, func(a, b *LimitError) int { return strings.Compare(a.What, b.What) })
	for _, l := range limits {
		w.failed.addFirst(l, l.Left)
	}
	if err := w.reader.memory.close(); err != nil {
		w.failed.Errs = append(w.failed.Errs[:min(len(w.failed.Errs), maxErrs-1)], err)
	}
	w.reader.memory = nil
	if len(w.failed.Errs) > 0 {
		w.reader.yield(URL{}, &w.failed)
	}
}
